"""What the tests of the page share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run as training leaves it, with an untrained network."""
    from eightfold.nets.store.checkpoint import save_checkpoint
    from eightfold.nets.store.description import Description

    folder = tmp_path_factory.mktemp("runs") / "first"
    (folder / "checkpoint").mkdir(parents=True)
    (folder / "config.toml").write_text('game = "gomoku:size=7"\nnetwork = "resnet"\nsymmetry = "slap"\nseed = 3\n')
    entries = [
        {"minutes": k / 10, "games": 10 * k, "policy_loss": 3 - k / 20, "value_loss": 0.5, "learning_rate": 1e-3,
         "games_per_s": 5.0, "game_length": 20.0, "black_wins": 0.5, "white_wins": 0.4, "draws": 0.1}
        for k in range(1, 31)
    ]  # fmt: skip
    node = {"actors": 2, "games_per_s": 2.5, "simulations_per_s": 6000.0, "busy": 0.98, "weights_age_s": 1.5}
    cluster = {"actors": 4, "actors_lost": 1, "bytes_a_game": 588.0}
    entries[-1] |= {**cluster, "nodes": [{"node": name, **node} for name in ("10.0.0.1", "10.0.0.2")]}
    entries.append(
        {
            "minutes": 3.0,
            "games": 300,
            "evaluation": {
                "mcts": {"score": 0.6, "ci95": [0.5, 0.7], "games": 30, "wins": 12, "draws": 12, "losses": 6}
            },
        }
    )
    (folder / "metrics.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    games = [{"moves": [24, 25, 17, 18, 10, 11, 3], "opening": 0, "result": 1} for _ in range(120)]
    (folder / "games.jsonl").write_text("".join(json.dumps(game) + "\n" for game in games))
    description = Description(
        network="resnet:blocks=1,filters=8",
        game="gomoku:size=7,win=5,rule=freestyle",
        encoder="last-move",
        symmetry="slap",
    )
    save_checkpoint(folder / "checkpoint", description.make(), description)
    return folder


@pytest.fixture(scope="session")
def isn_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained Internal Symmetry Network."""
    import torch

    from eightfold.isn.network import ISN
    from strange_networks import save_isn

    torch.manual_seed(5)
    path = tmp_path_factory.mktemp("isn") / "snapshot.safetensors"
    save_isn(ISN(), path)
    return path


@pytest.fixture(scope="session")
def pattern_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A combined library of 3x3 and 4x4 patterns from a few random games of Go."""
    from eightfold.patterns.files import save_library
    from patterns.libraries import combined_library

    path = tmp_path_factory.mktemp("patterns") / "few-games.patterns"
    save_library(combined_library(), path)
    return path


@pytest.fixture(scope="session")
def address(run_folder: Path, isn_file: Path, pattern_file: Path) -> Iterator[str]:
    """A server that all tests of a process share: games do not disturb each other."""
    from eightfold.web.lobby import Lobby
    from web.serving import running

    players = ["mcts:playouts=50", "alphabeta:depth=2"]
    lobby = Lobby(
        players=players, runs=[run_folder], isns=[isn_file], patterns=[pattern_file], workers=2, pace=0, seed=1
    )
    with running(lobby) as where:
        yield where
