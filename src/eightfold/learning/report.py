"""What people see of a run: a line for every few seconds, the table of an evaluation, and how the scores grew."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from eightfold.arena.results import Tally
from eightfold.learning.evaluation import Evaluation, mcts_name
from eightfold.learning.runs.metrics import read_metrics

LINE_SECONDS = 10.0


class TrainingReport:
    """Prints progress to stderr: a line now and then, evaluations and warnings when they come."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, emoji=False)
        self._printed = 0.0
        self._score = ""
        self._warned: set[str] = set()

    def __call__(self, entry: dict[str, Any]) -> None:
        if "evaluation" in entry:
            figures = entry["evaluation"]
            low, high = figures["mcts"]["ci95"]
            self._score = f"score {figures['mcts']['score']:.3f}"
            opponents = ", ".join(f"{_short(found)} against {name}" for name, found in _opponents(figures).items())
            self._console.print(
                f"[bold]{entry['minutes']:5.1f} min  {self._score}[/bold] ({low:.2f} to {high:.2f}) against mcts:"
                f" {opponents} (wins-draws-losses)",
                soft_wrap=True,
            )
            return
        for warning in entry.get("warnings", []):
            kind = warning.partition(":")[0]
            if kind not in self._warned:
                self._warned.add(kind)
                self._console.print(f"[yellow]{entry['minutes']:5.1f} min  {warning}[/yellow]")
        if time.monotonic() - self._printed < LINE_SECONDS:
            return
        self._printed = time.monotonic()
        if "simulations_per_s" not in entry:
            self._console.print(_line_of_steps(entry), soft_wrap=True)
            return
        facts = [
            f"{entry['minutes']:5.1f} min",
            f"{entry['games']:6d} games",
            f"{entry['simulations_per_s']:7,.0f} simulations/s",
            f"{entry['games_per_s']:5.1f} games/s",
            f"{entry['samples_per_s']:6,.0f} samples/s",
            _losses(entry),
            f"rate {entry['learning_rate']:.1e}",
            f"length {entry.get('game_length', 0):.0f}",
            f"theta {entry['theta']:.2f}" if "theta" in entry else "",
            _sources(entry),
            self._score,
        ]
        self._console.print("  ".join(filter(None, facts)), soft_wrap=True)


def _line_of_steps(entry: dict[str, Any]) -> str:
    """Of a stage without games: the first, which learns from an advisor, or the steps that the last games earned."""
    source = next((name for name, count in entry["samples_from"].items() if count), "the advisor")
    facts = [
        f"{entry['minutes']:5.1f} min",
        *([f"learning from {source}", f"epoch {entry['advisor_epoch']:.1f}"] if "advisor_epoch" in entry else []),
        f"{entry['samples_per_s']:6,.0f} samples/s",
        _losses(entry),
    ]
    return "  ".join(facts)


def _losses(entry: dict[str, Any]) -> str:
    return f"loss {entry['policy_loss']:.3f} + {entry['value_loss']:.3f}" if "policy_loss" in entry else "loss -"


def _sources(entry: dict[str, Any]) -> str:
    """Whose games the samples were of so far, where it was not self-play alone."""
    counts = entry.get("samples_from", {})
    total = sum(counts.values())
    if not total or len(counts) < 2:
        return ""
    return "learned " + ", ".join(f"{count / total:.0%} from {source}" for source, count in counts.items())


def _opponents(figures: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The single opponents of an evaluation as metrics.jsonl has it."""
    return {name: found for name, found in figures.items() if isinstance(found, dict) and name != "mcts"}


def _short(found: dict[str, Any]) -> str:
    return f"{found['wins']}-{found['draws']}-{found['losses']}"


def print_evaluation(evaluation: Evaluation, name: str) -> None:
    """The table of an evaluation."""
    table = Table(title=f"{name}, {evaluation.total.games} games against pure Monte Carlo search", title_justify="left")
    table.add_column("opponent", justify="right", overflow="fold")  # whom it is about is never cut
    for heading in ("score", "95 % interval", "results", "as black", "as white"):
        table.add_column(heading, justify="right")
    mcts, networks = list(evaluation.mcts.values()), evaluation.networks
    for playouts, match in evaluation.mcts.items():
        _row(table, mcts_name(playouts), match.as_first, match.as_second)
    table.add_section()
    nothing = Tally(games=0, wins=0, draws=0, losses=0)
    _row(table, "all of these", sum((m.as_first for m in mcts), nothing), sum((m.as_second for m in mcts), nothing))
    table.add_section()
    for opponent, match in networks.items():
        _row(table, f"{opponent} network", match.as_first, match.as_second)
    console = Console(emoji=False)
    console.print(table)
    example = max(evaluation.mcts)
    full = evaluation.mcts[example].names[1]
    console.print(f"results are wins-draws-losses; {mcts_name(example)} is {full}", highlight=False, soft_wrap=True)
    if networks:
        plies = next(iter(networks.values())).opening_plies
        console.print(f"games against networks begin with {plies} random moves", highlight=False)
    console.print(f"{evaluation.playouts} playouts a move, {evaluation.playing}", highlight=False, soft_wrap=True)


def _row(table: Table, name: str, first: Tally, second: Tally) -> None:
    total = first + second
    low, high = total.interval
    results = [f"{each.wins}-{each.draws}-{each.losses}" for each in (total, first, second)]
    table.add_row(name, f"{total.score:.3f}", f"{low:.3f} to {high:.3f}", *results)


def print_curve(folder: Path) -> None:
    """How the scores grew, from the run's metrics."""
    measured = [entry for entry in read_metrics(folder) if "evaluation" in entry]
    if len(measured) < 2:
        return
    console = Console(highlight=False)
    console.print("score against mcts over the run, and against the network of the evaluation before:")
    for entry in measured:
        score, earlier = entry["evaluation"]["mcts"]["score"], entry["evaluation"].get("earlier")
        beside = f"  {earlier['score']:.3f}" if earlier else "       "
        console.print(f"  {entry['minutes']:6.1f} min  {score:.3f}{beside}  {'█' * round(score * 40)}")
