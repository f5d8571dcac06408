"""How the eight symmetries can act inside a cell: the types of hidden units of Internal Symmetry Networks.

Blair, section III. Turning a board moves what lies on its points. If a point holds more than plain numbers
(an arrow, say, or which diagonal is the important one), what it holds turns too, and the ways in which it can turn
are the representations of the group:

    trivial       1   a plain number; planes, outputs and biases are of this type
    symmetrical   1   changes its sign at a quarter turn, not at the mirrors in row and column: across against along
    diagonal      1   changes its sign at a quarter turn and at those mirrors: one diagonal against the other
    chiral        1   changes its sign at every mirror: left-handed against right-handed
    faithful      2   an arrow
    regular       8   one number for every symmetry, which the others permute; all of the above at once
    straight_quotient   4   one number for each of the four directions along the lines, which are permuted
    diagonal_quotient   4   one number for each of the four directions along the diagonals, which are permuted

The last two are quotients of the regular one (Cohen & Welling 2017): two symmetries share a number if they differ by a
mirror that keeps the direction.

A `Field` is the list of types that a cell holds, in the order of its channels. A field of activations turns as
(g·H)(λ) = ρ(g) H(g⁻¹λ): the cells move, and ρ(g) acts in each of them.

Read next: `eightfold.symmetry.kernel_bases`, the convolutions that commute with all of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, shown, unknown
from eightfold.symmetry.group import COMPOSE, COUNT, IDENTITY, read_symmetries, whole_number

# The generators of Blair, equation 1, with east and north as positive: r[a, b] = [-b, a] is a quarter turn
# to the left, s[a, b] = [-a, b] the mirror left and right.
QUARTER_TURN, MIRROR = 3, 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Representation:
    """A type of unit: for each of the eight symmetries the matrix by which it acts."""

    name: str
    matrices: NDArray[np.int64]  # [8, d, d], signed permutations

    @property
    def dimension(self) -> int:
        return int(self.matrices.shape[1])

    @property
    def permutes(self) -> bool:
        """Whether symmetries only permute the numbers, so that what is done to each by itself commutes with them."""
        return bool((self.matrices >= 0).all())


Field = tuple[Representation, ...]


def from_generators(name: str, quarter_turn: list[list[int]], mirror: list[list[int]]) -> Representation:
    """A representation by the matrices of its two generators; all eight are products of these."""
    turn, flip = np.array(quarter_turn, np.int64), np.array(mirror, np.int64)
    matrices = np.zeros((COUNT, *turn.shape), np.int64)
    element, matrix = IDENTITY, np.eye(len(turn), dtype=np.int64)
    for _ in range(4):
        matrices[element] = matrix
        matrices[COMPOSE[element, MIRROR]] = matrix @ flip
        element, matrix = int(COMPOSE[QUARTER_TURN, element]), turn @ matrix
    matrices.flags.writeable = False
    return Representation(name=name, matrices=matrices)


def quotient(name: str, subgroup: Sequence[int]) -> Representation:
    """The group acting on the cosets of a subgroup: symmetry g takes the number of a coset hS to that of ghS.

    >>> quotient("lines", [0, 2, 4, 5]).matrices[QUARTER_TURN].tolist()  # across becomes along
    [[0, 1], [1, 0]]
    """
    cosets = list(dict.fromkeys(frozenset(COMPOSE[h, list(subgroup)].tolist()) for h in range(COUNT)))
    matrices = np.zeros((COUNT, len(cosets), len(cosets)), np.int64)
    for g in range(COUNT):
        for number, coset in enumerate(cosets):
            matrices[g, cosets.index(frozenset(COMPOSE[g, list(coset)].tolist())), number] = 1
    matrices.flags.writeable = False
    return Representation(name=name, matrices=matrices)


TRIVIAL = from_generators("trivial", [[1]], [[1]])
SYMMETRICAL = from_generators("symmetrical", [[-1]], [[1]])
DIAGONAL = from_generators("diagonal", [[-1]], [[-1]])
CHIRAL = from_generators("chiral", [[1]], [[-1]])
FAITHFUL = from_generators("faithful", [[0, -1], [1, 0]], [[-1, 0], [0, 1]])
REGULAR = quotient("regular", [IDENTITY])
STRAIGHT_QUOTIENT = quotient("straight_quotient", read_symmetries("mirror top and bottom"))  # keeps east
DIAGONAL_QUOTIENT = quotient("diagonal_quotient", read_symmetries("mirror in the main diagonal"))  # keeps south-east
_ALL_TYPES = (TRIVIAL, SYMMETRICAL, DIAGONAL, CHIRAL, FAITHFUL, REGULAR, STRAIGHT_QUOTIENT, DIAGONAL_QUOTIENT)
TYPES = {kind.name: kind for kind in _ALL_TYPES}


def make_field(**counts: int) -> Field:
    """So many units of each type, in the order of `TYPES`.

    >>> [kind.name for kind in make_field(faithful=1, trivial=2)]
    ['trivial', 'trivial', 'faithful']
    """
    for name, count in counts.items():
        if name not in TYPES:
            raise unknown("type of unit", name, TYPES)
        if whole_number(count) < 0:
            raise EightfoldError(f"{name}={shown(count)} is not a whole number, 0 or more")
    return tuple(kind for name, kind in TYPES.items() for _ in range(counts.get(name, 0)))


def channels(field: Field) -> int:
    """How many numbers a cell of this field holds."""
    return sum(kind.dimension for kind in field)


def action(field: Field) -> NDArray[np.int64]:
    """[8, C, C]: what each symmetry does to the channels of one cell."""
    whole = np.zeros((COUNT, channels(field), channels(field)), np.int64)
    first = 0
    for kind in field:
        span = slice(first, first + kind.dimension)
        whole[:, span, span] = kind.matrices
        first += kind.dimension
    return whole
