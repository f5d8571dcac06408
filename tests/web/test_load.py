"""Many games at a server, and none of them suffers; `eightfold bench page` gives the figures.

The server is a process of its own, so that its memory can be read.
"""

from __future__ import annotations

import asyncio

import pytest

from eightfold.benchmarks import page
from eightfold.benchmarks.page import play_many, resident, server


def test_games_side_by_side_lose_no_move():
    with server() as (address, _):
        games = asyncio.run(play_many(address, range(30), moves=4, game="gomoku:size=9"))
    assert sum(game.lost for game in games) == 0
    assert all(len(game.waits) == 4 for game in games)


@pytest.mark.slow
def test_the_benchmark_of_the_page_made_small(monkeypatch):
    monkeypatch.setattr(page, "GAMES", 3)
    monkeypatch.setattr(page, "MOVES", 2)
    monkeypatch.setattr(page, "IN_A_ROW", 6)
    monkeypatch.setattr(page, "SETTLED", 2)
    monkeypatch.setattr(page, "SIDE_BY_SIDE", 2)
    monkeypatch.setattr(page, "OVERLAYS", 2)
    figures = {figure.key: figure for figure in page.run().figures}
    assert figures["moves_answered"].value == 6
    assert figures["moves_lost"].value == 0
    assert {"deep_sgf_refused_in", "long_sgf_refused_in", "wide_sgf_refused_in", "memory_growth", "overlay"} <= set(
        figures
    )
    for figure in figures.values():
        assert figure.value is not None or figure.note


@pytest.mark.slow
def test_a_hundred_games_at_once():
    with server() as (address, _):
        games = asyncio.run(play_many(address, range(100), moves=15, game="gomoku:size=15"))
    assert sum(game.lost for game in games) == 0
    assert all(len(game.waits) >= 5 for game in games)


@pytest.mark.slow
def test_memory_stays_flat_over_a_thousand_games():
    with server() as (address, number):
        sizes = []
        for first in range(0, 1000, 20):
            games = asyncio.run(play_many(address, range(first, first + 20), moves=5, game="gomoku:size=9"))
            assert sum(game.lost for game in games) == 0
            sizes.append(resident(number))
    if None in sizes:
        pytest.skip("memory is read from /proc")
    assert sizes[-1] - sizes[14] < page.GROWTH, "two hundred games are kept for those who come back; no more"
