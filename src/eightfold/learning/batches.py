"""The batch maker: stored samples, in the board's own frame, into what the network trains on.

The training half of a symmetry mode lives here, the other half is the evaluator:

    none            as stored
    augment         a random turn for each sample (of `allowed` symmetries)
    augment-eager   as stored: the eight turns are in the buffer already
    slap            the canonical variant; the target averaged over all symmetries that lead there
    slap-cc         a random turn, then the centred stones beside it
    random, average a random turn for each sample

Shapes: B batch, C planes, N board size, A actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.nets.evaluator import check_mode
from eightfold.symmetry.group import COUNT
from eightfold.symmetry.slap import into_frames, slap_frames
from eightfold.symmetry.slap_cc import slap_cc
from eightfold.symmetry.transform import transform_batch

TURNING = ("augment", "slap-cc", "random", "average")


class Batch(NamedTuple):
    states: NDArray[np.float32]  # [B, C, N, N]
    policies: NDArray[np.float32]  # [B, A]
    values: NDArray[np.float32]  # [B]


class BatchMaker:
    def __init__(self, mode: str, *, random: np.random.Generator, allowed: Sequence[int] = tuple(range(COUNT))) -> None:
        self._mode, self._random = check_mode(mode), random
        self.allowed = np.array(allowed, np.int64)  # a subset of the eight, or a schedule's choice so far

    def make(self, states: NDArray[np.float32], policies: NDArray[np.float32], values: NDArray[np.float32]) -> Batch:
        """A batch for the network from samples as they are stored."""
        if self._mode == "slap":
            canonical, _, frames = slap_frames(states)
            return Batch(canonical, into_frames(policies, frames), values)
        if self._mode in TURNING:
            ids = self._random.choice(self.allowed, len(states))
            states, policies, _ = transform_batch(states, policies, ids)
        if self._mode == "slap-cc":
            states = slap_cc(states)
        return Batch(states, policies, values)
