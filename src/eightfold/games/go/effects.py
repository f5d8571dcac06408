"""What a stone does to the groups beside it: takes them, puts them or itself in atari, saves them, fills an eye.

Pseudo-liberties add up (`board.py`), so nothing is searched for: the liberties of the group that a stone makes are
those of the groups that it joins and the empty cells beside it, less its own cell, and the cells of what it takes.
"""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.games.effects import ATARI, CAPTURE, EXTENSION, OWN_EYE, RESCUE, SELF_ATARI
from eightfold.games.go.board import cell_at, head_of, in_atari, is_eye, next_of, span
from eightfold.games.go.layout import COLOUR, EMPTIES, EMPTY, LIBERTY_BITS, ONE_LIBERTY, ONE_STONE, WALL
from eightfold.games.state import BLACK, SIDE, SIZE, WHITE

NO_GROUP = 0  # no cell of the board has this number


@kernel
def move_effects(state: Ints, move: int) -> int:
    size, colour = state[SIZE], state[SIDE]
    if move >= size * size:
        return 0
    stride, cell = state[SIZE] + 1, cell_at(move, size)
    if (state[cell] // EMPTIES) & 7 == 4:
        return 0  # nobody is beside it
    effects = OWN_EYE if is_eye(state, stride, cell, colour) else 0
    number = total = squares = 0  # of the liberties that the stone's group has afterwards
    first = second = third = fourth = NO_GROUP  # the own groups that it joins
    saves = False
    for step in (-stride, -1, 1, stride):
        beside = cell + step
        kind = state[beside] & COLOUR
        if kind == EMPTY:
            number += 1
            total += beside
            squares += beside * beside
        elif kind == colour:
            number -= 1
            total -= cell
            squares -= cell * cell
            head = head_of(state, stride, beside)
            if head not in (first, second, third):
                fourth, third, second, first = third, second, first, head
                word = state[head + 3 * span(stride)]
                number += word >> LIBERTY_BITS
                total += word & (ONE_LIBERTY - 1)
                squares += state[head + 4 * span(stride)] & (ONE_STONE - 1)
                saves |= in_atari(state, stride, head)
        elif kind != WALL:
            head = head_of(state, stride, beside)
            if in_atari(state, stride, head):
                effects |= CAPTURE
            elif _left_with_one(state, stride, head, cell):
                effects |= ATARI
    if effects & CAPTURE:
        for step in (-stride, -1, 1, stride):
            beside = cell + step
            if state[beside] & COLOUR != BLACK + WHITE - colour or not in_atari(
                state, stride, head_of(state, stride, beside)
            ):
                continue
            # Of every stone that is taken: a liberty to each own stone beside it. Twice is as good as once.
            stone = beside
            while True:
                for way in (-stride, -1, 1, stride):
                    near = stone + way
                    if near == cell:
                        joined = True
                    elif state[near] & COLOUR == colour:
                        head = head_of(state, stride, near)
                        joined = head in (first, second, third, fourth)
                        if in_atari(state, stride, head):
                            effects |= RESCUE
                    else:
                        joined = False
                    if joined:
                        number += 1
                        total += stone
                        squares += stone * stone
                stone = next_of(state, stride, stone)
                if stone == beside:
                    break
    if number == 0:
        return effects & OWN_EYE | SELF_ATARI  # suicide: all that it threatens has its liberties back
    if number * squares == total * total:
        effects |= SELF_ATARI
    elif saves:
        effects |= EXTENSION
    return effects


@kernel
def _left_with_one(state: Ints, stride: int, head: int, cell: int) -> bool:
    """Whether a group that is not in atari would be without the liberty `cell`."""
    word = state[head + 3 * span(stride)]
    number, total = word >> LIBERTY_BITS, word & (ONE_LIBERTY - 1)
    squares = state[head + 4 * span(stride)] & (ONE_STONE - 1)
    for step in (-stride, -1, 1, stride):
        beside = cell + step
        kind = state[beside] & COLOUR
        if kind != EMPTY and kind != WALL and head_of(state, stride, beside) == head:
            number -= 1
            total -= cell
            squares -= cell * cell
    return number * squares == total * total
