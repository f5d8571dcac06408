"""How long an engine allows itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.protocols.clock import FASTEST, Clock

TIMES = st.one_of(st.none(), st.floats(-1e6, 1e6))


@given(TIMES, TIMES, TIMES, st.integers(0, 500), st.floats(0, 1e5))
def test_no_limit_is_ever_overstepped(turn, game, left, moves, used):
    clock = Clock(per_move=turn, per_game=game, remaining=left, moves=moves, used=used)
    allowed = clock.allowed()
    if turn is None and game is None and left is None:
        assert allowed is None
        return
    assert allowed >= 0
    limits = [limit for limit in (turn, left if left is not None else None if game is None else game - used) if limit]
    positive = [limit for limit in limits if limit > 0]
    if len(positive) == len(limits) and positive:
        assert allowed < min(positive) or allowed <= FASTEST


def test_the_margin_is_kept_and_little_time_is_still_used():
    assert 9 < Clock(per_move=10).allowed() < 9.7
    assert 0.8 < Clock(per_move=1).allowed() < 0.95
    assert 0 < Clock(per_move=0.06).allowed() < 0.05
    assert Clock(per_move=0).allowed() == FASTEST
    assert Clock(per_move=5, remaining=-20).allowed() == FASTEST


def test_a_match_is_never_used_up():
    clock = Clock(per_move=30, per_game=60)
    for _ in range(200):
        clock.add_move(clock.allowed())
    assert clock.used < 60 + 200 * FASTEST
    fair = Clock(per_move=30, per_game=60)
    fair.add_move(fair.allowed())
    assert fair.used == pytest.approx(60 / 30, rel=0.1)


def test_what_the_manager_says_is_left_counts_more_than_our_own_count():
    clock = Clock(per_game=100, used=90)
    clock.remaining = 60
    assert clock.allowed() > 1
    clock.new_game()
    assert (clock.remaining, clock.used, clock.per_game) == (None, 0, 100)
