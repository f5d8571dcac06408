"""The health of a run on the page: judged when it is asked for, once for the same games."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from eightfold.games import make_game
from eightfold.web import run_health
from eightfold.web.runs import WatchedRuns
from refusals import refusal
from web.serving import get

SHORT = {"moves": [0, 12, 1, 13, 2, 14, 3], "opening": 0, "result": 1}
COLLAPSED = "collapsed and redundant"


def random_game(seed: int) -> dict[str, object]:
    random, position = np.random.default_rng(seed), make_game("gomoku:size=6,win=4").start()
    while not position.is_over:
        position = position.play(int(random.choice(position.legal_moves)))
    return {"moves": list(position.moves), "opening": 0, "result": position.result}


@pytest.fixture
def folders(tmp_path):
    """A run that collapsed, and one that is healthy."""
    games = {"cold": [SHORT] * 120, "warm": [random_game(seed) for seed in range(120)], "young": []}
    for name, lines in games.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.toml").write_text('game = "gomoku:size=6,win=4"\n')
        (tmp_path / name / "games.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [tmp_path / name for name in games]


def test_a_collapsed_run_has_its_board_and_a_healthy_one_of_another_run_beside_it(folders):
    cold = WatchedRuns(folders).health(0)
    [part] = cold["slices"]
    assert part["state"] == COLLAPSED
    assert part["warnings"][0].startswith("collapsed self-play: games of 7.0 moves")
    assert part["typical"]["words"] == "game 1: black wins in 7 moves"
    assert part["repeated"]["times"] == "it came 120 times in 120 games"
    assert (cold["healthy"]["run"], cold["healthy"]["first"]) == ("warm", 1)
    for game in (part["typical"], cold["healthy"]):
        numbers = [text.text for text in ET.fromstring(game["picture"]).iter("{http://www.w3.org/2000/svg}text")]
        assert numbers[-1] == str(len(game["moves"]))
    json.dumps(cold, allow_nan=False)


def test_a_healthy_run_shows_its_own(folders):
    runs = WatchedRuns(folders)
    warm = runs.health(1)
    assert [part["state"] for part in warm["slices"]] == ["healthy"]
    assert warm["healthy"]["run"] == "warm"
    assert refusal(lambda: runs.health(2)).endswith("young has kept no games yet")
    assert WatchedRuns([folders[2], folders[0]]).health(1)["healthy"] is None


def test_a_game_is_shown_by_its_own_rules(tmp_path):
    game = {"moves": [40], "opening": 0, "result": 1, "game": "go:size=9,handicap=2"}
    (tmp_path / "config.toml").write_text('game = "go:size=9"\n')
    (tmp_path / "games.jsonl").write_text(json.dumps(game) + "\n")
    [part] = WatchedRuns([tmp_path]).health(0)["slices"]
    assert part["typical"]["start"].count("1") == 2
    assert part["typical"]["changes"] == [[[40, 2]]], "white began"
    assert part["typical"]["picture"].count('r="14"') == 3, "the stones of the handicap are drawn"


def test_the_same_games_are_judged_once(folders, monkeypatch):
    asked = []
    judge = run_health.run_health
    monkeypatch.setattr(run_health, "run_health", lambda path: asked.append(path.name) or judge(path))
    runs = WatchedRuns(folders)
    first = runs.health(1)
    assert runs.health(1) == first
    assert asked == ["warm"]
    with open(folders[1] / "games.jsonl", "a") as file:
        file.write(json.dumps(SHORT) + "\n")
    assert runs.health(1)["games"] == 121
    assert asked == ["warm", "warm"]


def test_the_server_tells_it(address):
    status, health, _ = get(address, "/api/runs/0/health")
    assert (status, health["games"], health["slices"][0]["state"]) == (200, 120, COLLAPSED)
    assert get(address, "/api/runs/5/health")[0] == 404
