"""A move of Go, and the question whether a pass wins, by all lanes of a GPU's warp.

Only the first lane touches stones, groups and liberties; the others help with the eight hashes, with the page of the
board that is remembered, and with counting. `rules.py` has the same for one lane.
"""

from __future__ import annotations

import numpy as np

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import from_first_lane, lane_of, wait_for_lanes
from eightfold.core.scratch import scratch_ints
from eightfold.games.go.board import cell_at, head_of, in_atari, put_stone, stone_count
from eightfold.games.go.layout import (
    CELLS,
    COLOUR,
    EMPTY,
    KO,
    KO_MARK,
    POINT_ROOM,
    POSITION,
    RULES,
    TAKEN,
    TERRITORY,
    WORD,
    WORD_SHIFT,
    longest_game,
    words,
)
from eightfold.games.go.memory import page_of, prisoners_hash, remember
from eightfold.games.go.score import double_margin_together
from eightfold.games.state import BLACK, DRAW, HASHES, LAST, NO_MOVE, PLY, RESULT, SIDE, SIZE, WHITE
from eightfold.symmetry.group import COUNT, IDENTITY
from eightfold.symmetry.orbit import OTHER_SIDE, mark_hash

PASSED = np.int64(0x2127599BF4325C37)  # in all eight hashes after a pass


@kernel
def play_together(state: Ints, move: int, lanes: int) -> None:
    size, colour, last, old = state[SIZE], state[SIDE], state[LAST], state[KO]
    passed, lane = size * size, lane_of(lanes)
    change = OTHER_SIDE
    if (move == passed) != (last == passed):
        change ^= PASSED
    wait_for_lanes(lanes)
    if lane == 0:
        state[PLY] += 1
        state[LAST] = move
        state[SIDE] = BLACK + WHITE - colour
    wait_for_lanes(lanes)
    old_page, new_page, k = page_of(state, 1, BLACK), page_of(state, 0, BLACK), lane
    while k < 2 * words(size):
        state[new_page + k] = state[old_page + k]
        k += lanes
    wait_for_lanes(lanes)
    count, gone, ko, prisoners = Int(0), Int(0), Int(0), np.int64(0)
    changed = scratch_ints(POINT_ROOM)
    if move != passed:
        if lane == 0:
            count, gone, ko = _lay_stone(state, size + 1, cell_at(move, size), colour, changed)
            prisoners = _take_prisoners(state, gone, count - 1)
        count, gone, ko = from_first_lane(count, lanes), from_first_lane(gone, lanes), from_first_lane(ko, lanes)
        change ^= from_first_lane(prisoners, lanes)
    g = lane
    while g < COUNT:
        state[HASHES + g] ^= change
        g += lanes
    for number in range(count if old == ko else count + 2):  # the stone, what it takes off, the old ko and the new one
        cell, kind = old if number == count else ko, KO_MARK + BLACK
        if number < count:
            cell, kind = from_first_lane(changed[number], lanes), gone if number > 0 else colour
        if cell != 0:
            _flip(state, cell, kind, size, lanes)
    if lane == 0:
        state[KO] = ko
        remember(state)  # after a pass too: with the other side to move it is a new situation
    wait_for_lanes(lanes)
    if (move == passed and last == passed) or state[PLY] == longest_game(size):
        margin = double_margin_together(state, lanes)
        if lane == 0:
            state[RESULT] = BLACK if margin > 0 else WHITE if margin < 0 else DRAW
        wait_for_lanes(lanes)


@kernel
def _lay_stone(state: Ints, stride: int, cell: int, colour: int, changed: Ints) -> tuple[int, int, int]:
    """How many cells a stone changes, whose stones go off, and the cell that may not be retaken at once, or 0.

    The cells are listed in `changed`, that of the stone first.
    """
    changed[0] = cell
    count = put_stone(state, stride, cell, colour, changed, 1)
    gone = colour if count > 1 and state[cell] & COLOUR == EMPTY else BLACK + WHITE - colour
    alone = count == 2 and gone != colour and stone_count(state, stride, head_of(state, stride, cell)) == 1
    return count, gone, changed[1] if alone and in_atari(state, stride, cell) else 0


@kernel
def _take_prisoners(state: Ints, colour: int, count: int) -> np.int64:
    """Note that stones of a colour went off the board; what this changes in all hashes."""
    before = state[TAKEN + colour - BLACK]
    state[TAKEN + colour - BLACK] = before + count
    if state[RULES] & TERRITORY == 0:
        return np.int64(0)
    return prisoners_hash(colour, before) ^ prisoners_hash(colour, before + count)


@kernel
def _flip(state: Ints, cell: int, kind: int, size: int, lanes: int) -> None:
    """Enter a stone or the mark of a ko in the hashes and, a stone, in the present board, or take it out there."""
    row, column, g = (cell - CELLS) // (size + 1) - 1, (cell - CELLS) % (size + 1) - 1, lane_of(lanes)
    point = row * size + column
    while g < COUNT:
        change = mark_hash(kind - BLACK, row, column, size, g)
        state[HASHES + g] ^= change
        if g == IDENTITY and kind <= WHITE:
            state[POSITION] ^= change
            state[page_of(state, 0, kind) + (point >> WORD_SHIFT)] ^= 1 << (point & (WORD - 1))
        g += lanes


@kernel
def find_win_together(state: Ints, nodes: int, scratch: Ints, lanes: int) -> int:
    """A pass that ends the game with more points: nothing else wins on the spot."""
    size = state[SIZE]
    if state[LAST] == size * size:
        margin = double_margin_together(state, lanes)
        if margin != 0 and (margin > 0) == (state[SIDE] == BLACK):
            return size * size
    return NO_MOVE
