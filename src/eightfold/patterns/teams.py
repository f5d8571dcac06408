"""A candidate as a team: its 3x3 pattern, its 4x4 patterns (up to four) and its features, each one a number.

All patterns and levels of features that a library knows are numbered from 1 on; 0 is what it does not know. So a
kernel that walks through games looks up `slots[offset of the template + code]`, whether codes are canonical or not, and
keeps strengths, wins and sums in arrays over the numbers.

Read next: `team_kernels.py`, the kernels; `elo.py` and `bayes.py`, where strengths come from.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.games.game import Game
from eightfold.patterns.features import FEATURES, HIGH
from eightfold.patterns.library import Library
from eightfold.patterns.templates import TEMPLATES, Template, frames, placements

Floats = NDArray[np.float64]

MEMBERS = 5  # patterns of a candidate: one of 3x3, and up to four of 4x4
TEMPLATE_NAMES = tuple(TEMPLATES)


class Numbering(NamedTuple):
    """For kernels: from codes and levels to numbers."""

    slots: NDArray[np.int32]  # [codes of all templates, one after the other]
    offsets: Ints  # [10] where the codes of a template begin, -1 if the library does not have it
    features: Ints  # [7] the number of a feature's level 1, -1 if the library does not have it


class Geometry(NamedTuple):
    """For kernels: which patterns a stone belongs to. P points; pattern 5 p + m is member m of point p."""

    templates: Ints  # [P, 5] the template of a member, -1 if there is none
    starts: Ints  # [P + 1] of each point's entries below
    patterns: Ints  # the patterns of which it is a digit
    places: Ints  # 3^digit
    lines: Ints  # [P] 1 at the edge


class Workspace(NamedTuple):
    """What a kernel keeps of the game it walks through; two rows are black's view and white's."""

    codes: Ints  # [2, 5 P]
    numbers: Ints  # [2, P, 5]
    strengths: Floats  # [2, P] of the patterns together
    shares: Floats  # [2, P] expected wins of a point since its patterns last changed
    stale: Ints  # [2, P] whether they have changed
    stale_points: Ints  # [2, P]
    stale_counts: Ints  # [2]
    board: Ints  # [P] 0, BLACK or WHITE
    stones: NDArray[np.int8]  # [N, N] the same as the game writes it
    changed: Ints  # [A] what a move changes, or points that may not be played
    legal: Ints  # [P] the candidates
    levels: Ints  # [P, 7] the numbers of their features
    teams: Floats  # [P] their strengths


@dataclass(frozen=True, kw_only=True, eq=False)
class Teams:
    """The numbers of a library: `tables` and `features` say which are whose."""

    library: Library
    numbering: Numbering
    tables: dict[str, slice]  # of a table's patterns, in the order of its codes
    features: dict[str, slice]  # of a feature's levels from 1 on
    count: int  # of all numbers, 0 included

    @property
    def sides(self) -> tuple[int, ...]:
        """Of the blocks of its patterns."""
        return tuple(sorted({self.library.template_of(name).side for name in self.tables}))

    @property
    def most_members(self) -> int:
        """The most that one team can have."""
        return (3 in self.sides) + 4 * (4 in self.sides) + len(self.features)


def make_teams(library: Library, features: Sequence[str] = (), *, sides: Sequence[int] = (3, 4)) -> Teams:
    """Number the patterns of a library, or those of some block sizes, and the levels of features."""
    tables: dict[str, slice] = {}
    count = 1
    for name, table in library.tables.items():
        if library.template_of(name).side in sides:
            tables[name] = slice(count, count + len(table.codes))
            count += len(table.codes)
    levels: dict[str, slice] = {}
    for name in features:
        levels[name] = slice(count, count + FEATURES[name].levels)
        count += FEATURES[name].levels
    used = [template for template in TEMPLATES.values() if library.table_for(template) in tables]
    slots = np.zeros(sum(template.codes for template in used), np.int32)
    offsets = np.full(len(TEMPLATES), -1, np.int64)
    place = 0
    for template in used:
        name = library.table_for(template)
        codes = np.ascontiguousarray(library.tables[name].codes, np.int64)
        into = slots[place : place + template.codes]
        _write_numbers(codes, _ways_back(template, combined=library.combined), tables[name].start, into)
        offsets[TEMPLATE_NAMES.index(template.name)] = place
        place += template.codes
    firsts = np.array([levels[name].start if name in levels else -1 for name in FEATURES], np.int64)
    return Teams(
        library=library,
        numbering=Numbering(slots=slots, offsets=offsets, features=firsts),
        tables=tables,
        features=levels,
        count=count,
    )


def _ways_back(template: Template, *, combined: bool) -> Ints:
    """[S, digits]: what a digit of a table's code adds to the template's, for each way to see the one as the other."""
    turns = frames(template) if combined else np.arange(template.digits)[None]
    return 3 ** np.argsort(turns, axis=1)


@kernel
def _write_numbers(codes: Ints, places: Ints, first: int, slots: NDArray[np.int32]) -> None:
    """Number codes from `first` on, at every code of the template that is the same as one of them."""
    for k in range(codes.shape[0]):
        for way in range(places.shape[0]):
            code, left = 0, codes[k]
            for digit in range(places.shape[1]):
                code += left % 3 * places[way, digit]
                left //= 3
            slots[code] = first + k


@functools.lru_cache(maxsize=16)
def geometry(size: int, sides: tuple[int, ...]) -> Geometry:
    """Of a board, for patterns of some block sizes. Kernels only read it; to mark it so would compile them twice."""
    points = size * size
    templates = np.full((points, MEMBERS), -1, np.int64)
    entries: list[list[tuple[int, int]]] = [[] for _ in range(points)]
    for kind, template in enumerate(TEMPLATES.values()):
        if template.side not in sides:
            continue
        placed = placements(template, size)
        for point in np.flatnonzero(placed[:, 0] >= 0).tolist():
            # Member 0 is the 3x3 pattern, whether it fits or not.
            member = 0 if template.side == 3 else 1 + int(np.sum(templates[point, 1:] >= 0))
            templates[point, member] = kind
            for digit, near in enumerate(placed[point].tolist()):
                entries[near].append((point * MEMBERS + member, 3**digit))
    flat = np.array([entry for part in entries for entry in part], np.int64).reshape(-1, 2)
    rows, columns = np.divmod(np.arange(points), size)
    lines = 1 + np.minimum(np.minimum(rows, size - 1 - rows), np.minimum(columns, size - 1 - columns))
    return Geometry(
        templates=templates,
        starts=np.cumsum([0, *map(len, entries)]).astype(np.int64),
        patterns=np.ascontiguousarray(flat[:, 0]),
        places=np.ascontiguousarray(flat[:, 1]),
        lines=np.minimum(lines, HIGH).astype(np.int64),
    )


def make_workspace(game: Game) -> Workspace:
    size, points = game.size, game.points
    return Workspace(
        codes=np.zeros((2, points * MEMBERS), np.int64),
        numbers=np.zeros((2, points, MEMBERS), np.int64),
        strengths=np.ones((2, points)),
        shares=np.zeros((2, points)),
        stale=np.zeros((2, points), np.int64),
        stale_points=np.zeros((2, points), np.int64),
        stale_counts=np.zeros(2, np.int64),
        board=np.zeros(points, np.int64),
        stones=np.zeros((size, size), np.int8),
        changed=np.zeros(points + 1, np.int64),
        legal=np.zeros(points, np.int64),
        levels=np.zeros((points, len(FEATURES)), np.int64),
        teams=np.zeros(points),
    )
