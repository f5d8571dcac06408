"""What can be proven of a Gomoku position: wins by force, and that nobody can win any more.

A win by force comes at once, or by a chain of fours that leaves the other side no choice.

A four threatens to complete a line, so there is one reply to it; a move that makes two such threats at once cannot be
parried. A chain of fours that ends so is a win whatever the other side does, provided that none of
the forced replies turns the tables, which is followed up too: a reply that makes a four must itself be answered,
by a four or not at all. The proof is exact. It is a depth-first search over very few moves, limited
by a number of nodes, and costs microseconds where a network would take tens of them.

A window is `win` points of a line in a row with no stone of the other side. Its start is a bit of a word, so
all windows of a line are looked at together. On a GPU the lanes of a warp share the lines among them
(`eightfold.core.lanes`).

Renju: black's fours must be allowed, and a four of white's whose only parry is forbidden to black cannot be parried.
Caro: a four with a stone of the other side at one end can be parried at the other end too, so a chain is made of fours
with two open ends alone; there may be a longer one that is not found.
"""

from __future__ import annotations

import numpy as np

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import added_up, index_of_largest, lane_of, largest_of, sum_before, wait_for_lanes
from eightfold.core.scratch import scratch_ints
from eightfold.games.gomoku.lines import (
    CARO,
    FREESTYLE,
    HALF,
    ONE_COLOUR,
    RENJU,
    RULE,
    STANDARD,
    WIN,
    first_line,
    line_span,
    lines_through,
    lowest_bit,
    overline_wins,
    point_of,
    toggle_stone,
)
from eightfold.games.gomoku.renju import find_stalemate, may_play
from eightfold.games.state import BLACK, NO_MOVE, SIDE, SIZE, WHITE

DEPTH = 24  # fours in a chain
FOURS = 32  # looked at in one position, an even number
ROOM = DEPTH * FOURS * 2  # for all of them, with their replies
SEVERAL = -2  # more than one point


@kernel
def windows_lacking(state: Ints, line: int, colour: int) -> tuple[int, int, int]:
    """The colour's stones on a line, and the starts of its windows that lack one stone, and at most two.

    Under caro, of the latter only those with two open ends, which are parried by a stone inside alone.
    """
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
    rule = state[RULE]
    if rule != FREESTYLE:
        if not overline_wins(rule, colour):  # exactly `win`: no stone of the colour before or after
            flanked = (own << 1) | (own >> win)
            one &= ~flanked
            two &= ~flanked
        if rule >= CARO:
            one &= ~((other << 1) & (other >> win))
            two &= ~((other << 1) | (other >> win))
    return own, one, two


@kernel
def is_dead(state: Ints) -> bool:
    """Whether neither side can complete a line any more, whatever is played.

    This holds for every rule: without five points in a row that are free of white, nothing is forbidden to black.
    """
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
def winning_point(state: Ints, colour: int, lanes: int) -> int:
    """The empty point that completes a line: NO_MOVE if there is none, SEVERAL if there is more than one."""
    found = int(NO_MOVE)
    for line in range(lane_of(lanes), 6 * state[SIZE] - 2, lanes):
        found = _with_points_of(state, line, colour, found)
        if found == SEVERAL:
            break
    point = largest_of(found, lanes)
    others = found == SEVERAL or (found != NO_MOVE and found != point)
    return SEVERAL if added_up(Int(others), lanes) > 0 else point


@kernel
def winning_point_near(state: Ints, point: int, colour: int) -> int:
    """The same, looking only at the four lines through a point."""
    size, found = state[SIZE], int(NO_MOVE)
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
def _has_no_parry(state: Ints, move: int, reply: int, attacker: int, several: bool, lanes: int) -> bool:
    """Whether the fours that a move has made cannot be parried, under the rules that change what parries.

    `several`: there is more than one winning point; `reply`: where the other side must play at any rate.
    """
    if state[RULE] == RENJU:
        return several or (attacker == WHITE and not may_play(state, reply))
    _toggle(state, reply, BLACK + WHITE - attacker, lanes)
    won = winning_point_near(state, move, attacker) != NO_MOVE  # it may have closed the end of another four
    _toggle(state, reply, BLACK + WHITE - attacker, lanes)
    return won


@kernel
def _toggle(state: Ints, point: int, colour: int, lanes: int) -> None:
    """Put a stone into the lines, or take it out again, while no other lane reads them."""
    wait_for_lanes(lanes)
    if lane_of(lanes) == 0:
        toggle_stone(state[first_line(state[SIZE]) :], state[SIZE], point, colour)
    wait_for_lanes(lanes)


