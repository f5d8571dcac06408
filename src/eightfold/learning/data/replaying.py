"""Games played again by the rules, as rows of numbers: a kernel that every game gets (`eightfold.core.specialise`)."""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.games.contract import legal, play
from eightfold.games.state import copy_state


@kernel
def replay_moves(states: Ints, moves: Ints, room: Ints) -> int:
    """Play `moves` [P] from the first of `states` [P + 1, L] on; how many of them are legal, one after another.

    `room` [A] is used up.
    """
    for ply in range(moves.shape[0]):
        count = legal(states[ply], room)
        found = 0
        for k in range(count):
            found += room[k] == moves[ply]
        if found == 0:
            return ply
        copy_state(states[ply], states[ply + 1])
        play(states[ply + 1], moves[ply])
    return moves.shape[0]
