"""What networks see of a Go position, from the side to move: own stones, the opponent's stones, and then

last-move (Suen & Alonso): the last move, nothing after a pass or a suicide; all ones if black is to move;
history (Zhao & Zhang): own and opponent's stones one move earlier;
alphazero: the same two for each of the seven boards before (nothing before the start); all ones if black is to move;
liberties: groups with one, two and three liberties; empty points that may not be played; the last five moves (the
last first, nothing for a pass or a suicide); all ones if black is to move; all ones after a pass; own eyes;
rules: the same, and what the rules say, each on a whole plane: the points that the side to move is ahead by apart from
the board, sixteenths of them (komi, and under territory rules the stones taken); ones if territory is counted, if no
position may come again (superko), and if suicide is allowed. One network so plays any komi and any ruleset.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.lanes import share_rows, wait_for_lanes
from eightfold.games.go.board import head_of, is_eye, liberties_up_to_four, next_of
from eightfold.games.go.layout import (
    BOARDS,
    CELLS,
    COLOUR,
    DOUBLE_KOMI,
    EMPTY,
    KO_RULES,
    RULES,
    SUICIDE,
    TAKEN,
    TERRITORY,
)
from eightfold.games.go.legal import may_play
from eightfold.games.go.memory import lies_on, page_of
from eightfold.games.state import BLACK, LAST, PLY, SIDE, SIZE, WHITE

Planes = NDArray[np.float32]
Share = tuple[int, int, int]  # what `share_rows` says

MOVES_BACK = 5
LIBERTY_PLANES = 9 + MOVES_BACK
ENCODERS = {
    "last-move": 4,
    "history": 4,
    "alphazero": 2 * BOARDS + 1,
    "liberties": LIBERTY_PLANES,
    "rules": LIBERTY_PLANES + 4,
}
LAST_MOVE, HISTORY, ALPHAZERO, LIBERTIES, WITH_RULES = 0, 1, 2, 3, 4  # in this order
DOUBLE_SCALE = 32.0  # sixteenths of a point, of numbers that count half points


@kernel
def encode(state: Ints, encoder: int, planes: Planes) -> None:  # [C, N, N]
    encode_together(state, encoder, planes, 1)


@kernel
def encode_together(state: Ints, encoder: int, planes: Planes, lanes: int) -> None:
    size, own = state[SIZE], state[SIDE]
    share = share_rows(size, lanes)
    if encoder == ALPHAZERO:
        _show_boards(state, BOARDS, planes, share, lanes)
        _fill(planes[2 * BOARDS], own == BLACK, share, lanes)
    elif encoder == HISTORY:
        _show_boards(state, 2, planes, share, lanes)
    elif encoder == LAST_MOVE:
        _show_boards(state, 1, planes, share, lanes)
        _show_moves(state, 1, planes[2:3], share, lanes)
        _fill(planes[3], own == BLACK, share, lanes)
    else:
        _show_boards(state, 1, planes, share, lanes)
        _show_liberties(state, planes[2:5], share, lanes)
        _show_where_not(state, planes[5], planes[8 + MOVES_BACK], share, lanes)
        _show_moves(state, MOVES_BACK, planes[6 : 6 + MOVES_BACK], share, lanes)
        _fill(planes[6 + MOVES_BACK], own == BLACK, share, lanes)
        _fill(planes[7 + MOVES_BACK], state[LAST] == size * size, share, lanes)
        if encoder == WITH_RULES:
            _show_rules(state, planes[LIBERTY_PLANES : LIBERTY_PLANES + 4], share, lanes)
    wait_for_lanes(lanes)


@kernel
def _fill(plane: Planes, value: bool, share: Share, lanes: int) -> None:  # [N, N]
    size = plane.shape[0]
    rows, row, left = share
    while row < size:
        column = left
        while column < size:
            plane[row, column] = value
            column += lanes
        row += rows


@kernel
def _show_rules(state: Ints, planes: Planes, share: Share, lanes: int) -> None:  # [4, N, N]
    """What a side is ahead by apart from the board, and what is counted and allowed."""
    size, rules = state[SIZE], state[RULES]
    ahead = -state[DOUBLE_KOMI]  # black's lead
    if rules & TERRITORY != 0:
        ahead += 2 * (state[TAKEN + 1] - state[TAKEN])
    if state[SIDE] == WHITE:
        ahead = -ahead
    part = ahead / DOUBLE_SCALE
    rows, row, left = share
    while row < size:
        column = left
        while column < size:
            planes[0, row, column] = part
            column += lanes
        row += rows
    _fill(planes[1], rules & TERRITORY != 0, share, lanes)
    _fill(planes[2], rules >= KO_RULES, share, lanes)
    _fill(planes[3], rules & SUICIDE != 0, share, lanes)


@kernel
def _show_boards(state: Ints, boards: int, planes: Planes, share: Share, lanes: int) -> None:
    """Own and opponent's stones of some boards, the present one first."""
    size, own = state[SIZE], state[SIDE]
    rows, top, left = share
    for back in range(boards):
        ours, theirs, row = page_of(state, back, own), page_of(state, back, BLACK + WHITE - own), top
        while row < size:
            column = left
            while column < size:
                planes[2 * back, row, column] = lies_on(state, ours, row * size + column)
                planes[2 * back + 1, row, column] = lies_on(state, theirs, row * size + column)
                column += lanes
            row += rows


