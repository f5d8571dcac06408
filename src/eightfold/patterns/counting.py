"""Counting patterns over the moves of a game (Wei et al., section 3.1), specialised for its rules.

In every position before a move that is no pass, each legal point adds one to the matches of every pattern that fits
round it, as the side to move sees it, and the point that is played adds one to its plays.

Most of that does not change from move to move. So every placement keeps its code, as black sees it, and the time since
it has it, in positions with black and with white to move; only when a stone changes the code are these two numbers added
to the counts. Points that may not be played are few and are asked for in every position (`forbidden`): for them
the clock stands still. `eightfold.benchmarks.reference.patterns` codes every legal point at every move
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
from eightfold.patterns.placements import Placements
from eightfold.patterns.tally import ONE_PLAY, Places, place

WHITE_BITS = 32  # a time: positions with black to move above, with white to move below
ONE_BLACK, ONE_WHITE = 1 << WHITE_BITS, 1


class Board(NamedTuple):
    """What is known while a game is counted."""

    state: Ints  # the game's own
    stones: NDArray[np.int8]  # [N, N]
    flat: NDArray[np.int8]  # [N * N] the same memory
    codes: Ints  # [P] of every placement, as black sees it
    since: Ints  # [P] the time when it got it
    denied: Ints  # [N * N] for how long a point was forbidden
    points: Ints  # [A] scratch


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


@kernel
def count_games(
    board: Board,
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
        positions += _count_game(
            board, size, options, moves, starts[game], ends[game], placements, places, tally
        )
    return positions


@kernel
def _count_game(
    board: Board,
    size: int,
    options: Ints,
    moves: Ints,
    start: int,
    end: int,
    placements: Placements,
    places: Places,
    tally: Ints,
) -> int:
    state = board.state
    _begin(board, size, options, placements)
    time = Int(0)
    for ply in range(start, end):
        move = moves[ply]
        if move < size * size:
            white = Int(state[SIDE] != BLACK)
            step = ONE_WHITE if white else ONE_BLACK
            for p in range(placements.first[move], placements.first[move + 1]):
                tally[place(places, placements.slots[p], board.codes[p], white)] += ONE_PLAY
            for k in range(forbidden(state, board.points)):
                board.denied[board.points[k]] += step
            time += step
        for k in range(replay(state, move, board.points)):
            _change(board, time, board.points[k] >> 2, board.points[k] & 3, placements, places, tally)
    for p in range(placements.anchors.shape[0]):
        anchor = placements.anchors[p]
        if board.flat[anchor] == 0:
            _add(board, p, time - board.denied[anchor], placements, places, tally)
    return (time >> WHITE_BITS) + (time & (ONE_BLACK - 1))


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
def _change(
    board: Board, time: int, point: int, stone: int, placements: Placements, places: Places, tally: Ints
) -> None:
    """A stone is played, or taken (0): count what had its code until now."""
    before = Int(board.flat[point])
    for p in range(placements.first[point], placements.first[point + 1]):
        if before == 0:
            _add(board, p, time - board.denied[point], placements, places, tally)
        board.since[p] = time - board.denied[point]
    board.flat[point] = stone
    for k in range(placements.touched_first[point], placements.touched_first[point + 1]):
        p = placements.touched[k]
        anchor = placements.anchors[p]
        if board.flat[anchor] == 0:
            now = time - board.denied[anchor]
            _add(board, p, now, placements, places, tally)
            board.since[p] = now
        board.codes[p] += (stone - before) * placements.weights[k]


@kernel
def _add(board: Board, p: int, now: int, placements: Placements, places: Places, tally: Ints) -> None:
    """To the matches of a placement's pattern, for each side: the positions since its code changed."""
    passed = now - board.since[p]
    if passed >= ONE_BLACK:
        tally[place(places, placements.slots[p], board.codes[p], Int(0))] += passed >> WHITE_BITS
    if passed & (ONE_BLACK - 1) != 0:
        tally[place(places, placements.slots[p], board.codes[p], Int(1))] += passed & (ONE_BLACK - 1)
