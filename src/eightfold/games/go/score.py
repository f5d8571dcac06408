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

from eightfold.core.bits import bits_set
from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import added_up, from_lane, lane_of, lanes_where
from eightfold.core.scratch import scratch_ints
from eightfold.games.go.board import cell_at, head_of
from eightfold.games.go.layout import (
    CELL_ROOM,
    CELLS,
    COLOUR,
    DOUBLE_KOMI,
    EMPTY,
    POINT_ROOM,
    ROW_ROOM,
    RULES,
    TAKEN,
    TERRITORY,
    WALL,
    cells_end,
)
from eightfold.games.state import BLACK, RESULT, SIZE, WHITE

NOBODY = 0
BOTH = BLACK | WHITE
HALF = 32  # of a word, for one side
ONE_SIDE = (1 << HALF) - 1

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


# ---- the end of a game, without a word on dead stones: rows of points as bits ------------------------------


@kernel
def double_margin(state: Ints) -> int:
    """Twice black's lead after komi, every stone alive: what two passes make of the position."""
    size, changed, lead = state[SIZE], True, 0
    reached, open_points = scratch_ints(ROW_ROOM), scratch_ints(ROW_ROOM)
    reached[0] = reached[size + 1] = 0
    for row in range(size):
        reached[row + 1], open_points[row + 1] = _read_row(state, row, size)
    row, step = 1, 1
    while changed:  # down all rows, and up again
        changed = False
        while 1 <= row <= size:
            grown = _grow(reached[row], reached[row - 1] | reached[row + 1], open_points[row], size)
            changed |= grown != reached[row]
            reached[row] = grown
            row += step
        step = -step
        row += step
    for row in range(1, size + 1):
        lead += _lead_in_row(state, reached[row], open_points[row])
    return 2 * (lead + _prisoners_lead(state)) - state[DOUBLE_KOMI]


@kernel
def double_margin_together(state: Ints, lanes: int) -> int:
    """The same by all lanes of a warp, each with a row; those beyond the board have an empty one."""
    if lanes == 1:
        return double_margin(state)
    size, lane, reached, open_points = state[SIZE], lane_of(lanes), Int(0), Int(0)
    if lane < size:
        reached, open_points = _read_row(state, lane, size)
    changed = True
    while changed:
        beside = from_lane(reached, (lane - 1) & (lanes - 1), lanes) | from_lane(
            reached, (lane + 1) & (lanes - 1), lanes
        )
        grown = _grow(reached, beside, open_points, size)
        changed = lanes_where(grown != reached, lanes) != 0
        reached = grown
    lead = added_up(_lead_in_row(state, reached, open_points), lanes)
    return 2 * (lead + _prisoners_lead(state)) - state[DOUBLE_KOMI]


@kernel
def _read_row(state: Ints, row: int, size: int) -> tuple[int, int]:
    """Black's stones of a row in the low half of a word and white's in the high half; the empty points in both."""
    black = white = 0
    cell = CELLS + (row + 1) * (size + 1) + 1
    for column in range(size):
        kind = state[cell + column] & COLOUR
        black |= int(kind == BLACK) << column
        white |= int(kind == WHITE) << column
    empty = ((1 << size) - 1) & ~(black | white)
    return Int(black | white << HALF), Int(empty | empty << HALF)


@kernel
def _grow(reached: int, beside: int, open_points: int, size: int) -> int:
    """What each side reaches in a row, and what it reaches from there and from the rows beside in this row."""
    seeds = (beside | reached << 1 | reached >> 1) & open_points
    seeds |= open_points & ~(open_points + seeds)  # a carry runs up to the end of a row of ones
    through, step = open_points, 1
    while step < size:  # and downwards in strides of 1, 2, 4...
        seeds |= through & (seeds >> step)
        through &= through >> step
        step *= 2
    return reached | seeds


@kernel
def _lead_in_row(state: Ints, reached: int, open_points: int) -> int:
    """Black's points of a row minus white's."""
    black, white = reached & ONE_SIDE, reached >> HALF
    if state[RULES] & TERRITORY != 0:
        black, white = black & open_points, white & open_points
    return bits_set(black & ~white) - bits_set(white & ~black)


@kernel
def _prisoners_lead(state: Ints) -> int:
    return state[TAKEN + 1] - state[TAKEN] if state[RULES] & TERRITORY != 0 else 0


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
