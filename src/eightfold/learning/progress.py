"""Where a run stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Progress:
    """Saved with every checkpoint, and read when the run goes on."""

    seconds: float = 0.0  # spent on training, evaluations left out
    games: int = 0
    samples: int = 0
    steps: int = 0
    owed: float = 0.0  # training steps that the samples so far have earned and that were not yet done
    evaluated_at: float = 0.0  # seconds, at the last evaluation
    evaluated_games: int = 0  # and the games then
    rate_factor: float = 1.0  # the learning-rate multiplier of the three-sigma rule
    validated_at: int = 0  # games, at the last look of that rule
    validation_mean: float = 0.0
    validation_error: float = 0.0
