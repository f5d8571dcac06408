"""What networks see of a Go position, from the side to move: own stones, the opponent's stones, and then

last-move (Suen & Alonso): the last move, nothing after a pass or a suicide; all ones if black is to move;
history (Zhao & Zhang): own and opponent's stones one move earlier;
alphazero: the same two for each of the seven boards before (nothing before the start); all ones if black is to move;
liberties: groups with one, two and three liberties; empty points that may not be played; the last five moves (the
last first, nothing for a pass or a suicide); all ones if black is to move; all ones after a pass; own eyes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.lanes import lane_of, wait_for_lanes
from eightfold.core.scratch import scratch_ints
from eightfold.games.go.board import cell_at, count_liberties, head_of, is_eye
from eightfold.games.go.layout import BOARDS, CELL_ROOM, CELLS, COLOUR, EMPTY, cells_end
from eightfold.games.go.legal import may_play
from eightfold.games.go.memory import was_on
from eightfold.games.state import BLACK, LAST, PLY, SIDE, SIZE, WHITE

Planes = NDArray[np.float32]

MOVES_BACK = 5
ENCODERS = {"last-move": 4, "history": 4, "alphazero": 2 * BOARDS + 1, "liberties": 9 + MOVES_BACK}
LAST_MOVE, HISTORY, ALPHAZERO = 0, 1, 2  # in this order


@kernel
def encode(state: Ints, encoder: int, planes: Planes) -> None:  # [C, N, N]
    encode_together(state, encoder, planes, 1)


@kernel
def encode_together(state: Ints, encoder: int, planes: Planes, lanes: int) -> None:
    size, own = state[SIZE], state[SIDE]
    if encoder == ALPHAZERO:
        _show_boards(state, BOARDS, planes, lanes)
        _fill(planes[2 * BOARDS], own == BLACK, lanes)
    elif encoder == HISTORY:
        _show_boards(state, 2, planes, lanes)
    elif encoder == LAST_MOVE:
        _show_boards(state, 1, planes, lanes)
        _show_moves(state, 1, planes[2:3], lanes)
        _fill(planes[3], own == BLACK, lanes)
    else:
        _show_boards(state, 1, planes, lanes)
        _show_liberties(state, planes[2:5], lanes)
        stride = state[SIZE] + 1
        for point in range(lane_of(lanes), size * size, lanes):
            cell = cell_at(point, size)
            empty = state[cell] & COLOUR == EMPTY
            planes[5, point // size, point % size] = empty and not may_play(state, stride, cell, own)
            planes[8 + MOVES_BACK, point // size, point % size] = empty and is_eye(state, stride, cell, own)
        _show_moves(state, MOVES_BACK, planes[6 : 6 + MOVES_BACK], lanes)
        _fill(planes[6 + MOVES_BACK], own == BLACK, lanes)
        _fill(planes[7 + MOVES_BACK], state[LAST] == size * size, lanes)
    wait_for_lanes(lanes)


@kernel
def _fill(plane: Planes, value: bool, lanes: int) -> None:  # [N, N]
    for row in range(plane.shape[0]):
        for column in range(lane_of(lanes), plane.shape[1], lanes):
            plane[row, column] = value


@kernel
def _show_boards(state: Ints, boards: int, planes: Planes, lanes: int) -> None:
    """Own and opponent's stones of some boards, the present one first."""
    size, own = state[SIZE], state[SIDE]
    for back in range(boards):
        for point in range(lane_of(lanes), size * size, lanes):
            row, column = point // size, point % size
            planes[2 * back, row, column] = was_on(state, back, point, own)
            planes[2 * back + 1, row, column] = was_on(state, back, point, BLACK + WHITE - own)


@kernel
def _show_moves(state: Ints, moves: int, planes: Planes, lanes: int) -> None:  # [moves, N, N]
    """Each of the last moves: where the side that moved has a stone that it did not have before."""
    size, mover = state[SIZE], BLACK + WHITE - state[SIDE]
    for back in range(moves):
        for point in range(lane_of(lanes), size * size, lanes):
            new = was_on(state, back, point, mover) and not was_on(state, back + 1, point, mover)
            planes[back, point // size, point % size] = new and back < state[PLY]  # no stone of the start is a move
        mover = BLACK + WHITE - mover


@kernel
def _show_liberties(state: Ints, planes: Planes, lanes: int) -> None:  # [3, N, N]
    """Stones whose group has one, two and three liberties; every lane looks at its own points."""
    size = state[SIZE]
    stride = state[SIZE] + 1
    seen, known = scratch_ints(CELL_ROOM), scratch_ints(CELL_ROOM)  # the latter at heads: liberties, up to 4
    for cell in range(CELLS, cells_end(size)):
        seen[cell], known[cell] = 0, 0
    for point in range(lane_of(lanes), size * size, lanes):
        cell, liberties = cell_at(point, size), 0
        if state[cell] & COLOUR != EMPTY:
            head = head_of(state, stride, cell)
            if known[head] == 0:
                known[head] = count_liberties(state, stride, head, 4, seen, point + 1)
            liberties = known[head]
        for k in range(3):
            planes[k, point // size, point % size] = liberties == k + 1
