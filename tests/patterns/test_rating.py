"""Strengths from files of records: as from games in memory, stopped and resumed, on the command line."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from plain_teams import random_games
from typer.testing import CliRunner

from eightfold.cli.main import app
from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.games.records.files import write_records
from eightfold.games.records.record import GameRecord
from eightfold.patterns.elo import Rated, rate_patterns
from eightfold.patterns.files import load_library, save_library
from eightfold.patterns.learn import LearningStopped, learn_library
from eightfold.patterns.library import Library
from eightfold.patterns.predict import predict
from eightfold.patterns.rating import rate_library, rating_beside
from eightfold.patterns.records.skipped import SkippedGames
from eightfold.patterns.walking import games_in_files, games_in_memory

GO = make_game("go:size=6,rules=japanese")
GAMES = random_games(GO, 12, seed=1, most=40)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "games.sgf"
    write_records(path, [GameRecord(game=GO.text, moves=tuple(moves)) for moves in GAMES])
    return path


@pytest.fixture(scope="module")
def counted(records: Path) -> Library:
    return learn_library([records], templates=["3x3"], games=8)


def test_files_and_memory_give_the_same(records: Path, counted: Library) -> None:
    memory = rate_patterns(counted, games_in_memory(GO, GAMES[2:8]), features=("distance", "atari"), iterations=3)
    files = rate_library(counted, [records], features=["atari", "distance"], iterations=3, skip=2, games=6)
    assert files.iterations == memory.iterations
    assert (files.games, files.positions) == (6, memory.positions)
    for name, table in memory.library.tables.items():
        assert np.array_equal(files.library.tables[name].gammas, table.gammas)
    assert files.library.about["elo"]["iterations"][3]["log_likelihood"] == memory.iterations[3].log_likelihood
    held_out = games_in_files([records], skip=8)
    assert predict(files.library, held_out) == predict(files.library, games_in_memory(GO, GAMES[8:]))


def test_all_features_of_the_game_are_rated(records: Path, counted: Library) -> None:
    rated = rate_library(counted, [records], games=8, iterations=2, features=["all"])
    assert len(rated.library.features) == 7


def test_work_that_was_stopped_goes_on(records: Path, counted: Library, tmp_path: Path) -> None:
    output, stop = tmp_path / "go.patterns", threading.Event()
    whole = rate_library(counted, [records], iterations=5)

    def stop_after_two(rated: Rated) -> None:
        if rated.iterations[-1].number == 2:
            stop.set()

    with pytest.raises(LearningStopped, match="stopped in iteration 3"):
        rate_library(counted, [records], iterations=5, output=output, stop=stop, on_iteration=stop_after_two)
    assert rating_beside(output).path.name == "go.patterns.rating"
    with pytest.raises(EightfoldError, match="unfinished work of another command, whose prior differ"):
        rate_library(counted, [records], iterations=5, output=output, prior=3.0)
    heard: list[int] = []
    again = rate_library(
        counted, [records], iterations=5, output=output, on_iteration=lambda rated: heard.append(len(rated.iterations))
    )
    assert heard == [3, 4, 5, 6], "iteration 2 is looked at again, and the rest is new"
    assert [i.objective for i in again.iterations] == pytest.approx([i.objective for i in whole.iterations])
    assert "partial" not in again.library.about


def test_games_that_cannot_be_read_are_counted_once(records: Path, counted: Library, tmp_path: Path) -> None:
    broken = tmp_path / "broken.sgf"
    broken.write_text(records.read_text() + "(;GM[1]SZ[6];B[aa];W[aa])\n")
    skipped = SkippedGames()
    rate_library(counted, [broken], iterations=3, skipped=skipped)
    assert skipped.total == 1


def test_the_command_line_learns_and_predicts(records: Path, tmp_path: Path) -> None:
    run, library, rated = CliRunner().invoke, tmp_path / "go.patterns", tmp_path / "rated.patterns"
    both = tmp_path / "both.patterns"
    learned = [str(records), "--games", "8"]
    strengths = ["--features", "distance,capture", "--iterations", "2", "--prior", "2"]
    assert run(app, ["patterns", "learn", *learned, "-o", str(library), "--templates", "3x3"]).exit_code == 0
    done = run(app, ["patterns", "elo", str(library), *learned, "-o", str(rated), *strengths, "--json"])
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert [each["number"] for each in told["elo"]["iterations"]] == [0, 1, 2]
    assert len(told["features"]["capture"]) == 3
    assert not rating_beside(rated).path.exists()
    options = ["-o", str(both), "--templates", "3x3", "--elo", *strengths]
    done = run(app, ["patterns", "learn", *learned, *options])
    assert done.exit_code == 0
    assert "after 2 iterations" in done.stdout
    assert np.array_equal(
        load_library(both).tables["3x3-centre"].gammas, load_library(rated).tables["3x3-centre"].gammas
    )
    for method in ("bayes", "elo"):
        options = ["--skip", "8", "--method", method]
        done = run(app, ["patterns", "predict", str(rated), str(records), *options, "--json"])
        assert done.exit_code == 0
        told = json.loads(done.stdout)
        assert (told["method"], told["games"]) == (method, 4)
        assert told["positions"] == sum(move < GO.points for moves in GAMES[8:] for move in moves)
        text = run(app, ["patterns", "predict", str(rated), str(records), *options]).stdout
        assert f"{told['log_loss']:.4f} ±" in text


def test_bad_input_is_one_line(records: Path, counted: Library, tmp_path: Path) -> None:
    library = tmp_path / "go.patterns"
    save_library(counted, library)
    for arguments, said in (
        (["elo", str(library), str(records), "-o", str(tmp_path / "no" / "x.patterns")], "cannot write"),
        (
            ["elo", str(library), str(records), "-o", str(tmp_path / "x.patterns"), "--features", "luck"],
            "unknown feature",
        ),
        (["predict", str(library), str(records), "--method", "elo"], "no strengths to judge by"),
        (["predict", str(tmp_path / "none"), str(records)], "cannot open the pattern library"),
        (["predict", str(library), str(records), "--skip", "100"], "no moves to predict"),
    ):
        done = CliRunner().invoke(app, ["patterns", *arguments])
        assert isinstance(done.exception, EightfoldError)
        assert said in str(done.exception)
