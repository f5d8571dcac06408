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
    size, own = state[SIZE], state[SIDE]
    if encoder == ALPHAZERO:
        _show_boards(state, 0, BOARDS, planes)
        planes[2 * BOARDS] = own == BLACK
        return
    if encoder == HISTORY:
        _show_boards(state, 0, 2, planes)
        return
    _show_boards(state, 0, 1, planes)
    if encoder == LAST_MOVE:
        _show_moves(state, 1, planes[2:3])
        planes[3] = own == BLACK
        return
    _show_liberties(state, planes[2:5])
    stride = state[SIZE] + 1
    for point in range(size * size):
        cell = cell_at(point, size)
        empty = state[cell] & COLOUR == EMPTY
        planes[5, point // size, point % size] = empty and not may_play(state, stride, cell, own)
        planes[8 + MOVES_BACK, point // size, point % size] = empty and is_eye(state, stride, cell, own)
    _show_moves(state, MOVES_BACK, planes[6 : 6 + MOVES_BACK])
    planes[6 + MOVES_BACK] = own == BLACK
    planes[7 + MOVES_BACK] = state[LAST] == size * size


@kernel
def _show_boards(state: Ints, first: int, boards: int, planes: Planes) -> None:
    """Own and opponent's stones of some boards, the present one first."""
    size, own = state[SIZE], state[SIDE]
    for back in range(boards):
        for point in range(size * size):
            row, column = point // size, point % size
            planes[first + 2 * back, row, column] = was_on(state, back, point, own)
            planes[first + 2 * back + 1, row, column] = was_on(state, back, point, BLACK + WHITE - own)


@kernel
def _show_moves(state: Ints, moves: int, planes: Planes) -> None:  # [moves, N, N]
    """Each of the last moves: where the side that moved has a stone that it did not have before."""
    size, mover = state[SIZE], BLACK + WHITE - state[SIDE]
    for back in range(moves):
        for point in range(size * size):
            new = was_on(state, back, point, mover) and not was_on(state, back + 1, point, mover)
            planes[back, point // size, point % size] = new and back < state[PLY]  # no stone of the start is a move
        mover = BLACK + WHITE - mover


@kernel
def _show_liberties(state: Ints, planes: Planes) -> None:  # [3, N, N]
    """Stones whose group has one, two and three liberties."""
    size = state[SIZE]
    stride = state[SIZE] + 1
    planes[:] = 0
    seen, known = scratch_ints(CELL_ROOM), scratch_ints(CELL_ROOM)  # the latter at heads: liberties, up to 4
    for cell in range(CELLS, cells_end(size)):
        seen[cell], known[cell] = 0, 0
    for point in range(size * size):
        cell = cell_at(point, size)
        if state[cell] & COLOUR != EMPTY:
            head = head_of(state, stride, cell)
            if known[head] == 0:
                known[head] = count_liberties(state, stride, head, 4, seen, point + 1)
            if known[head] < 4:
                planes[known[head] - 1, point // size, point % size] = 1
