"""What people see of a run: a line for every few seconds, the table of strengths, and what to do next."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from eightfold.arena.ratings import points_interval
from eightfold.learning.evaluation import Strength
from eightfold.learning.runs.run import read_metrics

LINE_SECONDS = 10.0


class TrainingReport:
    """Prints progress to stderr: a line now and then, evaluations and warnings when they come."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, emoji=False)
        self._printed = 0.0
        self._strength = ""
        self._warned: set[str] = set()

    def __call__(self, entry: dict[str, Any]) -> None:
        if "strength" in entry:
            figures = entry["strength"]
            low, high = figures["ci95"]
            self._strength = f"strength {figures['score']:.3f}"
            tiers = ", ".join(f"{score:.2f} against {tier}" for tier, score in figures["tiers"].items())
            self._console.print(
                f"[bold]{entry['minutes']:5.1f} min  {self._strength}[/bold] ({low:.2f} to {high:.2f}): {tiers}"
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
        losses = f"loss {entry['policy_loss']:.3f} + {entry['value_loss']:.3f}" if "policy_loss" in entry else "loss -"
        facts = [
            f"{entry['minutes']:5.1f} min",
            f"{entry['games']:6d} games",
            f"{entry['simulations_per_s']:7,.0f} simulations/s",
            f"{entry['games_per_s']:5.1f} games/s",
            f"{entry['samples_per_s']:6,.0f} samples/s",
            losses,
            f"rate {entry['learning_rate']:.1e}",
            f"length {entry.get('game_length', 0):.0f}",
            self._strength,
        ]
        self._console.print("  ".join(filter(None, facts)), soft_wrap=True)


def print_strength(strength: Strength, name: str) -> None:
    """The table of an evaluation."""
    table = Table(title=f"{name} against pure Monte Carlo search, {strength.games} games", title_justify="left")
    for heading in ("opponent", "score", "95 % interval", "moving first", "moving second"):
        table.add_column(heading, justify="right")
    for tier in strength.tiers:
        _row(table, f"mcts:playouts={tier.playouts}", tier.points, tier.first, tier.second)
    table.add_section()
    first = tuple(point for tier in strength.tiers for point in tier.first)
    second = tuple(point for tier in strength.tiers for point in tier.second)
    _row(table, "all", first + second, first, second)
    console = Console(emoji=False)
    console.print(table)
    console.print(f"{strength.playouts} playouts a move, {strength.playing}", highlight=False, soft_wrap=True)


def _row(
    table: Table, name: str, points: tuple[float, ...], first: tuple[float, ...], second: tuple[float, ...]
) -> None:
    score = sum(points) / len(points)
    low, high = points_interval(points)
    table.add_row(name, f"{score:.3f}", f"{low:.3f} to {high:.3f}", _share(first), _share(second))


def _share(points: tuple[float, ...]) -> str:
    return f"{sum(points) / len(points):.3f} ({len(points)})" if points else "-"


def print_curve(folder: Path) -> None:
    """How the strength grew, from the run's metrics."""
    measured = [entry for entry in read_metrics(folder) if "strength" in entry]
    if len(measured) < 2:
        return
    console = Console(highlight=False)
    console.print("strength over the run:")
    for entry in measured:
        score = entry["strength"]["score"]
        console.print(f"  {entry['minutes']:6.1f} min  {score:.3f}  {'█' * round(score * 40)}")
