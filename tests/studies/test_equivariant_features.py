"""The study `equivariant-features`: its positions, arms at equal cost, the rule, and a report that goes on."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eightfold.nets.feature_fields import KINDS
from eightfold.studies.equivariant_features.choice import chosen, difference
from eightfold.studies.equivariant_features.games import read_samples
from eightfold.studies.equivariant_features.learning import Learner
from eightfold.studies.equivariant_features.settings import FeatureSettings, arms_of, shape_of
from eightfold.studies.frame import load_study, run_study
from eightfold.symmetry.orbit import orbit
from refusals import refusal

STUDY = load_study("equivariant-features")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    run_study(STUDY, folder, small=True)
    return folder


def results(folder: Path, stage: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))["stages"][stage]["result"]
    return found


def test_a_small_study_reports_every_kind_and_measures_nothing_twice(measured: Path) -> None:
    learned, report = results(measured, "learning"), (measured / "README.md").read_text(encoding="utf-8")
    arms = {"resnet, none", "resnet, augment", *KINDS}
    assert {run["arm"] for run in learned["runs"]} == arms
    assert len(learned["runs"]) == 2 * len(arms)
    for run in learned["runs"]:
        assert [point["mark"] for point in run["curve"]] == [0.05, 0.1]
        assert all(point["seconds"] >= point["mark"] and point["steps"] > 0 for point in run["curve"])
    assert all(f"| {kind} features |" in report for kind in KINDS)
    assert chosen(learned["runs"], KINDS)[1] in report
    times = results(measured, "inference")["milliseconds"]
    assert all(len(row) == 1 + len(KINDS) and min(row) > 0 for row in times.values())
    rows = list(csv.DictReader((measured / "losses.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 2 * 2 * len(arms)
    assert (measured / "losses.svg").exists()
    before = {path: path.stat().st_mtime_ns for path in (measured / "kept").iterdir()}
    run_study(STUDY, measured, small=True)
    assert {path: path.stat().st_mtime_ns for path in (measured / "kept").iterdir()} == before


def test_nothing_that_is_judged_was_learned_in_any_turn(measured: Path) -> None:
    found = results(measured, "games")
    learned, judged = read_samples(measured / found["place"])
    assert (len(learned), len(judged)) == (found["positions"], found["judged_positions"])
    assert found["left_out"] > 0, "the empty board at least begins games of both"
    seen = {state.tobytes() for state in learned.states}
    for state in judged.states:
        assert not any(np.ascontiguousarray(variant).tobytes() in seen for variant in orbit(state))
    for batch in (learned, judged):
        np.testing.assert_allclose(batch.policies.sum(axis=1), 1, atol=1e-5)
        assert np.abs(batch.values).max() <= 1


def test_learners_of_a_seed_draw_the_same_and_begin_anew_alike(measured: Path) -> None:
    samples, judged = read_samples(measured / results(measured, "games")["place"])
    shape = shape_of("gomoku:size=8", "gomoku-8")
    drawn = []

    def losses(text: str, mode: str = "none", seed: int = 3) -> dict[str, Any]:
        learner = Learner("one", text, mode, shape, samples, seed=seed, batch=8, rate=1e-2, seconds=1e6)
        for _ in range(3):
            learner.learn(2)
        assert learner.seconds > 0
        drawn.append(learner._drawing.integers(0, 1 << 30))
        return {name: value for name, value in learner.judged(judged).items() if name != "seconds"}

    text = "equivariant:blocks=1,width=16,features=quotient"
    first = losses(text)
    assert first["steps"] == 6
    assert losses(text) == first
    turned = losses(text, "augment")  # turning its samples changes nothing for an equivariant network, but rounding
    assert turned["policy"] == pytest.approx(first["policy"], rel=0.02)
    assert losses("resnet:blocks=1,filters=16")["policy"] != losses("resnet:blocks=1,filters=16", "augment")["policy"]
    assert len(set(drawn)) == 1


def runs_of(**totals: list[float]) -> list[dict[str, Any]]:
    return [
        {"arm": arm, "seed": seed, "curve": [{"policy": 9.0, "value": 9.0}, {"policy": loss - 0.5, "value": 0.5}]}
        for arm, losses in totals.items()
        for seed, loss in enumerate(losses)
    ]


def test_the_rule_takes_another_kind_only_if_the_paired_interval_says_so() -> None:
    regular = [3.0, 3.3, 2.7]
    clear = runs_of(regular=regular, mixed=[2.9, 3.2, 2.61])  # seeds differ more than kinds: pairs tell them apart
    found = difference(clear, "mixed")
    assert found.high is not None
    assert found.mean == pytest.approx(-0.29 / 3)
    assert found.high < 0
    assert chosen(clear, ("regular", "mixed"))[0] == "mixed"
    unclear = runs_of(regular=regular, mixed=[2.9, 3.4, 2.3])
    kind, said = chosen(unclear, ("regular", "mixed"))
    assert kind == "regular"
    assert "mixed has the lowest total loss, but" in said
    assert chosen(runs_of(regular=regular, mixed=[3.1, 3.4, 2.9]), ("regular", "mixed"))[0] == "regular"
    assert "one seed alone" in chosen(runs_of(regular=[3.0], mixed=[2.0]), ("regular", "mixed"))[1]


def test_arms_are_of_one_width() -> None:
    arms = arms_of(FeatureSettings(width=32, blocks=2, kinds="mixed regular"))
    assert [arm.network for arm in arms] == [
        "resnet:blocks=2,filters=32",
        "resnet:blocks=2,filters=32",
        "equivariant:blocks=2,width=32,features=mixed",
        "equivariant:blocks=2,width=32,features=regular",
    ]
    assert [arm.mode for arm in arms] == ["none", "augment", "none", "none"]


def test_wrong_settings_are_one_line(tmp_path: Path) -> None:
    for change, said in (
        ("kinds=regular curved", "unknown kind of features 'curved'"),
        ("kinds=mixed", "has to name regular"),
        ("kinds=regular regular", "once at most"),
        ("width=48", "width=48 is not a multiple of 32, as features=mixed needs"),
        ("game=go:size=9", "was trained for"),
        ("player=nobody", "nobody"),
    ):
        told = refusal(partial(run_study, STUDY, tmp_path, changes=[change]))
        assert said in told
        assert "\n" not in told
    assert not (tmp_path / "results.json").exists()
