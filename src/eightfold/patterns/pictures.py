"""Patterns as pictures of a piece of board: text for a terminal, SVG for a page.

The stones of the side to move are black, those of the opponent white; a diamond marks the anchor, the point that is to
be played. Lines end where the block lies at the edge of the board and run on elsewhere. The eight symmetries take a
pattern to as many as eight pictures, its orbit: all the ways in which the same shape lies on a board.

    >>> from eightfold.patterns.templates import TEMPLATES
    >>> print("\\n".join(text_picture(picture_of(TEMPLATES["3x3-edge"], 2 + 1 * 3**3))))
    ─┼─┼─┼─
    ─┼─●─┼─
    ─○─◆─┴─
    >>> len(orbit_pictures(picture_of(TEMPLATES["3x3-edge"], 2 + 1 * 3**3)))
    8
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.patterns.codes import EMPTY, OPPONENT, OWN, digits_of
from eightfold.patterns.templates import Template
from eightfold.symmetry.group import COUNT, turn

STONES = {OWN: "●", OPPONENT: "○"}
ANCHOR = "◆"
SIGNS = ".xo"  # empty, own, opponent in `Picture.rows`
ANCHOR_SIGN = "?"
TOP, BOTTOM, LEFT, RIGHT = "top", "bottom", "left", "right"
CELL, STUB, STONE, DIAMOND = 20, 11, 8.8, 5.0  # of the SVG: between two lines, beyond the last, radii

_turn: Any = getattr(turn, "py_func", turn)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A block as it lies on a board, its rows from the top. The cell of the anchor is EMPTY."""

    cells: tuple[tuple[int, ...], ...]
    anchor: tuple[int, int]  # row and column

    @property
    def side(self) -> int:
        return len(self.cells)

    @property
    def edges(self) -> tuple[str, ...]:
        """The sides on which the board ends. An anchor on the rim of its block stands on the edge of the board."""
        last = self.side - 1
        (row, column) = self.anchor
        touched = ((TOP, row == 0), (BOTTOM, row == last), (LEFT, column == 0), (RIGHT, column == last))
        return tuple(name for name, at_edge in touched if at_edge)

    @property
    def rows(self) -> list[str]:
        """For programs: a sign for every point, `.` empty, `x` own, `o` opponent, `?` the anchor."""
        return [
            "".join(
                ANCHOR_SIGN if (row, column) == self.anchor else SIGNS[self.cells[row][column]]
                for column in range(self.side)
            )
            for row in range(self.side)
        ]


def check_code(template: Template, code: int) -> int:
    if not 0 <= code < template.codes:
        raise EightfoldError(f"{code} is no code of {template.name}: they go from 0 to {template.codes - 1}")
    return code


def picture_of(template: Template, code: int, rotation: int | None = None) -> Picture:
    """The picture of a pattern in one of the template's rotations, its first if none is named."""
    digits = digits_of(np.array([check_code(template, code)]), template.digits)[0].tolist()
    offsets = template.offsets(template.rotations[0] if rotation is None else rotation)
    top, left = min(row for row, _ in (*offsets, (0, 0))), min(column for _, column in (*offsets, (0, 0)))
    cells = [[EMPTY] * template.side for _ in range(template.side)]
    for (row, column), digit in zip(offsets, digits, strict=True):
        cells[row - top][column - left] = digit
    return Picture(cells=tuple(map(tuple, cells)), anchor=(-top, -left))


def turned(picture: Picture, g: int) -> Picture:
    """The picture after symmetry `g`."""
    side = picture.side
    cells = [[EMPTY] * side for _ in range(side)]
    for row in range(side):
        for column in range(side):
            to_row, to_column = _turn(row, column, side, g)
            cells[to_row][to_column] = picture.cells[row][column]
    return Picture(cells=tuple(map(tuple, cells)), anchor=_turn(*picture.anchor, side, g))


def orbit_pictures(picture: Picture) -> list[Picture]:
    """The picture and all others that the eight symmetries make of it, each once."""
    return list(dict.fromkeys(turned(picture, g) for g in range(COUNT)))


