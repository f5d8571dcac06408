"""The evaluator: planes in the board's own frame in, logits and values in the same frame out.

Here, and in the batch maker for training, symmetry acts on what a network sees, and nowhere else:

    none, augment, augment-eager   as is
    slap      the canonical variant; logits brought back, averaged over all symmetries that lead there
    slap-cc   the planes and their centred stones, no turn
    random    a random symmetry for every position (AlphaGo Zero)
    average   the mean policy and value over all symmetries

The symmetries are those that the game has, all eight or a subgroup of them.

Shapes: B batch, C planes, N board size, A actions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import unknown
from eightfold.nets.inference.backends.interface import Answer, Runner
from eightfold.symmetry.group import ALL, read_symmetries
from eightfold.symmetry.slap import SlapView
from eightfold.symmetry.slap_cc import EXTRA_PLANES, slap_cc
from eightfold.symmetry.transform import inverse_ids, transform_policies, transform_states

MODES = ("none", "augment", "augment-eager", "slap", "slap-cc", "random", "average")
AS_IS = ("none", "augment", "augment-eager")  # the network sees boards as they are
INVARIANT = ("slap", "average")  # all variants of a position get the same answer, turned


def check_mode(mode: str) -> str:
    if mode not in MODES:
        raise unknown("symmetry mode", mode, MODES)
    return mode


def planes_seen(planes: int, mode: str) -> int:
    """How many planes the network has for an encoder with `planes`."""
    return planes + EXTRA_PLANES if mode == "slap-cc" else planes


class NetworkEvaluator:
    """A backend, a symmetry mode, and the symmetries of the game that it is for."""

    def __init__(
        self,
        backend: Runner,
        *,
        encoder: str,
        symmetry: str = "none",
        symmetries: Sequence[int] = ALL,
        random: np.random.Generator | None = None,
    ) -> None:
        self.backend, self.encoder, self.symmetry = backend, encoder, check_mode(symmetry)
        self.symmetries = read_symmetries(symmetries)
        self._ids = np.array(self.symmetries, np.int64)
        self._view = SlapView(self.symmetries)
        self._random = random or np.random.default_rng(0)

    def evaluate(self, planes: NDArray[np.float32]) -> Answer:
        """Planes [B, C, N, N]; logits [B, A] and values [B], or [B, 2] with draws, for the side to move."""
        if self.symmetry == "slap":
            logits, values = self.backend.run(self._view.enter(planes))
            return self._view.leave(logits), values
        if self.symmetry == "slap-cc":
            return self.backend.run(slap_cc(planes))
        if self.symmetry == "random":
            ids = self._ids[self._random.integers(0, len(self._ids), len(planes))]
            logits, values = self.backend.run(transform_states(planes, ids))
            return transform_policies(logits, planes.shape[-1], inverse_ids(ids)), values
        if self.symmetry == "average":
            return self._average(planes)
        return self.backend.run(planes)

    def _average(self, planes: NDArray[np.float32]) -> Answer:
        batch, size, count = len(planes), planes.shape[-1], len(self._ids)
        ids = np.repeat(self._ids, batch)
        logits, values = self.backend.run(transform_states(np.tile(planes, (count, 1, 1, 1)), ids))
        back = transform_policies(logits, size, inverse_ids(ids)).reshape(count, batch, -1).astype(np.float64)
        weights = np.exp(back - back.max(axis=2, keepdims=True))
        policies = (weights / weights.sum(axis=2, keepdims=True)).mean(axis=0)
        return np.log(policies + 1e-30).astype(np.float32), values.reshape(count, batch, *values.shape[1:]).mean(axis=0)


def policies_of(logits: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Logits [B, A] as policies [B, A] over the legal moves [B, A], of which every position has one at least."""
    masked = np.where(legal, logits.astype(np.float64), -np.inf)
    weights = np.exp(masked - masked.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
