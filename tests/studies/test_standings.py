"""Round robins of a study: who plays whom, and with which random numbers."""

from __future__ import annotations

from typing import Any

import pytest

from eightfold.studies import standings


class Noted:
    """In the place of a study's work: what it was asked to play."""

    def __init__(self) -> None:
        self.cases: list[dict[str, Any]] = []

    def parts(self, play: Any, cases: list[dict[str, Any]], labels: list[str]) -> list[dict[str, Any]]:
        self.cases = cases
        return [{"matches": [[[1, 0, 0], [0, 0, 1]] for _ in case["others"]]} for case in cases]


def played(guests: int) -> list[dict[str, Any]]:
    work, names = Noted(), [("run", f"{n}") for n in range(7)]
    rows = standings.round_robin(
        work,  # type: ignore[arg-type]
        names[:4],
        guests=names[4 : 4 + guests],
        game="gomoku:size=5,win=4",
        games=2,
        playouts=1,
        opening_plies=2,
        backend="auto",
        seed=3,
    )
    assert [row["played"] for row in rows] == [2 * (3 + guests)] * 4 + [8] * guests
    return work.cases


def test_everybody_has_random_numbers_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def note(*players: Any, seed: int, **how: Any) -> list[Any]:
        seeds.append(seed)
        return []

    class Part:
        output = None

    monkeypatch.setattr(standings, "gauntlet", note)
    monkeypatch.setattr(standings, "player_of", lambda *about, **how: None)
    monkeypatch.setattr(standings, "network_place", lambda *about: None)
    for case in played(guests=3):
        standings.play_those_before(Part(), **case)  # type: ignore[arg-type]
    assert len(seeds) == len(set(seeds)) == 6


def test_more_guests_leave_what_was_played_as_it_is() -> None:
    assert played(guests=3)[:4] == played(guests=1)
    assert "guest" not in played(guests=0)[-1], "a part is known by what it was asked"
