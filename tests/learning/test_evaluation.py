"""Evaluations: wins, draws and losses told apart, and games against networks of the same run or of the package."""

from __future__ import annotations

import json

import pytest

from eightfold.arena import make_player, play_match
from eightfold.games import make_game
from eightfold.learning.commands import train_run
from eightfold.learning.config import EvaluationConfig
from eightfold.learning.loop import Training
from eightfold.learning.opponents import evaluated_networks, network_opponents, shipped_for
from eightfold.learning.report import TrainingReport, print_curve, print_evaluation
from eightfold.learning.runs.metrics import read_entry, read_metrics, scalars
from tiny_runs import tiny

CHANGES = ["selfplay.parallel_games=1", "evaluation.every_games=3", "evaluation.games=2", "evaluation.playouts=4"]


def trained(folder, *changes: str) -> Training:
    training = Training(tiny(*CHANGES, *changes), folder)
    training.train(TrainingReport())
    training.close()
    return training


def test_a_run_plays_against_the_network_of_its_evaluation_before(tmp_path, capsys):
    training = trained(tmp_path / "run", "games=13", "evaluation.keep_networks=2")
    entries = [entry for entry in read_metrics(tmp_path / "run") if "evaluation" in entry]
    assert [entry["games"] for entry in entries] == [3, 6, 9, 12]
    assert "earlier" not in entries[0]["evaluation"]
    for entry in entries[1:]:
        found = entry["evaluation"]["earlier"]
        assert found["wins"] + found["draws"] + found["losses"] == found["games"] == 2
        assert found["first"]["games"] == found["second"]["games"] == 1
        assert entry["evaluation"]["mcts"]["games"] == 6, "the score against mcts is theirs alone"
    kept = evaluated_networks(tmp_path / "run")
    assert list(kept) == [9, 12]
    match = training.evaluation.networks["earlier"]
    assert (
        match.results[0].position.moves[: match.opening_plies] == match.results[1].position.moves[: match.opening_plies]
    )
    said = capsys.readouterr().err
    assert "against mcts-5000" in said
    assert "against earlier (wins-draws-losses)" in said
    print_evaluation(training.evaluation, "run")
    print_curve(tmp_path / "run")
    said = capsys.readouterr().out
    assert "earlier network" in said
    assert said.count(" min ") == 4
    # What is kept plays as any other network.
    game = make_game(training.config.game)
    assert make_player(f"net:{kept[9]},playouts=2", game).think(game.start()).effort > 0
    assert play_match(game, f"net:{kept[9]},playouts=2", f"net:{kept[12]},playouts=2", games=2).total.games == 2


def test_a_run_that_keeps_no_networks_has_no_earlier_one_to_play(tmp_path):
    trained(tmp_path / "run", "games=7", "evaluation.keep_networks=0")
    entries = [entry["evaluation"] for entry in read_metrics(tmp_path / "run") if "evaluation" in entry]
    assert len(entries) == 2
    assert not any("earlier" in entry for entry in entries)
    assert not (tmp_path / "run" / "evaluated").exists()


def test_an_evaluation_without_games_keeps_its_network(tmp_path, capsys):
    training = trained(tmp_path / "run", "games=7", "evaluation.games=0")
    assert list(evaluated_networks(tmp_path / "run")) == [3, 6]
    assert training.progress.evaluated_games == 6
    assert not any("evaluation" in entry for entry in read_metrics(tmp_path / "run"))
    assert "mcts" not in capsys.readouterr().err
    game = make_game(training.config.game)
    assert make_player(f"net:{tmp_path / 'run' / 'evaluated' / '000003'},playouts=2", game).think(game.start()).effort


@pytest.mark.parametrize(("games", "is_measured"), [(0, False), (2, True)])
def test_the_final_network_is_measured_by_as_many_games_as_are_asked_for(games, is_measured, tmp_path, capsys):
    changes = [*CHANGES, "games=4", "evaluation.games=0", f"evaluation.final_games={games}"]
    assert train_run(tiny(*changes), tmp_path / "run") is None
    said = capsys.readouterr()
    assert ("measuring" in said.err) == ("against pure Monte Carlo search" in said.out) == is_measured
    assert any("evaluation" in entry for entry in read_metrics(tmp_path / "run")) == is_measured
    assert list(evaluated_networks(tmp_path / "run")) == [3, 4]


def test_a_kept_network_that_is_damaged_is_left_out_with_a_note(tmp_path, caplog):
    training = trained(tmp_path / "run", "games=4")
    [file] = (tmp_path / "run" / "evaluated" / "000003").glob("*.safetensors")
    file.write_bytes(b"no weights")
    again = Training(tiny(*CHANGES, "games=7"), tmp_path / "run")
    again.train()
    again.close()
    assert training.evaluation.networks == again.evaluation.networks == {}
    assert "no games against" in caplog.text
    assert "is not a whole safetensors file" in caplog.text


def test_the_shipped_network_is_an_opponent_where_there_is_one(tmp_path):
    game = make_game("gomoku:size=8")
    assert shipped_for(game) == "gomoku-8"
    assert shipped_for(make_game("gomoku:size=7")) is None
    wanted = EvaluationConfig(shipped=True, playouts=2)
    assert list(network_opponents(tmp_path, game, wanted, games=5)) == ["shipped"]
    assert network_opponents(tmp_path, game, EvaluationConfig(), games=5) == {}
    assert network_opponents(tmp_path, make_game("gomoku:size=7"), wanted, games=5) == {}


def test_metrics_have_every_opponent_by_name(tmp_path):
    trained(tmp_path / "run", "games=4")
    [entry] = [entry for entry in read_metrics(tmp_path / "run") if "evaluation" in entry]
    numbers = scalars(entry)
    for opponent in ("mcts", "mcts-1000", "mcts-3000", "mcts-5000"):
        assert {f"evaluation.{opponent}.{key}" for key in ("wins", "draws", "losses", "score")} <= numbers.keys()
    assert numbers["evaluation.mcts.wins"] == sum(
        numbers[f"evaluation.mcts-{tier}.wins"] for tier in (1000, 3000, 5000)
    )


@pytest.mark.parametrize("line", [b"", b"{", b"[1]", b'{"strength": 3}'])
def test_lines_that_tell_of_no_evaluation(line):
    assert "evaluation" not in (read_entry(line) or {})


def test_what_older_runs_called_strength_is_an_evaluation():
    older = {"score": 0.9, "ci95": [0.8, 0.95], "games": 30, "tiers": {"1000": 1.0, "3000": 0.8}}
    entry = read_entry(json.dumps({"minutes": 2.0, "games": 40, "strength": older}).encode())
    assert entry["evaluation"] == {
        "mcts": {"score": 0.9, "ci95": [0.8, 0.95], "games": 30},
        "mcts-1000": {"score": 1.0},
        "mcts-3000": {"score": 0.8},
    }
    assert "strength" not in entry
    assert scalars(entry)["evaluation.mcts-1000.score"] == 1.0
