"""The eight symmetries and SLAP for one sample at a time, in NumPy's own words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def turn_planes(planes: NDArray[Any], sym_id: int) -> NDArray[Any]:
    """Planes [..., N, N] after a symmetry of AlphaGomoku's table."""
    if sym_id == 1:
        return np.rot90(planes, -1, axes=(-2, -1))
    if sym_id == 2:
        return np.rot90(planes, 2, axes=(-2, -1))
    if sym_id == 3:
        return np.rot90(planes, 1, axes=(-2, -1))
    if sym_id == 4:
        return np.flip(planes, -1)
    if sym_id == 5:
        return np.flip(planes, -2)
    if sym_id == 6:
        return np.swapaxes(planes, -2, -1)
    if sym_id == 7:
        return np.swapaxes(np.rot90(planes, 2, axes=(-2, -1)), -2, -1)
    return planes


def turn_policy(policy: NDArray[Any], size: int, sym_id: int) -> NDArray[Any]:
    """A flat policy after a symmetry, by an index map; a pass stays last."""
    index = turn_planes(np.arange(size * size).reshape(size, size), sym_id).ravel()
    return np.concatenate([policy[index], policy[size * size :]])


def turn_move(move: tuple[int, int], size: int, sym_id: int) -> tuple[int, int]:
    """Where a point goes: put a mark there, turn the board, look for it."""
    if move == (-1, -1):
        return move
    mark = np.zeros((size, size), bool)
    mark[move] = True
    row, column = np.argwhere(turn_planes(mark, sym_id))[0]
    return int(row), int(column)


def turn_batch(
    states: NDArray[Any], policies: NDArray[Any], sym_ids: NDArray[Any], last_moves: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """A batch, sample by sample."""
    size = states.shape[-1]
    moved = [turn_move((int(row), int(column)), size, g) for (row, column), g in zip(last_moves, sym_ids, strict=True)]
    return (
        np.stack([turn_planes(state, g) for state, g in zip(states, sym_ids, strict=True)]),
        np.stack([turn_policy(policy, size, g) for policy, g in zip(policies, sym_ids, strict=True)]),
        np.array(moved),
    )


def slap(planes: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """The variant whose flattened list is largest, and the first symmetry that makes it."""
    variants = [turn_planes(planes, g) for g in range(8)]
    lists = [variant.ravel().tolist() for variant in variants]
    best = max(range(8), key=lambda g: (lists[g], -g))
    return variants[best], best
