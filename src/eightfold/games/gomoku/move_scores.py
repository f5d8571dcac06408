"""What a point of a Gomoku board is worth (Zhao & Zhang, section 3.1), for the greedy and the alpha-beta player.

A stone on an empty point would make a run in each of the four directions; a run is worth ten times more for every
stone. Runs that win nothing by the rule, because they are too long or closed at both ends, are worth next to nothing,
and a point that is forbidden to black is worth nothing to black, which also keeps it from being a candidate.
"""

from __future__ import annotations

import numpy as np

from eightfold.core.jit import Ints, kernel
from eightfold.core.scratch import scratch_ints
from eightfold.games.gomoku.lines import (
    CARO,
    EMPTIES,
    EMPTY,
    FREESTYLE,
    RENJU,
    RULE,
    STANDARD,
    WIN,
    cell_of,
    first_line,
    is_empty,
    overline_wins,
)
from eightfold.games.gomoku.renju import ALLOWED, EYES, fault
from eightfold.games.state import BLACK, NOT_JUDGED, SIDE, SIZE, WHITE

DIGITS = 15  # a score of 10^15 still leaves room for sums in 64 bits
POWERS: Ints = 10 ** np.arange(DIGITS + 1, dtype=np.int64)


@kernel
def run_length(state: Ints, cell: int, step: int, colour: int) -> int:
    """Stones of `colour` in an unbroken line through `cell`, `cell` itself counted as one of them."""
    length = 1
    beyond = cell + step
    while state[beyond] == colour:
        length += 1
        beyond += step
    beyond = cell - step
    while state[beyond] == colour:
        length += 1
        beyond -= step
    return length


@kernel
def counted_run(state: Ints, cell: int, step: int, colour: int) -> int:
    """The same as the rule counts it: the winning length if it wins, 0 if it is as long and wins nothing."""
    length = 1
    ahead, behind = cell + step, cell - step
    while state[ahead] == colour:
        length += 1
        ahead += step
    while state[behind] == colour:
        length += 1
        behind -= step
    win, rule = state[WIN], state[RULE]
    if length < win:
        return length
    if length > win:
        return win if overline_wins(rule, colour) else 0
    other = BLACK + WHITE - colour
    closed = rule >= CARO and state[ahead] == other and state[behind] == other
    return 0 if closed else win


@kernel
def run_score(length: int, win: int, rule: int) -> int:
    """What a run is worth: ten times more for every stone, up to the winning length (maxScore = 10^win)."""
    if length > win:
        if rule != FREESTYLE:
            return 1  # an overline wins nothing
        length = win
    return POWERS[max(length - max(win - DIGITS, 0), 0)]


@kernel
def score_cell(state: Ints, cell: int, colour: int) -> int:
    """The worth of an empty cell to a colour, freestyle or standard: its runs in the four directions, added up."""
    stride = state[SIZE] + 1
    total = 0
    for step in (1, stride - 1, stride, stride + 1):
        total += run_score(run_length(state, cell, step, colour), state[WIN], state[RULE])
    return total


