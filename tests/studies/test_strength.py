"""The study of how strong a network is: what its parts add up to, and all of it in small."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eightfold.learning.loop import Training
from eightfold.studies.curves import Trend
from eightfold.studies.frame import load_study, run_study
from eightfold.studies.grid import t_95
from eightfold.studies.strength import STUDY
from eightfold.studies.strength.stages import StrengthSettings, _sum, check, identify
from published import check_report
from refusals import refusal
from tiny_runs import tiny

PART = {
    "first": [3, 1, 1],
    "second": [2, 2, 1],
    "moves": 200,
    "seconds": 0.5,
    "opponent_seconds": 0.25,
    "forfeits": 0,
    "openings": "none",
}


def test_parts_add_up_to_a_match():
    other = {**PART, "first": [0, 0, 5], "moves": 600, "seconds": 0.1, "forfeits": 1}
    whole = _sum([PART, other])
    assert (whole["first"], whole["second"]) == ([3, 1, 6], [4, 4, 2])
    assert [whole[name] for name in ("games", "wins", "draws", "losses")] == [20, 7, 5, 8]
    assert whole["score"] == pytest.approx((7 + 5 / 2) / 20)
    assert whole["low"] < whole["score"] < whole["high"]
    assert (whole["moves"], whole["opponent_seconds"], whole["forfeits"]) == (40, 0.25, 1)
    assert whole["seconds"] == pytest.approx(0.2)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run that has kept networks on its way."""
    folder = tmp_path_factory.mktemp("grown") / "run"
    changes = "games=8", "training.games_a_round=2", "evaluation.every_games=2", "evaluation.games=0"
    training = Training(tiny(*changes), folder)
    training.train()
    training.close()
    return folder


def test_the_whole_of_it_in_small(tmp_path, run):
    study, changes = load_study("strength"), ["growth_games=2", "growth_options=playouts=2"]
    report = run_study(study, tmp_path / "out", run=run, small=True, changes=changes)
    text = report.read_text()
    results = json.loads((tmp_path / "out" / "results.json").read_text())["stages"]
    found = {name: stage["result"] for name, stage in results.items()}
    assert [row["games"] for row in found["matches"]["rows"]] == [4, 4]
    assert found["matches"]["rows"][0]["opponent"] == "random"
    assert "in 2 parts of 2 games at most (seeds 0 to 1)" in text
    assert found["boards"]["rows"][0]["game"] == "gomoku:size=6,win=5,rule=freestyle"
    grown = found["growth"]
    assert [row["games"] for row in grown] == sorted({row["games"] for row in grown})
    assert len(grown) >= 3
    assert "If longer runs on the same machine kept to it:" in text
    assert grown[0]["elo"] == 0
    for name in ("opponents.csv", "boards.csv", "growth.csv", "growth.svg"):
        assert (tmp_path / "out" / name).is_file()
    kept = {path.name for path in (tmp_path / "out" / "kept").iterdir()}
    run_study(study, tmp_path / "out", run=run, small=True, changes=[*changes, "board_games=4"])
    new = {path.name.rpartition("-")[0] for path in (tmp_path / "out" / "kept").iterdir() if path.name not in kept}
    assert new == {"boards", "play_by_clock"}, "nothing else is played again"
    run_study(study, tmp_path / "out", run=run, small=True, changes=[*changes, "growth_networks=2"])
    results = json.loads((tmp_path / "out" / "results.json").read_text())["stages"]
    assert [row["games"] for row in results["growth"]["result"]] == [grown[0]["games"], grown[-1]["games"]]
    assert "If longer runs" not in report.read_text(), "two networks make any line"


def test_a_line_over_doublings_is_that_of_least_squares():
    minutes, elo = np.array([1.0, 2.5, 3.0, 9.0, 20.0]), np.array([-10.0, 40.0, 35.0, 90.0, 170.0])
    trend = Trend.of(list(zip(minutes, elo, strict=True)))
    line, covariance = np.polyfit(np.log2(minutes), elo, 1, cov=True)
    t = t_95(3)
    slope, low, high = trend.doubling
    assert slope == pytest.approx(line[0])
    assert (high - low) / 2 == pytest.approx(t * np.sqrt(covariance[0, 0]))
    for at in (5.0, 60.0, 1440.0):
        x = np.array([np.log2(at), 1.0])
        middle, low, high = trend.at(at)
        assert middle == pytest.approx(x @ line)
        assert (low, high) == pytest.approx(middle + t * np.sqrt(x @ covariance @ x) * np.array([-1, 1]))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"network": "nowhere"}, "nowhere holds no network"),
        ({"options": "speed=3"}, "unknown option of player net 'speed'"),
        ({"opponents": " | "}, "opponents names nobody"),
        ({"opponents": "gredy"}, "unknown player 'gredy'"),
        ({"boards": "chess"}, "unknown game 'chess'"),
        ({"boards": "gomoku:size=9,win=4"}, "gomoku-8 was trained for gomoku:size=8"),
        ({"part_games": 5}, "part_games=5 is odd"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_played(changes, said):
    assert said in refusal(lambda: check(StrengthSettings(**{"network": "gomoku-8", **changes})))


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    assert "is not the folder of a run" in refusal(lambda: identify(tmp_path))
    (tmp_path / "config.toml").write_text("")
    assert "has not played a game yet" in refusal(lambda: identify(tmp_path))


@pytest.mark.parametrize("name", ["gomoku-15", "go-9", "go-9-mcts"])
def test_a_published_report_is_what_its_numbers_make(name, tmp_path):
    check_report(STUDY, Path(__file__).parents[2] / "docs" / "studies" / name, tmp_path)
