"""What can be proven of a Gomoku position: wins by force, and that nobody can win any more.

A win by force comes at once, or by a chain of fours that leaves the other side no choice.

A four threatens to complete a line, so there is one reply to it; a move that makes two such threats at once cannot be
parried. A chain of fours that ends so is a win whatever the other side does, provided that none of
the forced replies turns the tables, which is followed up too: a reply that makes a four must itself be answered,
by a four or not at all. The proof is exact. It is a depth-first search over very few moves, limited
by a number of nodes, and costs microseconds where a network would take tens of them.

A window is `win` points of a line in a row with no stone of the other side. Its start is a bit of a word, so all
windows of a line are looked at together. A chain keeps, for every line, the windows of the attacker that lack two
stones; a four and its reply change those of seven lines alone. On a GPU the lanes of a warp share the lines among them
(`eightfold.core.lanes`).

Renju: black's fours must be allowed, and a four of white's whose only parry is forbidden to black cannot be parried.
Caro: a four with a stone of the other side at one end can be parried at the other end too, so a chain is made of fours
with two open ends alone; there may be a longer one that is not found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eightfold.core.bits import bits_set, lowest_bit
from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import from_first_lane, from_lane, how_many, lane_of, lanes_where, wait_for_lanes
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
    overline_wins,
    place_on_line,
    point_of,
)
from eightfold.games.gomoku.renju import LINES, find_stalemate, may_play
from eightfold.games.state import BLACK, NO_MOVE, PAUSED, SIDE, SIZE, WHITE

DEPTH = 24  # fours in a chain
FOURS = 32  # looked at in one position, an even number: two for each window
SEVERAL = -2  # more than one point

# The room that a chain needs: the windows of every line, then for every depth what to go back to.
TAKEN, CURSOR, LOOKED, MUST, FIELDS = 0, 1, 2, 3, 4
CHAIN = LINES + DEPTH * FIELDS  # behind them: how many fours the chain that was found has; their moves are at TAKEN
PAUSE = CHAIN + 1  # and where a search that paused goes on
ROOM = PAUSE + 6

# A point is its row, shifted by ROW, and its column here: they come apart without a division. A four is its move,
# shifted by MOVE, and its reply.
ROW, COLUMN = 5, 31
MOVE, REPLY = 10, 1023
Bits: Any = np.int32  # of one colour on a line: a GPU takes twice as long for 64


@kernel
def windows_lacking(word: int, line: int, size: int, win: int, rule: int, colour: int) -> tuple[int, int, int]:
    """The colour's stones in a line's word, and the starts of its windows that lack one stone, and at most two.

    Under caro, of the latter only those with two open ends, which are parried by a stone inside alone.
    """
    own = Bits((word >> (HALF * (colour - BLACK))) & ONE_COLOUR)
    if bits_set(own) < win - 2:  # no window can lack as little as two
        return Int(own), Int(0), Int(0)
    other = Bits((word >> (HALF * (WHITE - colour))) & ONE_COLOUR)
    points, start = line_span(line, size)
    free = Bits((((1 << points) - 1) << start) & ~other)
    none, one, two = own, free, free  # windows that lack at most so many of the points looked at
    stones, open_points, length = own, free, 1
    while length < win:  # leaner than a range, here and below
        stones, open_points, length = Bits(stones >> 1), Bits(open_points >> 1), length + 1
        two = Bits(((two & stones) | one) & open_points)
        one = Bits(((one & stones) | none) & open_points)
        none = Bits(none & stones)
    if rule != FREESTYLE:
        if not overline_wins(rule, colour):  # exactly `win`: no stone of the colour before or after
            unflanked = Bits(~((own << 1) | (own >> win)))
            one = Bits(one & unflanked)
            two = Bits(two & unflanked)
        if rule >= CARO:
            one = Bits(one & ~((other << 1) & (other >> win)))
            two = Bits(two & ~((other << 1) | (other >> win)))
    return Int(own), Int(one), Int(two)


@kernel
def completing_points(own: int, starts: int, win: int) -> int:
    """The points of a line, as bits, that windows which lack one stone lack."""
    points, length = starts, 1
    while length < win:
        step = min(length, win - length)
        points |= points << step
        length += step
    return points & ~own


@kernel
def is_dead(state: Ints) -> bool:
    """Whether neither side can complete a line any more, whatever is played.

    This holds for every rule: without five points in a row that are free of white, nothing is forbidden to black.
    """
    return is_dead_together(state, 1)


@kernel
def is_dead_together(state: Ints, lanes: int) -> bool:
    size, win = state[SIZE], state[WIN]
    first, lines = first_line(size), 6 * size - 2
    first_of = 0
    while first_of < lines:  # all lanes come round equally often
        line, free = first_of + lane_of(lanes), 0
        if line < lines:
            word = state[first + line]
            length, start = line_span(line, size)
            span = ((1 << length) - 1) << start
            black_free, white_free = span & ~(word >> HALF), span & ~word
            run = 1  # a bit survives if so many points from it on are free
            while run < win:
                step = min(run, win - run)
                black_free &= black_free >> step
                white_free &= white_free >> step
                run += step
            free = black_free | white_free
        if lanes_where(free != 0, lanes) != 0:
            return False
        first_of += lanes
    return True


# ---- wins at once -------------------------------------------------------------------------------------


@kernel
def find_win(state: Ints, nodes: int, scratch: Ints) -> int:
    """A move that wins by force: at once, or by fours as far as `nodes` of them show; NO_MOVE if none was found."""
    return find_win_together(state, nodes, scratch, 1)


@kernel
def find_win_together(state: Ints, nodes: int, scratch: Ints, lanes: int) -> int:
    """The same, by all lanes of a warp; the `scratch` that they share has ROOM for a chain."""
    return find_win_in_parts(state, nodes, nodes, False, scratch, lanes)


@kernel
def find_win_in_parts(state: Ints, nodes: int, part: int, begun: bool, scratch: Ints, lanes: int) -> int:
    """The same, but after a `part` of the nodes it pauses: see `eightfold.games.contract`."""
    if begun:
        return _chain_of_fours(state, NO_MOVE, nodes, part, True, scratch, lanes)
    attacker, size, win, rule = state[SIDE], state[SIZE], state[WIN], state[RULE]
    first, lines, fours = first_line(size), 6 * size - 2, 0
    start = 0
    while start < lines:  # all lanes come round equally often
        line, own, one, two = start + lane_of(lanes), 0, 0, 0
        if line < lines:
            own, one, two = windows_lacking(state[first + line], line, size, win, rule, attacker)
            scratch[line] = two
        winners = lanes_where(one != 0, lanes)
        if winners != 0:
            move = int(NO_MOVE)
            if one != 0:
                move = point_of(line, lowest_bit((((1 << win) - 1) << lowest_bit(one)) & ~own), size)
            return from_lane(move, lowest_bit(winners), lanes)  # of the first line
        fours |= two
        start += lanes
    if rule == RENJU and attacker == WHITE:
        move = find_stalemate(state)
        if move != NO_MOVE:
            return move
    if nodes == 0 or win < 3:  # of two stones in a row, a window that lacks two would hold none
        return NO_MOVE
    if lanes_where(fours != 0, lanes) == 0:
        return NO_MOVE
    must = winning_point(state, BLACK + WHITE - attacker, lanes)
    if must == SEVERAL:
        return NO_MOVE
    wait_for_lanes(lanes)  # for the windows that others have written
    return _chain_of_fours(state, must, nodes, part, False, scratch, lanes)


@kernel
def winning_point(state: Ints, colour: int, lanes: int) -> int:
    """The empty point that completes a line: NO_MOVE if there is none, SEVERAL if there is more than one."""
    size, win, rule = state[SIZE], state[WIN], state[RULE]
    first, lines, found = first_line(size), 6 * size - 2, Int(NO_MOVE)
    line = lane_of(lanes)
    while line < lines and found != SEVERAL:
        own, one, _ = windows_lacking(state[first + line], line, size, win, rule, colour)
        if one != 0:
            points = completing_points(own, one, win)
            point = Int(_point_on(line, lowest_bit(points), size))
            several = points & (points - 1) != 0 or (found != NO_MOVE and found != point)
            found = Int(SEVERAL) if several else point
        line += lanes
    finders = lanes_where(found != NO_MOVE, lanes)
    if finders == 0:
        return NO_MOVE
    point = from_lane(found, lowest_bit(finders), lanes)
    return SEVERAL if lanes_where(found != NO_MOVE and found != point, lanes) != 0 else point


# ---- chains of fours ----------------------------------------------------------------------------------


@kernel
def _chain_of_fours(state: Ints, must: int, nodes: int, part: int, begun: bool, room: Ints, lanes: int) -> int:
    """The first move of a chain of fours that wins. There is no win at once.

    `must`: the only move that parries the defender's own threat, or NO_MOVE; `room` [ROOM] begins with the windows of
    the attacker that lack two stones. The fours of a position come line by line, each window's two one after the other.
    """
    attacker, size, win, rule = state[SIDE], state[SIZE], state[WIN], state[RULE]
    depth, taken, cursor, looked = 0, 0, 0, 0
    if begun:
        depth, taken, cursor = room[PAUSE], room[PAUSE + 1], room[PAUSE + 2]
        looked, must, nodes = room[PAUSE + 3], room[PAUSE + 4], room[PAUSE + 5]
        for step in range(depth):
            _enter(state, room[LINES + step * FIELDS], attacker, size, win, rule, room, lanes)
    pause = nodes - part
    while True:
        if nodes == pause and pause > 0:
            wait_for_lanes(lanes)
            if lane_of(lanes) == 0:
                room[PAUSE], room[PAUSE + 1], room[PAUSE + 2] = depth, taken, cursor
                room[PAUSE + 3], room[PAUSE + 4], room[PAUSE + 5] = looked, must, nodes
            return PAUSED
        found = False
        if nodes > 0 and looked < FOURS:
            if looked & 1:
                taken, found = (taken & REPLY) << MOVE | taken >> MOVE, True
            else:
                line, bit = cursor >> ROW, cursor & COLUMN
                starts = room[line] >> bit << bit
                if starts == 0:
                    line = _next_line(room, line + 1, 6 * size - 2, lanes)
                    starts = room[line] if line < 6 * size - 2 else 0
                if starts != 0:
                    bit = lowest_bit(starts)
                    cursor = (line << ROW) + bit + 1
                    taken, found = _four_in(state[first_line(size) + line], line, bit, size, win, attacker), True
        if not found:
            if depth == 0:
                return NO_MOVE
            depth -= 1
            saved = LINES + depth * FIELDS
            taken, cursor, looked, must = room[saved], room[saved + CURSOR], room[saved + LOOKED], room[saved + MUST]
            _enter(state, taken, attacker, size, win, rule, room, lanes)
            continue
        looked += 1
        if must != NO_MOVE and taken >> MOVE != must:
            continue
        if rule == RENJU and attacker == BLACK and not _black_may_play(state, taken >> MOVE, size, lanes):
            continue
        nodes -= 1
        threats, answer = _look(state, taken, attacker, size, win, rule, lanes)
        if threats > 1 or (rule > STANDARD and _has_no_parry(state, taken, attacker, size, rule, threats, lanes)):
            break
        if answer != SEVERAL and depth + 1 < DEPTH:
            if lane_of(lanes) == 0:
                saved = LINES + depth * FIELDS
                room[saved], room[saved + CURSOR] = taken, cursor
                room[saved + LOOKED], room[saved + MUST] = looked, must
            depth += 1
            must, cursor, looked = answer, 0, 0
            _enter(state, taken, attacker, size, win, rule, room, lanes)
    if lane_of(lanes) == 0:  # for whoever asks which chain it was
        room[LINES + depth * FIELDS], room[CHAIN] = taken, depth + 1
    while depth > 0:
        depth -= 1
        taken = room[LINES + depth * FIELDS]
        _enter(state, taken, attacker, size, win, rule, room, lanes)
    move = taken >> MOVE
    return (move >> ROW) * size + (move & COLUMN)


@kernel
def _next_line(windows: Ints, line: int, lines: int, lanes: int) -> int:
    """The first line from one on that has windows, or `lines`."""
    while line < lines:
        here = line + lane_of(lanes)
        having = lanes_where(here < lines and windows[here] != 0, lanes)
        if having != 0:
            return line + lowest_bit(having)
        line += lanes
    return lines


@kernel
def _four_in(word: int, line: int, start: int, size: int, win: int, attacker: int) -> int:
    """The four that a window makes: its first missing point, and the other for the reply."""
    own = (word >> (HALF * (attacker - BLACK))) & ONE_COLOUR
    missing = (((1 << win) - 1) << start) & ~own
    one, two = lowest_bit(missing), lowest_bit(missing & (missing - 1))
    return _point_on(line, one, size) << MOVE | _point_on(line, two, size)


@kernel
def _point_on(line: int, bit: int, size: int) -> int:
    """The point that a bit of a line stands for."""
    if line < size:
        return line << ROW | bit
    if line < 2 * size:
        return bit << ROW | (line - size)
    row = line - (3 * size - 1) + bit if line < 4 * size - 1 else line - (4 * size - 1) - bit
    return row << ROW | bit


@kernel
def _line_and_stone(point: int, direction: int, colour: int, size: int) -> tuple[int, int]:
    """One of the four lines of a point, and the bit of a stone there."""
    line, bit = place_on_line(point >> ROW, point & COLUMN, direction, size)
    return line, 1 << (bit + HALF * (colour - BLACK))


@kernel
def _look(state: Ints, taken: int, attacker: int, size: int, win: int, rule: int, lanes: int) -> tuple[int, int]:
    """How many points complete a line after a four, none, one or two for more; and where its reply threatens to do so.

    Under caro the former with the reply on the board, which may have closed the end of another four. Each of the two
    stones has four lines, which meet in no empty point. The stones are not entered in the lines.
    """
    first, threats, answers, answer = first_line(size), 0, 0, Int(NO_MOVE)
    k = lane_of(lanes)
    while k < 8 and threats < 2:  # the lines of the move, then those of the reply; after two threats nothing matters
        direction, replied = k & 3, k > 3
        move_line, move_stone = _line_and_stone(taken >> MOVE, direction, attacker, size)
        reply_line, reply_stone = _line_and_stone(taken & REPLY, direction, BLACK + WHITE - attacker, size)
        line = reply_line if replied else move_line
        word = state[first + line]
        if line == move_line:
            word ^= move_stone
        if line == reply_line and (replied or rule >= CARO):
            word ^= reply_stone
        own, one, _ = windows_lacking(word, line, size, win, rule, BLACK + WHITE - attacker if replied else attacker)
        if one != 0:
            points = completing_points(own, one, win)
            number = 1 + int(points & (points - 1) != 0)
            if replied:
                answers += number
                answer = Int(_point_on(line, lowest_bit(points), size))
            else:
                threats += number
        k += lanes
    threats = how_many(threats > 0, lanes) + how_many(threats > 1, lanes)
    if how_many(answers > 0, lanes) + how_many(answers > 1, lanes) > 1:
        return threats, Int(SEVERAL)
    answering = lanes_where(answers > 0, lanes)
    if answering != 0:
        answer = from_lane(answer, lowest_bit(answering), lanes)
    return threats, answer


@kernel
def _has_no_parry(state: Ints, taken: int, attacker: int, size: int, rule: int, threats: int, lanes: int) -> bool:
    """Whether a four that makes no two threats cannot be parried, under the rules that change what parries."""
    if rule >= CARO:
        return threats > 0
    if attacker == BLACK:
        return False
    _toggle(state, taken >> MOVE, WHITE, size, lanes)
    parried = _black_may_play(state, taken & REPLY, size, lanes)
    _toggle(state, taken >> MOVE, WHITE, size, lanes)
    return not parried


@kernel
def _black_may_play(state: Ints, point: int, size: int, lanes: int) -> bool:
    allowed = Int(0)
    if lane_of(lanes) == 0:
        allowed = Int(may_play(state, (point >> ROW) * size + (point & COLUMN)))
    wait_for_lanes(lanes)
    return from_first_lane(allowed, lanes) != 0


@kernel
def _toggle(state: Ints, point: int, colour: int, size: int, lanes: int) -> None:
    """Put a stone into the lines, or take it out again, while no other lane reads them."""
    wait_for_lanes(lanes)
    for direction in range(lane_of(lanes), 4, lanes):
        line, stone = _line_and_stone(point, direction, colour, size)
        state[first_line(size) + line] ^= stone
    wait_for_lanes(lanes)


@kernel
def _enter(state: Ints, taken: int, attacker: int, size: int, win: int, rule: int, windows: Ints, lanes: int) -> None:
    """The same for a four and its reply; the `windows` of their lines are found anew."""
    first = first_line(size)
    wait_for_lanes(lanes)
    k = lane_of(lanes)
    while k < 8:
        direction, replied = k & 3, k > 3
        move_line, move_stone = _line_and_stone(taken >> MOVE, direction, attacker, size)
        reply_line, reply_stone = _line_and_stone(taken & REPLY, direction, BLACK + WHITE - attacker, size)
        line, stones = (reply_line, reply_stone) if replied else (move_line, move_stone)
        if move_line == reply_line:
            stones = move_stone | reply_stone
        if move_line != reply_line or not replied:  # the line of both is the move's
            word = state[first + line] ^ stones
            state[first + line] = word
            _, _, two = windows_lacking(word, line, size, win, rule, attacker)
            windows[line] = two
        k += lanes
    wait_for_lanes(lanes)
