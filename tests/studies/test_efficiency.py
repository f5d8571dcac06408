"""The study of learning efficiency: its arms, its ratings, and all of it in small."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from eightfold.config import load_preset, with_changes
from eightfold.learning.check import check_config
from eightfold.learning.config import TrainConfig
from eightfold.nets.growing import check_growth
from eightfold.studies.efficiency.ideas import IDEAS, OWN, arm_config, arms_of, read_ideas
from eightfold.studies.efficiency.stages import ALL_IDEAS, EfficiencySettings, check, matches, worth
from eightfold.studies.frame import load_study, run_study
from eightfold.studies.grid import mean_interval
from published import check_report
from refusals import refusal


def changed_keys(one: TrainConfig, other: TrainConfig) -> set[str]:
    found = {key for key in ("network", "symmetry") if getattr(one, key) != getattr(other, key)}
    for section in ("selfplay", "training"):
        before, after = vars(getattr(one, section)), vars(getattr(other, section))
        found |= {f"{section}.{key}" for key in before if before[key] != after[key]}
    return found


@pytest.mark.parametrize("preset", ["quick", "go-9"])
def test_every_arm_differs_from_the_preset_in_one_idea_and_can_be_trained(preset):
    config = load_preset(TrainConfig(), preset)
    expected = {
        "caps": {"selfplay.full_share", "selfplay.fast_playouts"},
        "pruning": {"selfplay.forced_playouts"},
        "gumbel": {"selfplay.root"},
        "openings": {"selfplay.opening_share"},
        "averaged": {"training.average_weights"},
    }
    arms = arms_of(config, read_ideas(ALL_IDEAS))
    assert len(arms) > 8
    for idea in arms:
        changed = arm_config(config, idea.name)
        check_config(changed)
        keys = {"symmetry"} if idea.name in ("none", "slap", "average") else {"network"}
        assert changed_keys(config, changed) == expected.get(idea.name, keys), idea.name
        assert idea.is_there(changed) != idea.is_there(config) or idea.name.startswith("larger")
        if idea.taken_back is not None:
            there = changed if idea.is_there(changed) else config
            assert idea.is_there(there)
    check_growth(config.network, arm_config(config, "larger").network)
    assert arm_config(config, OWN) is config


def test_ideas_that_do_not_fit_make_no_arm():
    gomoku, go = (load_preset(TrainConfig(), name) for name in ("quick", "go-9"))
    assert IDEAS["points"] not in arms_of(gomoku, [IDEAS["points"]]), "nobody owns points"
    assert IDEAS["points"] in arms_of(go, [IDEAS["points"]])
    assert arms_of(go, [IDEAS["pruning"]]) == [], "it plays with Gumbel search"
    assert arms_of(gomoku, [IDEAS["augment"]]) == [], "it does already"
    assert arms_of(with_changes(gomoku, ["network=a1"]), [IDEAS["larger"]]) == [], "it does not grow"
    assert "unknown idea 'luck'" in refusal(lambda: check(EfficiencySettings(ideas="caps luck")))
    said = refusal(lambda: check(EfficiencySettings(ideas="slap", changes="training.symmetries=[0,1]")))
    assert said.startswith("the arm slap of the study cannot be trained: training.symmetries")


def test_an_idea_is_worth_the_run_with_it_over_the_run_without():
    """Two seeds of three networks, by the closed form for two players; the fit has a little of a prior."""

    def row(seed: int, first: str, second: str, wins: int) -> dict:
        return {"seed": seed, "first": first, "second": second, "wins": wins, "draws": 0, "losses": 100 - wins,
                "score": wins / 100}  # fmt: skip

    played = [row(0, OWN, "caps", 64), row(0, OWN, "next", 36), row(1, OWN, "caps", 64), row(1, OWN, "next", 50)]
    ideas = [{"name": "caps", "is_there": True}, {"name": "next", "is_there": False}]
    work = SimpleNamespace(results={"matches": played, "runs": {"ideas": ideas}})
    caps, following = worth(work)
    elo = 99.95  # 400 log10(64 / 36)
    assert (caps["idea"], following["idea"]) == ("caps", "next")
    assert caps["each"] == pytest.approx([elo, elo], abs=1.5), "the arm without it lost"
    assert caps["score"] == pytest.approx(0.64)
    assert caps["verdict"] == "helps"
    assert following["each"] == pytest.approx([elo, 0], abs=1.5)
    assert following["score"] == pytest.approx(0.57)
    assert (following["elo"], following["low"], following["high"]) == pytest.approx(mean_interval(following["each"]))
    assert following["verdict"] == "cannot be told"


@pytest.mark.parametrize(("everyone", "count"), [(True, 6), (False, 4)])
def test_networks_of_a_seed_play_each_other_or_the_preset_alone(everyone, count):
    rows = [{"seed": seed, "arm": arm, "place": f"{arm}-{seed}"} for seed in (0, 1) for arm in (OWN, "caps", "next")]
    settings = EfficiencySettings(round_robin=everyone)
    asked = []

    def parts(measure, cases, labels):
        asked.extend(cases)
        return [{} for _ in cases]

    work = SimpleNamespace(results={"runs": {"rows": rows, "game": "gomoku"}}, settings=settings, parts=parts)
    told = matches(work)
    assert len(told) == len(asked) == count
    assert all(case["place"][-1] == case["other"][-1] == str(case["seed"]) for case in asked)


@pytest.mark.slow
def test_the_whole_study_in_small(tmp_path):
    report = run_study(load_study("efficiency"), tmp_path, small=True).read_text(encoding="utf-8")
    stages = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["stages"]
    rows = stages["runs"]["result"]["rows"]
    assert [row["arm"] for row in rows] == [OWN, "next", "larger-late"]
    assert all(row["steps"] > 0 and row["seconds"] >= 1 for row in rows)
    late = tmp_path / rows[2]["place"]
    assert "blocks=2,filters=8" in (late / "last" / "config.toml").read_text()
    assert "blocks=1,filters=4" in (late / "first" / "config.toml").read_text()
    rates = [json.loads(line)["learning_rate"] for line in (late / "last" / "metrics.jsonl").read_bytes().splitlines()]
    assert rates[-1] < 0.001, "the second half of the time has a falling rate"
    assert len(stages["matches"]["result"]) == 3
    assert "cannot be told" in report
    assert (tmp_path / "worth.svg").is_file()


@pytest.mark.parametrize("name", ["efficiency", "efficiency-pruning"])
def test_the_published_reports_are_what_their_numbers_say(name, tmp_path):
    check_report(load_study("efficiency"), Path(__file__).parents[2] / "docs" / "studies" / name, tmp_path)
