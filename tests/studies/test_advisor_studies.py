"""The studies of advisors in small, what they add up, and what they say of published claims."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from eightfold.studies.advisor.rollout_sections import playing
from eightfold.studies.advisor.training import pooled, verdict
from eightfold.studies.curves import rises_to
from eightfold.studies.frame import load_study, run_study
from eightfold.studies.report import Report
from refusals import refusal


def results(folder: Path) -> dict:
    stages = json.loads((folder / "results.json").read_text(encoding="utf-8"))["stages"]
    return {name: entry["result"] for name, entry in stages.items()}


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize(
    ("study", "change"),
    [
        ("advisor-init", "teacher=nobody"),
        ("advisor-init", "network=nothing"),
        ("advisor-init", "device=abacus"),
        ("advisor-start", "preset=nowhere"),
        ("advisor-start", "teacher=nobody"),
        ("rollouts", "opponent=nobody"),
        ("rollouts", "network=nothing"),
        ("patterns", "own_player=nobody"),
        ("strength", "openings=nowhere.sgf"),
        ("isn", "depths=[13]"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_measured(study, change, tmp_path):
    assert refusal(lambda: run_study(load_study(study), tmp_path / "out", changes=[change]))
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_learning_from_a_teacher_alone_in_small(tmp_path):
    report = run_study(load_study("advisor-init"), tmp_path, small=True).read_text(encoding="utf-8")
    found = results(tmp_path)
    assert found["teacher"]["positions"] >= 4 * 7, "nobody makes four in a row in fewer moves"
    learned = {(one["targets"], one["games"]): one for one in found["networks"]}
    assert set(learned) == {(targets, games) for targets in ("onehot", "softmax") for games in (2, 4)}
    assert learned["onehot", 4]["samples"] == found["teacher"]["positions"]
    assert learned["onehot", 2]["samples"] < learned["onehot", 4]["samples"]
    assert len(rows(tmp_path / "matches.csv")) == 4 * 2, "each network against each depth"
    assert "softmax loses to one-hot" in report
    assert (tmp_path / "figure-2.svg").is_file()


@pytest.mark.slow
def test_leaf_evaluators_in_training_and_in_play_in_small(tmp_path):
    report = run_study(load_study("rollouts"), tmp_path, small=True).read_text(encoding="utf-8")
    runs = results(tmp_path)["networks"]
    assert [run["arm"] for run in runs] == ["value alone", "min-max rollouts", "falling theta"]
    for run in runs:
        assert [kept["round"] for kept in run["kept"]] == [1, 2]
        assert run["kept"][0]["games"] < run["kept"][1]["games"]
    lines = (tmp_path / runs[2]["place"] / "metrics.jsonl").read_bytes().splitlines()
    theta = [json.loads(line).get("theta") for line in lines]
    assert theta[0] == 1 > theta[1] > 0
    played = rows(tmp_path / "matches.csv")
    assert {row["evaluator"] for row in played} == {"network", "random", "minmax", "mixed"}
    assert len(played) == 3 * 2 * 4
    for letter in "abc":
        assert f"figure-4{letter}.svg" in report


@pytest.mark.slow
def test_an_advisor_against_a_cold_start_in_small(tmp_path):
    report = run_study(load_study("advisor-start"), tmp_path, small=True).read_text(encoding="utf-8")
    found = results(tmp_path)
    [teacher] = found["teachers"]
    assert teacher["seconds"] > 0
    for run in found["runs"]:
        for kept in run["kept"]:
            assert kept["seconds"] >= kept["mark"], "a network is kept when its time is used up"
        last = {kept["arm"]: kept for kept in run["kept"]}
        assert set(last) == {"advisor", "cold start"}
        assert abs(last["advisor"]["seconds"] - last["cold start"]["seconds"]) < 5, "they take turns"
    assert {row["proofs"] for row in rows(tmp_path / "each-other.csv")} == {"off", "on"}
    assert "15x15 is not in this study" in report


def test_matches_are_added_up_over_seeds():
    games = [
        {"arm": "a", "seed": 0, "wins": 3, "draws": 0, "losses": 1, "score": 0.75},
        {"arm": "a", "seed": 1, "wins": 1, "draws": 2, "losses": 1, "score": 0.5},
        {"arm": "b", "seed": 0, "wins": 0, "draws": 0, "losses": 4, "score": 0.0},
    ]
    first, second = pooled(games, by=("arm",))
    assert (first["arm"], first["games"], first["score"]) == ("a", 8, 0.625)
    assert (first["lowest"], first["highest"], first["seeds"]) == (0.5, 0.75, 2)
    assert first["low"] < 0.625 < first["high"]
    assert (second["score"], second["low"]) == (0, 0)


def test_verdicts_and_curves():
    assert [verdict(True, False), verdict(False, True), verdict(False, False)] == [
        "holds here",
        "does not hold here",
        "cannot be told from these games",
    ]
    assert rises_to([(30, 0.2), (60, 0.6), (120, 0.7)], 0.2) == 30
    assert 60 < rises_to([(30, 0.2), (60, 0.6), (120, 0.7)], 0.65) < 120
    assert rises_to([(30, 0.2), (60, 0.6)], 0.9) is None


@pytest.mark.parametrize(
    ("network", "minmax", "said"),
    [
        ((300, 300), (450, 150), "holds here"),
        ((300, 300), (303, 297), "does not hold here"),
        ((300, 300), (360, 240), "cannot be told from these games"),
    ],
)
def test_what_is_said_of_a_published_claim_follows_from_the_games(network, minmax, said):
    """Trained with the value alone, another evaluator improves a network dramatically: does it?"""
    played = []
    for arm in ("value alone", "min-max rollouts", "falling theta"):
        for evaluator in ("network", "random", "minmax", "mixed"):
            wins, losses = minmax if evaluator == "minmax" else network
            row = {"arm": arm, "seed": 0, "round": 1, "evaluator": evaluator, "wins": wins, "draws": 0}
            played.append({**row, "losses": losses, "score": wins / (wins + losses)})
    report = Report("", "", "")
    playing(report, {"opponent": "greedy", "game": "gomoku", "playouts": 1, "rows": played})
    text = report.files()["README.md"].decode()
    claim = next(line for line in text.splitlines() if "(b)" in line and "For minmax" in line)
    assert f"For minmax that {said}:" in claim
