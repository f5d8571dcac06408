"""Orbits: the variants of a position under the eight symmetries, and a key that they share.

A position carries eight Zobrist hashes, one for each turned board; a stone changes each with one lookup.
Turning the position permutes the eight, so their minimum, the orbit key, is the same for the whole
orbit and costs eight steps a move however large the board. In a game that has only some of the symmetries the
minimum is taken over the hashes of those alone, which turns of the subgroup permute among themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.symmetry.group import ALL, COUNT, IDENTITY, compose, inverse, symmetry_mask, turn
from eightfold.symmetry.slap import frame_members, slap_frames
from eightfold.symmetry.transform import BoardSymmetry, as_array

LARGEST_BOARD = 25
EVERY = symmetry_mask(ALL)
_STRIDE = LARGEST_BOARD

# What can lie on a point, for hashing: a stone of either colour, or the mark of the last move.
MARKS = 4
ZOBRIST: Ints = np.random.default_rng(8).integers(
    np.iinfo(np.int64).min, np.iinfo(np.int64).max, (MARKS, _STRIDE * _STRIDE), np.int64
)
OTHER_SIDE = np.int64(0x5851F42D4C957F2D)  # in all eight hashes while the second player is to move


@kernel
def mark_hash(mark: int, row: int, column: int, size: int, g: int) -> np.int64:
    """What a mark on a point changes in the hash of the board turned by symmetry g.

    The table is named here alone: a GPU's compiler makes a copy of it for every kernel that names it.
    """
    to_row, to_column = turn(row, column, size, g)
    return ZOBRIST[mark, to_row * _STRIDE + to_column]


@kernel
def toggle(hashes: Ints, mark: int, row: int, column: int, size: int) -> None:  # [8]
    """Put a mark on a point, or take it away: the same step undoes itself."""
    for g in range(COUNT):
        hashes[g] ^= mark_hash(mark, row, column, size, g)


@kernel
def toggle_side(hashes: Ints) -> None:  # [8]
    """The other side is to move."""
    for g in range(COUNT):
        hashes[g] ^= OTHER_SIDE


@kernel
def orbit_key(hashes: Ints, mask: int = EVERY) -> int:  # [8]
    """The key that a position shares with its turned and mirrored variants.

    `mask` says by which symmetries (`group.symmetry_mask`), all eight where it is left out.
    """
    key = hashes[IDENTITY]
    for g in range(1, COUNT):
        if mask >> g & 1:
            key = min(key, hashes[g])
    return key


def orbit(x: NDArray[Any], symmetries: Sequence[int] = ALL) -> list[NDArray[Any]]:
    """The different variants of planes [N, N] or [C, N, N], in the order of the symmetries that make them.

    >>> len(orbit(np.eye(3))), len(orbit(np.arange(9).reshape(3, 3)))
    (2, 8)
    """
    variants: list[NDArray[Any]] = []
    for g in symmetries:
        variant = BoardSymmetry.transform_board_tensor(x, g)
        if not any(bool((variant == other).all()) for other in variants):
            variants.append(variant)
    return variants


def stabiliser(x: NDArray[Any], symmetries: Sequence[int] = ALL) -> frozenset[int]:
    """Which of the symmetries leave planes [N, N] or [C, N, N] as they are.

    >>> sorted(stabiliser(np.eye(3)))
    [0, 2, 6, 7]
    """
    planes = as_array("the position", x)
    if planes.ndim not in (2, 3) or planes.shape[-1] != planes.shape[-2]:
        raise EightfoldError(f"the position has shape {tuple(planes.shape)}, expected [N, N] or [C, N, N]")
    _, _, frames = slap_frames(planes[None] if planes.ndim == 3 else planes[None, None], symmetries)
    first, *rest = frame_members(int(frames[0]))
    # If t and u both lead to the canonical variant, then u followed by the inverse of t leads back to x.
    return frozenset(compose(inverse(first), other) for other in (first, *rest))
