"""How a game of Go is counted: who owns every point, by area or by territory, with the dead stones given.

Area (Chinese): a side's living stones and the empty points that only it reaches. Territory (Japanese): those
points, the stones it took, and the opponent's dead stones. When two passes end a game every stone counts as alive;
who agrees on dead stones afterwards gives them to `count` in `eightfold.games.points`.

Under territory rules article 8 of the Japanese rules gives no points for eyes of groups in seki, that is of groups that
touch a point which both sides reach. It asks that all such points are filled where that is possible, and games of
programs often end before that, so it is applied only on request.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.core.scratch import scratch_bytes, scratch_ints
from eightfold.games.go.board import cell_at, head_of
from eightfold.games.go.layout import (
    CELL_ROOM,
    CELLS,
    COLOUR,
    DOUBLE_KOMI,
    EMPTY,
    POINT_ROOM,
    RULES,
    TAKEN,
    TERRITORY,
    WALL,
    cells_end,
)
from eightfold.games.state import BLACK, RESULT, SIZE, WHITE

NOBODY = 0
BOTH = BLACK | WHITE

Owners = NDArray[np.int8]


@kernel
def find_owners(state: Ints, dead: Owners, seki: bool, owners: Owners) -> None:  # [N * N] each
    """Write BLACK, WHITE or NOBODY for every point: stones own theirs, other points go to who reaches them alone.

    `dead` is 1 at dead stones, which count as empty points. With `seki`, what groups in seki reach goes to nobody.
    """
    size = state[SIZE]
    stride = state[SIZE] + 1
    alive = scratch_ints(CELL_ROOM)  # colour of living stones, WALL, or 0 for open points
    region = scratch_ints(CELL_ROOM)  # the number of the region of an open point, from 1
    for cell in range(CELLS, cells_end(size)):
        alive[cell] = state[cell] & COLOUR
        region[cell] = 0
    for point in range(size * size):
        if dead[point]:
            alive[cell_at(point, size)] = EMPTY
    reached = scratch_ints(POINT_ROOM)  # by region: who reaches it
    cells = scratch_ints(POINT_ROOM)  # the open points, region by region
    regions = filled = 0
    for point in range(size * size):
        start = cell_at(point, size)
        if alive[start] == EMPTY and region[start] == 0:
            regions += 1
            filled = _fill(alive, stride, start, regions, region, reached, cells, filled)
    if seki:
        _give_up_seki(state, stride, alive, region, reached, cells, filled)
    for point in range(size * size):
        cell = cell_at(point, size)
        owners[point] = alive[cell]
        if alive[cell] == EMPTY:
            who = reached[region[cell]]
            owners[point] = who if who != BOTH else NOBODY


@kernel
def _fill(
    alive: Ints, stride: int, start: int, number: int, region: Ints, reached: Ints, cells: Ints, filled: int
) -> int:
    """Flood a region from one of its cells; how many open points are listed afterwards."""
    region[start] = number
    reached[number] = 0
    cells[filled] = start
    done, filled = filled, filled + 1
    while done < filled:
        cell = cells[done]
        done += 1
        for step in (-stride, -1, 1, stride):
            kind = alive[cell + step]
            if kind == EMPTY:
                if region[cell + step] == 0:
                    region[cell + step] = number
                    cells[filled] = cell + step
                    filled += 1
            elif kind != WALL:
                reached[number] |= kind
    return filled


@kernel
def _give_up_seki(state: Ints, stride: int, alive: Ints, region: Ints, reached: Ints, cells: Ints, filled: int) -> None:
    """Article 8: living stones that possess a point which both sides reach are in seki; their eyes are no territory."""
    in_seki = scratch_ints(CELL_ROOM)  # at the heads of groups
    for cell in range(CELLS, cells_end(stride - 1)):
        in_seki[cell] = 0
    for k in range(filled):
        if reached[region[cells[k]]] == BOTH:
            for step in (-stride, -1, 1, stride):
                beside = cells[k] + step
                if alive[beside] == BLACK or alive[beside] == WHITE:
                    in_seki[head_of(state, stride, beside)] = 1
    for k in range(filled):
        for step in (-stride, -1, 1, stride):
            beside = cells[k] + step
            if (alive[beside] == BLACK or alive[beside] == WHITE) and in_seki[head_of(state, stride, beside)]:
                reached[region[cells[k]]] = BOTH


@kernel
def points_of(state: Ints, dead: Owners, owners: Owners, territory: bool, points: Ints) -> None:  # [N * N], [2]
    """Write black's points and white's, komi aside, from the owners of all points."""
    size = state[SIZE]
    points[0] = state[TAKEN + 1] if territory else 0
    points[1] = state[TAKEN] if territory else 0
    for point in range(size * size):
        stone = state[cell_at(point, size)] & COLOUR
        if territory and stone != EMPTY:
            if dead[point]:
                points[WHITE - stone] += 1  # a prisoner, and below the point where it lay
            else:
                continue
        if owners[point] != NOBODY:
            points[owners[point] - BLACK] += 1


@kernel
def double_margin(state: Ints) -> int:
    """Twice black's lead after komi, every stone alive: what two passes make of the position."""
    size = state[SIZE]
    dead, owners, points = scratch_bytes(POINT_ROOM), scratch_bytes(POINT_ROOM), scratch_ints(2)
    for point in range(size * size):
        dead[point] = 0
    find_owners(state, dead, False, owners)
    points_of(state, dead, owners, state[RULES] & TERRITORY != 0, points)
    return 2 * (points[0] - points[1]) - state[DOUBLE_KOMI]


@kernel
def ownership(state: Ints, owners: Owners) -> None:  # [N * N]
    """Who owns every point, every stone alive: what a network may learn to predict."""
    find_owners(state, np.zeros(owners.shape[0], np.int8), False, owners)


def margin_of(state: Ints) -> float:
    """Black's lead at the end of a game."""
    return float(double_margin(state)) / 2 if state[RESULT] else 0.0


def count_points(
    state: Ints, dead: Owners, owners: Owners, *, scoring: str = "", seki: bool = False
) -> tuple[float, float, str]:
    """Black's points, white's with komi, and how they were counted; `dead` and `owners` [N * N], the latter filled.

    `scoring` is area or territory, by default what the game's rules say; `seki` applies article 8 of Japanese rules.
    """
    if scoring not in ("", "area", "territory"):
        raise EightfoldError(f"scoring {scoring!r} is not known; known: area, territory")
    territory = bool(state[RULES] & TERRITORY) if not scoring else scoring == "territory"
    if seki and not territory:
        raise EightfoldError("seki matters to territory scoring alone; under area scoring its points count")
    points = np.zeros(2, np.int64)
    find_owners(state, dead, seki, owners)
    points_of(state, dead, owners, territory, points)
    return float(points[0]), float(points[1] + state[DOUBLE_KOMI] / 2), "territory" if territory else "area"


def prisoners(state: Ints) -> tuple[int, int]:
    """The stones that black took, and those that white took."""
    return int(state[TAKEN + 1]), int(state[TAKEN])
