"""What a score is worth: its intervals. Elo ratings from many scores: `bradley_terry.py`.

Wilson's interval inverts the score test: it holds every true mean from which the observed one is not further away than
`z` standard deviations, the deviation being that of the mean in question. `score_interval` does so where games can
be drawn: a draw lies in the middle, so games that are mostly drawn waver less than games that are won or lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from eightfold.core.intervals import Z95, wilson_bounds


def wilson_interval(score: float, games: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval (1927) for the true mean of `games` results with the mean `score` between 0 and 1.

    Where the results are not only 0 and 1 the interval is wider than it need be, never narrower; see `score_interval`
    for games with draws.

    >>> low, high = wilson_interval(0.5, 20)
    >>> round(low, 3), round(high, 3)
    (0.299, 0.701)
    """
    low, high = wilson_bounds(score, games, z)
    return float(low), float(high)


def score_interval(wins: int, draws: int, losses: int, z: float = Z95) -> tuple[float, float]:
    """The interval for the true mean score of games that are won (1), drawn (1/2) and lost (0).

    Without draws it is Wilson's; the more draws there are, the narrower.

    >>> [round(bound, 3) for bound in score_interval(10, 0, 10)]
    [0.299, 0.701]
    >>> [round(bound, 3) for bound in score_interval(2, 16, 2)]
    [0.385, 0.615]
    """
    games = wins + draws + losses
    if games == 0:
        return 0.0, 1.0
    score = (wins + draws / 2) / games

    def is_likely(mean: float) -> bool:
        return (score - mean) ** 2 <= z * z * _variance(mean, wins, draws, losses) / games

    return _boundary(is_likely, score, 0.0), _boundary(is_likely, score, 1.0)


def _boundary(is_likely: Callable[[float], bool], inside: float, outside: float) -> float:
    """Where, between a mean that is likely and one that may not be, the likely ones end."""
    if is_likely(outside):
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        if is_likely(middle):
            inside = middle
        else:
            outside = middle
    return inside


def _variance(mean: float, wins: int, draws: int, losses: int) -> float:
    """The variance of one game's result under the most likely chances that have this mean.

    With x for half the chance of a draw, those of a win and a loss are mean - x and 1 - mean - x. The likelihood is
    largest where games x^2 - (draws + wins (1 - mean) + losses mean) x + draws mean (1 - mean) = 0.
    """
    games = wins + draws + losses
    slope, rest = draws + wins * (1 - mean) + losses * mean, draws * mean * (1 - mean)
    half = (slope - math.sqrt(max(0.0, slope * slope - 4 * games * rest))) / (2 * games)
    return mean - half / 2 - mean * mean
