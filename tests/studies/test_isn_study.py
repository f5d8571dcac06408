"""The experiment on document 003, in small: every stage really runs, and the report holds its numbers."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from eightfold.arena.match import play_match
from eightfold.cli.main import app
from eightfold.config import load_config
from eightfold.games.game import make_game
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.runs.provenance import this_machine
from eightfold.learning.td.checkpointing import read_progress
from eightfold.learning.td.config import TdConfig
from eightfold.learning.td.loop import TdTraining
from eightfold.nets.store.description import MODELS
from eightfold.studies.gnugo import gnugo_player, gnugo_program
from eightfold.studies.isn import VARIANTS, IsnExperiment, _training, run
from eightfold.studies.isn_report import write_report
from eightfold.studies.plot import Series, line_plot
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
        found = _training(replace(experiment, run=elsewhere))
        write_report({"training": found}, tmp_path)
        text = (tmp_path / "README.md").read_text(encoding="utf-8")
        assert said in text
        assert ("candidate moves a second (a, 16 cores)." in text) == bool(machines)


@pytest.fixture
def copied(study, tmp_path):
    """The study again, on copies of its folders that a test may change."""
    experiment, _ = study
    for place in ("run", "report"):
        shutil.copytree(experiment.run.parent / place, tmp_path / place)
    # The best snapshot may change with the seed, and with it everything; variants take long and are looked at apart.
    return replace(experiment, run=tmp_path / "run", output=tmp_path / "report", variant_games=0)


def stages_measured(experiment, capsys) -> list[str]:
    """Which stages are measured now, by what is told about it."""
    capsys.readouterr()
    run(experiment)
    lines = capsys.readouterr().err.splitlines()
    return [line.removeprefix("experiment isn: ").removesuffix(" ...") for line in lines]


def test_what_is_measured_is_not_measured_again(study, capsys):
    experiment, results = study
    before = experiment.results_path.read_bytes()
    report = (experiment.output / "README.md").read_bytes()
    assert stages_measured(experiment, capsys) == []
    assert experiment.results_path.read_bytes() == before
    assert json.loads(before) == json.loads(json.dumps(results))
    assert (experiment.output / "README.md").read_bytes() == report


def test_other_settings_are_measured_and_what_was_there_is_not_lost(copied, capsys):
    report = copied.output / "README.md"
    assert stages_measured(copied, capsys) == []  # without the variants now
    assert "hill-climb" not in report.read_text(encoding="utf-8")
    before = report.read_bytes()
    more = replace(copied, large_games=4)
    assert stages_measured(more, capsys) == ["large"]
    assert report.read_bytes() != before
    assert stages_measured(more, capsys) == []
    assert stages_measured(copied, capsys) == []
    assert report.read_bytes() == before
    assert stages_measured(replace(copied, seed=99), capsys) == ["round robin", "opponents", "look ahead", "large"]


def test_other_weights_are_measured_again(copied, capsys):
    """The same folders, settings and names of snapshots: only the last snapshot is another network."""
    snapshots = list((copied.run / "snapshots").iterdir())
    last, other = max(snapshots), sorted(snapshots)[1]
    assert last.read_bytes() != other.read_bytes()
    shutil.copyfile(other, last)
    assert "round robin" in stages_measured(copied, capsys)


def test_the_numbers_of_another_run_are_neither_reported_nor_overwritten(copied, tmp_path):
    config = load_config(TdConfig(), copied.run / "config.toml")
    training = TdTraining(replace(config, seed=5, games=20), tmp_path / "other")
    training.train()
    training.close()
    before = copied.results_path.read_bytes()
    other = replace(copied, run=tmp_path / "other")
    assert "holds the numbers of another run" in refusal(lambda: run(other))
    published = Path(__file__).parents[2] / "docs" / "studies" / "isn" / "results.json"
    (tmp_path / "clone").mkdir()
    shutil.copyfile(published, tmp_path / "clone" / "results.json")
    assert "holds the numbers of another run" in refusal(lambda: run(replace(copied, output=tmp_path / "clone")))
    assert copied.results_path.read_bytes() == before
    assert (tmp_path / "clone" / "results.json").read_bytes() == published.read_bytes()


def test_a_report_goes_into_the_run_unless_another_place_is_named(study, tmp_path, monkeypatch):
    """In a clone, where docs/studies holds published numbers; a file in the way tells where the report would go."""
    experiment, _ = study
    monkeypatch.chdir(tmp_path)
    shutil.copytree(Path(__file__).parents[2] / "docs" / "studies", tmp_path / "docs" / "studies")
    shutil.copytree(experiment.run, tmp_path / "run")
    (tmp_path / "run" / "study").touch()
    done = CliRunner().invoke(app, ["experiment", "isn", "--run", "run"])
    assert "cannot make the folder run/study" in str(done.exception)


def test_the_card_of_the_shipped_network_is_about_its_weights():
    """The card names the weights by their digest, and says that the study in the documentation is of another run."""
    folder = MODELS / "isn-9"
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert hashlib.sha256((folder / "isn.safetensors").read_bytes()).hexdigest() in card
    published = Path(__file__).parents[2] / "docs" / "studies" / "isn" / "results.json"
    training = json.loads(published.read_text(encoding="utf-8"))["training"]
    assert f"{training['games']:,} games, seed {training['seed']}" in card
    assert "not of these weights" in card


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
