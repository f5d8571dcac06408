"""What a score is worth: intervals, and Elo ratings from many scores.

Wilson's interval inverts the score test: it holds every true mean from which the observed one is not further away than
`z` standard deviations, the deviation being that of the mean in question. `score_interval` does so where games can
be drawn: a draw lies in the middle, so games that are mostly drawn waver less than games that are won or lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from eightfold.core.intervals import Z95, wilson_bounds

ELO = 400 / math.log(10)  # points for each unit of the logistic function
STEPS, CLOSE = 100, 1e-9  # of Newton's method


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


class Rating(NamedTuple):
    elo: float
    error: float  # half the 95 % interval


def elo_ratings(players: int, scores: Sequence[tuple[int, int, float, int]]) -> tuple[Rating, ...]:
    """Ratings of players 0 to `players` - 1 from scores: one player, another, the points of the first, the games.

    The most likely ratings if a player who is d points stronger scores 1 / (1 + 10^(-d / 400)) on average (Bradley &
    Terry); their mean is 0. Everybody also has one draw against an average player, so that those who won everything
    stay finite.

    >>> [round(rating.elo) for rating in elo_ratings(2, [(0, 1, 75.0, 100)])]
    [95, -95]
    """
    pairs = np.array([(one, two) for one, two, _, _ in scores], np.int64).reshape(-1, 2)  # [M, 2]
    points = np.array([each[2] for each in scores])  # [M]
    games = np.array([each[3] for each in scores], np.float64)  # [M]
    strength, information = np.zeros(players), np.eye(players)
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(strength[pairs[:, 1]] - strength[pairs[:, 0]]))
        anchor = 1 / (1 + np.exp(-strength))
        slope = 0.5 - anchor
        np.add.at(slope, pairs[:, 0], points - games * expected)
        np.add.at(slope, pairs[:, 1], games * expected - points)
        weight = games * expected * (1 - expected)
        information = np.diag(anchor * (1 - anchor))
        for sign, (one, two) in ((1, (0, 0)), (1, (1, 1)), (-1, (0, 1)), (-1, (1, 0))):
            np.add.at(information, (pairs[:, one], pairs[:, two]), sign * weight)
        step = np.linalg.solve(information, slope)
        strength += np.clip(step, -1, 1)
        if np.abs(step).max(initial=0) < CLOSE:
            break
    centring = np.eye(players) - 1 / players
    strength = centring @ strength
    errors = Z95 * np.sqrt(np.diag(centring @ np.linalg.inv(information) @ centring))
    return tuple(Rating(ELO * float(each), ELO * float(error)) for each, error in zip(strength, errors, strict=True))
