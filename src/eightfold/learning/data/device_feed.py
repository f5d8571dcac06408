"""Batches drawn and turned on a device: what `DataBuffer.sample_stored` and `BatchMaker` do, without the host's arrays.

The host draws numbers alone, slots and symmetries for many steps at once (`draw`), as it does for batches of its own;
`next` reads the samples and turns them, in operations over memory of a fixed place, so that a CUDA graph can record it
with the step that follows. All symmetry modes act here as in `batches.py`, by the same tables.

Shapes: S steps, B batch, C planes, N board size, P points, A actions, K symmetries of the game.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.buffer import drawn_slots
from eightfold.learning.data.device_ring import DeviceRing, TensorBatch
from eightfold.nets.inference.device_symmetry import canonical, centring, coordinates
from eightfold.symmetry.group import read_symmetries, sources
from eightfold.symmetry.transform import policy_sources


class DeviceTurns:
    """The training half of a symmetry mode (`BatchMaker.make`) for tensors, by symmetries that were drawn before."""

    def __init__(self, mode: str, *, size: int, actions: int, symmetries: Sequence[int], device: torch.device) -> None:
        self._mode, members = mode, list(read_symmetries(symmetries))
        self._points = _table(sources(size), device)  # [8, P]
        self._actions = _table(policy_sources(size, actions), device)  # [8, A]
        self._where = coordinates(size).to(device)  # [2, P]
        self._into, self._into_actions = self._points[members], self._actions[members]  # [K, P], [K, A]

    def make(self, stored: TensorBatch, ids: Tensor | None) -> TensorBatch:
        """A batch for the network from samples as they are stored and, in modes that draw, their symmetries [B]."""
        if self._mode == "slap":
            return self._canonical(stored)
        batch = stored if ids is None else self._turned(stored, ids)
        return self._centred(batch) if self._mode == "slap-cc" else batch

    def _turned(self, batch: TensorBatch, ids: Tensor) -> TensorBatch:
        states, points = batch.states, self._points[ids]  # [B, P]
        turned = states.flatten(2).gather(2, points[:, None].expand(-1, states.shape[1], -1))
        return batch._replace(
            states=turned.view(states.shape),
            policies=batch.policies.gather(1, self._actions[ids]),
            ownership=None if batch.ownership is None else batch.ownership.gather(1, points),
            next_moves=None if batch.next_moves is None else batch.next_moves.gather(1, self._actions[ids]),
        )

    def _canonical(self, batch: TensorBatch) -> TensorBatch:
        states, members = canonical(batch.states, self._into)
        weights = members / members.sum(dim=1, keepdim=True)  # [B, K]

        def mean(numbers: Tensor, table: Tensor) -> Tensor:  # [B, A], [K, A]
            return (numbers[:, table] * weights[:, :, None]).sum(dim=1)

        return batch._replace(
            states=states,
            policies=mean(batch.policies, self._into_actions),
            ownership=None if batch.ownership is None else mean(batch.ownership, self._into),
            next_moves=None if batch.next_moves is None else mean(batch.next_moves, self._into_actions),
        )

    def _centred(self, batch: TensorBatch) -> TensorBatch:
        planes, states = batch.states.flatten(2), batch.states  # [B, C, P]
        index = centring(states)[:, None].expand(-1, 2, -1)  # [B, 2, P]
        behind = [part.gather(2, index) for part in (planes[:, :2], self._where.expand(len(planes), -1, -1))]
        return batch._replace(states=torch.cat([planes, *behind], dim=1).view(len(states), -1, *states.shape[2:]))


class DeviceFeed:
    """Batches of one size from a ring, turned as a batch maker says."""

    def __init__(
        self,
        ring: DeviceRing,
        turns: DeviceTurns,
        maker: BatchMaker,
        *,
        batch_size: int,
        steps: int,
        seed: int,
        device: torch.device,
    ) -> None:
        """`steps`: how many batches are drawn at once, at the most."""
        self.ring, self._turns, self._maker = ring, turns, maker
        self._device, self._random = device, np.random.default_rng(seed)
        self._slots = torch.zeros((steps, batch_size), dtype=torch.int64, device=device)  # [S, B]
        self._ids = torch.zeros_like(self._slots) if maker.draws else None  # [S, B]
        self._step = torch.zeros(1, dtype=torch.int64, device=device)  # the next of them

    @property
    def batch_size(self) -> int:
        return self._slots.shape[1]

    @property
    def steps(self) -> int:
        return len(self._slots)

    def draw(self, steps: int, *, recent: int) -> None:
        """Choose the samples of so many batches from the `recent` newest of the ring, on the present stream."""
        size = (steps, self.batch_size)
        slots = drawn_slots(self._random, size, count=self.ring.count, newest=self.ring.newest, recent=recent)
        self._put(self._slots, slots)
        if self._ids is not None:
            self._put(self._ids, self._maker.draw(size))
        self._step.zero_()

    def next(self) -> TensorBatch:
        """The next batch that was drawn."""
        slots = self._slots.index_select(0, self._step)[0]
        ids = None if self._ids is None else self._ids.index_select(0, self._step)[0]
        self._step.add_(1).remainder_(self.steps)
        return self._turns.make(self.ring.read(slots), ids)

    def _put(self, target: Tensor, drawn: NDArray[np.int64]) -> None:
        fresh = torch.from_numpy(drawn)
        target[: len(drawn)].copy_(fresh if self._device.type == "cpu" else fresh.pin_memory(), non_blocking=True)


def _table(numbers: NDArray[np.integer], device: torch.device) -> Tensor:
    return torch.as_tensor(numbers.astype(np.int64), device=device)
