"""Min-max search with alpha-beta pruning (Zhao & Zhang, section 3.2), in the negamax form.

A depth is a number of plies: at depth 1 every candidate move is tried and the position after it judged.
At the depth limit a position is worth the best greedy score of the side to move minus the opponent's
best, below any win; a win is worth WIN minus the plies until it comes, so the sooner the better.

Candidates are the empty points near stones, tried in the order of their greedy scores. The
transposition table is keyed by the orbit key, so a position and its variants by the game's symmetries share one
entry; an entry is used only for the very depth it was made for, which keeps the result equal to plain minimax.

The search is a loop over a stack of frames and not a recursion: Numba's disk cache breaks recursive kernels.

Nothing here knows a game: `eightfold.core.specialise` binds it to one. Read next: `eightfold.search.alphabeta`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.games.contract import (
    best_possible_score,
    judge_moves,
    judge_position,
    judge_reply,
    play,
    position_key,
    rescore_moves,
    score_moves,
)
from eightfold.games.state import BLACK, DRAW, NO_MOVE, NOT_JUDGED, ONGOING, RESULT, SIDE, SIZE, copy_state

EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what a stored value says of the true one
LONGEST = 1000  # more plies than any search looks ahead
UNDECIDED, ANYTHING = np.iinfo(np.int64).min, np.iinfo(np.int64).max

# An entry of the table.
KEY, VALUE, BOUND, ENTRY = 0, 1, 2, 3

# A frame of the stack: what is known of the position at a ply while its moves are tried.
ALPHA, BETA, FLOOR, BEST, CHOICE, REPLY, TRIED, COUNT, FRAME = 0, 1, 2, 3, 4, 5, 6, 7, 8


class Work(NamedTuple):
    """D plies deep, a table of T entries."""

    states: Ints  # [D + 1, L]
    scores: Ints  # [D + 1, 2, A] what each point is worth to black and to white
    moves: Ints  # [D + 1, A] candidates of each ply
    order: Ints  # [D + 1, A] and what they are sorted by
    frames: Ints  # [D + 1, FRAME]
    killers: Ints  # [D + 1] the best move of the last position of each ply: often a good one in the next, too
    near: Ints  # [A] how many stones lie within the radius of a point
    table: Ints  # [T, ENTRY] key, value and 4 * depth + kind, 0 if empty; side by side, for one look at the memory
    nodes: Ints  # [1] positions looked at
    stop: Ints  # [1] set from outside: give up at once


@kernel
def prepare(work: Work, state: Ints, radius: int, board: NDArray[np.int8]) -> None:  # board [N, N]
    """Take up a new root; the table keeps what it knows."""
    copy_state(state, work.states[0])
    score_moves(state, work.scores[0])
    work.near[:] = 0
    work.killers[:] = NO_MOVE
    size = state[SIZE]
    for row in range(size):
        for column in range(size):
            if board[row, column] != 0:
                mark_near(work.near, row * size + column, size, radius, 1)


@kernel
def mark_near(near: Ints, move: int, size: int, radius: int, change: int) -> None:
    row, column = move // size, move % size
    if row == size:
        return  # a pass
    for r in range(max(row - radius, 0), min(row + radius + 1, size)):
        for c in range(max(column - radius, 0), min(column + radius + 1, size)):
            near[r * size + c] += change


@kernel
def win_value(state: Ints) -> int:
    """More than any difference of scores, with room for the plies until the win."""
    return 2 * best_possible_score(state) + 2 * LONGEST


@kernel
def find_candidates(work: Work, ply: int) -> int:
    """List the empty points near stones, with their place in the order; on an empty board, the middle.

    A point that a side may not play is worth nothing to it. If that leaves none of these, all others are candidates.
    """
    state = work.states[ply]
    size, side = state[SIZE], state[SIDE] - BLACK
    own, other = work.scores[ply, side], work.scores[ply, 1 - side]
    moves, order = work.moves[ply], work.order[ply]
    count = 0
    for point in range(size * size):
        moves[count] = point
        order[count] = 2 * own[point] + other[point]  # own lines first: a five beats the parry of a five
        count += (work.near[point] > 0) & (own[point] > 0)
    if count == 0:
        for row in range((size - 1) // 2, size // 2 + 1):
            for column in range((size - 1) // 2, size // 2 + 1):
                if own[row * size + column] > 0:
                    moves[count] = row * size + column
                    order[count] = 0
                    count += 1
    if count == 0:
        for point in range(size * size):
            moves[count] = point
            order[count] = 0
            count += own[point] > 0
    if own.shape[0] > size * size and own[size * size] > 0:  # a pass, where there is one
        moves[count] = size * size
        order[count] = 0
        count += 1
    return count


@kernel
def make_child(work: Work, ply: int, move: int) -> None:
    """The state and the scores after `move`, one ply further down."""
    child = work.states[ply + 1]
    copy_state(work.states[ply], child)
    play(child, move)
    for side in range(2):
        copy_state(work.scores[ply, side], work.scores[ply + 1, side])
    rescore_moves(child, move, work.scores[ply + 1])


@kernel
def search(work: Work, last_ply: int, alpha: int, beta: int, radius: int) -> int:
    """The value of the position at ply 1 for its side to move, if it lies between alpha and beta."""
    ply = 1
    value = enter(work, ply, last_ply, alpha, beta)
    while value == UNDECIDED or ply > 1:
        if work.stop[0] != 0:
            return 0  # nobody will use it
        frame = work.frames[ply]
        if value == UNDECIDED:  # down, into the most promising move that was not tried yet
            tried = frame[TRIED]
            bring_best_forward(work.moves[ply], work.order[ply], tried, frame[COUNT])
            move = work.moves[ply, tried]
            bound = refuted_by(work, ply, move, frame[REPLY])
            if bound <= frame[ALPHA]:
                value = take_back(work, ply, last_ply, bound)
                continue
            make_child(work, ply, move)
            mark_near(work.near, move, work.states[ply, SIZE], radius, 1)
            ply += 1
            value = enter(work, ply, last_ply, -frame[BETA], -frame[ALPHA])
        else:  # up, with the value of the move that was tried last
            ply -= 1
            move = work.moves[ply, work.frames[ply, TRIED]]
            mark_near(work.near, move, work.states[ply, SIZE], radius, -1)
            value = take_back(work, ply, last_ply, -value)
    return value


@kernel
def refuted_by(work: Work, ply: int, move: int, reply: int) -> int:
    """What a move is worth at the most, by the reply that refuted another one two plies before the last."""
    if reply in (NO_MOVE, move) or work.near[reply] == 0:  # what is near is a candidate after any move
        return ANYTHING
    value = judge_reply(work.states[ply], work.scores[ply], move, reply)
    return ANYTHING if value == NOT_JUDGED else value


@kernel
def look_up(work: Work, ply: int, last_ply: int) -> tuple[int, int]:
    """What the table says of the position at `ply`, and what that is of the true value; 0 where it knows nothing."""
    state = work.states[ply]
    key = position_key(state)
    entry = work.table[key & (work.table.shape[0] - 1)]
    if entry[KEY] != key or entry[BOUND] // 4 != last_ply - ply:
        return 0, 0
    return _from_table(entry[VALUE], ply, win_value(state) - LONGEST), entry[BOUND] % 4


@kernel
def final_value(state: Ints, ply: int) -> int:
    """Of a game that is over, for the side that would be to move."""
    if state[RESULT] == DRAW:
        return 0
    # Mostly the other side has just won; but who ends a game of Go by a pass may have lost it.
    return win_value(state) - ply if state[RESULT] == state[SIDE] else ply - win_value(state)


@kernel
def enter(work: Work, ply: int, last_ply: int, alpha: int, beta: int) -> int:
    """The value of the position at `ply` if it is known at once; otherwise a frame for its moves is made."""
    work.nodes[0] += 1
    state = work.states[ply]
    if state[RESULT] != ONGOING:
        return final_value(state, ply)
    if ply == last_ply:
        return judge_position(state, work.scores[ply])
    value, kind = look_up(work, ply, last_ply)
    if kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha):
        return value
    frame = work.frames[ply]
    frame[ALPHA] = frame[FLOOR] = alpha
    frame[BETA] = beta
    frame[BEST] = -2 * win_value(state)
    frame[REPLY] = NO_MOVE
    frame[TRIED] = 0
    frame[COUNT] = find_candidates(work, ply)
    if ply == last_ply - 1:
        bring_best_forward(work.moves[ply], work.order[ply], 0, frame[COUNT])
        best = judge_moves(state, work.scores[ply], work.moves[ply], frame[COUNT], beta)
        if best != NOT_JUDGED:
            work.nodes[0] += frame[COUNT]
            frame[BEST] = best
            if best >= beta:
                work.frames[ply - 1, REPLY] = work.moves[ply, 0]
            remember(work, ply, last_ply)
            return best
    for k in range(frame[COUNT]):
        if work.moves[ply, k] == work.killers[ply]:
            work.order[ply, k] = ANYTHING
    return UNDECIDED


@kernel
def take_back(work: Work, ply: int, last_ply: int, value: int) -> int:
    """Account for the value of one more move; the value of the position once no further move can change it."""
    frame = work.frames[ply]
    frame[TRIED] += 1
    if value > frame[BEST]:
        frame[BEST], frame[CHOICE] = value, work.moves[ply, frame[TRIED] - 1]
    frame[ALPHA] = max(frame[ALPHA], value)
    wins_now = value >= win_value(work.states[ply]) - ply - 1  # no other move can be better
    if frame[ALPHA] < frame[BETA] and frame[TRIED] < frame[COUNT] and not wins_now:
        return UNDECIDED
    if frame[BEST] > frame[FLOOR]:
        work.killers[ply] = frame[CHOICE]
    remember(work, ply, last_ply)
    return frame[BEST]


@kernel
def remember(work: Work, ply: int, last_ply: int) -> None:
    """Put what was found out about the position at `ply` into the table."""
    state, frame = work.states[ply], work.frames[ply]
    best = frame[BEST]
    key = position_key(state)
    entry = work.table[key & (work.table.shape[0] - 1)]
    kind = AT_LEAST if best >= frame[BETA] else (AT_MOST if best <= frame[FLOOR] else EXACT)
    entry[KEY] = key
    entry[VALUE] = _to_table(best, ply, win_value(state) - LONGEST)
    entry[BOUND] = 4 * (last_ply - ply) + kind


@kernel
def bring_best_forward(moves: Ints, order: Ints, start: int, count: int) -> None:
    """One step of a selection sort: after a cut-off the rest is never sorted. Ties keep the lower point."""
    best = start
    for k in range(start + 1, count):
        if order[k] > order[best] or (order[k] == order[best] and moves[k] < moves[best]):
            best = k
    moves[start], moves[best] = moves[best], moves[start]
    order[start], order[best] = order[best], order[start]


@kernel
def _to_table(value: int, ply: int, far_win: int) -> int:
    """A win counted from this position instead of from the root, so that it is true at any ply."""
    if value > far_win:
        return value + ply
    return value - ply if value < -far_win else value


@kernel
def _from_table(value: int, ply: int, far_win: int) -> int:
    if value > far_win:
        return value - ply
    return value + ply if value < -far_win else value


@kernel
def follow(work: Work, last_ply: int, move: int, line: Ints, radius: int) -> int:
    """How the search to `last_ply` expects the game to go on after `move` at the root; how many moves. line: [D]

    The table knows no moves, but it knows values: the best reply is the one whose value is best. Entries that were
    overwritten since make a line shorter.
    """
    size = work.states[0, SIZE]
    length = 0
    while move >= 0:
        line[length] = move
        make_child(work, length, move)
        mark_near(work.near, move, size, radius, 1)
        length += 1
        move = -1
        if length < last_ply and work.states[length, RESULT] == ONGOING:
            move = best_known_reply(work, length, last_ply)
    for k in range(length):
        mark_near(work.near, line[k], size, radius, -1)
    return length


@kernel
def best_known_reply(work: Work, ply: int, last_ply: int) -> int:
    """The move at `ply` that is known to be worth most, or -1.

    Where a reply refutes the move before, it is one that is worth at least so much; where no move does, all are only
    known to be worth at most so much, and the best of these is taken.
    """
    best = guess = -1
    best_value = guess_value = UNDECIDED
    for k in range(find_candidates(work, ply)):
        move = work.moves[ply, k]
        make_child(work, ply, move)
        state, value, kind = work.states[ply + 1], 0, EXACT
        if state[RESULT] != ONGOING:
            value = final_value(state, ply + 1)
        elif ply + 1 == last_ply:
            value = judge_position(state, work.scores[ply + 1])
        else:
            value, kind = look_up(work, ply + 1, last_ply)
        if kind in (EXACT, AT_MOST):
            if -value > best_value:
                best, best_value = move, -value
        elif kind == AT_LEAST and -value > guess_value:
            guess, guess_value = move, -value
    return best if best >= 0 else guess


@kernel
def search_root(work: Work, depth: int, moves: Ints, exact: bool, values: Ints, radius: int) -> int:
    """Search `moves` in their order; how many were finished before the stop. Values: [len(moves)].

    With `exact` every value is the true one; otherwise the best is true and the others are upper bounds.
    """
    state = work.states[0]
    widest = 2 * win_value(state)
    alpha = -widest
    work.nodes[0] += 1
    for k in range(moves.shape[0]):
        make_child(work, 0, moves[k])
        mark_near(work.near, moves[k], state[SIZE], radius, 1)
        values[k] = -search(work, depth, -widest, widest if exact else -alpha, radius)
        mark_near(work.near, moves[k], state[SIZE], radius, -1)
        if work.stop[0] != 0:
            return k
        alpha = max(alpha, values[k])
    return moves.shape[0]
