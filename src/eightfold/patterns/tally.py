"""The counts that records are read into: one array for all tables, a word for every code, and where a code is in it.

A word holds matches in its low bits and plays above them, so that a table of 3^15 codes takes 115 MB. In one position a
pattern gains at most a play for each of the four templates of a class, and a match for each point besides: whoever
counts empties a tally (`take_out`) before `MOST_POSITIONS` of them, and no part of a word overflows.

Where a code is counted (its place) depends on the side to move, which swaps colours, and in a combined library
on the symmetries of its class. Each of these is the sum of a table entry for the low eight digits and one for the high
ones (`codes.py`). Here the entries for both sides and all symmetries lie beside each other, so that the smallest code
costs two cache lines.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.patterns.codes import LOW, code_tables
from eightfold.patterns.library import Table, counts_from_table, table_from_counts
from eightfold.patterns.templates import TEMPLATES, Template, reference
from eightfold.symmetry.orbit import LARGEST_BOARD

MATCH_BITS = 37
ONE_PLAY = 1 << MATCH_BITS
MATCHES = ONE_PLAY - 1
TEMPLATES_IN_CLASS = 4  # at most
MOST_POSITIONS = min(
    (1 << (63 - MATCH_BITS)) // TEMPLATES_IN_CLASS, ONE_PLAY // (TEMPLATES_IN_CLASS * LARGEST_BOARD**2)
)


class Places(NamedTuple):
    """Where codes of T templates are counted. For template t and side s (0 black), frame f, F of them:

    low[low_first[t] + (code % LOW) * 2F + s * F + f] + high[high_first[t] + (code // LOW) * 2F + s * F + f]
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    low_first: Ints  # [T]
    high_first: Ints  # [T]
    frames: Ints  # [T]
    base: Ints  # [T] where the template's table begins among the counts


@functools.lru_cache(maxsize=8)
def places_for(templates: tuple[Template, ...], *, combined: bool) -> Places:
    low, high, frames, base = [], [], [], []
    offsets = table_offsets(templates, combined=combined)
    for template in templates:
        low_part, high_part = _both_sides(template, combined=combined)
        frames.append(low_part.shape[2])
        base.append(offsets[template.pattern_class if combined else template.name])
        low.append(low_part.ravel())
        high.append(high_part.ravel())
    return Places(
        low=np.concatenate(low),
        high=np.concatenate(high),
        low_first=_starts(low),
        high_first=_starts(high),
        frames=np.array(frames, np.int64),
        base=np.array(base, np.int64),
    )


def _both_sides(template: Template, *, combined: bool) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """[LOW, 2, F] and [codes / LOW, 2, F]: what parts of a code, as black sees it, become for a side in a frame."""
    tables = code_tables(template.name)
    parts = []
    for table, scale in ((tables.low, 1), (tables.high, LOW)):
        turns = table[:-1] if combined else scale * np.arange(table.shape[1])[None]  # [F, codes of this part]
        swap = table[-1] // scale  # the colours swapped, as an index into the same part
        parts.append(np.ascontiguousarray(np.stack([turns, turns[:, swap]]).transpose(2, 0, 1), np.int32))
    return parts[0], parts[1]


def _starts(parts: list[NDArray[np.int32]]) -> Ints:
    return np.cumsum([0, *(len(part) for part in parts[:-1])], dtype=np.int64)


def table_offsets(templates: tuple[Template, ...], *, combined: bool) -> dict[str, int]:
    """Where each table of a library of these templates begins among the counts."""
    offsets, end = dict[str, int](), 0
    for template in templates:
        name = template.pattern_class if combined else template.name
        if name not in offsets:
            offsets[name] = end
            end += template.codes
    return offsets


def empty_tally(templates: tuple[Template, ...], *, combined: bool) -> Ints:
    """Counts of nothing yet; memory is taken as codes are met."""
    names = table_offsets(templates, combined=combined)
    return np.zeros(sum(_template(name, combined).codes for name in names), np.int64)


def _template(table: str, combined: bool) -> Template:
    return reference(table) if combined else TEMPLATES[table]


@kernel
def place(places: Places, slot: int, code: int, side: int) -> int:
    """Where the pattern is counted that black sees as `code`, with black (0) or white (1) to move."""
    frames = places.frames[slot]
    low = places.low_first[slot] + ((code % LOW) * 2 + side) * frames
    high = places.high_first[slot] + ((code // LOW) * 2 + side) * frames
    best = places.low[low] + places.high[high]
    for f in range(1, frames):
        best = min(best, places.low[low + f] + places.high[high + f])
    return places.base[slot] + best


def take_out(
    tallies: list[Ints], templates: tuple[Template, ...], *, combined: bool, before: Mapping[str, Table]
) -> dict[str, Table]:
    """The tables `before` with what was counted since; the tallies are empty afterwards."""
    tables = {}
    for name, start in table_offsets(templates, combined=combined).items():
        codes = _template(name, combined).codes
        matches, plays = np.zeros(codes, np.int64), np.zeros(codes, np.int64)
        if name in before:
            matches, plays = counts_from_table(before[name], codes)
        for tally in tallies:
            _move_counts(tally[start : start + codes], matches, plays)
        tables[name] = table_from_counts(matches, plays)
    return tables


@kernel
def _move_counts(tally: Ints, matches: Ints, plays: Ints) -> None:
    for code in range(tally.shape[0]):
        word = tally[code]
        if word != 0:
            matches[code] += word & MATCHES
            plays[code] += word >> MATCH_BITS
            tally[code] = 0
