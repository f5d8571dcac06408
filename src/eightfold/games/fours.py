"""What can be proven of a Gomoku position: wins by force, and that nobody can win any more.

A win by force comes at once, or by a chain of fours that leaves the other side no choice.

A four threatens to complete a line, so there is one reply to it; a move that makes two such threats at once cannot be
parried. A chain of fours that ends so is a win whatever the other side does, provided that none of
the forced replies turns the tables, which is followed up too: a reply that makes a four must itself be answered,
by a four or not at all. The proof is exact. It is a depth-first search over very few moves, limited
by a number of nodes, and costs microseconds where a network would take tens of them.

A window is `win` points of a line in a row with no stone of the other side. Its start is a bit of a word, so
all windows of a line are looked at together.
"""

from __future__ import annotations

import numpy as np

from eightfold.games.lines import (
    FREESTYLE,
    HALF,
    ONE_COLOUR,
    RULE,
    WIN,
    first_line,
    line_span,
    lines_through,
    point_of,
)
from eightfold.games.state import BLACK, NO_MOVE, SIDE, SIZE, WHITE
from eightfold.jit import Ints, kernel

DEPTH = 24  # fours in a chain
FOURS = 32  # looked at in one position
SEVERAL = -2  # more than one point


@kernel
def windows_lacking(state: Ints, line: int, colour: int) -> tuple[int, int, int]:
    """The colour's stones on a line, and the starts of its windows that lack one stone, and at most two."""
    size, win = state[SIZE], state[WIN]
    word = state[first_line(size) + line]
    own = (word >> (HALF * (colour - BLACK))) & ONE_COLOUR
    few = own
    for _ in range(win - 2):  # fewer than win - 2 stones: no window can lack as little as two
        if few == 0:
            return own, 0, 0
        few &= few - 1
    other = (word >> (HALF * (WHITE - colour))) & ONE_COLOUR
    length, start = line_span(line, size)
    free = (((1 << length) - 1) << start) & ~other
    none, one, two = free, free, free  # windows that lack at most so many of the points looked at
    for k in range(win):
        stones = own >> k
        two = ((two & stones) | one) & (free >> k)
        one = ((one & stones) | none) & (free >> k)
        none &= stones
    if state[RULE] != FREESTYLE:  # exactly `win`: no stone of the colour before or after
        flanked = (own << 1) | (own >> win)
        one &= ~flanked
        two &= ~flanked
    return own, one, two


@kernel
def is_dead(state: Ints) -> bool:
    """Whether neither side can complete a line any more, whatever is played."""
    size, win = state[SIZE], state[WIN]
    for line in range(6 * size - 2):
        word = state[first_line(size) + line]
        length, start = line_span(line, size)
        span = ((1 << length) - 1) << start
        black_free, white_free = span & ~(word >> HALF), span & ~word
        run = 1  # a bit survives if so many points from it on are free
        while run < win:
            step = min(run, win - run)
            black_free &= black_free >> step
            white_free &= white_free >> step
            run += step
        if (black_free | white_free) != 0:
            return False
    return True


@kernel
def lowest_bit(word: int) -> int:
    bit = 0
    while (word >> bit) & 1 == 0:
        bit += 1
    return bit


@kernel
def winning_point(state: Ints, colour: int) -> int:
    """The empty point that completes a line: NO_MOVE if there is none, SEVERAL if there is more than one."""
    found = NO_MOVE
    for line in range(6 * state[SIZE] - 2):
        found = _with_points_of(state, line, colour, found)
        if found == SEVERAL:
            break
    return found


