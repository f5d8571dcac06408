"""Kernels that a game gets for nothing, in terms of the ones it must have (`eightfold.games.contract`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random, random_below
from eightfold.games.contract import GAME, encode, legal, play
from eightfold.games.state import BLACK, HASHES, NO_MOVE, ONGOING, RESULT, SIDE, copy_state
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
    after = state.copy()
    for k in range(legal(state, scratch)):
        copy_state(state, after)
        play(after, scratch[k])
        if after[RESULT] == side:
            return scratch[k]
    return NO_MOVE


@kernel
def is_dead(state: Ints) -> bool:
    return False  # nobody knows


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
def encode_batch(states: Ints, encoder: int, planes: NDArray[np.float32]) -> None:
    for game in range(states.shape[0]):
        encode(states[game], encoder, planes[game])
