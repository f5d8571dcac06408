"""SLAP and SLAP-CC for batches on a device, in tensor operations that wait for nothing.

The same as `eightfold.symmetry.slap` and `slap_cc`, and the evaluator (`device_evaluator.py`) and training there share
them. Shapes: B batch, C planes, N board size, P points (N * N), K symmetries of the game.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


def canonical(planes: Tensor, into: Tensor) -> tuple[Tensor, Tensor]:
    """The canonical variants of planes [B, C, N, N], and which symmetries lead there [B, K], as SLAP has them.

    `into` [K, P] is the table of the game's symmetries: from where each point comes.
    """
    variants = planes.flatten(2)[:, :, into].movedim(2, 1).reshape(len(planes), len(into), -1)  # [B, K, C * P]
    best, members = largest(variants, len(into))
    return best.view(planes.shape), members


class SlapByTensors:
    """The canonical variants of planes, and policies for them brought back: `lane_symmetry.SlapByLanes` in tensors."""

    def __init__(self, planes: Tensor, into: Tensor, back: Tensor, answers: Tensor) -> None:
        self._planes, self._into, self._back, self._answers = planes, into, back, answers
        self.members = torch.ones(len(planes), len(into), dtype=torch.bool, device=planes.device)  # [B, K]

    def enter(self) -> Tensor:
        stacks, self.members = canonical(self._planes, self._into)
        return stacks

    def leave(self, policies: Tensor) -> None:
        weights = self.members / self.members.sum(dim=1, keepdim=True)  # [B, K]
        torch.sum(policies[:, self._back] * weights[:, :, None], dim=1, out=self._answers)


class CentringByTensors:
    """The planes that SLAP-CC adds: `lane_symmetry.CentringByLanes` in tensors."""

    def __init__(self, planes: Tensor) -> None:
        self._planes, self._where = planes, coordinates(planes.shape[-1]).to(planes.device)

    def enter(self) -> Tensor:
        index = centring(self._planes)[:, None].expand(-1, 2, -1)  # [B, 2, P]
        stones = self._planes.flatten(2)[:, :2].gather(2, index)
        return torch.cat([stones, self._where.expand(len(index), -1, -1).gather(2, index)], dim=1)  # [B, 4, P]


def largest(variants: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Of `count` lists of numbers each [B, K, M] the largest [B, M], first number first, and which are equal to it
    [B, K].

    `count` is a power of two, as subgroups of the eight symmetries have it. In each round one half of the lists meets
    the other, all pairs at once: the first number in which two differ decides. Where there is none, both are left, and
    either may go on for both.
    """
    members = torch.ones(variants.shape[0], count, 1, dtype=torch.bool, device=variants.device)  # [B, pairs, stood for]
    while count > 1:
        one, other = variants[:, 0::2], variants[:, 1::2]
        differ = one != other
        # As bytes without a copy; a graph for other runtimes cannot look at the same memory in two ways.
        marks = differ.int() if is_traced() else differ.view(torch.uint8)
        first = marks.argmax(dim=2, keepdim=True)  # 0 where they are equal
        this, that = one.gather(2, first), other.gather(2, first)
        members = torch.cat([members[:, 0::2] & (this >= that), members[:, 1::2] & (that >= this)], dim=2)
        variants, count = torch.where(that > this, other, one), count // 2
    return variants[:, 0], members[:, 0]


def is_traced() -> bool:
    """Whether PyTorch is recording a graph for another runtime: then shapes are part of it and nothing is checked."""
    return bool(torch.jit.is_tracing())  # type: ignore[attr-defined,no-untyped-call]


def centring(planes: Tensor) -> Tensor:
    """[B, P]: from where SLAP-CC rolls what comes to each point of planes [B, C, N, N], the stones first."""
    size = planes.shape[-1]
    stones = (planes[:, :2] != 0).any(dim=1)  # [B, N, N]
    rows, columns = (_sources_on_axis(stones.any(dim=axis)) for axis in (2, 1))
    return (rows[:, :, None] * size + columns[:, None, :]).flatten(1)


def _sources_on_axis(taken: Tensor) -> Tensor:
    """[B, N]: from which row each row comes, given the rows [B, N] that have stones; the same for columns."""
    size, marks = taken.shape[1], taken.view(torch.uint8)
    before, behind = marks.argmax(dim=1), marks.flip(1).argmax(dim=1)  # empty ones; both 0 if there is no stone
    # The middle of the stones comes to the middle of the board; halves are rounded down, as in `slap_cc`.
    shift = (behind - before) >> 1
    return (torch.arange(size, device=taken.device) - shift[:, None]) % size


def coordinates(size: int) -> Tensor:
    """[2, P]: the row and the column of each point, from 1 to -1, which SLAP-CC rolls along."""
    line = 1.0 - 2.0 * np.arange(size) / max(size - 1, 1)
    return torch.from_numpy(np.stack([np.repeat(line, size), np.tile(line, size)]).astype(np.float32))
