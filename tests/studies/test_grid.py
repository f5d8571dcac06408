"""Means over seeds and their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eightfold.studies.grid import mean_interval, over_seeds


@pytest.mark.parametrize(("count", "t"), [(2, 12.7062), (10, 2.2622), (31, 2.0423), (61, 2.0003), (121, 1.9799)])
def test_the_interval_is_students(count, t):
    """Against printed tables of t at 97.5 %."""
    values = np.random.default_rng(count).normal(size=count)
    mean, low, high = mean_interval(list(values))
    half = t * values.std(ddof=1) / math.sqrt(count)
    assert (mean, low, high) == pytest.approx((values.mean(), values.mean() - half, values.mean() + half), rel=1e-4)


def test_one_seed_has_no_interval():
    rows = [{"mode": "slap", "games": games, "seed": 0, "score": 0.5} for games in (10, 20)]
    found = over_seeds(rows, by=("mode", "games"), value="score")
    assert [row["games"] for row in found] == [10, 20]
    assert found[0] == {"mode": "slap", "games": 10, "score": 0.5, "low": None, "high": None, "count": 1}
