"""The study `symmetry-factors`: in small, its choice of networks at equal cost, and its effects by hand."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from eightfold.studies.frame import load_study, run_study
from eightfold.studies.symmetry_factors.effects import changed, worth
from published import check_report
from refusals import refusal

STUDY = load_study("symmetry-factors")


def test_the_whole_study_in_small(tmp_path: Path) -> None:
    report = run_study(STUDY, tmp_path, small=True).read_text(encoding="utf-8")
    stages = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["stages"]
    runs, found = stages["runs"]["result"]["runs"], stages["elo"]["result"]
    boards = ["gomoku:size=5,win=4", "go:size=5"]
    assert [run["board"] for run in runs] == [board for board in boards for _ in range(4)]
    cases = {(row["board"], row["data"], row["arm"], row["seed"]): row for row in found["rows"]}
    assert len(cases) == len(found["rows"]) == 2 * 2 * 2 * 2
    for (board, data, arm, seed), row in cases.items():
        [base] = [run for run in runs if (run["board"], run["arm"], run["seed"]) == (board, "augment", seed)]
        [mine] = [run for run in runs if (run["board"], run["arm"], run["seed"]) == (board, arm, seed)]
        wanted = next(kept for kept in base["kept"] if kept["games"] >= found[data])["seconds"]
        away = {kept["games"]: abs(kept["seconds"] - wanted) for kept in mine["kept"]}
        assert away[row["games"]] == min(away.values())
        assert arm != "augment" or away[row["games"]] == 0
    assert "cannot be told from fewer than 3 seeds" in report
    assert (tmp_path / "factors.svg").is_file()


def test_the_published_report_is_what_its_numbers_say(tmp_path: Path) -> None:
    check_report(STUDY, Path(__file__).parents[2] / "docs" / "studies" / "symmetry-factors", tmp_path)


def test_effects_by_hand() -> None:
    """An arm that is worth 10 with little data and 50 with much, and on the other board nothing."""
    lead = {("8", "few"): 10, ("8", "many"): 50, ("15", "few"): 0, ("15", "many"): 0}
    rows = [
        {"board": board, "data": data, "seed": seed, "arm": arm, "elo": 100 * seed + (plus if arm == "slap" else 0)}
        for (board, data), plus in lead.items()
        for seed in range(3)
        for arm in ("augment", "slap")
    ]
    assert {(row["board"], row["data"]): row["mean"] for row in worth(rows, "augment")} == lead
    told = {row["factor"]: (row["mean"], row["low"], row["high"], row["pairs"]) for row in changed(rows, "augment")}
    assert told == {
        "many data over few, 8": (40, 40, 40, 3),
        "many data over few, 15": (0, 0, 0, 3),
        "15 over 8": (-50, -50, -50, 3),
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [("few=3000", "fewer than many"), ("boards=go:size=7 go:size=7", "twice"), ("arms=none slap", "lacks augment")],
)
def test_wrong_settings_are_one_line(tmp_path: Path, change: str, said: str) -> None:
    assert said in refusal(partial(run_study, STUDY, tmp_path, changes=[change]))