# ---- text --------------------------------------------------------------------------------------------

# The crossing of two lines, by the edges that it lies on.
_CROSSINGS = {
    "": "┼",
    TOP: "┬",
    BOTTOM: "┴",
    LEFT: "├",
    RIGHT: "┤",
    TOP + LEFT: "┌",
    TOP + RIGHT: "┐",
    BOTTOM + LEFT: "└",
    BOTTOM + RIGHT: "┘",
}


def text_picture(picture: Picture) -> list[str]:
    """Lines of equal width."""
    return [_text_row(picture, row) for row in range(picture.side)]


def _text_row(picture: Picture, row: int) -> str:
    points = [_text_point(picture, row, column) for column in range(picture.side)]
    before = " " if LEFT in picture.edges else "─"
    after = " " if RIGHT in picture.edges else "─"
    return before + "─".join(points) + after


def _text_point(picture: Picture, row: int, column: int) -> str:
    if (row, column) == picture.anchor:
        return ANCHOR
    if stone := picture.cells[row][column]:
        return STONES[stone]
    return _CROSSINGS["".join(edge for edge in picture.edges if _touches(picture, edge, row, column))]


def _touches(picture: Picture, edge: str, row: int, column: int) -> bool:
    last = picture.side - 1
    return {TOP: row == 0, BOTTOM: row == last, LEFT: column == 0, RIGHT: column == last}[edge]


# ---- SVG ---------------------------------------------------------------------------------------------

# What a page that shows SVG pictures has in its style sheet. `--wood` and the like may be set for light and dark.
SVG_STYLE = """
.pattern { display: block; background: var(--wood, #e8c68b); border-radius: 4px; }
.pattern path { stroke: var(--lines, #6b4a22); stroke-width: 0.8; fill: none; }
.pattern .rim { stroke-width: 2; stroke-linecap: square; }
.pattern .own { fill: #23201e; }
.pattern .opponent { fill: #fdfaf4; stroke: #6f665d; stroke-width: 0.8; }
.pattern .anchor { fill: var(--anchor, #16685c); }
"""


def svg_picture(picture: Picture, *, width: int, label: str) -> str:
    """An `svg` element; its colours are classes, see `SVG_STYLE`. The label must be plain words: it is not escaped."""
    side, edges = picture.side, picture.edges
    first, last, whole = STUB, STUB + (side - 1) * CELL, 2 * STUB + (side - 1) * CELL
    left, right = (first if LEFT in edges else 0), (last if RIGHT in edges else whole)
    top, bottom = (first if TOP in edges else 0), (last if BOTTOM in edges else whole)
    places = [STUB + k * CELL for k in range(side)]
    lines = "".join(f"M{left} {at}H{right}M{at} {top}V{bottom}" for at in places)
    rims = {
        TOP: f"M{left} {first}H{right}",
        BOTTOM: f"M{left} {last}H{right}",
        LEFT: f"M{first} {top}V{bottom}",
        RIGHT: f"M{last} {top}V{bottom}",
    }
    parts = [f'<path d="{lines}"/>']
    if edges:
        parts.append(f'<path class="rim" d="{"".join(rims[edge] for edge in edges)}"/>')
    for row, cells in enumerate(picture.cells):
        for column, cell in enumerate(cells):
            if cell:
                kind = "own" if cell == OWN else "opponent"
                parts.append(f'<circle class="{kind}" cx="{places[column]}" cy="{places[row]}" r="{STONE}"/>')
    x, y = places[picture.anchor[1]], places[picture.anchor[0]]
    diamond = f"M{x} {y - DIAMOND}L{x + DIAMOND} {y}L{x} {y + DIAMOND}L{x - DIAMOND} {y}Z"
    parts.append(f'<path class="anchor" stroke="none" d="{diamond}"/>')
    return (
        f'<svg class="pattern" viewBox="0 0 {whole} {whole}" width="{width}" height="{width}" role="img"'
        f' aria-label="{label}">{"".join(parts)}</svg>'
    )
