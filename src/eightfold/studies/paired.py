"""Runs compared seed by seed: differences of pairs with 95 % intervals, and curves read at equal cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from eightfold.studies.grid import mean_interval, t_95, t_tails

Points = Sequence[tuple[float, float]]  # of a curve: x, which grows, and y


class Difference(NamedTuple):
    """The mean over pairs, its 95 % interval by Student's t, and of how many pairs."""

    mean: float | None
    low: float | None
    high: float | None
    pairs: int

    @property
    def is_above(self) -> bool:
        return self.low is not None and self.low > 0

    @property
    def is_below(self) -> bool:
        return self.high is not None and self.high < 0

    @property
    def chance(self) -> float:
        """Of a mean that far from zero if there were no difference (the p-value of Student's test); 1 if unknown."""
        if self.mean is None or self.low is None or self.high is None:
            return 1.0
        if self.high == self.low:
            return 1.0 if self.mean == 0 else 0.0
        freedom = self.pairs - 1
        return t_tails(2 * self.mean / (self.high - self.low) * t_95(freedom), freedom)

    def text(self, digits: int = 0, *, scale: float = 1.0, unit: str = "") -> str:
        """
        >>> Difference(0.5, -0.25, 1.25, 3).text(2)
        '+0.50 (-0.25 to +1.25)'
        """
        if self.mean is None:
            return "unknown"
        between = "" if self.low is None or self.high is None else (
            f" ({scale * self.low:+,.{digits}f} to {scale * self.high:+,.{digits}f})"
        )  # fmt: skip
        return f"{scale * self.mean:+,.{digits}f}{unit}{between}"


def paired(mine: Mapping[Any, float | None], theirs: Mapping[Any, float | None]) -> Difference:
    """What mine are more than theirs, by seeds (or whatever the keys are) that both have.

    >>> paired({0: 3.0, 1: 5.0, 2: 9.0}, {0: 2.0, 1: 3.0}).text(1)
    '+1.5 (-4.9 to +7.9)'
    """
    both = [(mine[key], theirs[key]) for key in mine if key in theirs]
    known = [a - b for a, b in both if a is not None and b is not None]
    if not known:
        return Difference(None, None, None, 0)
    return Difference(*mean_interval(known), len(known))


def of_several(chances: Sequence[float]) -> list[float]:
    """Chances of single tests, each as what it counts among all of them (Holm 1979): below 5 % none of these is luck,
    with 95 % confidence.

    >>> of_several([0.04, 0.01, 0.03])
    [0.06, 0.03, 0.06]
    """
    found, largest = list(chances), 0.0
    for rank, number in enumerate(sorted(range(len(found)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[number]))
        found[number] = largest
    return found


def ratio(mine: Mapping[Any, float], theirs: Mapping[Any, float]) -> Difference:
    """How many times theirs mine are, by keys that both have: the geometric mean, its interval likewise."""
    logs = [math.log(mine[key] / theirs[key]) for key in mine if key in theirs and mine[key] > 0 and theirs[key] > 0]
    if not logs:
        return Difference(None, None, None, 0)
    mean, low, high = mean_interval(logs)
    return Difference(
        math.exp(mean),
        math.exp(low) if low is not None else None,
        math.exp(high) if high is not None else None,
        len(logs),
    )


def read_at(points: Points, x: float) -> float | None:
    """A curve's height, on straight lines between its points; None outside of it.

    >>> read_at([(0, 4.0), (10, 2.0), (20, 1.0)], 15), read_at([(0, 4.0), (10, 2.0)], 11)
    (1.5, None)
    """
    if points and math.isclose(x, points[-1][0]):
        return points[-1][1]
    for (left, y), (right, other) in pairwise(points):
        if left <= x <= right:
            return y if right == left else y + (other - y) * (x - left) / (right - left)
    return None


def nearest(items: Sequence[Any], x: float, of: Callable[[Any], float]) -> Any:
    """The item whose `of` lies nearest to x."""
    return min(items, key=lambda item: abs(of(item) - x))
