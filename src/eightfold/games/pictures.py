"""Diagrams as SVG: the board, numbered stones, coordinates, and the words beside them; one game, or several on a sheet.

    >>> from eightfold.games.diagram import diagram_of
    >>> from eightfold.games.game import make_game
    >>> game = make_game("gomoku:size=5,win=3")
    >>> svg = draw_game(diagram_of(game.start(), [12, 6, 13], title="ann – bob"))
    >>> svg[:4], "ann – bob" in svg
    ('<svg', True)

Every colour is an attribute of its element: there is no style sheet, no script, no font and no other file to load, so
the same text shows in browsers, in documents that do not allow styles, and as an image. A name from a record is text
and nothing else.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from xml.sax.saxutils import escape

from eightfold.games.diagram import Diagram, NumberedStone
from eightfold.games.state import BLACK

CELL, EDGE, STONE = 30, 32, 14  # between two lines; from the outermost line to the rim; radius
BAR = 4  # how thick a side in colour is
LEAST_WIDTH = 250  # of a game on a sheet, for its words
GAP = 22  # between games, and round them
LINE = 17  # height of a line of words
WIDTH_OF_A_LETTER = 0.56  # of its height, on average; fonts differ, so lines are kept a little short
TITLE, WORDS, NOTES = 15, 12.5, 11.5  # sizes of letters
MOST_COLUMNS = 5

PAPER, INK, MUTED, ALARM = "#fffdf9", "#2a2622", "#6f665d", "#b3392b"
WOOD, LINES = "#e6c082", "#6b4a22"
BLACK_STONE, WHITE_STONE, WHITE_RIM = "#23201e", "#fdfaf4", "#6f665d"
PALE_BLACK, PALE_WHITE, PALE_RIM = "#b19263", "#eeddba", "#c0a271"  # stones that are gone, on wood
LAST, WON = "#0d5c8c", "#e0523f"
FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Liberation Sans', sans-serif"

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def draw_game(diagram: Diagram) -> str:
    """One game."""
    return draw_sheet([diagram])


def draw_sheet(diagrams: Sequence[Diagram | None], *, columns: int | None = None, title: str = "") -> str:
    """Games beside and below each other; None leaves a place empty. By default as near to a square as can be."""
    if not any(diagrams):
        raise ValueError("a sheet needs a game")
    columns = columns or min(MOST_COLUMNS, math.ceil(math.sqrt(len(diagrams))))
    boards = [_board_width(diagram.size) for diagram in diagrams if diagram]
    has_words = bool(title) or any(_has_words(diagram) for diagram in diagrams if diagram)
    width = max(*boards, LEAST_WIDTH) if has_words else max(boards)
    gap = GAP if has_words or len(diagrams) > 1 else 0
    parts: list[str] = []
    top = gap
    if title:
        parts.append(_text(title, gap, top + TITLE + 2, TITLE + 3, INK, bold=True))
        top += 2 * LINE
    for first in range(0, len(diagrams), columns):
        row = diagrams[first : first + columns]
        head = max(len(_heading(each, width)) for each in row if each) * LINE if any(row) else 0  # boards lie in line
        below = 0
        for column, diagram in enumerate(row):
            if diagram:
                body, height = _drawn(diagram, width, head)
                below = max(below, height)
                parts.append(f'<g transform="translate({gap + column * (width + gap)} {top})">{body}</g>')
        top += below + gap
    whole = gap + min(columns, len(diagrams)) * (width + gap)
    label = "; ".join(filter(None, [title, *(_label(each) for each in diagrams if each)]))
    paper = f'<rect width="{whole}" height="{top}" fill="{PAPER}"/>' if gap else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {top}" width="{whole}" height="{top}"'
        f' role="img" font-family="{FONT}"><title>{_plain(label)}</title>{paper}{"".join(parts)}</svg>\n'
    )


def _drawn(diagram: Diagram, width: int, head: int) -> tuple[str, int]:
    """A game with its words, from (0, 0), its board below `head`; and its height."""
    parts = [
        _text(line, 0, LINE * (k + 1) - 4, size, colour, bold=bold)
        for k, (line, size, colour, bold) in enumerate(_heading(diagram, width))
    ]
    top = head + 6 if head else 0
    parts.append(f'<g transform="translate(0 {top})">{_board(diagram)}</g>')
    top += _board_width(diagram.size)
    notes = "; ".join(note.replace(" ", "\u00a0") for note in diagram.notes)  # no break inside a note
    for line in _wrapped(notes, NOTES, width):
        top += LINE
        parts.append(_text(line, 0, top - 2, NOTES, MUTED))
    return "".join(parts), top + (3 if notes else 0)


def _heading(diagram: Diagram, width: int) -> list[tuple[str, float, str, bool]]:
    """The lines above a board: words, size, colour, and whether they are bold."""
    said = [(diagram.title, TITLE, INK, True), (diagram.warning, WORDS, ALARM, True)]
    said += [(words, WORDS, MUTED, False) for words in diagram.caption]
    return [
        (line, size, colour, bold)
        for words, size, colour, bold in said
        for line in _wrapped(words, size * (1.06 if bold else 1), width)
    ]


# ---- the board -------------------------------------------------------------------------------------------------


def _board_width(size: int) -> int:
    return (size - 1) * CELL + 2 * EDGE


def _place(point: int, size: int) -> tuple[int, int]:
    return EDGE + point % size * CELL, EDGE + point // size * CELL


def _board(diagram: Diagram) -> str:
    size, width = diagram.size, _board_width(diagram.size)
    parts = [
        f'<rect width="{width}" height="{width}" rx="7" fill="{WOOD}"/>',
        _ground(diagram),
        f'<g font-size="10.5" fill="{LINES}" text-anchor="middle">{_coordinates(diagram)}</g>',
        f'<g font-weight="600" text-anchor="middle">{"".join(_stone(stone, size) for stone in diagram.stones)}</g>',
    ]
    if diagram.line:
        rings = "".join(_circle(point, size, STONE - 1.2) for point in diagram.line)
        parts.append(f'<g fill="none" stroke="{WON}" stroke-width="2.2">{rings}</g>')
    if diagram.last is not None:
        ring = _circle(diagram.last, size, STONE + 0.8)
        parts.append(f'<g fill="none" stroke="{LAST}" stroke-width="2.4">{ring}</g>')
    return "".join(parts)


def _ground(diagram: Diagram) -> str:
    """What lies under the stones: lines with stars, cells, or lines with rising diagonals; and sides in colour."""
    size, half = diagram.size, CELL // 2 if diagram.board == "cells" else 0
    first, last = EDGE - half, _board_width(size) - EDGE + half
    lines = "".join(f"M{first} {at}H{last}M{at} {first}V{last}" for at in range(first, last + 1, CELL))
    if diagram.board == "diagonals":
        ends = [(max(0, k + 1 - size), min(size - 1, k)) for k in range(1, 2 * size - 2)]
        lines += "".join(
            f"M{EDGE + low * CELL} {EDGE + high * CELL}L{EDGE + high * CELL} {EDGE + low * CELL}" for low, high in ends
        )
    stars = "".join(_circle(point, size, 2.6) for point in star_points(size)) if diagram.board == "lines" else ""
    return (
        f'<g fill="none" stroke="{LINES}"><path d="{lines}" stroke-width="0.8"/>'
        f'<rect x="{first}" y="{first}" width="{last - first}" height="{last - first}" stroke-width="1.5"/></g>'
        + (f'<g fill="{LINES}">{stars}</g>' if stars else "")
        + "".join(_side(edge, colour, size) for edge, colour in diagram.edges.items())
    )


def _side(edge: str, colour: int, size: int) -> str:
    """A side of the board that belongs to a colour: a bar just beyond the stones."""
    first, last = EDGE, _board_width(size) - EDGE
    across = first - STONE - BAR - 1 if edge in ("top", "left") else last + STONE + 1
    x, y, width, height = first - STONE, across, last - first + 2 * STONE, BAR
    if edge in ("left", "right"):
        x, y, width, height = y, x, height, width
    fill = BLACK_STONE if colour == BLACK else WHITE_STONE
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="2" fill="{fill}"/>'


def star_points(size: int) -> list[int]:
    """The points that a board marks, as on the page: near the corners, the centre, on large boards the sides."""
    if size < 7:
        return []
    near = 3 if size >= 13 else 2
    rows = sorted({near, size - 1 - near, *([size // 2] if size % 2 else [])})
    middle = size // 2 if size % 2 and size < 15 else -1  # small boards have no marks at the middles of the sides
    return [row * size + column for row in rows for column in rows if (row == middle) == (column == middle)]


def _coordinates(diagram: Diagram) -> str:
    size, width = diagram.size, _board_width(diagram.size)
    return "".join(
        f'<text x="{EDGE + k * CELL}" y="{width - 4.5}">{_plain(diagram.letters[k])}</text>'
        f'<text x="7.5" y="{EDGE + k * CELL + 4}">{size - k}</text>'
        for k in range(size)
    )


def _stone(stone: NumberedStone, size: int) -> str:
    x, y = _place(stone.point, size)
    is_black = stone.colour == BLACK
    black, white, rim = (PALE_BLACK, PALE_WHITE, PALE_RIM) if stone.is_gone else (BLACK_STONE, WHITE_STONE, WHITE_RIM)
    fill = black if is_black else white
    edge = "" if is_black else f' stroke="{rim}" stroke-width="0.8"'
    drawn = f'<circle cx="{x}" cy="{y}" r="{STONE}" fill="{fill}"{edge}/>'
    if not stone.number:
        return drawn
    letters = 15 - 2 * len(str(stone.number))
    ink = WHITE_STONE if is_black else MUTED if stone.is_gone else BLACK_STONE
    y_text = round(y + letters * 0.36, 1)
    return drawn + f'<text x="{x}" y="{y_text}" font-size="{letters}" fill="{ink}">{stone.number}</text>'


def _circle(point: int, size: int, radius: float) -> str:
    x, y = _place(point, size)
    return f'<circle cx="{x}" cy="{y}" r="{radius}"/>'


# ---- words -----------------------------------------------------------------------------------------------------


def _has_words(diagram: Diagram) -> bool:
    return bool(diagram.title or diagram.warning or diagram.caption or diagram.notes)


def _label(diagram: Diagram) -> str:
    stones = len(diagram.stones)
    return ", ".join(filter(None, [diagram.title, diagram.warning, *diagram.caption])) or f"{stones} stones"


def _wrapped(text: str, size: float, width: int) -> list[str]:
    return textwrap.wrap(text, max(8, int(width / (size * WIDTH_OF_A_LETTER))))


def _text(words: str, x: float, y: float, size: float, colour: str, *, bold: bool = False) -> str:
    weight = ' font-weight="650"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}"{weight}>{_plain(words)}</text>'


def _plain(words: str) -> str:
    """As text in XML; what XML cannot hold becomes a question mark."""
    return escape(_NOT_XML.sub("?", words))
