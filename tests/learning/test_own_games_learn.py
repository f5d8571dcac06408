"""The games of docs/new-game.md learn by self-play with nothing but their file: the network gets stronger."""

from __future__ import annotations

import shutil

import pytest

from eightfold.arena import play_match
from eightfold.config import load_preset, with_changes
from eightfold.games import make_game
from eightfold.learning.commands import train_run
from eightfold.learning.config import TrainConfig

SETTINGS = (
    "network=resnet:blocks=2,filters=16",
    "minutes=0",
    "selfplay.parallel_games=32",
    "selfplay.playouts=48",
    "selfplay.fast_playouts=16",
    "selfplay.opening_stones=2",
    "training.window=16000",
    "training.replay_ratio=16",
    "evaluation.every_minutes=0",
    "evaluation.final_games=1",
    "evaluation.playouts=8",
)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "games"), [("python:othello,size=6", 1000), ("python:hex,size=5", 1000)])
def test_a_network_beats_its_beginnings_and_random_moves(text, games, examples, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(examples))
    game = make_game(text, trusted=True)
    config = with_changes(load_preset(TrainConfig(), "quick"), [f"game={text}", *SETTINGS])
    run, beginner = tmp_path / "run", tmp_path / "beginner"
    train_run(with_changes(config, ["games=32"]), run)
    shutil.copytree(run / "checkpoint", beginner)
    train_run(with_changes(config, [f"games={games}"]), run)
    for opponent, least in ((f"net:{beginner},playouts=32", 0.7), ("random", 0.9)):
        report = play_match(game, f"net:{run},playouts=32", opponent, games=100, seed=1, opening_plies=2)
        assert report.total.score > least, (opponent, report.total)
