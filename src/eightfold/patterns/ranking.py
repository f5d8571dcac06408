"""The patterns of a library in order: the likeliest, the strongest, the most played, the most seen.

A posterior of few positions says little, so patterns are ordered by the lower end of its interval (Wilson's, 95 %):
a shape that was seen once and played once does not come before one that is played nine times out of ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.intervals import wilson_bounds
from eightfold.patterns.library import Library, Statistics, Table
from eightfold.patterns.pictures import Picture, check_code, picture_of
from eightfold.patterns.templates import read_names

POSTERIOR, ELO, PLAYS, MATCHES = "posterior", "elo", "plays", "matches"
ORDERS = (POSTERIOR, ELO, PLAYS, MATCHES)


@dataclass(frozen=True, kw_only=True)
class ShownPattern:
    """A pattern of a library as people look at it."""

    statistics: Statistics
    picture: Picture

    @property
    def interval(self) -> tuple[float, float]:
        """In which the true posterior lies (Wilson, 95 %)."""
        low, high = wilson_bounds(self.statistics.posterior, self.statistics.matches)
        return float(low), float(high)


def orders_of(library: Library) -> tuple[str, ...]:
    """The orders that a library has: those by Elo only where it was learned."""
    return ORDERS if library.has_elo else tuple(order for order in ORDERS if order != ELO)


def facts_of(library: Library) -> str:
    """How large a library is and what it was learned from, in words: '954 patterns, 12 games, 720 moves'."""
    patterns = sum(len(table.codes) for table in library.tables.values())
    counts = {"patterns": patterns, **{name: library.about.get(name) for name in ("games", "moves")}}
    return ", ".join(f"{value:,} {name}" for name, value in counts.items() if type(value) is int)


def tables_named(library: Library, names: Sequence[str]) -> tuple[str, ...]:
    """The tables of a library that hold patterns of templates, classes or block sizes; all of them without any."""
    if not names:
        return tuple(library.tables)
    wanted = dict.fromkeys(library.table_for(template) for template in read_names(names))
    found = tuple(name for name in wanted if name in library.tables)
    if not found:
        raise EightfoldError(
            f"this library has no patterns of {', '.join(names)}; it has {', '.join(library.tables) or 'none at all'}"
        )
    return found


def top_patterns(
    library: Library, *, tables: Sequence[str], order: str = POSTERIOR, top: int = 20, least_matches: int = 1
) -> list[ShownPattern]:
    """The first patterns of some tables, taken together."""
    if order not in ORDERS:
        raise unknown("order of patterns", order, ORDERS)
    if order not in orders_of(library):
        raise EightfoldError(f"this library has no Elo ratings; order it by {', '.join(orders_of(library))}")
    found: list[tuple[float, int, str, int]] = []
    for name in tables:
        table = library.tables[name]
        for place, key in _first(table, order, top, least_matches):
            found.append((-key, -int(table.matches[place]), name, int(table.codes[place])))
    return [show_pattern(library, name, code) for _, _, name, code in sorted(found)[:top]]


def show_pattern(library: Library, table: str, code: int) -> ShownPattern:
    """One pattern by the code that it has in the frame of a table, whether it was ever seen or not."""
    template = library.template_of(table)
    known = library.look_up(template, check_code(template, code))
    return ShownPattern(statistics=known, picture=picture_of(template, known.code))


def _first(table: Table, order: str, top: int, least_matches: int) -> list[tuple[int, float]]:
    """The places of the first patterns of a table, with what they are ordered by."""
    if order == ELO and table.gammas is None:
        return []
    seen = np.flatnonzero(np.asarray(table.matches) >= least_matches)
    keys = _keys(table, order, seen)
    if order == ELO:
        seen, keys = seen[keys > 0], keys[keys > 0]
    if len(keys) > top:  # a full sort of millions of patterns would take seconds
        near = keys >= np.partition(keys, len(keys) - top)[len(keys) - top]
        seen, keys = seen[near], keys[near]
    sequence = np.lexsort((np.asarray(table.codes)[seen], -np.asarray(table.matches)[seen].astype(np.int64), -keys))
    return [(int(seen[k]), float(keys[k])) for k in sequence[:top]]


def _keys(table: Table, order: str, places: NDArray[np.intp]) -> NDArray[np.float64]:
    if order == ELO:
        assert table.gammas is not None
        return np.asarray(table.gammas[places], np.float64)
    matches, plays = np.asarray(table.matches[places], np.float64), np.asarray(table.plays[places], np.float64)
    if order == POSTERIOR:
        return np.asarray(wilson_bounds(plays / np.maximum(matches, 1), matches)[0])
    return plays if order == PLAYS else matches
