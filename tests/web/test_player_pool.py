"""The pool of players: borrowed, given back, few."""

from __future__ import annotations

import pytest

from eightfold.games.game import make_game
from eightfold.web.menu import Level, MenuEntry
from eightfold.web.player_pool import MOST_IDLE, PlayerPool

GAME = make_game("gomoku:size=5,win=4")


def entry(key="random", text="random"):
    return MenuEntry(key=key, summary="", levels=(Level(name="fixed", text=text),))


def test_a_player_is_borrowed_again_and_kept_for_the_game_it_served():
    pool = PlayerPool(seed=0)
    with pool.borrow(entry(), 0, GAME, "a") as first:
        pass
    with pool.borrow(entry(), 0, GAME, "b") as second:
        assert second is first
        with pool.borrow(entry(), 0, GAME, "a") as third:
            assert third is not first
    with pool.borrow(entry(), 0, GAME, "b") as again:
        assert again is first


def test_a_player_that_failed_is_not_borrowed_again_and_is_closed():
    pool, closed = PlayerPool(seed=0), []
    with pytest.raises(RuntimeError), pool.borrow(entry(), 0, GAME, "a") as first:  # noqa: PT012
        first.close = lambda: closed.append(1)
        raise RuntimeError
    with pool.borrow(entry(), 0, GAME, "a") as other:
        assert other is not first
    assert closed == [1]


def test_idle_players_are_few():
    pool = PlayerPool(seed=0)
    for number in range(MOST_IDLE + 5):
        with pool.borrow(entry(key=str(number)), 0, GAME, "a"):
            pass
    assert len(pool._idle) == MOST_IDLE
