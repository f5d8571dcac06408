"""How long an engine allows itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.protocols.clock import FASTEST, LARGEST_PART, Clock

TIMES = st.one_of(st.none(), st.floats(-1e6, 1e6))


@given(TIMES, TIMES, TIMES, st.integers(0, 500), st.floats(0, 1e5), st.floats(0, 100))
def test_no_limit_is_ever_overstepped(turn, game, left, moves, used, overtime):
    clock = Clock(per_move=turn, per_game=game, remaining=left, moves=moves, used=used, overtime=overtime)
    allowed = clock.allowed()
    if turn is None and game is None and left is None:
        assert allowed is None
        return
    assert 0 <= allowed.usual <= allowed.most
    remaining = left if left is not None else None if game is None else game - used
    limits = [turn] if turn is not None else []
    if remaining is not None:
        limits.append(remaining + overtime if remaining > 0 else overtime)
    assert allowed.most < max(min(limits), 1e-9) or allowed.most <= FASTEST


@pytest.mark.parametrize("moves", [0, 10, 29, 400])
@pytest.mark.parametrize("left", [5.0, 60.0, 3600.0])
def test_a_hard_move_may_take_some_shares_and_never_much_of_what_is_left(moves, left):
    allowed = Clock(remaining=left, moves=moves).allowed()
    assert allowed.most > 1.3 * allowed.usual
    assert allowed.most < LARGEST_PART * left


def test_a_time_for_every_move_has_nothing_to_save():
    for clock in (Clock(per_move=5), Clock(per_move=1, per_game=1000), Clock(remaining=0, overtime=10)):
        allowed = clock.allowed()
        assert allowed.usual == allowed.most


def test_the_margin_is_kept_and_little_time_is_still_used():
    assert 9 < Clock(per_move=10).allowed().usual < 9.7
    assert 0.8 < Clock(per_move=1).allowed().usual < 0.95
    assert 0 < Clock(per_move=0.06).allowed().usual < 0.05
    assert Clock(per_move=0).allowed().most == FASTEST
    assert Clock(per_move=5, remaining=-20).allowed().most == FASTEST


@pytest.mark.parametrize("kind", ["usual", "most"])
def test_a_match_is_never_used_up(kind):
    clock = Clock(per_move=30, per_game=60)
    for _ in range(200):
        clock.add_move(getattr(clock.allowed(), kind))
    assert clock.used < 60 + 200 * FASTEST
    fair = Clock(per_move=30, per_game=60)
    fair.add_move(fair.allowed().usual)
    assert fair.used == pytest.approx(60 / 30, rel=0.1)


def test_what_an_easy_move_leaves_the_next_ones_get():
    hurried, usual = Clock(per_game=60), Clock(per_game=60)
    hurried.add_move(0.1)
    usual.add_move(2.0)
    assert hurried.allowed().usual > usual.allowed().usual
    assert hurried.allowed().most > usual.allowed().most


def test_what_the_manager_says_is_left_counts_more_than_our_own_count():
    clock = Clock(per_game=100, used=90)
    clock.remaining = 60
    assert clock.allowed().usual > 1
    clock.new_game()
    assert (clock.remaining, clock.used, clock.per_game) == (None, 0, 100)
