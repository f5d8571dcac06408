"""Kernels for the lanes of a GPU's warp that a game gets for nothing, in terms of those for one lane.

The first lane does the work alone. They may use what `eightfold.games.defaults` has a default for: the game's own
where it has one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import from_first_lane, lane_of, wait_for_lanes
from eightfold.games.contract import encode, find_win, is_dead, legal, play
from eightfold.games.state import NO_MOVE


@kernel
def encode_together(state: Ints, encoder: int, planes: NDArray[np.float32], lanes: int) -> None:
    if lane_of(lanes) == 0:
        encode(state, encoder, planes)
    wait_for_lanes(lanes)


@kernel
def legal_together(state: Ints, moves: Ints, lanes: int) -> int:
    count = Int(0)
    if lane_of(lanes) == 0:
        count = Int(legal(state, moves))
    wait_for_lanes(lanes)
    return from_first_lane(count, lanes)


@kernel
def find_win_together(state: Ints, nodes: int, scratch: Ints, lanes: int) -> int:
    move = Int(NO_MOVE)
    if lane_of(lanes) == 0:
        move = Int(find_win(state, nodes, scratch))
    wait_for_lanes(lanes)
    return from_first_lane(move, lanes)


@kernel
def play_together(state: Ints, move: int, lanes: int) -> None:
    wait_for_lanes(lanes)  # all have read what they wanted of the state
    if lane_of(lanes) == 0:
        play(state, move)
    wait_for_lanes(lanes)


@kernel
def is_dead_together(state: Ints, lanes: int) -> bool:
    dead = Int(0)
    if lane_of(lanes) == 0:
        dead = Int(is_dead(state))
    wait_for_lanes(lanes)
    return from_first_lane(dead, lanes) != 0
