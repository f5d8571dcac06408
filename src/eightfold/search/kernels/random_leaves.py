"""Random games from the leaves of a search, and what they say of each (ranRoll of Zhao & Zhang, equation 8).

Nothing here knows a game: `eightfold.core.specialise` binds it to one. Read next: `eightfold.search.leaves`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random
from eightfold.games.contract import rollout
from eightfold.games.state import SIDE, copy_state
from eightfold.search.kernels.leaf_values import write_value


@kernel
def value_leaves(
    states: Ints,  # [B, L]
    first: int,  # the leaves to value: from this one
    stop: int,  # to the one before this
    games: int,
    randoms: Random,  # [B] a generator for each leaf
    values: NDArray[np.float32],  # [B, 2] filled here
    state: Ints,  # [L] used up, as is
    scratch: Ints,  # [A]
    results: Ints,  # [4]
) -> None:
    for leaf in range(first, stop):
        results[:] = 0
        for _ in range(games):
            copy_state(states[leaf], state)
            results[rollout(state, randoms[leaf : leaf + 1], scratch)] += 1
        write_value(results, states[leaf, SIDE], values[leaf])
