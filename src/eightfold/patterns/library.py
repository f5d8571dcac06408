"""What is learned of patterns: for every code how often it could have been played, and how often it was.

    posterior = plays / matches       (Wei et al., equation 1: Bayesian learning)
    Elo       = 400 log10(gamma)      (Bradley-Terry strengths by minorisation-maximisation, where they were learned)

A raw library has a table for each of the ten templates, as records are read. A combined one has a table for each of
the six classes, and in it only canonical codes: what was seen of patterns that are the same up to a symmetry is
summed, and every shape is counted once. Codes that were never seen are not kept.

Read next: `files.py`, how a library is stored; `combine.py`; `counting.py`, where the numbers come from.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.jit import Ints
from eightfold.patterns.codes import canonical_codes
from eightfold.patterns.templates import CLASSES, TEMPLATES, Template, reference

PIECE = 1 << 16  # codes that are gone through at a time


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """K patterns, in the ascending order of their codes."""

    codes: NDArray[np.integer]  # [K]
    matches: NDArray[np.integer]  # [K] positions in which the pattern stood round a legal move
    plays: NDArray[np.integer]  # [K] those in which that move was played
    gammas: NDArray[np.floating] | None = None  # [K] Bradley-Terry strengths

    def find(self, code: int) -> int | None:
        """The place of a code, if it was ever seen."""
        place = int(np.searchsorted(self.codes, code))
        return place if place < len(self.codes) and self.codes[place] == code else None

    def find_all(self, codes: NDArray[np.integer]) -> Ints:
        """[N]: the places of codes [N]; -1 for those that were never seen."""
        places = np.searchsorted(self.codes, np.asarray(codes, self.codes.dtype))
        found = places < len(self.codes)
        found[found] = self.codes[places[found]] == codes[found]
        return np.where(found, places, -1).astype(np.int64)

    @property
    def posteriors(self) -> NDArray[np.float64]:
        return np.asarray(self.plays, np.float64) / np.maximum(self.matches, 1)


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """What a library knows of one pattern."""

    table: str
    code: int  # in that table
    matches: int
    plays: int
    posterior: float
    elo: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Library:
    game: str  # the kind of game, such as "go"
    combined: bool
    tables: Mapping[str, Table]  # by class if combined, else by template
    features: Mapping[str, NDArray[np.floating]] = field(default_factory=dict)  # strengths of what is no pattern
    about: Mapping[str, Any] = field(default_factory=dict)  # games, moves and whatever else is worth telling

    def __post_init__(self) -> None:
        for name in self.tables:
            if name not in (CLASSES if self.combined else TEMPLATES):
                raise unknown("table of patterns", name, CLASSES if self.combined else TEMPLATES)

    @property
    def sides(self) -> tuple[int, ...]:
        """Of the blocks that it knows: 3, 4 or both."""
        return tuple(sorted({self.template_of(name).side for name in self.tables}))

    @property
    def has_elo(self) -> bool:
        return any(table.gammas is not None for table in self.tables.values())

    @functools.cached_property
    def mean_posterior(self) -> float:
        """Of all patterns together: what is to be expected of one that was never seen."""
        matches = sum(int(np.sum(table.matches, dtype=np.int64)) for table in self.tables.values())
        plays = sum(int(np.sum(table.plays, dtype=np.int64)) for table in self.tables.values())
        return max(plays, 1) / max(matches, 1)

    def template_of(self, table: str) -> Template:
        """In whose frame the codes of a table are written."""
        return reference(table) if self.combined else TEMPLATES[table]

    def table_for(self, template: Template) -> str:
        """The name of the table in which patterns of a template are."""
        return template.pattern_class if self.combined else template.name

    def look_up_all(self, template: Template, codes: NDArray[np.integer]) -> tuple[Table, Ints]:
        """The table of a template and the places [N] of patterns [N] in it; -1 for those that were never seen."""
        table = self.tables[self.table_for(template)]
        return table, table.find_all(canonical_codes(template.name, codes) if self.combined else codes)

    def look_up(self, template: Template, code: int) -> Statistics:
        """What is known of a pattern as it was read with a template."""
        name = self.table_for(template)
        if name not in self.tables:
            raise EightfoldError(f"this library knows no patterns of {name}; it knows {', '.join(self.tables)}")
        code = int(canonical_codes(template.name, np.array([code]))[0]) if self.combined else code
        table = self.tables[name]
        place = table.find(code)
        if place is None:
            return Statistics(table=name, code=code, matches=0, plays=0, posterior=0.0, elo=None)
        gamma = None if table.gammas is None else float(table.gammas[place])
        return Statistics(
            table=name,
            code=code,
            matches=int(table.matches[place]),
            plays=int(table.plays[place]),
            posterior=float(table.plays[place] / max(1, table.matches[place])),
            elo=None if gamma is None or gamma <= 0 else 400 * float(np.log10(gamma)),
        )


def records_of(library: Library) -> str:
    """Which records a library is about, rules and all, as `learn` was told."""
    settings = library.about.get("settings")
    return str((settings.get("game") if isinstance(settings, dict) else None) or library.game)


def check_game(library: Library, game: str) -> None:
    """An error unless a library has patterns of this kind of game."""
    if library.game != game:
        raise EightfoldError(f"the library has patterns of {library.game}; the records are of {game}")


def table_from_counts(matches: Ints, plays: Ints) -> Table:
    """A table of what was seen, from counts for every code [codes]; four bytes for a count where that is enough."""
    codes = np.empty(np.count_nonzero(matches), np.uint32)
    columns: list[NDArray[np.integer]] = [
        np.empty(len(codes), np.uint32) if counts.max() < 2**32 else np.empty(len(codes), np.uint64)
        for counts in (matches, plays)
    ]
    filled = 0
    for start in range(0, len(matches), PIECE):  # in pieces that stay in the cache
        seen = start + np.flatnonzero(matches[start : start + PIECE])
        here = slice(filled, filled + len(seen))
        codes[here] = seen
        for column, counts in zip(columns, (matches, plays), strict=True):
            column[here] = counts[seen]
        filled += len(seen)
    return Table(codes=codes, matches=columns[0], plays=columns[1])


def counts_from_table(table: Table, codes: int) -> tuple[Ints, Ints]:
    """The other way round: matches and plays [codes] for every code."""
    matches, plays = np.zeros(codes, np.int64), np.zeros(codes, np.int64)
    matches[table.codes] = table.matches
    plays[table.codes] = table.plays
    return matches, plays
