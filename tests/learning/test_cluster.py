"""Training and matches on a cluster of real processes: two local nodes, one of which is killed."""

from __future__ import annotations

import json
import shutil
import socket
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from eightfold.arena.match import play_match
from eightfold.arena.tournaments.play import tournament
from eightfold.core.cluster import Versions, connect, versions
from eightfold.games.game import make_game
from eightfold.learning.actors.cluster import players_on
from eightfold.learning.data.record import PlayedGame
from eightfold.learning.loop import Training
from eightfold.learning.runs.metrics import read_metrics
from refusals import refusal
from tiny_runs import tiny

pytest.importorskip("ray")
from local_cluster import local_cluster


def games_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]


def heard_by(training: Training) -> list[PlayedGame]:
    """The games that the learner is told of, from now on."""
    heard, store = [], training._store

    def hear(game: PlayedGame) -> None:
        store(game)
        heard.append(game)

    training._store = hear
    return heard


def train_until(training: Training, is_enough) -> dict:
    """Rounds until a line of the metrics is enough; that line."""
    seen = []

    def watch(entry: dict) -> None:
        seen.append(entry)
        if is_enough(entry):
            training.stop()

    training.config = replace(training.config, games=100_000)
    training.train(watch)
    training._stop.clear()
    return seen[-1]


def busy_nodes(entry: dict) -> int:
    return len([node for node in entry.get("nodes", []) if node["games_per_s"] > 0])


def test_a_run_on_two_nodes_loses_nothing_with_one_of_them_and_goes_on(tmp_path, capfd):
    """One cluster for everything, for it takes seconds to start."""
    few = ("training.games_a_round=8", "training.replay_ratio=0.5", "selfplay.playouts=300", "selfplay.full_share=1")
    run, config = tmp_path / "run", tiny(*few)
    with local_cluster() as cluster:
        second = cluster.add_node(num_cpus=1)
        with players_on(cluster.address) as make_players:
            training = Training(config, run, make_players)
            heard = heard_by(training)
            entry = train_until(training, lambda entry: busy_nodes(entry) == 2)
            assert entry["actors"] == len(entry["nodes"]) == 2
            assert 50 < entry["bytes_a_game"] < 2000

            # A node is killed while games are played: the other goes on. One that joins is taken.
            workers = training.players.workers
            killer = threading.Timer(0.2, cluster.remove_node, (second,), {"allow_graceful": False})
            killer.start()
            alone = train_until(training, lambda entry: workers.lost and len(entry["nodes"]) == 1)
            assert alone["games_per_s"] > 0
            killer.join()
            cluster.add_node(num_cpus=1)
            assert train_until(training, lambda entry: busy_nodes(entry) == 2)["actors_lost"] >= 1
            # All that was heard of is stored, in its order, and counted.
            assert [game["moves"] for game in games_of(run)] == [list(game.moves) for game in heard]
            assert training.progress.games == len(heard)
            nodes = [entry["nodes"] for entry in read_metrics(run)]
            assert max(node["weights_age_s"] for each in nodes for node in each) > 0

            _check_that_games_are_the_same(training.players.play_games, run, tmp_path)
            training.close()

        # The learner goes on from its checkpoint, also without the cluster.
        again = Training(replace(config, games=0), run)
        assert again.progress.games == len(games_of(run))
        assert again.progress.steps == training.progress.steps > 0
        again.close()

        other = copy_of_the_package(tmp_path / "other")
        cluster.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(other)})
        with pytest.raises(ValueError, match=r"has another version: Eightfold 9\.9\.9 there"), connect("auto"):
            pass
    assert capfd.readouterr().out == "", "Ray does not print its logs of a lost node"


def _check_that_games_are_the_same(play, run: Path, folder: Path) -> None:
    """Matches and tournaments give what they give here, and networks travel."""
    game, players = make_game("gomoku:size=3,win=3"), ("mcts:playouts=20", "greedy")
    options = {"games": 5, "seed": 3, "opening_plies": 2}
    there, here = play_match(game, *players, **options, play=play), play_match(game, *players, **options)
    assert [each.position.moves for each in there.results] == [each.position.moves for each in here.results]
    assert (there.total, there.names) == (here.total, here.names)
    cups = {"there": play, "here": play_games_here()}
    for name, chosen in cups.items():
        tournament(folder / name, [f"net:{run},playouts=4", "random"], game=game.text, games=4, play=chosen)
    played = [{(each["number"], *each["moves"]) for each in games_of(folder / name)} for name in cups]
    assert played[0] == played[1]
    assert len(played[0]) == 4


def play_games_here():
    from eightfold.arena.engine import play_games

    return play_games


def copy_of_the_package(folder: Path) -> Path:
    """The package with another version number, to be found on this path."""
    package = Path(sys.modules["eightfold"].__file__).parent
    shutil.copytree(package, folder / "eightfold", ignore=shutil.ignore_patterns("__pycache__", "models"))
    page = folder / "eightfold" / "__init__.py"
    page.write_text(page.read_text().replace("__version__ = ", '__version__ = "9.9.9" or '))
    return folder


def test_an_address_where_nobody_answers_is_one_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ValueError, match=f"no cluster answers at {address}"), connect(address):
            pass
    for wrong in ("nonsense", "ray://127.0.0.1:10001", "host:port", ":6379", "host:99999"):
        with pytest.raises(ValueError, match="is no address; give auto, or HOST:PORT"), connect(wrong):
            pass


def test_without_ray_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r'a cluster needs Ray: pip install "eightfold\[cluster\]"'), connect("auto"):
        pass


def test_versions_say_what_differs():
    mine = versions()
    assert mine.difference(mine) == ""
    assert mine.difference(replace(mine, python="3.9.0")).startswith("Python 3.9.0 there")
    other = Versions(eightfold=mine.eightfold, python=mine.python, sources="0" * 12)
    assert mine.difference(other) == f"the sources of Eightfold {'0' * 12} there, {mine.sources} here"


def test_actors_without_a_cluster_are_refused():
    from eightfold.cli.app import check_actors

    assert "name one with --cluster" in refusal(lambda: check_actors(None, 3))