@kernel
def _score_by_rule(state: Ints, move: int, scores: Ints, eyes: Ints) -> None:  # [2, A], [EYES, 2] to be used up
    """The worth of one point to both colours under the other rules."""
    size, least = state[SIZE], max(state[WIN] - DIGITS, 0)
    cell = cell_of(move // size, move % size, size)
    for colour in (BLACK, WHITE):
        total = 0
        if state[cell] == EMPTY:
            for step in (1, size, size + 1, size + 2):
                total += POWERS[max(counted_run(state, cell, step, colour) - least, 0)]
        scores[colour - BLACK, move] = total
    lines = state[first_line(size) :]
    if state[RULE] == RENJU and state[cell] == EMPTY and fault(lines, size, move, eyes) != ALLOWED:
        scores[0, move] = 0


@kernel
def score_moves(state: Ints, scores: Ints) -> None:  # [2, A]
    size = state[SIZE]
    if state[RULE] > STANDARD:
        eyes = scratch_ints((EYES, 2))
        for move in range(size * size):
            _score_by_rule(state, move, scores, eyes)
        return
    for move in range(size * size):
        cell = cell_of(move // size, move % size, size)
        for colour in (BLACK, WHITE):
            scores[colour - BLACK, move] = score_cell(state, cell, colour) if state[cell] == EMPTY else 0


@kernel
def rescore_moves(state: Ints, move: int, scores: Ints) -> None:  # [2, A]
    """A stone changes its own point and, for its own colour, the empty ends of the lines it joins: at most eight."""
    if state[RULE] > STANDARD:
        _rescore_by_rule(state, move, scores)
        return
    size = state[SIZE]
    stride = size + 1
    cell = cell_of(move // size, move % size, size)
    colour = state[cell]
    mine = scores[colour - BLACK]
    scores[0, move] = 0
    scores[1, move] = 0
    row, column = move // size, move % size
    for down, right in ((0, 1), (1, -1), (1, 0), (1, 1)):
        step = down * stride + right
        forward = 1
        while state[cell + forward * step] == colour:
            forward += 1
        backward = 1
        while state[cell - backward * step] == colour:
            backward += 1
        # `forward` and `backward` are the distances to the first cells that are not of this colour.
        for side in (1, -1):
            distance = forward if side == 1 else backward
            end = cell + side * distance * step
            if state[end] == EMPTY:
                beyond = 0
                while state[end + side * (beyond + 1) * step] == colour:
                    beyond += 1
                now = forward + backward - 1 + 1 + beyond
                before = distance + beyond
                point = (row + side * distance * down) * size + column + side * distance * right
                mine[point] += run_score(now, state[WIN], state[RULE]) - run_score(before, state[WIN], state[RULE])


@kernel
def _rescore_by_rule(state: Ints, move: int, scores: Ints) -> None:  # [2, A]
    """Under caro a stone also closes the ends of rows; under renju it may free or forbid a point far away."""
    size, row, column = state[SIZE], move // state[SIZE], move % state[SIZE]
    renju, lines, eyes = state[RULE] == RENJU, state[first_line(size) :], scratch_ints((EYES, 2))
    for point in range(size * size):
        down, right = point // size - row, point % size - column
        if down == 0 or right == 0 or abs(down) == abs(right):
            _score_by_rule(state, point, scores, eyes)
        elif renju and is_empty(lines, point // size, point % size):
            may = fault(lines, size, point, eyes) == ALLOWED
            known = scores[0, point] > 0  # what black may play is worth something to it
            if may != known:
                _score_by_rule(state, point, scores, eyes)


@kernel
def judge_moves(state: Ints, scores: Ints, moves: Ints, count: int, enough: int) -> int:  # [2, A], [A]
    """What `rescore_moves` and `judge_position` would say, without a move being played.

    A stone takes its own point from both sides and lengthens own runs at the ends of its lines. Most moves are never
    looked at: they cannot be better than the best so far.
    """
    win, size, colour = state[WIN], state[SIZE], state[SIDE]
    own, other = scores[colour - BLACK], scores[WHITE - colour]
    own_best = own_second = other_best = other_second = 0
    for point in range(size * size):
        if own[point] > own_second:
            own_second = min(own[point], own_best)
            own_best = max(own[point], own_best)
        if other[point] > other_second:
            other_second = min(other[point], other_best)
            other_best = max(other[point], other_best)
    if state[RULE] > STANDARD or win > DIGITS or state[EMPTIES] <= 1 or own_best >= POWERS[win]:
        return NOT_JUDGED
    longest = _digits(own_best)  # no stone makes a longer run now
    best = NOT_JUDGED
    for alone in range(2):  # first the moves that touch own stones, or take away the other side's best
        for k in range(count):
            move = moves[k]
            joins, blocks = _digits(own[move]), other[move] == other_best
            if (joins == 1 and not blocks) != alone:
                continue
            # A stone lengthens a run by one, and where it joins two, by no more than the run that it makes itself.
            gain = 9 * POWERS[longest] if joins == 1 else POWERS[min(longest + joins, win)]
            if not blocks and own_best + gain - other_best <= best:
                continue
            end = _best_end(state, move, colour, own, move)
            if end < 0:
                return NOT_JUDGED
            reached = max(end, own_second if own[move] == own_best else own_best)
            best = max(best, reached - (other_second if blocks else other_best))
            if best >= enough:
                moves[0], moves[k] = move, moves[0]
                return best
        if own_best + 9 * POWERS[longest] - other_best <= best:
            break  # a lone stone does no better
    return best


@kernel
def _digits(score: int) -> int:
    """The longest run of a point, by its score."""
    digits = 1
    while POWERS[digits + 1] <= score:
        digits += 1
    return digits


@kernel
def judge_reply(state: Ints, scores: Ints, move: int, reply: int) -> int:  # [2, A]
    """A stone of either side: each lengthens runs of its own, and takes its point from both."""
    win, size, colour = state[WIN], state[SIZE], state[SIDE]
    own, other = scores[colour - BLACK], scores[WHITE - colour]
    if state[RULE] > STANDARD or win > DIGITS or state[EMPTIES] <= 2:
        return NOT_JUDGED
    if own[move] >= POWERS[win] or other[reply] >= POWERS[win]:
        return NOT_JUDGED
    own_best = _best_end(state, move, colour, own, reply)
    other_best = _best_end(state, reply, BLACK + WHITE - colour, other, move)
    if own_best < 0 or other_best < 0:
        return NOT_JUDGED
    for point in range(size * size):
        if point not in (move, reply):
            own_best, other_best = max(own_best, own[point]), max(other_best, other[point])
    return own_best - other_best


@kernel
def _best_end(state: Ints, move: int, colour: int, own: Ints, taken: int) -> int:  # [A]
    """The best score of the empty ends of the lines that a stone on `move` would join; below 0 if one falls.

    The point `taken` is not empty either.
    """
    win, size = state[WIN], state[SIZE]
    too_long = POWERS[win] if state[RULE] == FREESTYLE else 1
    cell = cell_of(move // size, move % size, size)
    best = 0
    for line in range(4):
        step = 1 if line == 0 else size - 1 + line  # between cells, and between points
        apart = 1 if line == 0 else size - 2 + line
        up, ahead = cell + step, 1  # the first cells that are not of this colour, and how far they are
        while state[up] == colour:
            up += step
            ahead += 1
        down, behind = cell - step, 1
        while state[down] == colour:
            down -= step
            behind += 1
        if state[up] == EMPTY and move + ahead * apart != taken:
            gain = _gain(state, up, step, colour, ahead, behind, win, too_long)
            if gain < 0:
                return gain  # an overline
            best = max(best, own[move + ahead * apart] + gain)
        if state[down] == EMPTY and move - behind * apart != taken:
            gain = _gain(state, down, -step, colour, behind, ahead, win, too_long)
            if gain < 0:
                return gain
            best = max(best, own[move - behind * apart] + gain)
    return best


@kernel
def _gain(state: Ints, end: int, step: int, colour: int, near: int, far: int, win: int, too_long: int) -> int:
    """What an end gains by a stone `near` steps before it, behind which a run of `far` - 1 stones begins."""
    before = near
    end += step
    while state[end] == colour:
        before += 1
        end += step
    now = before + far
    return (POWERS[now] if now <= win else too_long) - (POWERS[before] if before <= win else too_long)


@kernel
def best_possible_score(state: Ints) -> int:
    return 4 * POWERS[min(state[WIN], DIGITS)]
