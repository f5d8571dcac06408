"""Caro, Gomocup's rules 8 and 9: a row of five does not win if stones of the other side stand at both its ends.

The edge of the board closes nothing. `caro` (8): six or more always win, for then one end of any five of them is
a stone of their own. `caro-exact` (9): exactly five. Read next: `lines.py`, for what a line's word holds.
"""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random, random_below
from eightfold.games.gomoku.lines import (
    CARO,
    HALF,
    ONE_COLOUR,
    RULE,
    WIN,
    first_line,
    lines_through,
    list_empties,
    toggle_stone,
)
from eightfold.games.state import BLACK, DRAW, SIDE, SIZE, WHITE


@kernel
def enter_stone_caro(state: Ints, size: int, win: int, longer: bool, row: int, column: int, colour: int) -> bool:
    """Enter a stone in the lines; whether one of them now holds a winning row. `longer`: more than `win` win too."""
    lines = state[first_line(size) :]
    toggle_stone(lines, size, row * size + column, colour)
    won = False
    for line in lines_through(row, column, size):
        own = (lines[line] >> (HALF * (colour - BLACK))) & ONE_COLOUR
        other = (lines[line] >> (HALF * (WHITE - colour))) & ONE_COLOUR
        runs, length = own, 1  # a bit survives if a run of `length` starts at it
        while length < win:
            step = min(length, win - length)
            runs &= runs >> step
            length += step
        runs &= ~((other << 1) & (other >> win))
        if not longer:
            runs &= ~(own << 1) & ~(own >> win)
        won |= runs != 0
    return won


@kernel
def rollout_caro(state: Ints, random: Random, scratch: Ints) -> int:
    """Random moves to the end, drawn from a shrinking list of the empty points."""
    size, win, longer, colour = state[SIZE], state[WIN], state[RULE] == CARO, state[SIDE]
    count = list_empties(state, scratch)
    while count > 0:
        pick = random_below(random, count)
        point = scratch[pick]
        count -= 1
        scratch[pick] = scratch[count]
        if enter_stone_caro(state, size, win, longer, point // size, point % size, colour):
            return colour
        colour = BLACK + WHITE - colour
    return DRAW
