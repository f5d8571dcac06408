"""Openings drawn by kernels against the rules, and which of them are balanced."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.core.rng import make_random
from eightfold.games import make_game
from eightfold.learning.config import SelfPlayConfig
from eightfold.learning.selfplay import SelfPlay
from eightfold.search.openings import balanced, draw_openings, opening_points, values_of, won_by_force


class Weight:
    """An evaluator that counts stones by where they lie."""

    encoder = "last-move"

    def __init__(self, draws: bool) -> None:
        self.draws, self.asked = draws, 0

    def evaluate(self, planes):
        self.asked = max(self.asked, len(planes))
        heavy = np.linspace(-1, 1, planes[0, 0].size).reshape(planes[0, 0].shape)
        values = np.tanh((planes[:, 0] * heavy - planes[:, 1] * heavy).sum(axis=(1, 2))).astype(np.float32)
        logits = np.zeros((len(planes), planes[0, 0].size), np.float32)
        return logits, np.stack([values, 1 - np.abs(values)], axis=1) if self.draws else values


@pytest.mark.parametrize("everywhere", [False, True])
def test_openings_are_legal_end_nothing_and_lie_where_they_may(everywhere):
    game = make_game("gomoku:size=6,win=4")
    drawn = draw_openings(game, 400, least=1, most=7, random=make_random(1), everywhere=everywhere)
    assert set(drawn.lengths.tolist()) == set(range(1, 8))
    stones = set()
    for row in range(len(drawn.lengths)):
        position = game.after(drawn.moves_of(row))
        assert not position.is_over
        np.testing.assert_array_equal(position.state, drawn.states[row])
        stones |= set(position.moves)
    assert stones == set(opening_points(6, everywhere))
    again = draw_openings(game, 400, least=1, most=7, random=make_random(1), everywhere=everywhere)
    np.testing.assert_array_equal(drawn.moves, again.moves)


@pytest.mark.parametrize("most", [6, 20])
def test_openings_are_as_long_as_those_that_self_play_draws(most):
    """Stones that fall on one another are drawn again, and do not make long openings rare."""
    game, rows = make_game("gomoku:size=8"), 3000
    settings = SelfPlayConfig(parallel_games=2, opening_share=1.0, opening_stones=most, opening_anywhere=False)
    player = SelfPlay(game, Weight(draws=False), settings=settings, random=np.random.default_rng(1))
    theirs = np.array([len(player._random_opening(game)) for _ in range(rows)])
    ours = draw_openings(game, rows, least=0, most=most, random=make_random(1), everywhere=False).lengths
    error = 3 * np.sqrt(2 / rows) * theirs.std()
    assert ours.mean() == pytest.approx(theirs.mean(), abs=error)
    assert (ours == most).mean() == pytest.approx((theirs == most).mean(), abs=3 * np.sqrt(2 * 0.15 * 0.85 / rows))


@pytest.mark.parametrize("draws", [False, True])
def test_values_are_those_of_single_positions_and_a_win_by_force_is_none(draws):
    game, evaluator = make_game("gomoku:size=6,win=4"), Weight(draws)
    drawn = draw_openings(game, 300, least=4, most=9, random=make_random(2))
    values = values_of(game, evaluator, drawn.states)
    won = won_by_force(game, drawn.states)
    assert 0 < won.sum() < 300
    assert evaluator.asked < 300, "a large number of openings is asked for in parts"
    for row in range(300):
        position = game.after(drawn.moves_of(row))
        wins_now = any(position.play(int(move)).is_over for move in position.legal_moves)
        assert won[row] or not wins_now
        told = np.ravel(evaluator.evaluate(position.encode("last-move")[None])[1])[0]
        assert values[row] == (np.inf if won[row] else pytest.approx(told, abs=1e-6))


@given(
    st.lists(st.one_of(st.floats(-1, 1), st.just(np.inf)), min_size=1, max_size=20), st.floats(0, 1), st.integers(1, 9)
)
def test_the_balanced_ones_are_all_within_the_limit_or_the_nearest(values, limit, least):
    array = np.array(values)
    chosen = balanced(array, limit, least).tolist()
    within = [k for k, value in enumerate(values) if abs(value) <= limit]
    if len(within) >= least:
        assert chosen == within
        return
    open_ones = sorted(abs(value) for value in values if np.isfinite(value))
    assert sorted(abs(values[k]) for k in chosen) == open_ones[:least]
    assert chosen == sorted(set(chosen))
