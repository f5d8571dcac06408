"""Matches as rows: seen from the first-named player, whichever colour it has."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.arena.match import play_match
from eightfold.games.game import make_game
from eightfold.studies.matches import match_row


def test_score_and_lead_are_those_of_the_first_player():
    shares: list[float] = []
    strong, weak = "mcts:playouts=100", "random"
    won = match_row("go:size=5,komi=0.5", strong, weak, games=4, seed=1, progress=shares.append)
    lost = match_row("go:size=5,komi=0.5", weak, strong, games=4, seed=1)
    assert (won["score"], won["wins"], lost["score"], lost["losses"]) == (1, 4, 0, 4)
    games = play_match(make_game("go:size=5,komi=0.5"), strong, weak, games=4, seed=1).results
    assert won["lead"] == np.mean([abs(game.position.margin) for game in games]), "who wins every game always leads"
    assert lost["lead"] < 0
    assert won["low"] < 1 == won["high"]
    assert shares == pytest.approx([0.25, 0.5, 0.75, 1])


def test_there_is_no_lead_without_points():
    assert "lead" not in match_row("gomoku:size=5,win=4", "random", "random", games=2, seed=1)
