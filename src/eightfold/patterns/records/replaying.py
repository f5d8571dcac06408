"""Whether games of records can be played by the rules, specialised for a game."""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.games.contract import replay, reset


@kernel
def replay_games(
    state: Ints, size: int, options: Ints, moves: Ints, first: Ints, last: Ints, scratch: Ints, good: Ints
) -> None:
    """How many moves of each game, moves[first[g]:last[g]], are legal one after the other."""
    for game in range(first.shape[0]):
        reset(state, size, options)
        good[game] = last[game] - first[game]
        for k in range(first[game], last[game]):
            if replay(state, moves[k], scratch) < 0:
                good[game] = k - first[game]
                break
