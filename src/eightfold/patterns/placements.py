"""Where templates lie on a board of one size, laid out for counting: every placement, and those that a stone changes.

A placement is a template on a point that it fits round: on 19x19 there are about four for each point with all
ten templates. A stone is one digit of about sixty of them, so that many codes change when it is played or taken.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints
from eightfold.patterns.templates import Template, placements


class Placements(NamedTuple):
    """P placements, in the order of their anchors, on N * N points."""

    first: Ints  # [N * N + 1] the placements whose anchor is point p are first[p] to first[p + 1] - 1
    anchors: NDArray[np.int32]  # [P]
    slots: NDArray[np.int32]  # [P] which of the templates it is
    touched_first: Ints  # [N * N + 1] a stone on point p is a digit of those from touched_first[p] on:
    touched: NDArray[np.int32]  # [P * digits] the placement
    weights: NDArray[np.int32]  # [P * digits] 3^digit, what a stone of black adds to its code


@functools.lru_cache(maxsize=64)
def lay_out(templates: tuple[Template, ...], size: int) -> Placements:
    """All placements of some templates on a board."""
    found = [
        (point, slot, table[point])
        for slot, table in enumerate(placements(template, size) for template in templates)
        for point in range(size * size)
        if table[point, 0] >= 0
    ]
    found.sort(key=lambda each: (each[0], each[1]))
    anchors = np.array([point for point, _, _ in found], np.int32)
    points = np.array([point for _, _, digits in found for point in digits], np.int64)
    owners = np.array([number for number, (_, _, digits) in enumerate(found) for _ in digits], np.int32)
    weights = np.array([3**digit for _, _, digits in found for digit in range(len(digits))], np.int32)
    order = np.argsort(points, kind="stable")
    board = np.arange(size * size + 1)
    return Placements(
        first=np.searchsorted(anchors, board).astype(np.int64),
        anchors=anchors,
        slots=np.array([slot for _, slot, _ in found], np.int32),
        touched_first=np.searchsorted(points[order], board).astype(np.int64),
        touched=owners[order],
        weights=weights[order],
    )
