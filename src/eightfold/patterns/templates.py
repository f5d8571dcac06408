"""The templates of Wei et al. (section 2): which points round a move make its pattern, and their order in its code.

A template is a block of 3x3 or 4x4 points with an anchor, the point to be played. Points in the middle of the board
match templates whose anchor lies inside the block, points on the edge those whose anchor lies on its side, corners
those whose anchor is its corner. A 4x4 block has no middle, so a point matches several templates ("multi-mapping"):
four that are rotations of one (centre a to d), and two at the edge that are mirror images (a, b). A template
matches where its whole block lies on the board; at the edge and in the corner it is rotated until it does.

    5 6 7      5 6 7      5 6 7      11 12 13 14     11 12 13 14     11 12 13 14     11 12 13 14
    3 ? 4      2 3 4      2 3 4       7  8  9 10      7  8  9 10      7  8  9 10      7  8  9 10
    0 1 2      0 ? 1      ? 0 1       4  ?  5  6      3  4  5  6      3  4  5  6      3  4  5  6
    centre     edge       corner      0  1  2  3      0  ?  1  2      0  1  ?  2      ?  0  1  2
                                      centre a        edge a          edge b          corner

Templates of one class are the same up to a symmetry, and their patterns are counted together when a library is
combined. Everything here follows from the anchors above and from `eightfold.symmetry.group.turn`; no game is known.

Read next: `codes.py`, numbers for patterns; `library.py`, what is learned of them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, unknown
from eightfold.symmetry.group import COUNT, turn

ROTATIONS = (0, 1, 2, 3)  # the symmetries that turn a board over no side
CENTRE, EDGE, CORNER = 0, 1, 2  # where a point lies on the board

_turn: Any = getattr(turn, "py_func", turn)


@dataclass(frozen=True, kw_only=True)
class Template:
    """Rows of a block are counted from its top, as those of a board are."""

    name: str
    pattern_class: str
    side: int  # of the block
    anchor: tuple[int, int]  # row and column in the block
    rotations: tuple[int, ...]  # in which of them it is laid on a board

    @property
    def digits(self) -> int:
        """The points that are coded."""
        return self.side**2 - 1

    @property
    def codes(self) -> int:
        return 3**self.digits

    @property
    def order(self) -> tuple[tuple[int, int], ...]:
        """The points of the block by digit: row by row from the bottom (Wei et al., figures 8 to 20)."""
        rows = range(self.side - 1, -1, -1)
        return tuple((row, column) for row in rows for column in range(self.side) if (row, column) != self.anchor)

    @property
    def place(self) -> int:
        """CENTRE, EDGE or CORNER: the points of a board that it is for."""
        return sum(each in (0, self.side - 1) for each in self.anchor)

    def offsets(self, rotation: int) -> list[tuple[int, int]]:
        """Where the points of a rotated block lie as seen from the anchor, in the order of their digits."""
        row, column = _turn(*self.anchor, self.side, rotation)
        turned = (_turn(*point, self.side, rotation) for point in self.order)
        return [(down - row, right - column) for down, right in turned]


def _templates() -> tuple[Template, ...]:
    made: list[tuple[str, str, int, tuple[int, int], tuple[int, ...]]] = []
    for side, inner in ((3, (1, 1)), (4, (2, 1))):
        bottom = side - 1
        name = f"{side}x{side}"
        centres = ("a", "b", "c", "d") if side == 4 else ("",)
        for rotation, letter in enumerate(centres):
            made.append((f"{name}-centre", letter, side, inner, (rotation,)))
        for column, letter in ((1, "a"), (2, "b")) if side == 4 else ((1, ""),):
            made.append((f"{name}-edge", letter, side, (bottom, column), ROTATIONS))
        made.append((f"{name}-corner", "", side, (bottom, 0), ROTATIONS))
    return tuple(
        Template(
            name=f"{kind}-{letter}" if letter else kind,
            pattern_class=kind,
            side=side,
            anchor=anchor,
            rotations=rotations,
        )
        for kind, letter, side, anchor, rotations in made
    )


TEMPLATES = {template.name: template for template in _templates()}
CLASSES = tuple(dict.fromkeys(template.pattern_class for template in TEMPLATES.values()))
SIDES = (3, 4)


def templates_of(pattern_class: str) -> tuple[Template, ...]:
    """The templates of a class; the first of them is the one in whose frame combined codes are written."""
    if pattern_class not in CLASSES:
        raise unknown("class of patterns", pattern_class, CLASSES)
    return tuple(template for template in TEMPLATES.values() if template.pattern_class == pattern_class)


def reference(pattern_class: str) -> Template:
    return templates_of(pattern_class)[0]


def templates_with(sides: Iterable[int]) -> tuple[Template, ...]:
    """All templates of some block sizes, 3 or 4."""
    chosen = tuple(sides)
    for side in chosen:
        if side not in SIDES:
            raise EightfoldError(f"patterns of {side}x{side} are not known; known: 3x3, 4x4")
    return tuple(template for template in TEMPLATES.values() if template.side in chosen)


@functools.lru_cache(maxsize=256)
def frames(template: Template) -> NDArray[np.int64]:
    """[S, digits]: every way to see a template's block as that of its class's reference.

    Digit k of a code becomes digit frames[s, k]. There is one way for each of the eight symmetries that takes the one
    anchor to the other, so S is 8 in the middle of 3x3, 2 where a mirror keeps the anchor, and 1 at the edge of 4x4.
    """
    target = reference(template.pattern_class)
    places = {point: digit for digit, point in enumerate(target.order)}
    found = [
        [places[_turn(*point, template.side, g)] for point in template.order]
        for g in range(COUNT)
        if _turn(*template.anchor, template.side, g) == target.anchor
    ]
    table = np.array(found, np.int64)
    table.flags.writeable = False
    return table


def place_of(row: int, column: int, size: int) -> int:
    """CENTRE, EDGE or CORNER."""
    return int(row in (0, size - 1)) + int(column in (0, size - 1))


@functools.lru_cache(maxsize=256)
def placements(template: Template, size: int) -> NDArray[np.int32]:
    """[size * size, digits]: for every point that matches, the points of its pattern by digit; -1 where none does."""
    table = np.full((size * size, template.digits), -1, np.int32)
    for row in range(size):
        for column in range(size):
            if place_of(row, column, size) == template.place:
                for rotation in template.rotations:
                    points = [(row + down, column + right) for down, right in template.offsets(rotation)]
                    if all(0 <= r < size and 0 <= c < size for r, c in points):
                        table[row * size + column] = [r * size + c for r, c in points]
    table.flags.writeable = False
    return table


def small_neighbourhoods(size: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For every point the number of its 3x3 template (CENTRE, EDGE, CORNER) and its eight points by digit.

    kinds [N * N], points [N * N, 8]. On boards smaller than 3x3 no template fits and all points are -1.
    """
    kinds = np.array([place_of(row, column, size) for row in range(size) for column in range(size)], np.int32)
    tables = np.stack([placements(template, size) for template in templates_with((3,))])  # [3, N * N, 8]
    return kinds, tables[kinds, np.arange(size * size)]


def read_names(names: Sequence[str]) -> tuple[Template, ...]:
    """Templates by name, class or block size: `3x3`, `4x4-centre`, `4x4-edge-a`."""
    found: dict[str, Template] = {}
    if not names:
        raise EightfoldError(f"no template is named; known: 3x3, 4x4, {', '.join(CLASSES)}")
    for name in names:
        matching = {key: each for key, each in TEMPLATES.items() if name == key or key.startswith(f"{name}-")}
        if not matching:
            raise unknown("template", name, ["3x3", "4x4", *CLASSES, *(n for n in TEMPLATES if n not in CLASSES)])
        found |= matching
    return tuple(found.values())
