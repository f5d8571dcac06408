"""Random games to the end, and who owns every point there: what `eightfold.search.ownership` asks.

Nothing here knows a game: `eightfold.core.specialise` binds it to one that offers `ownership`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random
from eightfold.games.contract import ownership, rollout
from eightfold.games.state import BLACK, WHITE


@kernel
def play_out(
    black_first: Ints,  # the two states to begin with, in turn
    white_first: Ints,
    random: Random,
    scratch: Ints,  # [A]
    leads: NDArray[np.float64],  # [games], of black; filled here
    totals: Ints,  # [N * N]: games in which a point was black's less those in which it was white's
) -> None:
    owners, state = np.zeros(totals.shape[0], np.int8), black_first.copy()
    for number in range(leads.shape[0]):
        state[:] = white_first if number % 2 else black_first
        rollout(state, random, scratch)
        ownership(state, owners)
        lead = 0
        for point in range(totals.shape[0]):
            sign = (owners[point] == BLACK) - (owners[point] == WHITE)
            totals[point] += sign
            lead += sign
        leads[number] = lead
