"""How full libraries are, against a plain spreading of sums over all codes as the paper does it."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.patterns.codes import orbit
from eightfold.patterns.combine import combine
from eightfold.patterns.library import Library, table_from_counts
from eightfold.patterns.occupancy import Thresholds, occupancy, posterior_shares, valid_posteriors


@pytest.fixture(scope="module")
def raw() -> Library:
    rng = np.random.default_rng(5)
    tables = {}
    for name in ("3x3-centre", "3x3-edge"):
        matches = rng.integers(0, 30, 6561)
        tables[name] = table_from_counts(matches, (matches * rng.random(6561) ** 3).astype(np.int64))
    return Library(game="go", combined=False, tables=tables)


@pytest.mark.parametrize("name", ["3x3-centre", "3x3-edge"])
def test_occupancy_is_that_of_sums_spread_over_all_codes(raw: Library, name: str) -> None:
    table = raw.tables[name]
    matches, plays = np.zeros(6561, np.int64), np.zeros(6561, np.int64)
    matches[table.codes], plays[table.codes] = table.matches, table.plays
    spread = np.array([(sum(matches[orbit(name, code)]), sum(plays[orbit(name, code)])) for code in range(6561)])

    def share(seen: np.ndarray, played: np.ndarray) -> float:
        return float(((played >= 3) & (seen >= 5) & (played >= 0.05 * seen)).mean())

    assert occupancy(raw, name) == pytest.approx(share(matches, plays))
    assert occupancy(combine(raw), name) == pytest.approx(share(spread[:, 0], spread[:, 1]))
    assert occupancy(combine(raw), name) > occupancy(raw, name) > 0


def test_shares_of_posteriors(raw: Library) -> None:
    posteriors, codes = valid_posteriors(combine(raw), "3x3-centre", Thresholds(plays=1, matches=1, posterior=0.2))
    assert posteriors.min() >= 0.2
    shares = posterior_shares(combine(raw), "3x3-centre", 10, Thresholds(plays=1, matches=1, posterior=0.2))
    assert shares.sum() == pytest.approx(1)
    assert shares[:2].sum() == 0
    assert shares[4] == pytest.approx(codes[(posteriors >= 0.4) & (posteriors < 0.5)].sum() / codes.sum())
    assert occupancy(raw, "4x4-centre") == 0
    assert posterior_shares(raw, "4x4-centre").sum() == 0
