"""Variants times seeds: the cases of a stage, and what they come to with a confidence interval over the seeds.

>>> cases = grid({"mode": ["none", "slap"], "seed": range(2)}, games=4)
>>> cases[3]
{'mode': 'slap', 'seed': 1, 'games': 4}
>>> rows = [{**case, "score": 0.5 + 0.1 * case["seed"]} for case in cases]
>>> for row in over_seeds(rows, by=("mode",), value="score"):
...     print(row["mode"], f"{row['score']:.2f}, {row['low']:.2f} to {row['high']:.2f}, {row['count']} seeds")
none 0.55, -0.09 to 1.19, 2 seeds
slap 0.55, -0.09 to 1.19, 2 seeds
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

# Student's t that leaves 2.5 % on either side, for 1 to 30 degrees of freedom.
_T95 = (
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
    2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
    2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
)  # fmt: skip
_Z95 = 1.959964


def grid(axes: Mapping[str, Iterable[Any]], **same: Any) -> list[dict[str, Any]]:
    """Every combination of the values of the axes, the last axis fastest, each with what is the same for all."""
    return [{**dict(zip(axes, values, strict=True)), **same} for values in product(*axes.values())]


def mean_interval(values: Sequence[float]) -> tuple[float, float | None, float | None]:
    """The mean of independent runs and its 95 % interval by Student's t; one run alone has no interval.

    >>> mean_interval([1.0, 2.0, 3.0])[0], [round(bound, 2) for bound in mean_interval([1.0, 2.0, 3.0])[1:]]
    (2.0, [-0.48, 4.48])
    """
    mean, freedom = statistics.fmean(values), len(values) - 1
    if freedom == 0:
        return mean, None, None
    half = t_95(freedom) * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def t_95(freedom: int) -> float:
    """Student's t that leaves 2.5 % on either side."""
    if freedom <= len(_T95):
        return _T95[freedom - 1]
    z = _Z95  # beyond the table in powers of 1 / freedom (Abramowitz & Stegun 26.7.5)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def t_tails(t: float, freedom: int) -> float:
    """The chance that Student's t is further from zero than this (Abramowitz & Stegun 26.7.3 and 26.7.4).

    >>> [round(t_tails(t_95(freedom), freedom), 4) for freedom in (1, 2, 7, 30, 31)]
    [0.05, 0.05, 0.05, 0.05, 0.05]
    """
    angle = math.atan(abs(t) / math.sqrt(freedom))
    cosine, odd = math.cos(angle), freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= (k - 1) / k * cosine**2
        total += term
    within = math.sin(angle) * total
    return 1 - (2 / math.pi * (angle + within) if odd else within)


def over_seeds(rows: Iterable[Mapping[str, Any]], *, by: Sequence[str], value: str) -> list[dict[str, Any]]:
    """The mean of a column over all rows that agree in the columns `by`, with `low`, `high` and `count`."""
    groups: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(float(row[value]))
    found = []
    for group, values in groups.items():
        mean, low, high = mean_interval(values)
        found.append({**dict(zip(by, group, strict=True)), value: mean, "low": low, "high": high, "count": len(values)})
    return found
