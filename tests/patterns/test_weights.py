"""Weights of 3x3 patterns for every code."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from eightfold.core.errors import EightfoldError
from eightfold.patterns.codes import orbit
from eightfold.patterns.combine import combine
from eightfold.patterns.library import Library, Table
from eightfold.patterns.templates import templates_with
from eightfold.patterns.weights import small_weights


def counted(side: int) -> Library:
    rng = np.random.default_rng(side)
    tables = {}
    for template in templates_with((side,)):
        codes = np.unique(rng.integers(0, template.codes, 2000)).astype(np.uint32)
        matches = rng.integers(1, 1000, len(codes))
        tables[template.name] = Table(codes=codes, matches=matches, plays=matches // rng.integers(2, 90, len(codes)))
    return Library(game="go", combined=False, tables=tables)


def test_equivalent_codes_weigh_the_same_once_combined() -> None:
    weights = small_weights(combine(counted(3)))
    assert weights.dtype == np.float32
    assert weights.shape == (3, 3**8)
    assert np.all(weights > 0)
    rng = np.random.default_rng(1)
    for row, template in enumerate(templates_with((3,))):
        for code in rng.integers(0, template.codes, 50):
            assert len({float(weights[row, turned]) for turned in orbit(template.name, int(code))}) == 1


def test_a_raw_library_weighs_every_code_by_itself() -> None:
    raw = counted(3)
    weights = small_weights(raw)
    tables = [raw.tables[t.name] for t in templates_with((3,))]
    average = sum(t.plays.sum() for t in tables) / sum(t.matches.sum() for t in tables)
    edge = raw.tables["3x3-edge"]
    usual = edge.plays.sum() / edge.matches.sum()
    expected = (edge.plays + 10 * usual) / (edge.matches + 10) / average
    assert weights[1, edge.codes] == pytest.approx(expected, rel=1e-5)
    unseen = np.setdiff1d(np.arange(3**8), edge.codes)
    assert weights[1, unseen] == pytest.approx(np.full(len(unseen), usual / average), rel=1e-5)


def test_strengths_do_not_matter() -> None:
    raw = counted(3)
    centre = raw.tables["3x3-centre"]
    rated = dataclasses.replace(centre, gammas=np.random.default_rng(2).uniform(0.1, 9, len(centre.codes)))
    weights = small_weights(dataclasses.replace(raw, tables={**raw.tables, "3x3-centre": rated}))
    assert np.array_equal(weights, small_weights(raw))


def test_a_library_without_small_patterns_is_refused() -> None:
    with pytest.raises(EightfoldError, match="no 3x3 patterns; it knows 4x4-centre-a"):
        small_weights(counted(4))
