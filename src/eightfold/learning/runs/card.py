"""The card of a network: what it was trained on, for how long, and what it scored."""

from __future__ import annotations

from eightfold.learning.config import TrainConfig
from eightfold.games.game import Game
from eightfold.learning.evaluation import Strength
from eightfold.learning.runs.progress import Progress


def card_text(
    config: TrainConfig, game: Game, progress: Progress, parameters: int, strength: Strength | None = None
) -> str:
    lines = [
        f"# {config.network} for {game.text}",
        "",
        f"- trained by self-play with Eightfold, symmetry mode `{config.symmetry}`, seed {config.seed}",
        f"- {progress.seconds / 60:.1f} minutes, {progress.games} games, {progress.samples} positions,"
        f" {progress.steps} steps",
        f"- {parameters:,} parameters, input `{config.encoder}`",
    ]
    if strength is not None:
        figures = strength.as_dict()
        low, high = figures["ci95"]
        lines.append(
            f"- score {figures['score']:.3f} ({low:.3f} to {high:.3f}) over {figures['games']} games,"
            f" {config.evaluation.playouts} playouts a move, against pure Monte Carlo search of"
            f" {', '.join(figures['tiers'])} playouts"
        )
    return "\n".join(lines) + "\n"
