"""The ring of a buffer once more, on a device: where a GPU draws its batches without asking the host.

Row by row the ring is what the buffer keeps on the disk, in the same slots. Whoever stores games appends (`append`,
from any thread); the thread that trains brings what was appended to the device (`flush`), between two steps and on
their stream, so that no step sees half a sample. The buffer remains the one that lasts: a run that goes on fills the
ring from it (`fill`).

Shapes: B batch, C planes, N board size, A actions. Read before: `buffer.py`. Read next: `device_feed.py`.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from eightfold.core.jit import Ints
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.sample import Batch, SampleShape

CHUNK = 4096  # samples that are read from the buffer at once


class TensorBatch(NamedTuple):
    """A batch as tensors: what a trainer needs of it."""

    states: Tensor  # [B, C, N, N]
    policies: Tensor  # [B, A]
    values: Tensor  # [B]
    ownership: Tensor | None = None  # [B, N * N], where the auxiliary targets are kept
    scores: Tensor | None = None  # [B], the same
    next_moves: Tensor | None = None  # [B, A], where the moves that were played next are kept

    @classmethod
    def of(cls, batch: Batch) -> TensorBatch:
        """A batch of arrays, in their own memory."""
        columns = (batch.states, batch.policies, batch.values, batch.ownership, batch.scores, batch.next_moves)
        tensors: list[Any] = [None if column is None else _tensor(column) for column in columns]
        return cls(*tensors)

    @classmethod
    def zeros(
        cls,
        shape: SampleShape,
        rows: int,
        device: torch.device,
        planes: torch.dtype = torch.float32,
        moves: torch.dtype = torch.float32,
    ) -> TensorBatch:
        """Rows of zeros; the planes, and the moves that were played next, in types of their own."""

        def zeros(*lengths: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros((rows, *lengths), dtype=dtype, device=device)

        return cls(
            zeros(*shape.state, dtype=planes),
            zeros(shape.actions),
            zeros(),
            zeros(shape.points) if shape.auxiliary else None,
            zeros() if shape.auxiliary else None,
            zeros(shape.actions, dtype=moves) if shape.next_moves else None,
        )


class DeviceRing:
    """So many slots for samples of one shape on a device."""

    def __init__(self, shape: SampleShape, slots: int, device: torch.device) -> None:
        # Planes in half precision, which holds stones and simple fractions exactly, as the buffer keeps them.
        self._rows = TensorBatch.zeros(shape, slots, device, torch.float16, torch.uint8)
        self._device, self._slots = device, slots
        self._waiting: list[tuple[Ints, Batch]] = []
        self._lock = threading.Lock()
        self.count = self.newest = 0  # samples on the device, and the slot behind the newest of them

    @staticmethod
    def bytes_needed(shape: SampleShape, slots: int) -> int:
        numbers = shape.actions + 1 + (shape.points + 1 if shape.auxiliary else 0)
        moves = shape.actions if shape.next_moves else 0  # a byte each
        return slots * (2 * int(np.prod(shape.state)) + 4 * numbers + moves)

    def append(self, slots: Ints, batch: Batch) -> None:
        """Samples that the buffer has just stored in these slots; they wait in the host's memory for `flush`."""
        with self._lock:
            self._waiting.append((slots, batch))

    def flush(self) -> None:
        """Bring to the device what was appended, on the present stream."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        slots = np.concatenate([slots for slots, _ in waiting])[-self._slots :]
        batch = Batch.joined(*(batch for _, batch in waiting)).part(slice(-self._slots, None))
        places = self._to_device(torch.from_numpy(slots))
        for column, fresh in zip(self._rows, TensorBatch.of(batch), strict=True):
            if column is not None and fresh is not None:
                column.index_copy_(0, places, self._to_device(fresh.to(column.dtype)))
        self.count = min(self.count + sum(len(slots) for slots, _ in waiting), self._slots)
        self.newest = int(slots[-1] + 1) % self._slots

    def fill(self, buffer: DataBuffer) -> None:
        """Take over all that a buffer of as many slots holds."""
        for first in range(0, len(buffer), CHUNK):
            slots = np.arange(first, min(first + CHUNK, len(buffer)))
            self.append(slots, buffer.read(slots))
            self.flush()
        self.newest = buffer.newest

    def read(self, slots: Tensor) -> TensorBatch:  # [B]
        """The samples in given slots, as they are stored, in single precision."""
        rows: list[Any] = [None if column is None else column[slots].float() for column in self._rows]
        return TensorBatch(*rows)

    def _to_device(self, tensor: Tensor) -> Tensor:
        if self._device.type == "cpu":
            return tensor
        return tensor.pin_memory().to(self._device, non_blocking=True)


def _tensor(column: NDArray[np.float32]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(column, np.float32))
