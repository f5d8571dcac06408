"""Where a buffer keeps its samples: what a store offers, and the store in memory. On disk it is `lmdb_store.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from eightfold.learning.data.sample import Batch, SampleShape

FIRST_ROOM = 1024  # samples; the arrays grow as they fill


class Store(Protocol):
    """A ring of samples of one shape: when it is full, the oldest make room."""

    count: int
    next: int  # the slot that the next sample takes
    note: str  # of the last call of `append`

    def append(self, batch: Batch, players: Sequence[int], extras: Sequence[str], note: str) -> None: ...

    def read(self, slots: NDArray[np.int64]) -> Batch: ...

    def extra(self, slot: int) -> str: ...

    def close(self) -> None: ...


class MemoryStore:
    """The ring as arrays. Planes in half precision, which holds stones and simple fractions exactly."""

    def __init__(self, shape: SampleShape, max_size: int) -> None:
        self._max_size, self._shape = max_size, shape
        room = min(max_size, FIRST_ROOM)
        self._states = np.zeros((room, *shape.state), np.float16)
        self._policies = np.zeros((room, shape.actions), np.float32)
        self._values = np.zeros(room, np.float32)
        self._last_moves = np.zeros((room, 2), np.int16)
        self._ownership = np.zeros((room, shape.points if shape.auxiliary else 0), np.int8)
        self._scores = np.zeros(room, np.float32)
        self._next_moves = np.zeros((room, shape.actions if shape.next_moves else 0), np.bool_)
        self._extras: dict[int, str] = {}
        self.count = self.next = 0
        self.note = ""

    def append(self, batch: Batch, players: Sequence[int], extras: Sequence[str], note: str) -> None:
        first, kept = self.next, min(len(batch), self._max_size)  # of a long call only the end stays
        slots = (first + np.arange(len(batch) - kept, len(batch))) % self._max_size
        batch = batch.part(slice(len(batch) - kept, None))
        self._make_room(int(slots.max()) + 1)
        self._states[slots], self._policies[slots], self._values[slots] = batch.states, batch.policies, batch.values
        assert batch.last_moves is not None
        self._last_moves[slots] = batch.last_moves
        if batch.ownership is not None:
            self._ownership[slots], self._scores[slots] = batch.ownership, batch.scores
        if self._shape.next_moves:
            self._next_moves[slots] = 0 if batch.next_moves is None else batch.next_moves
        for slot, extra in zip(slots.tolist(), extras[-kept:], strict=True):
            self._extras.pop(slot, None)
            if extra:
                self._extras[slot] = extra
        self.count = min(self.count + len(extras), self._max_size)
        self.next, self.note = (first + len(extras)) % self._max_size, note

    def _make_room(self, needed: int) -> None:
        room = len(self._values)
        if needed <= room:
            return
        more = min(max(needed, 2 * room), self._max_size) - room
        for name in ("_states", "_policies", "_values", "_last_moves", "_ownership", "_scores", "_next_moves"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros((more, *column.shape[1:]), column.dtype)]))

    def read(self, slots: NDArray[np.int64]) -> Batch:
        return Batch(
            self._states[slots].astype(np.float32),
            self._policies[slots],
            self._values[slots],
            self._last_moves[slots].astype(np.int64),
            self._ownership[slots].astype(np.float32) if self._shape.auxiliary else None,
            self._scores[slots] if self._shape.auxiliary else None,
            self._next_moves[slots].astype(np.float32) if self._shape.next_moves else None,
        )

    def extra(self, slot: int) -> str:
        return self._extras.get(slot, "")

    def close(self) -> None:
        """Nothing to do: the arrays go with the store."""
