"""Moves of records, many games a second: stones, captures and ko alone, without the hashes and boards of the past."""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.games.go.board import cell_at, head_of, in_atari, point_at, put_stone, stone_count
from eightfold.games.go.layout import COLOUR, EMPTY, KO
from eightfold.games.go.legal import is_suicide
from eightfold.games.state import BLACK, LAST, ONGOING, PLY, RESULT, SIDE, SIZE, WHITE


@kernel
def replay(state: Ints, move: int, changed: Ints) -> int:
    """As in the contract. Passes do not end the game, and no position is known again but a ko."""
    size, stride, colour = state[SIZE], state[SIZE] + 1, state[SIDE]
    if state[RESULT] != ONGOING or move < 0 or move > size * size:
        return -1
    count, ko = 0, 0
    if move < size * size:
        cell = cell_at(move, size)
        if cell == state[KO] or state[cell] & COLOUR != EMPTY or is_suicide(state, stride, cell, colour):
            return -1
        changed[0] = cell
        count = put_stone(state, stride, cell, colour, changed, 1)
        if (
            count == 2
            and stone_count(state, stride, head_of(state, stride, cell)) == 1
            and in_atari(state, stride, cell)
        ):
            ko = changed[1]
        first = 2 if state[cell] & COLOUR == EMPTY else 0  # by suicide it is gone, and listed twice
        for k in range(first, count):
            changed[k - first] = 4 * point_at(changed[k], size) + (state[changed[k]] & COLOUR)
        count -= first
    state[KO] = ko
    state[PLY] += 1
    state[LAST] = move
    state[SIDE] = BLACK + WHITE - colour
    return count
