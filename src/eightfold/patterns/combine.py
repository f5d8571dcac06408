"""Combining (Wei et al., section 4.2): the counts of patterns that are the same up to a symmetry are added up.

The paper adds them after all records are read, by going through the whole library (its algorithm 2; the loop as
printed leaves out the last symmetry, tests `isReviewed` the wrong way round and never resets `code`). `combine` does
that. Learning can also count canonical codes from the first (`counting.py`), and gives the same library.

A pattern that a symmetry leaves as it is has one code and is counted once, so sums are conserved. Strengths (gammas) do
not add up; a combined library has them only if they are learned anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.patterns.codes import CodeTables, canonical, code_tables, permuted
from eightfold.patterns.library import PIECE, Library, Table, table_from_counts
from eightfold.patterns.templates import CLASSES, TEMPLATES, reference, templates_of


@kernel
def _add_up(tables: CodeTables, codes: Ints, matches: Ints, plays: Ints, all_matches: Ints, all_plays: Ints) -> None:
    for k in range(codes.shape[0]):
        code = canonical(tables, codes[k])
        all_matches[code] += matches[k]
        all_plays[code] += plays[k]


def combine(library: Library) -> Library:
    """A library in which every shape is counted once."""
    if library.combined:
        raise EightfoldError("this library is combined already")
    tables = {}
    # One pair of arrays for all classes: memory that is used for the first time is the dearest.
    all_matches, all_plays = np.empty((2, max(template.codes for template in TEMPLATES.values())), np.int64)
    for pattern_class in CLASSES:
        parts = [t for t in templates_of(pattern_class) if t.name in library.tables]
        if parts:
            matches, plays = (counts[: reference(pattern_class).codes] for counts in (all_matches, all_plays))
            matches.fill(0)
            plays.fill(0)
            for template in parts:
                table = library.tables[template.name]
                for start in range(0, len(table.codes), PIECE):
                    here = slice(start, start + PIECE)
                    codes, more_matches, more_plays = (
                        _whole(column[here]) for column in (table.codes, table.matches, table.plays)
                    )
                    _add_up(code_tables(template.name), codes, more_matches, more_plays, matches, plays)
            tables[pattern_class] = table_from_counts(matches, plays)
    return Library(game=library.game, combined=True, tables=tables, about=library.about)


def _whole(column: NDArray[np.integer]) -> Ints:
    return np.ascontiguousarray(column, np.int64)


def orbit_sizes(pattern_class: str, table: Table) -> Ints:
    """[K]: how many codes of the class's reference are the same as each pattern of a combined table."""
    sizes = np.empty(len(table.codes), np.int64)
    _count_orbits(code_tables(reference(pattern_class).name), _whole(table.codes), sizes)
    return sizes


@kernel
def _count_orbits(tables: CodeTables, codes: Ints, sizes: Ints) -> None:
    frames = tables.low.shape[0] - 1
    for k in range(codes.shape[0]):
        itself = 0  # the frames that show the pattern as it is: its stabiliser
        for row in range(frames):
            itself += permuted(tables, row, codes[k]) == codes[k]
        sizes[k] = frames // itself