@kernel
def _show_moves(state: Ints, moves: int, planes: Planes, share: Share, lanes: int) -> None:  # [moves, N, N]
    """Each of the last moves: where the side that moved has a stone that it did not have before."""
    size, mover = state[SIZE], BLACK + WHITE - state[SIDE]
    rows, top, left = share
    for back in range(moves):
        known = back < state[PLY]  # no stone of the start is a move
        now, before, row = page_of(state, back, mover), page_of(state, back + 1, mover), top
        while row < size:
            column = left
            while column < size:
                point = row * size + column
                planes[back, row, column] = known and lies_on(state, now, point) and not lies_on(state, before, point)
                column += lanes
            row += rows
        mover = BLACK + WHITE - mover


@kernel
def _show_where_not(state: Ints, forbidden: Planes, eyes: Planes, share: Share, lanes: int) -> None:  # [N, N] each
    """Empty points that may not be played, and own eyes."""
    size, own = state[SIZE], state[SIDE]
    stride = state[SIZE] + 1
    rows, row, left = share
    while row < size:
        column = left
        while column < size:
            cell = CELLS + (row + 1) * stride + column + 1
            empty = state[cell] & COLOUR == EMPTY
            forbidden[row, column] = empty and not may_play(state, stride, cell, own)
            eyes[row, column] = empty and is_eye(state, stride, cell, own)
            column += lanes
        row += rows


@kernel
def _show_liberties(state: Ints, planes: Planes, share: Share, lanes: int) -> None:  # [3, N, N]
    """Stones whose group has one, two and three liberties; who has the head of a group shows all of it."""
    size = state[SIZE]
    stride = state[SIZE] + 1
    for k in range(3):
        _fill(planes[k], False, share, lanes)
    wait_for_lanes(lanes)
    rows, row, left = share
    while row < size:
        column = left
        while column < size:
            head = CELLS + (row + 1) * stride + column + 1
            if state[head] & COLOUR != EMPTY and head_of(state, stride, head) == head:
                liberties = liberties_up_to_four(state, stride, head)
                if liberties < 4:
                    _mark_group(state, stride, head, planes[liberties - 1])
            column += lanes
        row += rows


@kernel
def _mark_group(state: Ints, stride: int, head: int, plane: Planes) -> None:  # [N, N]
    cell = head
    while True:
        plane[(cell - CELLS) // stride - 1, (cell - CELLS) % stride - 1] = 1
        cell = next_of(state, stride, cell)
        if cell == head:
            break
