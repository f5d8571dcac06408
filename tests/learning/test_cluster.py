"""Training and matches on a cluster of real processes: two local nodes, one of which is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from eightfold.arena.cluster_games import games_on
from eightfold.arena.match import play_match
from eightfold.arena.tournaments.play import tournament
from eightfold.core.cluster import versions
from eightfold.games.game import make_game
from eightfold.learning.actors.cluster import players_on
from eightfold.learning.data.record import PlayedGame
from eightfold.learning.loop import Training
from eightfold.learning.runs.metrics import read_metrics
from local_cluster import local_cluster
from refusals import refusal
from tiny_runs import tiny

pytest.importorskip("ray")


def games_of(run: Path) -> list[str]:
    return (run / "games.jsonl").read_text().splitlines()


def heard_by(training: Training) -> list[PlayedGame]:
    """The games that the learner was told of, from now on."""
    heard, store = [], training._store

    def hear(game: PlayedGame) -> None:
        store(game)
        heard.append(game)

    training._store = hear
    return heard


def test_a_run_on_two_nodes_loses_nothing_with_one_of_them_and_goes_on(tmp_path, capfd):
    """One cluster for all, for it takes seconds to start."""
    run, many = tmp_path / "run", ("training.games_a_round=20", "selfplay.parallel_games=4", "games=60")
    with local_cluster() as cluster:
        second = cluster.add_node(num_cpus=1)
        with players_on(cluster.address) as make_players:
            training = Training(tiny(*many), run, make_players)
            heard = heard_by(training)
            training.train()
            figures = [entry for entry in read_metrics(run) if "nodes" in entry]
            assert {node["node"] for entry in figures for node in entry["nodes"] if node["games_per_s"] > 0} == {
                node["node"] for node in figures[-1]["nodes"]
            }
            assert figures[-1]["actors"] == len(figures[-1]["nodes"]) == 2
            assert 50 < figures[-1]["bytes_a_game"] < 2000
            # Games of both nodes are those of the rules, and all that were heard of are stored.
            assert [json.loads(line)["moves"] for line in games_of(run)] == [list(game.moves) for game in heard]
            # A node is killed while games are played; the other goes on, and one that joins is taken.
            workers = training.players.workers
            lost = next(worker for worker in workers.ready if not worker.place.node.here)
            training.config = tiny(*many, "games=140")
            cluster.remove_node(second, allow_graceful=False)
            training.train()
            assert workers.lost == 1
            assert lost not in workers.workers
            cluster.add_node(num_cpus=1)
            training.config = tiny(*many, "games=1000")
            report = []

            def watch(entry):
                report.append(entry)
                if entry.get("actors") == 2 and all(node["games_per_s"] > 0 for node in entry["nodes"]):
                    training.stop()

            training.train(watch)
            assert report[-1]["actors"] == 2, "throughput recovers"
            assert training.progress.games == len(heard) == len(games_of(run)) < 1000
            training.evaluate(1)
            assert training.evaluation.total.games == 3
            training.close()
        # The learner goes on from its checkpoint, here without a cluster.
        again = Training(tiny(*many, f"games={len(heard) + 40}"), run)
        assert again.progress.games == len(games_of(run)) >= len(heard)
        assert again.progress.steps == training.progress.steps
        again.train()
        again.close()

        # Matches and tournaments: the same games as without a cluster.
        game, players = make_game("gomoku:size=5,win=4"), ("mcts:playouts=20", f"net:{run},playouts=4")
        with games_on(cluster.address) as play:
            there = play_match(game, "mcts:playouts=20", "greedy", games=6, seed=3, opening_plies=2, play=play)
            of_three = make_game("gomoku:size=3,win=3")
            assert play_match(of_three, *players, games=4, play=play).total.games == 4  # the network travels
            cup = tournament(tmp_path / "there", ["random", "greedy"], game=game.text, games=4, play=play)
        here = play_match(game, "mcts:playouts=20", "greedy", games=6, seed=3, opening_plies=2)
        assert [each.position.moves for each in there.results] == [each.position.moves for each in here.results]
        assert there.total == here.total
        kept = tournament(tmp_path / "here", ["random", "greedy"], game=game.text, games=4)
        assert cup.as_dict()["players"] == kept.as_dict()["players"]

        # A node with another version.
        other = copy_of_package(tmp_path / "other")
        cluster.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(other)})
        with players_on(cluster.address) as _:
            pass
    assert "Termination is unexpected" not in capfd.readouterr().out


def copy_of_package(folder: Path) -> Path:
    package = Path(__file__).parents[2] / "src" / "eightfold"
    shutil.copytree(package, folder / "eightfold", ignore=shutil.ignore_patterns("__pycache__", "models"))
    marked = folder / "eightfold" / "__init__.py"
    marked.write_text(marked.read_text().replace("__version__ = ", "__version__ = '9.9.9' or "))
    return folder
