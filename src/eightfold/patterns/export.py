"""A library as JSON, for other programs: one object, its tables as columns.

    {"format": "eightfold-patterns", "version": 1, "game": "go", "combined": true, "order": "rows", "about": {...},
     "tables": {"3x3-centre": {"points": [[1, -1], ...], "codes": [...], "matches": [...], "plays": [...]}, ...}}

A code is the sum of digit * 3^place, the digits 0 for empty, 1 for the side to move and 2 for the opponent. `points`
tells for every place which point it is: rows down and columns to the right of the move. `order` is "rows" (row by row
from the bottom, as in the paper's figures) or "paper" (as in its tables: at the centre of 4x4 the ring round the
move first). A table that has Bradley-Terry strengths also has `gammas`, and `features` has those of the levels of every
feature, from 0. It is written in pieces: memory does not grow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import unknown
from eightfold.patterns.library import Library
from eightfold.patterns.paper_order import paper_codes
from eightfold.patterns.templates import Template

VERSION = 1
ROWS, PAPER = "rows", "paper"
ORDERS = (ROWS, PAPER)
PIECE = 10_000  # numbers at a time


def export_json(library: Library, file: TextIO, *, order: str = ROWS) -> None:
    """Write a library to an open file."""
    if order not in ORDERS:
        raise unknown("order of codes", order, ORDERS)
    for text in _texts(library, order):
        file.write(text)


def _texts(library: Library, order: str) -> Iterator[str]:
    head = {
        "format": "eightfold-patterns",
        "version": VERSION,
        "game": library.game,
        "combined": library.combined,
        "order": order,
        "about": dict(library.about),
        "features": {name: np.asarray(levels).tolist() for name, levels in library.features.items()},
    }
    yield json.dumps(head, ensure_ascii=False)[:-1] + ', "tables": {'
    for number, (name, table) in enumerate(library.tables.items()):
        template = library.template_of(name)
        codes = _in_order(template, np.asarray(table.codes, np.int64), order)
        sorting = np.argsort(codes)
        points = json.dumps(_points(template, order))
        yield f'{", " if number else ""}{json.dumps(name)}: {{"points": {points}, "codes": '
        yield from _numbers(codes[sorting])
        for column in ("matches", "plays", "gammas"):
            values = getattr(table, column)
            if values is not None:
                yield f', "{column}": '
                yield from _numbers(np.asarray(values)[sorting])
        yield "}"
    yield "}}\n"


def _in_order(template: Template, codes: NDArray[np.int64], order: str) -> NDArray[np.int64]:
    return paper_codes(template.name, codes) if order == PAPER else codes


def _points(template: Template, order: str) -> list[list[int]]:
    """The points by place, as they lie in the first of the template's rotations."""
    units = _in_order(template, 3 ** np.arange(template.digits), order)  # where each digit goes
    offsets = template.offsets(template.rotations[0])
    return [list(offsets[digit]) for digit in np.argsort(units).tolist()]


def _numbers(values: NDArray[Any]) -> Iterator[str]:
    yield "["
    for start in range(0, len(values), PIECE):
        piece = ", ".join(map(repr, values[start : start + PIECE].tolist()))
        yield f"{', ' if start else ''}{piece}"
    yield "]"
