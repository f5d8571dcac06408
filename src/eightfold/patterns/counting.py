"""Counting patterns over the moves of a game (Wei et al., section 3.1), specialised for its rules.

In every position before a move that is no pass, each legal point adds one to the matches of every pattern that fits
round it, as the side to move sees it, and the point that is played adds one to its plays.

Most of that does not change from move to move. So every placement keeps its code, as black sees it, and the time
since it has it, in positions with black and with white to move; only when a stone changes the code are these two
numbers added to the counts. Points that may not be played are few and are asked for in every position (`forbidden`):
for them the clock stands still. `eightfold.benchmarks.reference.patterns` codes every legal point at every move
instead, and the tests compare the two to the last unit.

    floor, 19x19, ten templates: a move changes the codes of about 60 placements, each of which touches the words of
    two codes (for either side) at random places in tables of 115 MB: 120 cache misses a move
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.games.contract import forbidden, replay, reset, stones
from eightfold.games.state import BLACK, SIDE
from eightfold.patterns.codes import LOW
from eightfold.patterns.placements import Placements
from eightfold.patterns.tally import ONE_PLAY, Places, place

WHITE_BITS = 32  # a time: positions with black to move above, with white to move below
ONE_BLACK, ONE_WHITE = 1 << WHITE_BITS, 1
WAITING = 2048  # more than a stone can change


class Board(NamedTuple):
    """What is known while a game is counted."""

    state: Ints  # the game's own
    stones: NDArray[np.int8]  # [N, N]
    flat: NDArray[np.int8]  # [N * N] the same memory
    codes: Ints  # [P] of every placement, as black sees it
    since: Ints  # [P] the time when it got it
    denied: Ints  # [N * N] for how long a point was forbidden
    points: Ints  # [A] scratch


class Waiting(NamedTuple):
    """Patterns that were seen for some time and are still to be added to the counts: many at once, so that the
    processor fetches their words side by side."""

    slots: Ints  # [W] the template
    codes: Ints  # [W] as black sees it
    times: Ints  # [W] how long
    places: Ints  # [2, W] scratch


def make_board(state_length: int, size: int, placements: Placements) -> Board:
    count = len(placements.anchors)
    board = np.zeros((size, size), np.int8)
    return Board(
        state=np.zeros(state_length, np.int64),
        stones=board,
        flat=board.reshape(-1),
        codes=np.zeros(count, np.int64),
        since=np.zeros(count, np.int64),
        denied=np.zeros(size * size, np.int64),
        points=np.zeros(size * size + 1, np.int64),
    )


def make_waiting() -> Waiting:
    slots, codes, times = np.zeros((3, WAITING), np.int64)
    return Waiting(slots, codes, times, np.zeros((2, WAITING), np.int64))


@kernel
def count_games(
    board: Board,
    waiting: Waiting,
    size: int,
    options: Ints,
    moves: Ints,
    starts: Ints,
    ends: Ints,
    placements: Placements,
    places: Places,
    tally: Ints,
) -> int:
    """Count games, the moves of game g being moves[starts[g]:ends[g]], all legal; how many positions that were."""
    positions = 0
    for game in range(starts.shape[0]):
        _begin(board, size, options, placements)
        positions += _count_game(board, waiting, size, moves, starts[game], ends[game], placements, places, tally)
    return positions


@kernel
def _begin(board: Board, size: int, options: Ints, placements: Placements) -> None:
    reset(board.state, size, options)
    stones(board.state, board.stones)
    for p in range(placements.anchors.shape[0]):
        board.codes[p] = board.since[p] = 0
    for point in range(size * size):
        board.denied[point] = 0
        stone = Int(board.flat[point])
        if stone != 0:
            for k in range(placements.touched_first[point], placements.touched_first[point + 1]):
                board.codes[placements.touched[k]] += stone * placements.weights[k]


@kernel
def _count_game(
    board: Board,
    waiting: Waiting,
    size: int,
    moves: Ints,
    start: int,
    end: int,
    placements: Placements,
    places: Places,
    tally: Ints,
) -> int:
    """In one piece: Numba counts references to every array that is handed on, which here took most of the time."""
    state, flat, codes, since, denied, points = (
        board.state, board.flat, board.codes, board.since, board.denied, board.points,
    )  # fmt: skip
    first, anchors, slots = placements.first, placements.anchors, placements.slots
    touched_first, touched, weights = placements.touched_first, placements.touched, placements.weights
    late_slots, late_codes, late_times = waiting.slots, waiting.codes, waiting.times
    time, late = Int(0), 0
    for ply in range(start, end):
        move = moves[ply]
        if move < size * size:
            white = Int(state[SIDE] != BLACK)
            step = ONE_WHITE if white else ONE_BLACK
            for p in range(first[move], first[move + 1]):
                tally[place(places, slots[p], codes[p], white)] += ONE_PLAY
            for k in range(forbidden(state, points)):
                denied[points[k]] += step
            time += step
        for k in range(replay(state, move, points)):
            point, stone = points[k] >> 2, points[k] & 3
            before, now = Int(flat[point]), time - denied[point]
            if late + first[point + 1] - first[point] + touched_first[point + 1] - touched_first[point] > WAITING:
                _add(waiting, late, places, tally)
                late = 0
            for p in range(first[point], first[point + 1]):
                if before == 0:
                    late_slots[late], late_codes[late], late_times[late] = slots[p], codes[p], now - since[p]
                    late += now != since[p]
                since[p] = now
            flat[point] = stone
            for j in range(touched_first[point], touched_first[point + 1]):
                p = touched[j]
                if flat[anchors[p]] == 0:
                    now = time - denied[anchors[p]]
                    late_slots[late], late_codes[late], late_times[late] = slots[p], codes[p], now - since[p]
                    late += now != since[p]
                    since[p] = now
                codes[p] += (stone - before) * weights[j]
    for p in range(anchors.shape[0]):
        if flat[anchors[p]] == 0:
            if late == WAITING:
                _add(waiting, late, places, tally)
                late = 0
            late_slots[late], late_codes[late] = slots[p], codes[p]
            late_times[late] = time - denied[anchors[p]] - since[p]
            late += 1
    _add(waiting, late, places, tally)
    return (time >> WHITE_BITS) + (time & (ONE_BLACK - 1))


@kernel
def _add(waiting: Waiting, count: int, places: Places, tally: Ints) -> None:
    """To the matches of patterns, for each side: the positions in which they were seen."""
    slots, codes, times, found = waiting.slots, waiting.codes, waiting.times, waiting.places
    low, high, frames = places.low, places.high, places.frames
    low_first, high_first, base = places.low_first, places.high_first, places.base
    for k in range(count):
        slot = slots[k]
        width = frames[slot]
        upper = codes[k] // LOW
        a = low_first[slot] + (codes[k] - upper * LOW) * 2 * width
        b = high_first[slot] + upper * 2 * width
        black, white = low[a] + high[b], low[a + width] + high[b + width]
        for f in range(1, width):
            black = min(black, low[a + f] + high[b + f])
            white = min(white, low[a + width + f] + high[b + width + f])
        found[0, k] = base[slot] + black
        found[1, k] = base[slot] + white
    for k in range(count):
        tally[found[0, k]] += times[k] >> WHITE_BITS
        tally[found[1, k]] += times[k] & (ONE_BLACK - 1)
