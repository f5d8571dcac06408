"""The card of a network: what it was trained on, for how long, and what it scored."""

from __future__ import annotations

from collections.abc import Mapping

from eightfold.games.game import Game
from eightfold.learning.checkpointing import SelfPlayProgress
from eightfold.learning.config import TrainConfig
from eightfold.learning.evaluation import Evaluation


def card_text(
    config: TrainConfig,
    game: Game,
    progress: SelfPlayProgress,
    parameters: int,
    evaluation: Evaluation | None = None,
    learned_from: Mapping[str, int] | None = None,
) -> str:
    """`learned_from`: samples that steps were taken on, by whose games they are of."""
    lines = [
        f"# {config.network} for {game.text}",
        "",
        f"- trained by self-play with Eightfold, symmetry mode `{config.symmetry}`, seed {config.seed}",
        f"- {progress.seconds / 60:.1f} minutes, {progress.games} games, {progress.samples} positions,"
        f" {progress.steps} steps",
        f"- {parameters:,} parameters, input `{config.encoder}`",
    ]
    if learned_from:
        total_samples = sum(learned_from.values()) or 1
        shares = [f"{count:,} of {source} ({count / total_samples:.0%})" for source, count in learned_from.items()]
        lines.append(f"- samples it learned from: {', '.join(shares)}")
    if evaluation is not None:
        total, (low, high) = evaluation.total, evaluation.total.interval
        lines.append(
            f"- score {total.score:.3f} ({low:.3f} to {high:.3f}): {total.wins} wins, {total.draws} draws and"
            f" {total.losses} losses, {evaluation.playouts} playouts a move, against pure Monte Carlo search of"
            f" {', '.join(map(str, evaluation.mcts))} playouts"
        )
    return "\n".join(lines) + "\n"
