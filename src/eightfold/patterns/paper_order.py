"""The order in which Wei et al. print their recombination tables, so that codes can be compared with theirs.

Their figures code a block row by row from the bottom, in the template's own frame, and so do we. Their table for the
4x4 centre has another order: first the ring of eight round the anchor, row by row from the bottom left of the board,
then the outer L of seven, its lying leg from the free end to the corner and on down (or up) its standing leg. In that
order a symmetry permutes the ring as it permutes a 3x3 pattern, and reverses the L or leaves it.

Printed wrongly there: row 6 of the 3x3 table (counted from 0) repeats row 2 and should be 2 1 0 4 3 7 6 5; figures 10
and 13 have a 10 for a 1. `tests/patterns/test_paper.py` compares every entry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints
from eightfold.patterns.codes import digits_of, permute_digits
from eightfold.patterns.templates import CENTRE, TEMPLATES, Template, reference, templates_of
from eightfold.symmetry.group import COUNT, turn

Offset = tuple[int, int]  # rows down and columns to the right of the anchor


def ring_then_rest(template: Template) -> list[Offset]:
    """The points of a centre template as it lies on the board: the ring, then the L where there is one."""
    offsets = template.offsets(template.rotations[0])
    ring = sorted((o for o in offsets if max(map(abs, o)) == 1), key=lambda o: (-o[0], o[1]))
    row, column = _corner(offsets)
    lying = sorted((o for o in offsets if abs(o[0]) == 2), key=lambda o: -abs(o[1] - column))
    standing = sorted((o for o in offsets if abs(o[0]) < 2 and abs(o[1]) == 2), key=lambda o: abs(o[0] - row))
    return ring + lying + standing


def _turned(offset: Offset, g: int) -> Offset:
    """Where a symmetry takes a point round the anchor, seen on the 5x5 board of which the anchor is the middle."""
    row, column = turn(offset[0] + 2, offset[1] + 2, 5, g)
    return row - 2, column - 2


def _corner(offsets: list[Offset]) -> Offset:
    """The outermost point."""
    return max(offsets, key=lambda o: abs(o[0]) + abs(o[1]))


def paper_codes(template_name: str, codes: NDArray[np.integer]) -> Ints:
    """Our codes [K] as the paper's tables write them: ring first at the centre, and as ours elsewhere."""
    template = TEMPLATES[template_name]
    if template.place != CENTRE:
        return np.asarray(codes, np.int64)
    places = {offset: digit for digit, offset in enumerate(ring_then_rest(template))}
    order = [places[offset] for offset in template.offsets(template.rotations[0])]
    return permute_digits(digits_of(codes, template.digits), np.array(order, np.int64))


def recombination_table(pattern_class: str) -> dict[int, list[int]]:
    """For a centre class and every symmetry g: entry k is the digit from which digit k of the turned pattern comes."""
    first = reference(pattern_class)
    here = ring_then_rest(first)
    table = {}
    for g in range(COUNT):
        turned = [_turned(offset, g) for offset in here]
        there = next(order for order in map(ring_then_rest, templates_of(pattern_class)) if set(order) == set(turned))
        table[g] = [turned.index(offset) for offset in there]
    return table
