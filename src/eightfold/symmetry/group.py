"""The eight symmetries of a square board: the group, its names and its tables.

`turn` holds the eight coordinate formulas. Everything else that turns a board (tables, transforms,
canonical forms, orbit hashes) is built from it, so there is one place to look and one place to be wrong.
A symmetry is a number from 0 to 7; symmetry g takes the stone on (row, column) to `turn(row, column, n, g)`.

Read next: `eightfold.symmetry.transform`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, shown, unknown
from eightfold.core.jit import kernel

COUNT = 8
IDENTITY = 0
ALL = tuple(range(COUNT))

NAMES = (
    "identity",
    "rotate 90° clockwise",
    "rotate 180°",
    "rotate 270° clockwise",
    "mirror left and right",
    "mirror top and bottom",
    "mirror in the main diagonal",
    "mirror in the anti-diagonal",
)


@kernel
def turn(row: int, column: int, size: int, sym_id: int) -> tuple[int, int]:
    """Where symmetry `sym_id` takes the point (row, column) of a size x size board."""
    last = size - 1
    if sym_id == 0:
        return row, column
    if sym_id == 1:
        return column, last - row
    if sym_id == 2:
        return last - row, last - column
    if sym_id == 3:
        return last - column, row
    if sym_id == 4:
        return row, last - column
    if sym_id == 5:
        return last - row, column
    if sym_id == 6:
        return column, row
    return last - column, last - row


def whole_number(value: Any) -> int:
    """`value` as a plain int; -1, which no index or size is, if it is not a whole number."""
    try:
        return operator.index(value)
    except TypeError:
        return -1


def check_symmetry(sym_id: SupportsIndex) -> int:
    """`sym_id` as a plain int, or a clear error."""
    number = whole_number(sym_id)
    if not 0 <= number < COUNT:
        raise EightfoldError(f"symmetry id {shown(sym_id)} is not one of the integers 0 to 7")
    return number


def check_size(size: SupportsIndex) -> int:
    """`size` as a plain int, or a clear error."""
    number = whole_number(size)
    if number < 1:
        raise EightfoldError(f"board size {shown(size)} is not a positive integer")
    return number


_formulas: Any = getattr(turn, "py_func", turn)  # the same formulas on whole arrays, without a compilation


@functools.lru_cache(maxsize=64)
def destinations(size: int) -> NDArray[np.int32]:
    """[8, n*n]: symmetry g takes the point with flat index i to `destinations(n)[g, i]`."""
    size = check_size(size)
    rows, columns = np.divmod(np.arange(size * size, dtype=np.int32), np.int32(size))
    turned = [_formulas(rows, columns, size, g) for g in range(COUNT)]
    return _constant(np.array([row * size + column for row, column in turned], np.int32))


@functools.lru_cache(maxsize=64)
def sources(size: int) -> NDArray[np.int32]:
    """[8, n*n]: after symmetry g, the point with flat index i holds what was on `sources(n)[g, i]`."""
    return _constant(destinations(size)[INVERSE])


def _constant(table: NDArray[np.int32]) -> NDArray[np.int32]:
    table.flags.writeable = False
    return table


def _composition_table() -> NDArray[np.int32]:
    """[8, 8]: row `then`, column `first`; read off a 3x3 board, where the eight all differ."""
    moves = destinations(3)
    number = {tuple(moves[g]): g for g in range(COUNT)}
    pairs = [[number[tuple(moves[then][moves[first]])] for first in range(COUNT)] for then in range(COUNT)]
    return _constant(np.array(pairs, np.int32))


COMPOSE = _composition_table()
INVERSE = _constant(np.argmax(COMPOSE == IDENTITY, axis=1).astype(np.int32))


def compose(then: SupportsIndex, first: SupportsIndex) -> int:
    """The one symmetry that does `first` and afterwards `then`.

    >>> compose(1, 1), compose(1, 3)
    (2, 0)
    """
    return int(COMPOSE[check_symmetry(then), check_symmetry(first)])


def inverse(sym_id: SupportsIndex) -> int:
    """The symmetry that undoes `sym_id`.

    >>> inverse(1), inverse(6)
    (3, 6)
    """
    return int(INVERSE[check_symmetry(sym_id)])


_SUBGROUP_NAMES = {
    frozenset({0}): "none",
    frozenset({0, 2}): "half turn",
    frozenset({0, 4}): "mirror left and right",
    frozenset({0, 5}): "mirror top and bottom",
    frozenset({0, 6}): "mirror in the main diagonal",
    frozenset({0, 7}): "mirror in the anti-diagonal",
    frozenset({0, 1, 2, 3}): "quarter turns",
    frozenset({0, 2, 4, 5}): "both straight mirrors",
    frozenset({0, 2, 6, 7}): "both diagonal mirrors",
    frozenset(range(COUNT)): "all eight",
}


def subgroup_name(members: Iterable[int]) -> str:
    """What to call a set of symmetries that is closed under composition.

    >>> subgroup_name({0, 6})
    'mirror in the main diagonal'
    """
    if frozenset(members) not in _SUBGROUP_NAMES:
        raise EightfoldError(f"symmetries {sorted(members)} are not a subgroup of the eight")
    return _SUBGROUP_NAMES[frozenset(members)]


def read_symmetries(given: str | Iterable[int | str]) -> tuple[int, ...]:
    """The members of a subgroup, ascending: by the subgroup's name, or by the numbers or names of its members.

    >>> read_symmetries("mirror left and right"), read_symmetries([0, "rotate 180°"])
    ((0, 4), (0, 2))
    """
    if given is ALL:
        return ALL
    if isinstance(given, str):
        named = {name: members for members, name in _SUBGROUP_NAMES.items()}
        if given not in named:
            raise unknown("subgroup of the eight symmetries", given, named)
        return tuple(sorted(named[given]))
    members = {NAMES.index(item) if item in NAMES else check_symmetry(item) for item in given}  # type: ignore[arg-type]
    products = {(then, first): compose(then, first) for then in members for first in members}
    lacking = next((pair for pair, product in products.items() if product not in members), None)
    if lacking is not None:
        then, first = lacking
        raise EightfoldError(
            f"symmetries {sorted(members)} are not a subgroup: {first} and then {then} is"
            f" {products[lacking]} ({NAMES[products[lacking]]}), which is missing"
        )
    if not members:
        raise EightfoldError("no symmetries at all: the identity, 0, is always one")
    return tuple(sorted(members))


def symmetry_mask(members: Iterable[int]) -> int:
    """A set of symmetries as bits: bit g is set if g is a member."""
    return sum(1 << g for g in set(members))
