"""Renju: what black may not play (the rules of the Renju International Federation, sections 3 and 9).

Black wins with exactly five in a row. Unless it makes five, black may not make
- an overline: six or more in a row;
- a double four: two fours at once, be they in one line. A four is four stones that one more makes five of; four in
  a row that are open at both ends (a straight four) are one four with two ways to go on;
- a double three: two threes at once. A three is three stones that one more makes a straight four of, without making
  five at the same time and without being forbidden itself. So the definition is recursive: that one more stone may be
  a double three in its turn, if two of its own threes are real.

White may play everything, and wins with five or more. A forbidden point is no legal move here. A game without a pass
leaves one more case: black, to move, has forbidden points alone. Black would have to play one, and loses.

All is read from the words of the four lines through a point (`lines.py`). `glance` finds overlines and fours for good,
and for every three the point, its eye, that would make it a straight four. Only where two lines have an eye is there
anything to look deeper into; a loop over a stack of points does so: Numba's disk cache breaks recursive kernels, and a
GPU wants to know how deep they go.
"""

from __future__ import annotations

from eightfold.core.bits import bits_set, lowest_bit
from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import how_many, how_many_before, share_rows, wait_for_lanes
from eightfold.core.rng import Random, random_below
from eightfold.core.scratch import scratch_ints
from eightfold.games.gomoku.lines import (
    EMPTIES,
    HALF,
    ONE_COLOUR,
    RENJU,
    RULE,
    WIN,
    enter_stone,
    first_line,
    is_empty,
    line_span,
    lines_through,
    list_empties,
    point_of,
    toggle_stone,
)
from eightfold.games.state import BLACK, DRAW, NO_MOVE, ONGOING, RESULT, SIDE, SIZE, WHITE, copy_state
from eightfold.symmetry.orbit import LARGEST_BOARD

FIVE = 5  # how many in a row win; renju knows no other number
ALLOWED, OVERLINE, DOUBLE_FOUR, DOUBLE_THREE, MAKES_FIVE = 0, 1, 2, 3, 4  # what a black stone does
FAULTS = ("", "an overline", "a double four", "a double three")

EYES = 16  # room for the eyes of one point: at most four for each line
LEVELS = 24  # double threes that hang on each other, each with a stone of its own that is not there yet
STACK = LEVELS + 1
LINES = 6 * LARGEST_BOARD - 2
FOUR_POINTS, FIVE_POINTS = 0b1111, 0b11111
NEIGHBOURS = 0b111101111  # four points on either side: nothing that lies beyond makes a three or a four


@kernel
def glance(lines: Ints, size: int, point: int, eyes: Ints) -> tuple[int, int]:
    """What a black stone on an empty point makes, as its own four lines tell; and how many `eyes` [EYES, 2] it has.

    A DOUBLE_THREE is one only if two lines have a three that is real; with each eye comes the number of its line.
    """
    row, column = point // size, point % size
    fours = threes = count = 0
    overline = False
    for direction, line in enumerate(lines_through(row, column, size)):
        bit = row if direction == 1 else column
        word = lines[line]
        own = word & ONE_COLOUR
        near = ((own << 4) >> bit) & NEIGHBOURS
        if near & (near - 1) == 0:  # fewer than two stones
            continue
        own |= 1 << bit
        # Where four and five points begin that hold this one.
        in_four, in_five = (FOUR_POINTS << bit) >> 3, (FIVE_POINTS << bit) >> 4
        four_in_row = own & (own >> 1)
        four_in_row &= four_in_row >> 2
        unflanked = ~(own << 1) & ~(own >> FIVE)  # starts of five points that stones on them cannot make longer
        five_in_row = four_in_row & (own >> 4) & in_five
        if five_in_row != 0:
            if five_in_row & unflanked != 0:
                return MAKES_FIVE, 0  # whatever else it makes
            overline = True
            continue
        length, start = line_span(line, size)
        empty = (((1 << length) - 1) << start) & ~(word >> HALF) & ~own
        free = own | empty
        full, lacking_one = free, free  # starts of points, without white, of which none and at most one is empty
        for k in range(4):
            lacking_one = ((lacking_one & (own >> k)) | full) & (free >> k)
            full &= own >> k
        almost_four = lacking_one & ~full & in_four
        lacking_one = ((lacking_one & (own >> 4)) | full) & (free >> 4)
        almost_five = lacking_one & unflanked & in_five
        if almost_five != 0:
            # A straight four is seen twice, from the point before it and from its first stone: once too often.
            straight = almost_five & (almost_five >> 1) & (four_in_row >> 1)
            fours += bits_set(almost_five) - bits_set(straight)
            continue  # beside a four there is no room for a three in one line
        # To be straight, a four needs an empty point at either end, and behind it no stone that makes five six.
        almost_straight = almost_four & (empty << 1) & (empty >> 4) & ~(own << 2) & ~(own >> 5)
        threes += almost_straight != 0
        while almost_straight != 0:
            missing = (FOUR_POINTS << lowest_bit(almost_straight)) & ~own
            almost_straight &= almost_straight - 1
            eyes[count, 0] = point_of(line, lowest_bit(missing), size)
            eyes[count, 1] = direction
            count += 1
    if overline:
        return OVERLINE, 0
    if fours > 1:
        return DOUBLE_FOUR, 0
    if threes > 1:
        return DOUBLE_THREE, count
    return ALLOWED, 0


