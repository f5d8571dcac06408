"""A cache of evaluations, keyed by position or by orbit.

The key is everything the network is shown (stones, side to move, last move, history), never the stones alone. With
orbit keys the key is the canonical variant of the planes by the game's symmetries, and answers are kept in its frame:
the variants of a position share one entry. That is right only where the evaluator gives all of them the same answer
anyway, so other modes are refused. The study `orbits` measures what it saves.

Shapes: B batch, C planes, N board size, A actions.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, unknown
from eightfold.nets.inference.backends.interface import Answer
from eightfold.nets.inference.evaluator import INVARIANT, NetworkEvaluator
from eightfold.symmetry.slap import out_of_frames, slap_frames

KEYS = ("position", "orbit")


def check_cache(capacity: int, key: str, symmetry: str) -> None:
    """Refuse keys that would give wrong answers in a symmetry mode."""
    if key not in KEYS:
        raise unknown("cache key", key, KEYS)
    if capacity < 1:
        raise EightfoldError(f"a cache of {capacity} entries holds nothing; it needs at least 1")
    if key == "orbit" and symmetry not in INVARIANT:
        raise EightfoldError(
            f"symmetry mode {symmetry!r} answers the variants of a position differently;"
            f" orbit keys are for {' and '.join(INVARIANT)}"
        )


class CachedEvaluator:
    """An evaluator that remembers its last `capacity` answers."""

    def __init__(self, evaluator: NetworkEvaluator, *, capacity: int = 100_000, key: str = "position") -> None:
        check_cache(capacity, key, evaluator.symmetry)
        self._evaluator, self._capacity, self._by_orbit = evaluator, capacity, key == "orbit"
        self._answers: OrderedDict[bytes, tuple[NDArray[np.float32], NDArray[np.float32]]] = OrderedDict()
        self.encoder = evaluator.encoder
        self.hits = self.asked = 0

    def __len__(self) -> int:
        return len(self._answers)

    def clear(self) -> None:
        """Forget everything: the network has new weights."""
        self._answers.clear()
        self.hits = self.asked = 0

    @property
    def hit_rate(self) -> float:
        """Share of the positions, since the weights are those they are, that cost the network nothing."""
        return self.hits / self.asked if self.asked else 0.0

    def evaluate(self, planes: NDArray[np.float32]) -> Answer:
        """As the evaluator answers; positions that were asked before cost it nothing."""
        if not self._by_orbit:
            return self._look_up(planes, _keys(planes))
        canonical, _, frames = slap_frames(planes, self._evaluator.symmetries)
        logits, values = self._look_up(canonical, _keys(canonical))
        return out_of_frames(logits, frames), values

    def _look_up(self, planes: NDArray[np.float32], keys: list[bytes]) -> Answer:
        self.asked += len(keys)
        missing = {key: k for k, key in enumerate(keys) if key not in self._answers}
        fresh: dict[bytes, tuple[NDArray[np.float32], NDArray[np.float32]]] = {}
        if missing:
            logits, values = self._evaluator.evaluate(planes[list(missing.values())])
            fresh = {key: (logits[k].copy(), values[k].copy()) for k, key in enumerate(missing)}
        self.hits += len(keys) - len(missing)
        answers = [fresh[key] if key in fresh else self._answers[key] for key in keys]
        for key in keys:
            if key in fresh:
                self._answers[key] = fresh[key]
            self._answers.move_to_end(key)
        while len(self._answers) > self._capacity:
            self._answers.popitem(last=False)
        return np.stack([logits for logits, _ in answers]), np.array([value for _, value in answers], np.float32)


def _keys(planes: NDArray[np.float32]) -> list[bytes]:
    """A key for each position: the bits of planes that hold only zeros and ones, else the numbers themselves."""
    flat = planes.reshape(len(planes), -1)
    if ((flat == 0) | (flat == 1)).all():
        return [row.tobytes() for row in np.packbits(flat != 0, axis=1)]
    return [row.tobytes() for row in np.ascontiguousarray(flat)]
