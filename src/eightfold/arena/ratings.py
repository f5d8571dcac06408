"""What a score is worth: intervals."""

from __future__ import annotations

import math

Z95 = 1.959963984540054  # the normal quantile that leaves 2.5 % on either side


def wilson_interval(score: float, games: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval (1927) for the true mean of `games` results with the mean `score` between 0 and 1.

    A draw counts half, which makes the interval a little wider than it need be, never narrower.

    >>> low, high = wilson_interval(0.5, 20)
    >>> round(low, 3), round(high, 3)
    (0.299, 0.701)
    """
    if games == 0:
        return 0.0, 1.0
    spread = z * z / games
    centre = (score + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(score * (1 - score) / games + spread / (4 * games))
    return max(0.0, min(score, centre - half)), min(1.0, max(score, centre + half))  # against rounding at 0 and 1