@kernel
def fault(lines: Ints, size: int, point: int, eyes: Ints) -> int:
    """Why black may not play on an empty point, or ALLOWED. `eyes` [EYES, 2] is used up."""
    kind, count = glance(lines, size, point, eyes)
    if kind == MAKES_FIVE:
        return ALLOWED
    if kind != DOUBLE_THREE:
        return kind
    tried = scratch_ints(LINES)[: lines.shape[0]]
    copy_state(lines, tried)
    return DOUBLE_THREE if _two_threes_are_real(tried, size, point, eyes, count) else ALLOWED


@kernel
def _two_threes_are_real(lines: Ints, size: int, point: int, first_eyes: Ints, first_count: int) -> bool:
    """Whether two lines of a point have an eye that black may play, with the stone on the point and so on downwards.

    Every level of the stack holds a black stone more than the one above. A double three below the last level counts as
    allowed; no position is known that goes so deep.
    """
    points, counts = scratch_ints(LEVELS), scratch_ints(LEVELS)
    looked_at, real = scratch_ints(LEVELS), scratch_ints(LEVELS)  # eyes so far; lines with a three, as bits
    eyes = scratch_ints((STACK, EYES, 2))
    level = 0
    points[0], counts[0], looked_at[0], real[0] = point, first_count, 0, 0
    for k in range(first_count):  # a loop: for a slice, Numba compiles what it would say if the sizes were not the same
        eyes[0, k, 0], eyes[0, k, 1] = first_eyes[k, 0], first_eyes[k, 1]
    toggle_stone(lines, size, point, int(BLACK))
    while True:
        two = real[level] & (real[level] - 1) != 0
        if two or looked_at[level] == counts[level]:
            if level == 0:
                return two
            toggle_stone(lines, size, points[level], int(BLACK))
            level -= 1
            if not two:  # black may play the eye
                real[level] |= 1 << eyes[level, looked_at[level] - 1, 1]
            continue
        eye, line = eyes[level, looked_at[level], 0], eyes[level, looked_at[level], 1]
        looked_at[level] += 1
        if (real[level] >> line) & 1 != 0:
            continue
        kind, count = glance(lines, size, eye, eyes[level + 1])
        if kind == ALLOWED or (kind == DOUBLE_THREE and level + 1 == LEVELS):
            real[level] |= 1 << line
        elif kind == DOUBLE_THREE:  # only if its own threes are real
            level += 1
            points[level], counts[level], looked_at[level], real[level] = eye, count, 0, 0
            toggle_stone(lines, size, eye, int(BLACK))


