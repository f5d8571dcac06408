"""SLAP and SLAP-CC for a batch on a GPU by kernels of our own, a warp for each position (`symmetry/slap_together.py`).

Where they cannot run, `device_symmetry.py` does the same in tensor operations. They may be a part of a CUDA graph.
Shapes: B batch, C planes, N board size, P points (N * N), A actions, K symmetries of the game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor

from eightfold.core.cuda import why_no_cuda
from eightfold.symmetry.slap_cc import EXTRA_PLANES
from eightfold.symmetry.slap_together import bring_back, centre_stones, make_canonical


class Machine(Protocol):
    """What runs a kernel for every position of a batch: a GPU (`core/cuda_machine.py`), or in tests the CPU."""

    def view(self, tensor: Any) -> Any:
        """A tensor as kernels take it."""

    def run(self, kernel: Callable[..., None], items: int, room: int, *arguments: Any) -> None:
        """`kernel(item, lanes, room, *arguments)` for every item."""


def machine_for(device: torch.device) -> Machine | None:
    """The GPU, if a device is the one that runs kernels of our own: numba-cuda takes the present one."""
    if device.type != "cuda" or device.index not in (None, torch.cuda.current_device()) or why_no_cuda():
        return None
    from eightfold.core.cuda_machine import CudaMachine

    return CudaMachine(str(device))


class SlapByLanes:
    """The canonical variants of planes, and policies for them brought back."""

    def __init__(self, machine: Machine, planes: Tensor, into: Tensor, back: Tensor, answers: Tensor) -> None:
        """`planes` [B, C, N, N] and `answers` [B, A] stay where they are; `into` [K, P], `back` [K, A]: tables."""
        self._machine, self._count = machine, len(planes)
        self.canonical = torch.zeros_like(planes)  # [B, C, N, N]
        self.frames = torch.ones(len(planes), dtype=torch.int64, device=planes.device)  # [B]
        self._policies = torch.zeros_like(answers)
        self._order = torch.arange(len(into), device=planes.device)  # [K]
        view = machine.view
        frames = view(self.frames)
        self._way_in = (view(planes.flatten(2)), view(into), view(self.canonical.flatten(2)), frames)
        self._way_back = (view(self._policies), frames, view(back), view(answers))

    @property
    def members(self) -> Tensor:
        """[B, K]: which symmetries lead to the canonical variants."""
        return (self.frames[:, None] >> self._order & 1).bool()

    def enter(self) -> Tensor:
        """The canonical variants of what `planes` holds now; valid until the next call."""
        self._machine.run(make_canonical, self._count, 0, *self._way_in)
        return self.canonical

    def leave(self, policies: Tensor) -> None:
        """Policies [B, A] for what `enter` gave, brought back to `answers`."""
        self._policies.copy_(policies)
        self._machine.run(bring_back, self._count, 0, *self._way_back)


class CentringByLanes:
    """The planes that SLAP-CC adds."""

    def __init__(self, machine: Machine, planes: Tensor) -> None:
        """`planes` [B, C, N, N] stay where they are."""
        batch, _, size, _ = planes.shape
        self._machine, self._count = machine, batch
        self.centred = torch.zeros(batch, EXTRA_PLANES, size, size, device=planes.device)  # [B, 4, N, N]
        self._way_in = (machine.view(planes.flatten(2)), size, machine.view(self.centred.flatten(2)))

    def enter(self) -> Tensor:
        """The four planes for what `planes` holds now; valid until the next call."""
        self._machine.run(centre_stones, self._count, 0, *self._way_in)
        return self.centred
