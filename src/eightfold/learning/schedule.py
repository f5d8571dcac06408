"""When a run trains and when it is measured, counted in games; its learning rate, and the weight of its rollouts."""

from __future__ import annotations

import math

from eightfold.learning.checkpointing import SelfPlayProgress
from eightfold.learning.config import EvaluationConfig, SelfPlayConfig, TrainingConfig

ROUNDING = 1e-6  # of a step: what sums of shares may lack of a whole number; far more than they do


def steps_earned(settings: TrainingConfig, *, games: int, samples: int, buffered: int) -> float:
    """Training steps that so many new games, with so many samples, have earned; `buffered` samples are there now.

    With `steps_a_round` games earn nothing until there is a batch to draw: Suen & Alonso take ten steps after each
    game, not ten for each game so far. With `replay_ratio` every sample earns its share, also those that came
    before. They are fewer than a batch, so they earn fewer steps than `replay_ratio` says, and each is trained on
    as often as any other. With `epochs_a_round` a round of games earns passes over all of the `buffered` samples.
    """
    if settings.steps_a_round:
        return settings.steps_a_round * games / settings.games_a_round if buffered >= settings.batch_size else 0.0
    if settings.epochs_a_round:
        passes = settings.epochs_a_round * games / settings.games_a_round
        return passes * buffered / settings.batch_size if buffered >= settings.batch_size else 0.0
    return samples * settings.replay_ratio / settings.batch_size


def whole_steps(owed: float) -> int:
    """How many steps can be taken of those that are owed; a sum of shares may lie a little below a whole number."""
    return math.floor(owed + ROUNDING)


def learning_rate(settings: TrainingConfig, *, done: float, factor: float) -> float:
    """The rate of a step when so much of the run is done; `factor` is the three-sigma rule's."""
    if settings.decay == "none":
        return settings.learning_rate
    if settings.decay == "three-sigma":
        return settings.learning_rate * factor
    # Constant for the first half, then down to a twentieth.
    return settings.learning_rate * (1.0 if done < 0.5 else max(0.05, 1 - 0.95 * (done - 0.5) / 0.5))


def weight_of_rollouts(settings: SelfPlayConfig, *, done: float) -> float:
    """Theta when so much of the run is done: what Zhao & Zhang leave as future work, section 5.3."""
    fallen = min(1.0, done / settings.theta_until) if settings.theta_until > 0 else 0.0
    return settings.weight_of_rollouts * (1 - fallen)


def evaluation_is_due(settings: EvaluationConfig, progress: SelfPlayProgress) -> bool:
    """Whether the minutes or the games between two evaluations are over."""
    minutes, games = settings.every_minutes, settings.every_games
    by_time = minutes > 0 and progress.seconds - progress.evaluated_at >= 60 * minutes
    # By multiples, so that a round that ends late does not put off all evaluations after it.
    by_games = games > 0 and progress.games // games > progress.evaluated_games // games
    return by_time or by_games
