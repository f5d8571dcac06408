"""Random games in bulk, for benchmarks and for counting: nothing is searched.

Nothing here knows a game: `eightfold.core.specialise` binds it to one.
"""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random
from eightfold.games.contract import rollout
from eightfold.games.state import copy_state


@kernel
def random_games(start: Ints, games: int, random: Random, scratch: Ints, results: Ints) -> None:
    """Play `games` random games from `start` and count how they end in `results` [4]."""
    state = start.copy()
    for _ in range(games):
        copy_state(start, state)
        results[rollout(state, random, scratch)] += 1
