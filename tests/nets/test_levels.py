"""Named strengths of a network: what they see, how they vary, and how strong they were found to be."""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

from eightfold.arena import level_tournament
from eightfold.arena.players import at_level, make_player
from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.nets import levels
from eightfold.nets.levels import LEVELS, read_level_ratings
from eightfold.nets.player import NetOptions
from eightfold.nets.store.places import MODELS
from eightfold.search.settings import PlaySettings
from eightfold.web.menu import Menu

GAME = make_game("gomoku:size=8")
LOW = [name for name, level in LEVELS.items() if level.playouts < 100]


@pytest.fixture(scope="module")
def players():
    return {name: make_player(f"net:gomoku-8,level={name}", GAME, seed=1) for name in LEVELS}


@pytest.mark.parametrize("level", LOW)
def test_every_level_takes_a_win_and_blocks_a_four(players, level):
    win = GAME.after(["d4", "a1", "e4", "a2", "f4", "b1", "c4", "b2"])  # black has four in a row, open on both sides
    block = GAME.after(["d4", "a1", "e4", "b1", "f4", "c1", "a8", "d1"])  # white's four can be stopped on e1 alone
    for _ in range(8):
        players[level].new_game()
        assert GAME.name_of(players[level].think(win).action) in ("b4", "g4")
        players[level].new_game()
        assert GAME.name_of(players[level].think(block).action) == "e1"


def test_weak_levels_waver_and_the_strongest_does_not(players):
    position = GAME.after(["d4", "e5", "f4", "d6"])

    def chosen(player) -> set[int]:
        moves = set()
        for _ in range(16):
            player.new_game()
            moves.add(player.think(position).action)
        return moves

    assert len(chosen(players["beginner"])) > len(chosen(players["casual"])) >= 1
    for plies, wavers in ((5, True), (4, False)):  # four moves are played: the fifth is drawn, or the best
        text = f"net:gomoku-8,playouts=8,temperature=5,temperature_plies={plies}"
        assert (len(chosen(make_player(text, GAME))) > 1) == wavers


def test_time_does_not_make_a_level_stronger_but_an_analysis_uses_it(players):
    position = GAME.after(["d4", "e5"])
    players["skilled"].new_game()
    assert players["skilled"].think(position, seconds=0.5).effort <= LEVELS["skilled"].playouts
    players["skilled"].new_game()
    told = players["skilled"].think(position, seconds=0.5, on_progress=lambda result: None)
    assert told.effort > LEVELS["skilled"].playouts


def test_weak_levels_prove_nothing_whatever_the_network_says():
    stored = PlaySettings(proof_nodes=100, threat_nodes=5000, leaf_threat_nodes=30)
    for name in LEVELS:
        found = NetOptions(level=name).at_level().search_settings(stored)
        expected = (0, 0, 0) if name in LOW else (100, 5000, 30)
        assert (found.proof_nodes, found.threat_nodes, found.leaf_threat_nodes) == expected, name


@pytest.mark.parametrize("more", ["playouts=100", "temperature=1", "proof_nodes=3", "seconds=2"])
def test_a_level_says_all_of_it(more):
    with pytest.raises(EightfoldError, match=f"level=novice says how long it thinks.* leave out {more}"):
        make_player(f"net:gomoku-8,level=novice,{more}", GAME)


def test_a_level_is_put_into_a_players_text():
    assert at_level("net:gomoku-8", "novice") == "net:gomoku-8,level=novice"
    with pytest.raises(EightfoldError, match=r"unknown level 'grandmaster'.*known: beginner"):
        at_level("net:gomoku-8", "grandmaster")
    with pytest.raises(EightfoldError, match=r"alphabeta has no levels by name.* set depth, as in alphabeta:depth=1"):
        at_level("alphabeta", "novice")
    with pytest.raises(EightfoldError, match="random has no levels by name"):
        at_level("random", "novice")


def copied(folder: Path) -> Path:
    place = folder / "network"
    shutil.copytree(MODELS / "gomoku-8", place)
    (place / levels.RATINGS).unlink(missing_ok=True)
    return place


def test_ratings_are_of_these_very_weights(tmp_path):
    place = copied(tmp_path)
    assert not read_level_ratings(place).ratings
    path, digest = levels.ratings_file(place)
    told = {"network": digest, "game": GAME.text, "games": 4, "zero": "random", "others": {}}
    rated = {"elo": -12.6, "elo_error": 30, "options": asdict(LEVELS["novice"])}
    told["levels"] = {"novice": rated, "unheard-of": rated, "casual": rated}  # casual was as novice is now
    path.write_text(json.dumps(told))
    for each in (place, place / "network.onnx"):  # the export is of the same weights
        assert read_level_ratings(each).name_of("novice") == "Novice (Elo -13)"
        assert read_level_ratings(each).name_of("casual") == "Casual"
    for text in (json.dumps({**told, "network": "other"}), "{", "[]", json.dumps({**told, "levels": 3})):
        path.write_text(text)
        assert read_level_ratings(place) == levels.NOT_RATED


def test_levels_are_rated_by_a_tournament(tmp_path, monkeypatch):
    place = copied(tmp_path)
    few = {name: LEVELS[name] for name in ("beginner", "casual")}
    monkeypatch.setattr(level_tournament, "LEVELS", few)
    monkeypatch.setattr(level_tournament, "anchors_for", lambda game: [level_tournament.ZERO, "random"])
    standings = level_tournament.rate_levels(str(place), tmp_path / "cup", games=4)
    assert len(standings.games) == 6 * 4
    found = read_level_ratings(place)
    assert found.zero == level_tournament.ZERO
    assert found.ratings["casual"].elo > found.ratings["beginner"].elo > found.others["random"].elo
    assert found.others[level_tournament.ZERO].elo == 0
    assert found.as_dict()["levels"][0]["elo"] == found.ratings["beginner"].elo


def test_the_levels_of_the_shipped_network_are_measured_and_on_the_menu():
    found = read_level_ratings("gomoku-8")
    assert list(found.ratings) == list(LEVELS)
    ratings = list(found.ratings.values())
    for weaker, stronger in itertools.pairwise(ratings):  # as far as games can tell: good players draw on 8x8
        assert stronger.elo > weaker.elo - weaker.error
    assert ratings[-1].elo - ratings[-1].error > ratings[0].elo + ratings[0].error
    entry = Menu().find("net:gomoku-8")
    assert [level.name for level in entry.levels] == [found.name_of(name) for name in LEVELS]
    assert entry.levels[entry.default_level].text.startswith(f"net:gomoku-8,level={levels.USUAL},memory=")