@kernel
def winning_point_near(state: Ints, point: int, colour: int) -> int:
    """The same, looking only at the four lines through a point."""
    size, found = state[SIZE], NO_MOVE
    for line in lines_through(point // size, point % size, size):
        found = _with_points_of(state, line, colour, found)
    return found


@kernel
def _with_points_of(state: Ints, line: int, colour: int, found: int) -> int:
    """What was found so far, and the winning points of one more line."""
    size, win = state[SIZE], state[WIN]
    own, starts, _ = windows_lacking(state, line, colour)
    while starts != 0 and found != SEVERAL:
        start = lowest_bit(starts)
        starts &= starts - 1
        point = point_of(line, lowest_bit((((1 << win) - 1) << start) & ~own), size)
        found = point if found in (NO_MOVE, point) else SEVERAL
    return found


@kernel
def toggle_stone(state: Ints, point: int, colour: int) -> None:
    """Put a stone into the lines, or take it out again; the board by points is left alone."""
    size, half = state[SIZE], HALF * (colour - BLACK)
    row, column = point // size, point % size
    first = first_line(size)
    a, b, c, d = lines_through(row, column, size)
    state[first + a] ^= 1 << (column + half)
    state[first + b] ^= 1 << (row + half)
    state[first + c] ^= 1 << (column + half)
    state[first + d] ^= 1 << (column + half)


@kernel
def _find_fours(state: Ints, colour: int, fours: Ints) -> int:
    """Moves that make a four, each with its reply, into `fours` [F, 2]; how many."""
    size, win, count = state[SIZE], state[WIN], 0
    for line in range(6 * size - 2):
        own, _, starts = windows_lacking(state, line, colour)
        while starts != 0 and count + 2 <= fours.shape[0]:
            missing = (((1 << win) - 1) << lowest_bit(starts)) & ~own
            starts &= starts - 1
            one = point_of(line, lowest_bit(missing), size)
            two = point_of(line, lowest_bit(missing & (missing - 1)), size)
            fours[count, 0], fours[count, 1] = one, two
            fours[count + 1, 0], fours[count + 1, 1] = two, one
            count += 2
    return count


@kernel
def find_win(state: Ints, nodes: int, scratch: Ints) -> int:
    """A move that wins by force: at once, or by fours as far as `nodes` of them show; NO_MOVE if none was found."""
    attacker, size, win = state[SIDE], state[SIZE], state[WIN]
    fours = 0
    for line in range(6 * size - 2):
        own, one, two = windows_lacking(state, line, attacker)
        if one != 0:
            return point_of(line, lowest_bit((((1 << win) - 1) << lowest_bit(one)) & ~own), size)
        fours |= two
    if nodes == 0 or fours == 0 or win < 3:  # of two stones in a row, a window that lacks two would hold none
        return NO_MOVE
    return _chain_of_fours(state, attacker, nodes)


@kernel
def _chain_of_fours(state: Ints, attacker: int, nodes: int) -> int:
    """The first move of a chain of fours that wins. There is no win at once."""
    defender = BLACK + WHITE - attacker
    must = np.empty(DEPTH, np.int64)  # the only move that parries the defender's own threat, or NO_MOVE
    must[0] = winning_point(state, defender)
    if must[0] == SEVERAL:
        return NO_MOVE
    fours = np.empty((DEPTH, FOURS, 2), np.int64)
    count, following = np.empty(DEPTH, np.int64), np.zeros(DEPTH, np.int64)
    count[0] = _find_fours(state, attacker, fours[0])
    depth, won = 0, False
    while not won:
        if following[depth] == count[depth] or nodes == 0:
            if depth == 0:
                break
            depth -= 1
            toggle_stone(state, fours[depth, following[depth] - 1, 0], attacker)
            toggle_stone(state, fours[depth, following[depth] - 1, 1], defender)
            continue
        move, reply = fours[depth, following[depth], 0], fours[depth, following[depth], 1]
        following[depth] += 1
        if must[depth] != NO_MOVE and move != must[depth]:
            continue
        nodes -= 1
        toggle_stone(state, move, attacker)
        won = winning_point_near(state, move, attacker) == SEVERAL
        if not won and depth + 1 < DEPTH:
            toggle_stone(state, reply, defender)
            answer = winning_point_near(state, reply, defender)
            if answer != SEVERAL:
                depth += 1
                must[depth] = answer
                count[depth] = _find_fours(state, attacker, fours[depth])
                following[depth] = 0
                continue
            toggle_stone(state, reply, defender)
        toggle_stone(state, move, attacker)
    while depth > 0:
        depth -= 1
        toggle_stone(state, fours[depth, following[depth] - 1, 0], attacker)
        toggle_stone(state, fours[depth, following[depth] - 1, 1], defender)
    return fours[0, following[0] - 1, 0] if won else NO_MOVE
