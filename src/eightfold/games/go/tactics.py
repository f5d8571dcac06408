"""What playouts and priors of Go know about a single move: does it put itself in atari, whom does it capture?

Pseudo-liberties add up (`board.py`), so the liberties of the group that a stone would make are known without looking
for them: the sums of the groups that it joins and of the empty cells beside it, less the stone's own cell.
"""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random, random_below
from eightfold.games.go.board import head_of, in_atari, next_of, span, stone_count
from eightfold.games.go.layout import COLOUR, EMPTIES, EMPTY, LIBERTY_BITS, ONE_LIBERTY, ONE_STONE, WALL
from eightfold.games.state import BLACK, WHITE

EMPTY_BITS = EMPTIES.bit_length() - 1
NOWHERE = 0  # no cell of the board has this number

# What a stone on an empty cell comes to.
NO_LIBERTY, ONE, SEVERAL, CAPTURE = 0, 1, 2, 3


@kernel
def last_liberty(state: Ints, stride: int, head: int) -> int:
    """The one liberty of a group in atari."""
    word = state[head + 3 * span(stride)]
    return (word & (ONE_LIBERTY - 1)) // (word >> LIBERTY_BITS)


@kernel
def liberties_after(state: Ints, stride: int, cell: int, colour: int) -> int:
    """NO_LIBERTY, ONE or SEVERAL for the group that a stone on an empty cell makes, or CAPTURE if it takes stones."""
    liberties, squares = 3 * span(stride), 4 * span(stride)
    number = total = square = 0
    first = second = third = NOWHERE  # the groups that it joins
    for step in (-stride, -1, 1, stride):
        beside = cell + step
        kind = state[beside] & COLOUR
        if kind == EMPTY:
            number += 1
            total += beside
            square += beside * beside
        elif kind == colour:
            number -= 1
            total -= cell
            square -= cell * cell
            head = head_of(state, stride, beside)
            if head not in (first, second, third):
                third, second, first = second, first, head
                word = state[head + liberties]
                number += word >> LIBERTY_BITS
                total += word & (ONE_LIBERTY - 1)
                square += state[head + squares] & (ONE_STONE - 1)
        elif kind != WALL and in_atari(state, stride, head_of(state, stride, beside)):
            return CAPTURE
    if number == 0:
        return NO_LIBERTY
    return ONE if number * square == total * total else SEVERAL


@kernel
def stones_after(state: Ints, stride: int, cell: int, colour: int) -> int:
    """The stones of the group that a stone on an empty cell makes; a group that touches it twice counts twice."""
    stones = 1
    for step in (-stride, -1, 1, stride):
        if state[cell + step] & COLOUR == colour:
            stones += stone_count(state, stride, head_of(state, stride, cell + step))
    return stones


@kernel
def answer_to_atari(state: Ints, stride: int, last: int, colour: int, ko: int, random: Random) -> int:
    """A capture round the last move, or else a way out of atari for a group beside it; NOWHERE if there is none.

    Captures are the last move's own group and whoever surrounds an own group that is in atari now. Among several of a
    kind one is drawn.
    """
    chosen = NOWHERE
    found = 0
    if in_atari(state, stride, head_of(state, stride, last)):
        cell = last_liberty(state, stride, head_of(state, stride, last))
        if cell != ko:
            chosen, found = cell, 1
    ways_out = 0
    way_out = NOWHERE
    for step in (-stride, -1, 1, stride):
        if state[last + step] & COLOUR != colour:
            continue
        head = head_of(state, stride, last + step)
        if not in_atari(state, stride, head):
            continue
        cell = _attacker_in_atari(state, stride, head, colour, ko)
        if cell != NOWHERE:
            found += 1
            if found == 1 or random_below(random, found) == 0:
                chosen = cell
        if found == 0:
            cell = last_liberty(state, stride, head)
            if liberties_after(state, stride, cell, colour) == SEVERAL:
                ways_out += 1
                if ways_out == 1 or random_below(random, ways_out) == 0:
                    way_out = cell
    return chosen if found else way_out


@kernel
def _attacker_in_atari(state: Ints, stride: int, head: int, colour: int, ko: int) -> int:
    """Where a group beside an own one can be taken, or NOWHERE."""
    other = BLACK + WHITE - colour
    stone = head
    while True:
        for step in (-stride, -1, 1, stride):
            beside = stone + step
            if state[beside] & COLOUR == other and in_atari(state, stride, head_of(state, stride, beside)):
                cell = last_liberty(state, stride, head_of(state, stride, beside))
                if cell != ko:
                    return cell
        stone = next_of(state, stride, stone)
        if stone == head:
            return NOWHERE


@kernel
def vital_point(state: Ints, stride: int, last: int) -> int:
    """The middle of three empty points beside the last move that one colour surrounds, or NOWHERE.

    Who plays there first makes two eyes of them, or prevents it (nakade).
    """
    for step in (-stride, -1, 1, stride):
        cell = last + step
        word = state[cell]
        if word & COLOUR != EMPTY:
            continue
        around = (word >> EMPTY_BITS) & 7
        if around == 0 or around > 2:
            continue
        if around == 1:  # an end of the three, if of any
            for side in (-stride, -1, 1, stride):
                if state[cell + side] & COLOUR == EMPTY:
                    cell = cell + side
                    break
            word = state[cell]
            around = (word >> EMPTY_BITS) & 7
        if around != 2:
            continue
        ends = 0
        blacks, whites = 0, 0
        for side in (-stride, -1, 1, stride):
            beside = state[cell + side]
            kind = beside & COLOUR
            if kind == EMPTY:
                ends += (beside >> EMPTY_BITS) & 7
                blacks += (beside >> 2) & 7
                whites += (beside >> 5) & 7
        # An end has one empty neighbour, the middle; the others are all of one colour, walls being of both.
        if ends == 2 and (blacks == 6 or whites == 6):
            blacks, whites = (word >> 2) & 7, (word >> 5) & 7
            if blacks == 2 or whites == 2:
                return cell
    return NOWHERE
