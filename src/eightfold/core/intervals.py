"""Wilson's interval (1927) for an unknown mean: of a player's score, or of how often a move is played.

It inverts the score test: it holds every true mean from which the observed one is not further away than `z` standard
deviations, the deviation being that of the mean in question.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Z95 = 1.959963984540054  # the normal quantile that leaves 2.5 % on either side


def wilson_bounds(mean: ArrayLike, trials: ArrayLike, z: float = Z95) -> tuple[NDArray[Any], NDArray[Any]]:
    """The lower and the upper ends for observed means of so many trials, number by number; 0 and 1 without any.

    >>> low, high = wilson_bounds([0.5, 0.0], [20, 0])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.299, 0.0], [0.701, 1.0])
    """
    means, counts = np.asarray(mean, np.float64), np.asarray(trials, np.float64)
    spread = z * z / np.maximum(counts, 1)
    centre = (means + spread / 2) / (1 + spread)
    variance = means * (1 - means) / np.maximum(counts, 1)
    half = z / (1 + spread) * np.sqrt(variance + spread / (4 * np.maximum(counts, 1)))
    low = np.maximum(0.0, np.minimum(means, centre - half))  # against rounding at 0 and 1
    high = np.minimum(1.0, np.maximum(means, centre + half))
    return np.where(counts == 0, 0.0, low), np.where(counts == 0, 1.0, high)
