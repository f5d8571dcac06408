"""Kernels that a game gets for nothing, in terms of the ones it must have (`eightfold.games.contract`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random, random_below
from eightfold.games.contract import GAME, encode, legal, play, stones
from eightfold.games.state import BLACK, HASHES, NO_MOVE, NOT_JUDGED, ONGOING, RESULT, SIDE, SIZE, copy_state
from eightfold.symmetry.group import read_symmetries, symmetry_mask
from eightfold.symmetry.orbit import orbit_key

SYMMETRIES = symmetry_mask(read_symmetries(GAME.symmetries))  # a constant to the compiler


@kernel
def rollout(state: Ints, random: Random, scratch: Ints) -> int:
    while state[RESULT] == ONGOING:
        count = legal(state, scratch)
        play(state, scratch[random_below(random, count)])
    return state[RESULT]


@kernel
def find_win(state: Ints, nodes: int, scratch: Ints) -> int:
    """Wins on the spot alone."""
    side = state[SIDE]
    after = scratch[scratch.shape[0] - state.shape[0] :]
    for k in range(legal(state, scratch)):
        copy_state(state, after)
        play(after, scratch[k])
        if after[RESULT] == side:
            return scratch[k]
    return NO_MOVE


@kernel
def find_threats(state: Ints, nodes: int, room: Ints) -> int:
    room[0] = 0
    return NO_MOVE


@kernel
def is_dead(state: Ints) -> bool:
    return False  # nobody knows


@kernel
def move_effects(state: Ints, move: int) -> int:
    return 0  # nothing is taken, saved or filled


@kernel
def position_key(state: Ints) -> int:
    return orbit_key(state[HASHES : HASHES + 8], SYMMETRIES)


@kernel
def judge_position(state: Ints, scores: Ints) -> int:  # [2, A]
    """Zhao & Zhang: the best score of the side to move minus the opponent's best."""
    side = state[SIDE] - BLACK
    own, other = scores[side], scores[1 - side]
    best_own = best_other = 0
    for point in range(own.shape[0]):
        best_own = max(best_own, own[point])
        best_other = max(best_other, other[point])
    return best_own - best_other


@kernel
def ownership(state: Ints, owners: NDArray[np.int8]) -> None:
    """Every stone owns the point on which it lies."""
    size = state[SIZE]
    stones(state, owners.reshape(size, size))


@kernel
def judge_moves(state: Ints, scores: Ints, moves: Ints, count: int, enough: int) -> int:
    return NOT_JUDGED


@kernel
def judge_reply(state: Ints, scores: Ints, move: int, reply: int) -> int:
    return NOT_JUDGED


@kernel
def encode_batch(states: Ints, encoder: int, planes: NDArray[np.float32]) -> None:
    for game in range(states.shape[0]):
        encode(states[game], encoder, planes[game])


@kernel
def replay(state: Ints, move: int, changed: Ints) -> int:
    """By the list of legal moves, and by looking at every point before and after."""
    known = False
    for k in range(legal(state, changed)):
        known |= changed[k] == move
    if not known:
        return -1
    size = state[SIZE]
    boards = np.empty((2, size, size), np.int8)
    stones(state, boards[0])
    play(state, move)
    stones(state, boards[1])
    count = 0
    for point in range(size * size):
        stone = boards[1, point // size, point % size]
        if boards[0, point // size, point % size] != stone:
            changed[count] = 4 * point + stone
            count += 1
    return count


@kernel
def forbidden(state: Ints, points: Ints) -> int:
    """The empty points that are not on the list of legal moves, which is in ascending order."""
    if state[RESULT] != ONGOING:
        return 0
    size = state[SIZE]
    board = np.empty((size, size), np.int8)
    stones(state, board)
    moves = np.empty(size * size + 1, np.int64)
    listed, place, count = legal(state, moves), 0, 0
    for point in range(size * size):
        if place < listed and moves[place] == point:
            place += 1
        elif board[point // size, point % size] == 0:
            points[count] = point
            count += 1
    return count
