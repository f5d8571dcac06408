"""Reading a measured curve over the logarithm of x: where does it reach a value, and where would it go on to?"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from eightfold.studies.grid import t_95

Curve = Sequence[tuple[float, float]]  # x, which grows, and y


def falls_to(curve: Curve, wanted: float) -> float | None:
    """The x at which a falling curve reaches `wanted`, its first if it starts there; None beyond its end.

    >>> falls_to([(100, 4.0), (1000, 3.0)], 3.5)
    316.22776601683796
    """
    if not curve or wanted >= curve[0][1]:
        return float(curve[0][0]) if curve else None
    for (x, y), (more, less) in pairwise(curve):
        if less <= wanted < y:
            share = (y - wanted) / (y - less)
            return math.exp((1 - share) * math.log(x) + share * math.log(more))
    return None


def rises_to(curve: Curve, wanted: float) -> float | None:
    """The same of a rising curve.

    >>> rises_to([(100, 0.25), (1000, 0.75)], 0.5)
    316.22776601683796
    """
    return falls_to([(x, -y) for x, y in curve], -wanted)


@dataclass(frozen=True)
class Trend:
    """A straight line over the doublings of x, by least squares, with 95 % intervals by Student's t.

    >>> trend = Trend.of([(1, 0.0), (2, 10.0), (4, 20.0)])
    >>> [round(each) for each in (*trend.at(8), *trend.doubling)]
    [30, 30, 30, 10, 10, 10]
    """

    points: int
    centre: float  # the mean of log2(x)
    width: float  # the sum of squares around it
    level: float  # of y, there
    slope: float  # for each doubling
    scatter: float  # standard deviation of the points around the line

    @classmethod
    def of(cls, curve: Curve) -> Trend:
        """Through three points at least, not all of one x, none at 0."""
        doublings, ys = [math.log2(x) for x, _ in curve], [y for _, y in curve]
        slope, level = statistics.linear_regression(doublings, ys)
        centre = statistics.fmean(doublings)
        off = [y - level - slope * x for x, y in zip(doublings, ys, strict=True)]
        return cls(
            points=len(curve),
            centre=centre,
            width=sum((x - centre) ** 2 for x in doublings),
            level=level + slope * centre,
            slope=slope,
            scatter=math.sqrt(sum(each**2 for each in off) / (len(curve) - 2)),
        )

    def at(self, x: float) -> tuple[float, float, float]:
        """The line at x, and the interval that it has there."""
        away = math.log2(x) - self.centre
        return self._interval(self.level + self.slope * away, math.sqrt(1 / self.points + away**2 / self.width))

    @property
    def doubling(self) -> tuple[float, float, float]:
        """What y gains when x doubles, with its interval."""
        return self._interval(self.slope, 1 / math.sqrt(self.width))

    def _interval(self, middle: float, errors: float) -> tuple[float, float, float]:
        half = t_95(self.points - 2) * self.scatter * errors
        return middle, middle - half, middle + half
