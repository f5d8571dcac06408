"""Ratings in plain Python: what `arena/bradley_terry.py` must equal, by the definition and without a derivative.

The chances are those of Davidson (1970) with the advantage of moving first as a factor of strength (Davidson & Beaver
1977). The likelihood is climbed along one coordinate after another, and the errors come from its second differences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

Row = tuple[int, int, float, float, float]  # who moves first, who second; wins, draws and losses of the first

FINE = 1e-7  # the climb ends with steps of this size
WIDTH = 1e-3  # of the second differences
POINTS = 400 / math.log(10)  # of Elo, for a factor e of strength
Z95 = 1.96


class PlainRatings(NamedTuple):
    """Elo of the players, whose mean is 0, and of the first move, with half their 95 % intervals; and nu."""

    elo: list[float]
    errors: list[float]
    first_move: float
    first_move_error: float
    nu: float


def plain_ratings(players: int, rows: Sequence[Row]) -> PlainRatings:
    """The most likely ratings, with the same prior: a game against 1 for each strength and for the advantage."""
    drawn = any(row[3] for row in rows)

    def likelihood(point: Sequence[float]) -> float:
        """Its logarithm at logarithms of the strengths, of the advantage and of nu; without a draw nu is 0."""
        nu = math.exp(point[players + 1]) if drawn else 0.0

        def worth(mine: float, theirs: float, counts: Sequence[float]) -> float:
            weights = (mine, nu * math.sqrt(mine * theirs), theirs)
            return sum(n * math.log(weight / sum(weights)) for n, weight in zip(counts, weights, strict=True) if n)

        total = sum(worth(math.exp(each), 1.0, (0.5, 0.0, 0.5)) for each in point[: players + 1])
        for first, second, *counts in rows:
            total += worth(math.exp(point[first] + point[players]), math.exp(point[second]), counts)
        return total

    point = [0.0] * (players + 1 + drawn)
    steps, best = [0.5] * len(point), likelihood(point)
    while max(steps) > FINE:
        for place in range(len(point)):
            for side in (1, -1):
                moved = [*point[:place], point[place] + side * steps[place], *point[place + 1 :]]
                found = likelihood(moved)
                if found > best:
                    point, best, steps[place] = moved, found, steps[place] * 2
                    break
            else:
                steps[place] /= 2

    def difference(one: int, two: int) -> float:
        total = 0.0
        for a in (WIDTH, -WIDTH):
            for b in (WIDTH, -WIDTH):
                moved = [each + a * (k == one) + b * (k == two) for k, each in enumerate(point)]
                total += math.copysign(1, a * b) * likelihood(moved)
        return total / (2 * WIDTH) ** 2

    variance = np.linalg.inv([[-difference(one, two) for two in range(len(point))] for one in range(len(point))])
    centred = np.eye(players) - 1 / players
    of_players = centred @ variance[:players, :players] @ centred
    mean = sum(point[:players]) / players
    return PlainRatings(
        elo=[POINTS * (each - mean) for each in point[:players]],
        errors=[POINTS * Z95 * math.sqrt(each) for each in np.diag(of_players)],
        first_move=POINTS * point[players],
        first_move_error=POINTS * Z95 * math.sqrt(variance[players, players]),
        nu=math.exp(point[players + 1]) if drawn else 0.0,
    )
