"""The benchmark of TD(λ) self-play measures what it says: the same games as training plays, counted."""

from __future__ import annotations

import pytest

from eightfold.benchmarks import td


@pytest.mark.slow
def test_figures_belong_to_each_other(monkeypatch):
    monkeypatch.setattr(td, "GAMES", 4)
    monkeypatch.setattr(td, "REPEATS", 3)
    monkeypatch.setattr(td, "PLAIN", 1)
    figures = td.run().as_dict()
    assert all(value is not None and value > 0 for value in figures.values())
    assert 60 < figures["moves_a_game"] < 200, "a trained network plays whole games"
    candidates_a_game = figures["candidates_per_s"] / figures["games_per_s"]
    assert 15 < candidates_a_game / figures["moves_a_game"] < 82
    assert figures["times_plain"] == pytest.approx(figures["candidates_per_s"] / figures["plain_candidates_per_s"])
