"""What the features of an `equivariant` network are made of: fields, that is so many copies of each type of unit.

    regular     regular fields alone: a channel for every symmetry (group convolutions, Cohen & Welling 2016)
    mixed       regular fields and trivial ones, plain channels that turn with the board and no more: 3 channels to 1
    quotient    half regular fields; the other half looks in four directions, along the lines or the diagonals
    steerable   irreducible types (Cohen & Welling 2017), with gates (Weiler et al. 2018)

Types that the symmetries permute take a ReLU. The others change their signs, so a number of its own, a gate, scales
each unit of theirs: gates are trivial, and the layer behind does not see them. `width` counts all channels of a layer,
gates among them, so that equal widths have convolutions of the same size or less.

Shapes: M members of a unit, F copies of it. Of a type's channels, m * F + f holds member m of copy f, so that in memory
the copies of a point lie side by side; the types follow each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.core.errors import EightfoldError
from eightfold.symmetry.representations import (
    CHIRAL,
    DIAGONAL,
    DIAGONAL_QUOTIENT,
    FAITHFUL,
    REGULAR,
    STRAIGHT_QUOTIENT,
    SYMMETRICAL,
    TRIVIAL,
    Representation,
)


@dataclass(frozen=True, kw_only=True)
class Copies:
    """Several units of one type: M * F channels."""

    kind: Representation
    count: int

    @property
    def members(self) -> int:
        return self.kind.dimension

    @property
    def channels(self) -> int:
        return self.members * self.count


Fields = tuple[Copies, ...]  # types that the symmetries permute come first


def fields(*types: tuple[Representation, int]) -> Fields:
    """
    >>> [copies.channels for copies in fields((TRIVIAL, 4), (FAITHFUL, 3))]
    [4, 6]
    """
    made = tuple(Copies(kind=kind, count=count) for kind, count in types)
    permuted = [copies.kind.permutes for copies in made]
    assert permuted == sorted(permuted, reverse=True), "types that the symmetries permute come first"
    return made


def channels(made_of: Fields) -> int:
    return sum(copies.channels for copies in made_of)


def units(made_of: Fields) -> int:
    return sum(copies.count for copies in made_of)


def signed(made_of: Fields) -> Fields:
    """The types that change their signs: each unit of theirs needs a gate."""
    return tuple(copies for copies in made_of if not copies.kind.permutes)


# The smallest of each kind; wider ones have so many times the copies.
FEATURES: dict[str, Fields] = {
    "regular": fields((REGULAR, 1)),
    "mixed": fields((REGULAR, 3), (TRIVIAL, 8)),
    "quotient": fields((REGULAR, 1), (STRAIGHT_QUOTIENT, 1), (DIAGONAL_QUOTIENT, 1)),
    "steerable": fields((TRIVIAL, 4), (SYMMETRICAL, 1), (DIAGONAL, 1), (CHIRAL, 1), (FAITHFUL, 2)),
}
KINDS = tuple(FEATURES)


def features_of(kind: str, width: int) -> Fields:
    """The fields of a kind that fill `width` channels, gates included.

    >>> [(copies.kind.name, copies.count) for copies in features_of("mixed", 64)]
    [('regular', 6), ('trivial', 16)]
    """
    smallest = FEATURES[kind]
    least = channels(smallest) + units(signed(smallest))
    times, rest = divmod(width, least)
    if rest or not times:
        raise EightfoldError(
            f"network equivariant: width={width} is not a multiple of {least}, as features={kind} needs"
        )
    return fields(*((copies.kind, times * copies.count) for copies in smallest))
