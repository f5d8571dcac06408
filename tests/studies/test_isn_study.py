"""The study of Internal Symmetry Networks, in small: every stage really runs, and the report holds its numbers."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from eightfold.arena.match import play_match
from eightfold.config import load_config
from eightfold.games.game import make_game
from eightfold.isn.store import snapshots_of
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.runs.provenance import this_machine
from eightfold.learning.td.checkpointing import read_progress
from eightfold.learning.td.config import TdConfig
from eightfold.nets.store.places import MODELS
from eightfold.studies.frame import load_study, run_study
from eightfold.studies.gnugo import gnugo_player, gnugo_program
from eightfold.studies.isn import sections
from eightfold.studies.isn.stages import VARIANTS, _thinned, training, variant_config
from eightfold.studies.report import Report
from eightfold.studies.store import stage_results
from published import check_report
from refusals import refusal

PUBLISHED = Path(__file__).parents[2] / "docs" / "studies" / "isn"
STUDY = load_study("isn")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The whole of `eightfold study isn --small`."""
    folder = tmp_path_factory.mktemp("isn")
    run_study(STUDY, folder, small=True)
    return folder


@pytest.fixture(scope="module")
def results(folder):
    return stage_results(folder, "isn", [stage.name for stage in STUDY.stages])


@pytest.fixture
def run(folder, results, tmp_path) -> Path:
    """The run that the study trained, as if it had been trained before."""
    return Path(shutil.copytree(folder / results["training"]["place"], tmp_path / "run"))


def stages_measured(output: Path, run: Path, capsys, *changes: str) -> list[str]:
    """Which stages are measured now, by what is told about it; variants take long and are left out."""
    capsys.readouterr()
    run_study(STUDY, output, run=run, small=True, changes=["variant_games=0", *changes])
    return [line.removeprefix("isn: ") for line in capsys.readouterr().err.splitlines()]


