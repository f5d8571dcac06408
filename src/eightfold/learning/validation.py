"""The loss on games kept from training, and the three-sigma rule of Suen & Alonso.

Every hundred games the learning rate is halved if that loss has risen by more than three standard errors. The error is
that of a mean over samples, so that a small set, whose mean wavers, needs a larger rise; below `ENOUGH` samples nothing
is said at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.learning.checkpointing import SelfPlayProgress
from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.trainer import Trainer

EVERY_GAMES = 100
ENOUGH = 128  # samples: some five games
SIGMAS = 3
PART = 256  # samples in one batch


class Loss(NamedTuple):
    """A mean over samples and its standard error."""

    mean: float
    error: float

    def is_above(self, before: Loss) -> bool:
        """Whether the loss has risen since `before` by more than the rule allows for chance."""
        return self.mean > before.mean + SIGMAS * max(self.error, before.error)


def validation_loss(kept: DataBuffer, trainer: Trainer, maker: BatchMaker) -> Loss | None:
    """The loss on all samples that were kept from training; None while they are too few to say anything."""
    if len(kept) < ENOUGH:
        return None
    stored = kept.read(np.arange(len(kept)))
    parts = [slice(first, first + PART) for first in range(0, len(kept), PART)]
    return mean_loss(np.concatenate([trainer.sample_losses(maker.make(stored.part(part))) for part in parts]))


def three_sigma_rule(
    progress: SelfPlayProgress, measure: Callable[[], Loss | None], *, halves: bool = True
) -> float | None:
    """The loss that `measure` finds, every hundred games; a rise halves the learning rate, where a run goes by it."""
    if progress.games - progress.validated_at < EVERY_GAMES:
        return None
    loss = measure()
    if loss is None:
        return None
    before = Loss(progress.validation_mean, progress.validation_error)
    if halves and progress.validated_at and loss.is_above(before):
        progress.rate_factor /= 2
    progress.validated_at, progress.validation_mean, progress.validation_error = progress.games, *loss
    return loss.mean


def mean_loss(losses: NDArray[np.float32]) -> Loss:  # [S], two at least
    """The mean and its standard error, from the spread among single samples."""
    return Loss(float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(len(losses))))
