"""Kernels for the lanes of a GPU's warp that a game gets for nothing, in terms of those for one lane.

They may use what `eightfold.games.defaults` has a default for: the game's own where it has one.
"""

from __future__ import annotations

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import from_first_lane, lane_of, wait_for_lanes
from eightfold.games.contract import find_win
from eightfold.games.state import NO_MOVE


@kernel
def find_win_together(state: Ints, nodes: int, scratch: Ints, lanes: int) -> int:
    """The first lane looks alone."""
    move = Int(NO_MOVE)
    if lane_of(lanes) == 0:
        move = Int(find_win(state, nodes, scratch))
    wait_for_lanes(lanes)
    return from_first_lane(move, lanes)
