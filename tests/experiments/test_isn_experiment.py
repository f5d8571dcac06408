"""The experiment on document 003, in small: every stage really runs, and the report holds its numbers."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from eightfold.arena.match import play_match
from eightfold.experiments.gnugo import gnugo_player, gnugo_program
from eightfold.experiments.isn import VARIANTS, IsnExperiment, _training, run
from eightfold.experiments.isn_report import write_report
from eightfold.experiments.plot import Series, line_plot
from eightfold.games.game import make_game
from eightfold.learning.run import read_metrics, this_machine
from eightfold.learning.td import TdTraining
from eightfold.learning.td_config import TdConfig
from eightfold.learning.td_run import read_progress
from refusals import refusal


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    config = TdConfig(
        game="go:size=5,komi=3.5", games=60, linear_games=20, games_an_update=4, snapshot_every=20, learning_rate=2e-4
    )
    training = TdTraining(config, folder / "run")
    training.train()
    training.close()
    experiment = IsnExperiment(
        run=folder / "run",
        output=folder / "report",
        games=2,
        match_games=2,
        large_games=2,
        variant_games=20,
        game="go:size=5,komi=3.5",
        large_game="go:size=7,komi=3.5",
        opponents=("random", "mcts:playouts=10"),
    )
    return experiment, run(experiment)


def test_every_stage_leaves_its_numbers_and_its_section(study):
    experiment, results = study
    assert [entry["games"] for entry in results["round_robin"]["snapshots"]] == [0, 20, 40, 60]
    for entry in results["round_robin"]["snapshots"]:
        assert entry["played"] == 6
        assert entry["ci95"][0] <= entry["score"] <= entry["ci95"][1]
    points = sum(entry["score"] * entry["played"] for entry in results["round_robin"]["snapshots"])
    assert points == pytest.approx(12), "every game gives one point in all"
    best = max(results["round_robin"]["snapshots"], key=lambda entry: entry["score"])
    assert results["opponents"]["snapshot"] == best["games"]
    assert [match["opponent"] for match in results["opponents"]["matches"]][:2] == ["random", "mcts:playouts=10"]
    assert set(results["variants"]["variants"]) == set(VARIANTS)
    report = (experiment.output / "README.md").read_text(encoding="utf-8")
    for words in ("## The run", "figure1.svg", "GNU Go" if gnugo_program() else "random", "on 7x7", "hill-climb"):
        assert words in report
    for figure in ("figure1.svg", "loss.svg", "variants.svg"):
        ElementTree.parse(experiment.output / figure)


def test_the_run_is_described_by_its_own_notes(study, tmp_path):
    """By the machines where it was trained, whichever writes the report, and by all of its games."""
    experiment, results = study
    training, progress = results["training"], read_progress(experiment.run)
    assert (training["games"], training["minutes"]) == (60, progress.seconds / 60)
    assert training["moves_a_game"] == progress.moves / 60
    report = (experiment.output / "README.md").read_text(encoding="utf-8")
    assert f"minutes on {this_machine()}: {60 / progress.seconds:.1f} games a second over the whole run" in report
    elsewhere = tmp_path / "run"
    shutil.copytree(experiment.run, elsewhere)
    notes = [dict(entry) for entry in read_metrics(elsewhere)]
    for machines, said in ((["a, 16 cores", "b, 2 cores"], "on a, 16 cores; then b, 2 cores:"), ([], "minutes: ")):
        lines = [{**notes[0], "machine": machine} for machine in machines]
        lines = lines or [{key: value for key, value in notes[0].items() if key != "machine"}]
        lines[0]["games_per_s"] = 1e6
        (elsewhere / "metrics.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        found = _training(replace(experiment, run=elsewhere), {})
        write_report({"training": found}, tmp_path)
        text = (tmp_path / "README.md").read_text(encoding="utf-8")
        assert said in text
        assert ("candidate moves a second (a, 16 cores)." in text) == bool(machines)


def test_what_is_measured_is_not_measured_again(study):
    experiment, results = study
    before = json.loads(experiment.results_path.read_text(encoding="utf-8"))
    report = (experiment.output / "README.md").read_bytes()
    again = run(replace(experiment, seed=99))
    assert again == before == json.loads(json.dumps(results))
    assert (experiment.output / "README.md").read_bytes() == report


def test_the_report_holds_what_was_measured(study, tmp_path):
    _, results = study
    changed = json.loads(json.dumps(results))
    changed["opponents"]["matches"][0]["score"] = 0.123
    write_report(changed, tmp_path)
    assert "12.3%" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_a_run_without_snapshots_is_named(tmp_path):
    assert "no snapshots" in refusal(lambda: run(IsnExperiment(run=tmp_path, output=tmp_path / "out")))


def test_runs_and_folders_that_will_not_do_are_named(study, tmp_path):
    experiment, _ = study
    for number, content in enumerate(('{"training', "[]")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "results.json").write_text(content, encoding="utf-8")
        bad = replace(experiment, output=folder)
        assert "does not hold this experiment's numbers" in refusal(lambda bad=bad: run(bad))
    (tmp_path / "file").touch()
    assert "cannot make the folder" in refusal(lambda: run(replace(experiment, output=tmp_path / "file")))
    shutil.copytree(experiment.run, tmp_path / "run")
    early = replace(experiment, run=tmp_path / "run", output=tmp_path / "early")
    for missing in ("metrics.jsonl", "progress.json"):
        (tmp_path / "run" / missing).unlink()
        assert "has not trained long enough" in refusal(lambda: run(early))


@pytest.mark.skipif(gnugo_program() is None, reason="GNU Go is not installed (Debian: gnugo)")
def test_gnugo_plays_whole_games_by_our_rules():
    report = play_match(make_game("go:size=5,komi=3.5"), gnugo_player(), "random", games=2, seed=1)
    assert report.total.games == 2
    assert not any(game.forfeited_by for game in report.results)
    assert report.total.score == 1


def test_plots_are_well_formed():
    points = ((0.0, 10.0, 5.0, 20.0), (4000.0, 60.0, 50.0, 70.0))
    text = line_plot([Series(name="<a>", points=points), Series(name="b", points=points)], title="a & b", x="x", y="y")
    ElementTree.fromstring(text)
    assert "4K" in text
    assert "&lt;a&gt;" in text
