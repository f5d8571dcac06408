"""The command `eightfold train-isn`, apart from reading the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from eightfold.learning.runs.stopping import stopped_by_signals
from eightfold.learning.td.config import TdConfig
from eightfold.learning.td.loop import TdTraining


def train_isn_run(config: TdConfig, folder: Path) -> None:
    """Train until the run is done or somebody presses Ctrl-C or sends SIGTERM; then say how to go on."""
    console = Console(stderr=True, highlight=False)
    training = TdTraining(config, folder)
    at = training.trainer.progress
    if training.run.resumed:
        console.print(f"going on with {folder}: {at.games} games, {at.seconds / 60:.1f} minutes so far")
    else:
        console.print(f"training an Internal Symmetry Network on {config.game}, into {folder}")

    for notice in training.run.notices:
        console.print(notice, soft_wrap=True)

    def stop() -> None:
        training.stop()
        console.print("stopping after these games ...")

    def report(entry: dict[str, Any]) -> None:
        console.print(progress_line(entry), soft_wrap=True)

    try:
        with stopped_by_signals(stop):
            training.train(report)
    finally:
        training.close()
    if training.done:
        line = f"let it play: eightfold match isn:{folder} mcts:playouts=100 --game {config.game} --games 10"
        console.print(line, soft_wrap=True)
    else:
        console.print(f"stopped and saved; the same command goes on with {folder}", soft_wrap=True)


def progress_line(entry: dict[str, Any]) -> str:
    facts = [
        f"{entry['minutes']:6.1f} min",
        f"{entry['games']:8,d} games",
        f"{entry['games_per_s']:6.1f} games/s",
        f"{entry['moves_a_game']:4.0f} moves a game",
        f"{entry['candidates_per_s']:9,.0f} candidates/s",
        f"loss {entry['loss']:.3f}",
        f"rate {entry['learning_rate']:.1e}",
        f"black {entry['black_wins']:.0%}",
    ]
    if "contests" in entry:
        facts.append(f"{entry['accepted']} of {entry['contests']} contests")
    return "  ".join([*facts, "shortcut alone" if entry["linear"] else ""]).rstrip()
