"""How a move is drawn from what a search found: the higher the temperature, the more often a worse one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GREEDY = 1e-3  # at and below it the largest share wins


def draw_move(policy: NDArray[np.float32], temperature: float, random: np.random.Generator) -> int:
    """A move: the policy [A] sharpened by the temperature; at 0 the largest, ties by chance."""
    if temperature <= GREEDY:
        return int(random.choice(np.flatnonzero(policy == policy.max())))
    # Relative to the largest: what is small vanishes at a low temperature, but never everything.
    weights = np.cumsum((policy.astype(np.float64) / policy.max()) ** (1 / temperature))
    return int(np.searchsorted(weights, random.random() * weights[-1], side="right"))
