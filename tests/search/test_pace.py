"""How long a move deserves, by a clock that goes on only when it is told to and searches that are written down."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.search.limits import Limits
from eightfold.search.move_time import MoveTime
from eightfold.search.pace import LOOKS, Pace, Standing

USUAL, MOST = 1.0, 3.0
ON_A_CLOCK, FOR_THIS_MOVE = MoveTime(usual=USUAL, most=MOST), 1.0


class Search:
    """Shares of the visits, and values, for three moves; visits come at a steady rate of 1000 a second."""

    RATE = 1000

    def __init__(self, seconds, *, kept=(0, 0, 0), expected=None):
        self.at, self.kept = 0.0, np.array(kept, np.float32)
        limits = Limits(0.0, seconds, now=lambda: self.at)
        self.pace = Pace(limits, kept=int(self.kept.sum()), expected=expected)
        self.visits = self.kept.copy()

    def go_on(self, until, shares, values=(0.1, 0.0, -0.1), *, choices=3):
        """Search until that time or until it is enough; when it was, or None."""
        while self.at < until - 1e-9:
            self.at += 0.01
            self.visits += self.RATE * 0.01 * np.array(shares, np.float32)
            values_now = np.where(self.visits > 0, np.array(values, np.float32), np.nan).astype(np.float32)
            root = Standing(visits=self.visits, values=values_now, total=int(self.visits.sum()), choices=choices)
            if self.pace.enough(root):
                return self.at
        return None


EVEN = (0.36, 0.34, 0.3)


@pytest.mark.parametrize("seconds", [ON_A_CLOCK, FOR_THIS_MOVE])
def test_an_even_search_takes_the_usual_time_or_stops_when_nobody_can_catch_up(seconds):
    ended = Search(seconds).go_on(MOST, EVEN)
    assert 0.9 < ended <= USUAL + 0.01


@pytest.mark.parametrize("seconds", [ON_A_CLOCK, FOR_THIS_MOVE])
def test_the_only_move_that_does_not_lose_is_played_at_once(seconds):
    assert Search(seconds).go_on(MOST, EVEN, choices=1) == pytest.approx(0.01)


@pytest.mark.parametrize("seconds", [ON_A_CLOCK, FOR_THIS_MOVE])
@pytest.mark.parametrize("share", [0.6, 0.7, 0.8])
def test_a_lead_that_cannot_be_caught_up_ends_the_search_and_not_before(seconds, share):
    search = Search(seconds)
    ended = search.go_on(MOST, (share, 1 - share, 0.0))
    assert ended < USUAL - 0.05
    left = search.RATE * (USUAL - ended)
    lead = search.visits[0] - search.visits[1]
    assert lead > left, "all visits to the second from now on would not have been enough"
    assert lead < 1.6 * left + 50, "and it did not wait much longer than that"


@pytest.mark.parametrize("seconds", [ON_A_CLOCK, FOR_THIS_MOVE])
def test_a_lead_that_was_kept_from_the_last_move_counts(seconds):
    assert Search(seconds, kept=(3000, 200, 100)).go_on(MOST, EVEN) == pytest.approx(0.01 * LOOKS)


def test_a_clear_move_saves_time_on_a_clock_and_not_otherwise():
    shares = (0.9, 0.1, 0.0)
    on_a_clock, for_this_move = (Search(seconds).go_on(MOST, shares) for seconds in (ON_A_CLOCK, FOR_THIS_MOVE))
    assert on_a_clock == pytest.approx(0.25, abs=0.02)
    assert for_this_move > 0.5, "only once nobody can catch up"


def test_a_move_that_is_new_gets_more_time_on_a_clock():
    values = (0.1, 0.1, -0.1)
    for seconds, least, most in ((ON_A_CLOCK, 1.15, 1.5), (FOR_THIS_MOVE, USUAL - 0.1, USUAL + 0.01)):
        search = Search(seconds)
        assert search.go_on(0.8, (0.4, 0.3, 0.3), values) is None
        assert least < search.go_on(MOST, (0.0, 1.0, 0.0), values) <= most  # the second soon overtakes the first


def test_a_rival_that_is_worth_more_gets_the_most_on_a_clock():
    values = (0.1, 0.3, -0.1)
    assert Search(ON_A_CLOCK).go_on(10, EVEN, values) == pytest.approx(MOST, abs=0.35)
    assert Search(FOR_THIS_MOVE).go_on(10, EVEN, values) <= USUAL + 0.01
    rare = (0.52, 0.08, 0.4)
    assert Search(ON_A_CLOCK).go_on(10, rare, values) <= USUAL + 0.01, "few visits make no rival"


def test_a_value_far_below_the_expected_one_gets_more_time():
    assert Search(ON_A_CLOCK, expected=0.2).go_on(10, EVEN) <= USUAL + 0.01
    assert Search(ON_A_CLOCK, expected=0.6).go_on(10, EVEN) > 2 * USUAL
    assert Search(FOR_THIS_MOVE, expected=0.6).go_on(10, EVEN) <= USUAL + 0.01


def test_no_search_goes_beyond_the_most():
    random = np.random.default_rng(1)
    for _ in range(30):
        search = Search(ON_A_CLOCK, expected=float(random.uniform(-1, 1)))
        ended = None
        while ended is None:
            ended = search.go_on(search.at + 0.1, random.dirichlet(np.ones(3)), tuple(random.uniform(-1, 1, 3)))
        assert ended <= MOST + 0.011