@kernel
def _find_fours(state: Ints, colour: int, fours: Ints, lanes: int) -> int:
    """Moves that make a four, each with its reply, into `fours` [2 * FOURS], line by line; how many."""
    size, win, count = state[SIZE], state[WIN], 0
    for first in range(0, 6 * size - 2, lanes):  # all lanes come round equally often
        line, own, starts = first + lane_of(lanes), 0, 0
        if line < 6 * size - 2:
            own, _, starts = windows_lacking(state, line, colour)
        number, left = 0, starts
        while left != 0:
            number += 2
            left &= left - 1
        place = count + sum_before(number, lanes)
        count = min(count + added_up(number, lanes), FOURS)
        while starts != 0 and place < FOURS:
            missing = (((1 << win) - 1) << lowest_bit(starts)) & ~own
            starts &= starts - 1
            one = point_of(line, lowest_bit(missing), size)
            two = point_of(line, lowest_bit(missing & (missing - 1)), size)
            fours[2 * place], fours[2 * place + 1] = one, two
            fours[2 * place + 2], fours[2 * place + 3] = two, one
            place += 2
    wait_for_lanes(lanes)
    return count


@kernel
def find_win(state: Ints, nodes: int, scratch: Ints) -> int:
    """A move that wins by force: at once, or by fours as far as `nodes` of them show; NO_MOVE if none was found."""
    return _find_win(state, nodes, scratch_ints(ROOM), 1)


@kernel
def find_win_together(state: Ints, nodes: int, scratch: Ints, lanes: int) -> int:
    """The same, by all lanes of a warp; the `scratch` that they share has ROOM for the fours."""
    return _find_win(state, nodes, scratch, lanes)


@kernel
def _find_win(state: Ints, nodes: int, room: Ints, lanes: int) -> int:
    attacker, size, win = state[SIDE], state[SIZE], state[WIN]
    fours, found, found_at = 0, int(NO_MOVE), 0
    for line in range(lane_of(lanes), 6 * size - 2, lanes):
        own, one, two = windows_lacking(state, line, attacker)
        if one != 0:
            found, found_at = point_of(line, lowest_bit((((1 << win) - 1) << lowest_bit(one)) & ~own), size), line
            break
        fours |= two
    found = index_of_largest(-float(found_at) if found != NO_MOVE else -np.inf, found, lanes)  # of the first line
    if found != NO_MOVE:
        return found
    if state[RULE] == RENJU and attacker == WHITE:
        move = find_stalemate(state)
        if move != NO_MOVE:
            return move
    if nodes == 0 or win < 3:  # of two stones in a row, a window that lacks two would hold none
        return NO_MOVE
    if added_up(Int(fours != 0), lanes) == 0:
        return NO_MOVE
    return _chain_of_fours(state, attacker, nodes, room, lanes)


@kernel
def _chain_of_fours(state: Ints, attacker: int, nodes: int, fours: Ints, lanes: int) -> int:
    """The first move of a chain of fours that wins. There is no win at once.

    `fours` [DEPTH * 2 * FOURS]: for every depth moves and their replies.
    """
    defender, rule = BLACK + WHITE - attacker, state[RULE]
    must = scratch_ints(DEPTH)  # the only move that parries the defender's own threat, or NO_MOVE
    must[0] = winning_point(state, defender, lanes)
    if must[0] == SEVERAL:
        return NO_MOVE
    count, following = scratch_ints(DEPTH), scratch_ints(DEPTH)
    count[0], following[0] = _find_fours(state, attacker, fours, lanes), 0
    depth, won = 0, False
    while not won:
        if following[depth] == count[depth] or nodes == 0:
            if depth == 0:
                break
            depth -= 1
            taken = 2 * (depth * FOURS + following[depth] - 1)
            _toggle(state, fours[taken], attacker, lanes)
            _toggle(state, fours[taken + 1], defender, lanes)
            continue
        taken = 2 * (depth * FOURS + following[depth])
        move, reply = fours[taken], fours[taken + 1]
        following[depth] += 1
        if must[depth] != NO_MOVE and move != must[depth]:
            continue
        if rule == RENJU and attacker == BLACK and not may_play(state, move):
            continue
        nodes -= 1
        _toggle(state, move, attacker, lanes)
        won = winning_point_near(state, move, attacker) == SEVERAL
        if rule > STANDARD:
            won = _has_no_parry(state, move, reply, attacker, won, lanes)
        if not won and depth + 1 < DEPTH:
            _toggle(state, reply, defender, lanes)
            answer = winning_point_near(state, reply, defender)
            if answer != SEVERAL:
                depth += 1
                must[depth] = answer
                count[depth] = _find_fours(state, attacker, fours[2 * depth * FOURS :], lanes)
                following[depth] = 0
                continue
            _toggle(state, reply, defender, lanes)
        _toggle(state, move, attacker, lanes)
    while depth > 0:
        depth -= 1
        taken = 2 * (depth * FOURS + following[depth] - 1)
        _toggle(state, fours[taken], attacker, lanes)
        _toggle(state, fours[taken + 1], defender, lanes)
    return fours[2 * (following[0] - 1)] if won else NO_MOVE
