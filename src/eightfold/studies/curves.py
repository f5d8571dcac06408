"""Reading a measured curve backwards: where does it reach a value? Straight lines over the logarithm of x."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

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