def test_every_stage_leaves_its_numbers_and_its_section(folder, results):
    snapshots = results["round_robin"]["snapshots"]
    assert [entry["games"] for entry in snapshots] == [0, 20, 40, 60]
    for entry in snapshots:
        assert entry["played"] == 6
        assert entry["low"] <= entry["score"] <= entry["high"]
    points = sum(entry["score"] * entry["played"] for entry in snapshots)
    assert points == pytest.approx(12), "every game gives one point in all"
    best = max(snapshots, key=lambda entry: entry["score"])
    assert results["opponents"]["snapshot"] == best["games"]
    assert [match["opponent"] for match in results["opponents"]["matches"]][:2] == [
        "random",
        "mcts:style=plain,playouts=10",
    ]
    rival = results["opponents"]["matches"][-1]
    assert (rival["opponent"], rival["games"]) == ("isn:isn-9", 2)
    assert set(results["variants"]["variants"]) == set(VARIANTS)
    for variant in results["variants"]["variants"].values():
        assert [run["seed"] for run in variant["runs"]] == [0, 1]
        assert [[entry["games"] for entry in run["snapshots"]] for run in variant["runs"]] == [[10, 20], [10, 20]]
    report = (folder / "README.md").read_text(encoding="utf-8")
    for words in ("## The run", "strength.svg", "GNU Go" if gnugo_program() else "random", "on 7x7", "hill-climb"):
        assert words in report
    for plot in ("strength", "loss", "opponents", "variants"):
        ElementTree.parse(folder / f"{plot}.svg")
    rows = (folder / "variants.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "variant,seed,games,score,low,high,played,elo,elo_error"
    assert len(rows) == 1 + 2 * 2 * len(VARIANTS)


def test_nothing_is_measured_twice(folder, capsys):
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    capsys.readouterr()
    run_study(STUDY, folder, small=True)
    assert capsys.readouterr().err == ""
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.slow
def test_the_run_is_described_by_its_own_notes(folder, results, run):
    """By the machines where it was trained, whichever writes the report, and by all of its games."""
    found, progress = results["training"], read_progress(run)
    assert (found["games"], found["minutes"]) == (60, progress.seconds / 60)
    assert found["moves_a_game"] == progress.moves / 60
    report = (folder / "README.md").read_text(encoding="utf-8")
    assert f"minutes on {this_machine()}: {60 / progress.seconds:.1f} games a second over the whole run" in report
    notes = [dict(entry) for entry in read_metrics(run)]
    for machines, said in ((["a, 16 cores", "b, 2 cores"], "on a, 16 cores; then b, 2 cores:"), ([], "minutes: ")):
        lines = [{**notes[0], "machine": machine} for machine in machines]
        lines = lines or [{key: value for key, value in notes[0].items() if key != "machine"}]
        lines[0]["games_per_s"] = 1e6
        (run / "metrics.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        written = Report("", "", "")
        sections.training(written, training(SimpleNamespace(run=run)))
        text = written.files()["README.md"].decode()
        assert said in text
        assert ("candidate moves a second (a, 16 cores)." in text) == bool(machines)


def test_a_run_that_was_trained_before_is_measured_where_something_changed(run, tmp_path, capsys):
    """By settings, by weights, and not at all for a run that is another."""
    output = tmp_path / "report"
    every = ["training", "round robin", "opponents", "look ahead", "large", "variants"]
    assert stages_measured(output, run, capsys) == every
    assert stages_measured(output, run, capsys) == []
    report = (output / "README.md").read_bytes()
    assert b"hill-climb" not in report
    assert stages_measured(output, run, capsys, "large_games=4") == ["large"]
    assert (output / "README.md").read_bytes() != report
    assert stages_measured(output, run, capsys) == []
    assert (output / "README.md").read_bytes() == report
    first, second, *_, last = snapshots_of(run).values()
    assert last.read_bytes() != second.read_bytes()
    shutil.copyfile(second, last)  # the same names, other weights
    assert stages_measured(output, run, capsys) == ["round robin", "opponents", "look ahead", "large"]
    shutil.copyfile(second, first)
    kept = (output / "results.json").read_bytes()
    assert "choose another --output" in refusal(lambda: run_study(STUDY, output, run=run, small=True))
    assert (output / "results.json").read_bytes() == kept


def test_published_numbers_are_not_overwritten(run, tmp_path):
    shutil.copyfile(PUBLISHED / "results.json", tmp_path / "results.json")
    for options in ({}, {"run": run}, {"small": True}):
        assert "choose another --output" in refusal(lambda options=options: run_study(STUDY, tmp_path, **options))
    assert (tmp_path / "results.json").read_bytes() == (PUBLISHED / "results.json").read_bytes()


@pytest.mark.parametrize("name", ["isn", "isn-paper"])
def test_the_published_reports_are_what_their_numbers_say(name, tmp_path):
    check_report(STUDY, PUBLISHED.with_name(name), tmp_path)


def test_the_card_of_the_shipped_network_is_about_its_weights():
    """The card names the weights by their digest, and says that the study in the documentation is of another run."""
    folder = MODELS / "isn-9"
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert hashlib.sha256((folder / "network.safetensors").read_bytes()).hexdigest() in card
    found = stage_results(PUBLISHED, "isn", ["training"])["training"]
    assert f"{found['games']:,} games, seed {found['seed']}" in card
    assert "not of these weights" in card


def test_runs_that_will_not_do_are_named(run, tmp_path):
    output = tmp_path / "out"
    assert "no snapshots" in refusal(lambda: run_study(STUDY, output, run=tmp_path))
    for missing in ("metrics.jsonl", "progress.json"):
        (run / missing).unlink()
        assert "has too few metrics to report" in refusal(lambda: run_study(STUDY, output, run=run))


def test_boards_that_will_not_do_are_named_before_anything_is_measured(tmp_path):
    for change, said in (
        ("game=go:size=99", "size"),
        ("large_game=gomoku:size=9", "networks are trained on go:size=5"),
        ("training.trace=2", "training.trace"),
        ("variant_games=-1", "variant_games"),
        ("rivals=isn:isn-9 | nobody", "nobody"),
    ):
        assert said in refusal(lambda change=change: run_study(STUDY, tmp_path / "out", small=True, changes=[change]))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("count", "most", "kept"), [(88, 44, 44), (4, 2, 2), (10, 5, 5), (7, 3, 3), (3, 9, 3)])
def test_snapshots_are_thinned_to_so_many_at_most_with_the_last(count, most, kept):
    found = _thinned({games: Path(str(games)) for games in range(count)}, most)
    assert len(found) == kept
    assert max(found) == count - 1
    assert list(found) == sorted(found)


def test_a_variant_differs_from_the_run_in_what_makes_it(run):
    base = load_config(TdConfig(), run / "config.toml")
    config = variant_config(base, ("games=500", "seed=7", "units.recurrent=1"))
    assert (config.games, config.linear_games, config.seed, config.units.recurrent) == (500, 50, 7, 1)
    assert (config.learning_rate, config.game) == (base.learning_rate, base.game)


@pytest.mark.skipif(gnugo_program() is None, reason="GNU Go is not installed (Debian: gnugo)")
def test_gnugo_plays_whole_games_by_our_rules():
    report = play_match(make_game("go:size=5,komi=3.5"), gnugo_player(), "random", games=2, seed=1)
    assert report.total.games == 2
    assert not any(game.forfeited_by for game in report.results)
    assert report.total.score == 1
