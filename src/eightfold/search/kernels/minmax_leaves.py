"""Games between min-max players from the leaves of a search (mmRoll of Zhao & Zhang, equation 7).

Both sides look `depth` plies ahead with alpha-beta, or take the point that scores highest, as the player `greedy`, at
depth 0. With the chance epsilon a move is drawn instead, each in proportion to its greedy score: that is the softmax
over scores of their section 3.4.1, the score being a power of ten and its logarithm what enters.

Nothing here knows a game: `eightfold.core.specialise` binds it to one. Read next: `eightfold.search.leaves`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random, random_below
from eightfold.games.contract import play, rescore_moves, rollout, stones
from eightfold.games.state import BLACK, NO_MOVE, ONGOING, RESULT, SIDE, SIZE, copy_state
from eightfold.search.kernels.alphabeta import (
    Work,
    bring_best_forward,
    find_candidates,
    make_child,
    mark_near,
    prepare,
    search,
    win_value,
)
from eightfold.search.kernels.leaf_values import write_value

PARTS = 1 << 20  # of which epsilon is a number
LONGEST = 3  # games last so many times the board's actions at the most; random moves end longer ones


class Start(NamedTuple):
    """A leaf as each of its games begins, and scratch space."""

    scores: Ints  # [2, A]
    near: Ints  # [A]
    board: NDArray[np.int8]  # [N, N]
    moves: Ints  # [A] used up
    results: Ints  # [4]


@kernel
def value_leaves(
    states: Ints,  # [B, L]
    first: int,  # the leaves to value: from this one
    stop: int,  # to the one before this
    games: int,
    randoms: Random,  # [B] a generator for each leaf
    values: NDArray[np.float32],  # [B, 2] filled here
    depth: int,
    epsilon: int,  # of PARTS
    radius: int,  # how far from a stone candidates lie, at depth 1 and more
    work: Work,
    start: Start,
) -> None:
    for leaf in range(first, stop):
        stones(states[leaf], start.board)
        prepare(work, states[leaf], radius, start.board)
        if games > 1:
            _copy_start(work.scores[0], work.near, start.scores, start.near)
        start.results[:] = 0
        for number in range(games):
            if number > 0:
                copy_state(states[leaf], work.states[0])
                _copy_start(start.scores, start.near, work.scores[0], work.near)
            start.results[_play_out(work, randoms[leaf : leaf + 1], depth, epsilon, radius, start.moves)] += 1
        write_value(start.results, states[leaf, SIDE], values[leaf])


@kernel
def _copy_start(scores: Ints, near: Ints, to_scores: Ints, to_near: Ints) -> None:
    for side in range(2):
        copy_state(scores[side], to_scores[side])
    copy_state(near, to_near)


@kernel
def _play_out(work: Work, random: Random, depth: int, epsilon: int, radius: int, scratch: Ints) -> int:
    """Play the game at the root of `work` to its end; the result."""
    state, scores = work.states[0], work.scores[0]
    plies = 0
    while state[RESULT] == ONGOING:
        move = NO_MOVE
        if plies < LONGEST * scores.shape[1]:
            if random_below(random, int(PARTS)) < epsilon:
                move = drawn_move(state, scores, random)
            elif depth == 0:
                move = greedy_move(state, scores, random)
            else:
                move = best_move(work, depth, radius)
        if move == NO_MOVE:
            return rollout(state, random, scratch)
        play(state, move)
        rescore_moves(state, move, scores)
        if depth > 0:
            mark_near(work.near, move, state[SIZE], radius, 1)
        plies += 1
    return state[RESULT]


@kernel
def _worth(own: Ints, other: Ints, move: int) -> int:
    """Twice what the player `greedy` says of a move; 0 where the side may not play."""
    return 2 * own[move] + other[move] if own[move] > 0 else 0


@kernel
def greedy_move(state: Ints, scores: Ints, random: Random) -> int:
    """The move that is worth most, one of them by chance."""
    own, other = scores[state[SIDE] - BLACK], scores[2 - state[SIDE]]
    best, equals = 0, 0
    for move in range(own.shape[0]):
        worth = _worth(own, other, move)
        if worth > best:
            best, equals = worth, 1
        elif worth == best:
            equals += 1
    if best == 0:
        return NO_MOVE
    chosen = random_below(random, equals)
    for move in range(own.shape[0]):
        if _worth(own, other, move) == best:
            if chosen == 0:
                return move
            chosen -= 1
    return NO_MOVE


@kernel
def drawn_move(state: Ints, scores: Ints, random: Random) -> int:
    """A move by chance, in proportion to what it is worth."""
    own, other = scores[state[SIDE] - BLACK], scores[2 - state[SIDE]]
    total = 0.0
    for move in range(own.shape[0]):
        total += _worth(own, other, move)
    rest = total * (random_below(random, int(PARTS)) + 0.5) / PARTS
    for move in range(own.shape[0]):
        rest -= _worth(own, other, move)
        if rest < 0:
            return move
    return NO_MOVE


@kernel
def best_move(work: Work, depth: int, radius: int) -> int:
    """What alpha-beta finds, looking `depth` plies ahead."""
    size, widest = work.states[0, SIZE], 2 * win_value(work.states[0])
    count = find_candidates(work, 0)
    best, alpha = NO_MOVE, -widest
    for k in range(count):
        bring_best_forward(work.moves[0], work.order[0], k, count)
        move = work.moves[0, k]
        make_child(work, 0, move)
        mark_near(work.near, move, size, radius, 1)
        value = -search(work, depth, -widest, -alpha, radius)
        mark_near(work.near, move, size, radius, -1)
        if value > alpha:
            best, alpha = move, value
    return best
