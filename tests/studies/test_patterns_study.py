"""The study `patterns`: all of it on games that its own players play, and the sums that its report makes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from eightfold.core.errors import EightfoldError
from eightfold.studies.curves import falls_to
from eightfold.studies.frame import load_study, run_study
from eightfold.studies.patterns.playing import EQUAL_TIME, TIMED, match_cases, summed
from eightfold.studies.patterns.settings import PatternSettings


@pytest.mark.slow
def test_the_whole_study_in_small(tmp_path: Path) -> None:
    report = run_study(load_study("patterns"), tmp_path, small=True)
    text = report.read_text(encoding="utf-8")
    for heading in ("What combining does", "Predicting moves", "What patterns and the rest bring"):
        assert heading in text
    results = json.loads((tmp_path / "results.json").read_text())["stages"]
    for row in results["libraries"]["result"]["classes"]:
        assert row["matches"] == row["matches_combined"] > 0
        assert row["shapes_seen"] <= row["codes_seen"]
    assert {row["library"] for row in results["prediction"]["result"]["rows"]} == {"raw", "combined"}
    rows = list(csv.DictReader((tmp_path / "prediction.csv").read_text(encoding="utf-8").splitlines()))
    assert all(0 <= float(row["top1"]) <= float(row["top5"]) <= 1 for row in rows)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()}
    run_study(load_study("patterns"), tmp_path, small=True)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()} == before


def test_chunks_of_a_match_are_one_match() -> None:
    cases = match_cases(PatternSettings(match_games=40, chunk=20))
    rows = summed(cases, [{"wins": 12, "draws": 0, "losses": 8, "seconds_per_move": 0.0} for _ in cases])
    assert len(rows) == len(cases) / 2
    assert {(row["games"], row["score"]) for row in rows} == {(40, 0.6)}
    assert {row["row"] for row in rows if row["terms"] == EQUAL_TIME} == set(TIMED)
    assert all("threads=1" in row["first"] for row in rows if row["terms"] == EQUAL_TIME)
    assert len({(case["first"], case["second"], case["seed"]) for case in cases}) == len(cases)


def test_games_that_a_raw_library_needs() -> None:
    curve = [(100, 4.0), (1000, 3.0), (10_000, 2.5)]
    assert falls_to(curve, 3.5) == pytest.approx(10**2.5)
    assert falls_to(curve, 2.75) == pytest.approx(10**3.5)
    assert falls_to(curve, 2.0) is None
    assert falls_to(curve, 4.5) == 100


def test_wrong_settings_are_one_line(tmp_path: Path) -> None:
    study = load_study("patterns")
    for change, said in (
        ("records=nowhere.sgf", "nowhere.sgf"),
        ("match_games=30", "multiple of chunk"),
        ("chunk=3", "odd"),
    ):
        with pytest.raises(EightfoldError, match=said):
            run_study(study, tmp_path, changes=[change])