@kernel
def may_play(state: Ints, point: int) -> bool:
    """Whether black may play on an empty point."""
    return fault(state[first_line(state[SIZE]) :], state[SIZE], point, scratch_ints((EYES, 2))) == ALLOWED


@kernel
def forbidden(state: Ints, points: Ints) -> int:
    """Write the points that are forbidden to the side to move to the front of `points` [A] and return how many."""
    if state[RULE] != RENJU or state[SIDE] != BLACK or state[RESULT] != ONGOING:
        return 0
    return _sort_out(state, points, False, 1)


@kernel
def legal_for_black(state: Ints, moves: Ints, lanes: int) -> int:
    """The same for the points that are not, by all lanes of a warp."""
    return _sort_out(state, moves, True, lanes)


@kernel
def _sort_out(state: Ints, points: Ints, allowed: bool, lanes: int) -> int:
    size, lines, eyes = state[SIZE], state[first_line(state[SIZE]) :], scratch_ints((EYES, 2))
    count = Int(0)
    rows, top, left = share_rows(size, lanes)
    row = top
    while row - top < size:  # all lanes come round equally often
        for first in range(0, size, lanes):
            column, listed = first + left, False
            if row < size and column < size and is_empty(lines, row, column):
                listed = (fault(lines, size, row * size + column, eyes) == ALLOWED) == allowed
            place = count + how_many_before(listed, lanes)
            if listed:
                points[place] = row * size + column
            count += how_many(listed, lanes)
        row += rows
    wait_for_lanes(lanes)
    return count


@kernel
def black_can_move(lines: Ints, size: int) -> bool:
    """Whether black has a legal move. Nearly always the first empty point is one."""
    eyes = scratch_ints((EYES, 2))
    for row in range(size):
        for column in range(size):
            if is_empty(lines, row, column) and fault(lines, size, row * size + column, eyes) == ALLOWED:
                return True
    return False


@kernel
def find_stalemate(state: Ints) -> int:
    """A move of white's that leaves black forbidden points alone, which wins; NO_MOVE if there is none."""
    size, lines, eyes = state[SIZE], state[first_line(state[SIZE]) :], scratch_ints((EYES, 2))
    safe = 0  # points that are allowed at a glance stay so: a white stone adds no row, no four and no eye
    for point in range(size * size):
        if is_empty(lines, point // size, point % size):
            kind, _ = glance(lines, size, point, eyes)
            safe += kind in (ALLOWED, MAKES_FIVE)
            if safe == 2:  # white can take but one of them
                return NO_MOVE
    if state[EMPTIES] < 2:
        return NO_MOVE  # a full board is a draw
    tried = scratch_ints(LINES)[: lines.shape[0]]
    copy_state(lines, tried)
    for point in range(size * size):
        if is_empty(lines, point // size, point % size):
            toggle_stone(tried, size, point, int(WHITE))
            stuck = not black_can_move(tried, size)
            toggle_stone(tried, size, point, int(WHITE))
            if stuck:
                return point
    return NO_MOVE


@kernel
def rollout_renju(state: Ints, random: Random, scratch: Ints) -> int:
    """Random moves to the end. Black draws again, from the rest, where it may not play."""
    size, win, colour = state[SIZE], state[WIN], state[SIDE]
    lines, eyes = state[first_line(size) :], scratch_ints((EYES, 2))
    count = list_empties(state, scratch)
    while count > 0:
        pick = random_below(random, count)
        if colour == BLACK:
            untried = count
            while fault(lines, size, scratch[pick], eyes) != ALLOWED:
                untried -= 1
                scratch[pick], scratch[untried] = scratch[untried], scratch[pick]
                if untried == 0:
                    return WHITE
                pick = random_below(random, untried)
        point = scratch[pick]
        count -= 1
        scratch[pick] = scratch[count]
        if enter_stone(state, size, win, colour == WHITE, point // size, point % size, colour):
            return colour
        colour = BLACK + WHITE - colour
    return DRAW
