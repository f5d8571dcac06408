"""Nodes and actors killed at random instants, and the learner too: nothing that was finished is lost.

The test writes what happened, by seconds, into `cluster-faults.log` of its folder, and prints it (`-s` shows it).
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from eightfold.config import to_toml
from eightfold.learning.actors import cluster as on_cluster
from eightfold.learning.actors.cluster import players_on
from eightfold.learning.loop import Training
from eightfold.learning.runs.metrics import read_metrics
from tiny_runs import tiny

pytest.importorskip("ray")
from local_cluster import WITNESS, WitnessedActor, digest, local_cluster

FAULTS, SECONDS = 6, 5.0  # how many, and how far apart at most
INSTANT = 0.5  # seconds: a game that ended so shortly before a kill may not have left its process


class Log:
    def __init__(self, path: Path) -> None:
        self._path, self._begun = path, time.perf_counter()

    def __call__(self, text: str) -> None:
        line = f"{time.perf_counter() - self._begun:6.1f} s  {text}"
        print(line)
        with open(self._path, "a") as file:
            file.write(line + "\n")


@pytest.mark.slow
def test_faults_at_random_instants_lose_nothing_that_was_finished(tmp_path, monkeypatch):
    log, chance, run = Log(tmp_path / "cluster-faults.log"), random.Random(7), tmp_path / "run"
    (tmp_path / "witness").mkdir()
    monkeypatch.setattr(on_cluster, "SelfPlayActor", WitnessedActor)
    config = tiny("game=gomoku:size=6,win=4", "training.games_a_round=20", "selfplay.parallel_games=8", "games=1000000")
    killed: dict[int, float] = {}  # processes of actors, and when
    stored: list[str] = []
    with local_cluster(**{WITNESS: str(tmp_path / "witness")}) as cluster, players_on(cluster.address) as make_players:
        nodes = [cluster.add_node(num_cpus=1)]
        training = Training(config, run, make_players)
        store = training._store

        def hear(game) -> None:
            store(game)
            stored.append(digest(game.to_bytes()))

        training._store = hear

        workers = training.players.workers
        learner = threading.Thread(target=training.train)  # nodes can be added by the main thread alone
        learner.start()
        try:
            wait_for(lambda: len(workers.ready) == 2)
            for _ in range(FAULTS):
                before, lost = rate(stored), workers.lost
                time.sleep(chance.uniform(0, SECONDS))
                alive = actors()
                if chance.random() < 0.5:
                    victim = chance.choice(alive)
                    killed[victim] = time.time()
                    os.kill(victim, signal.SIGKILL)
                    log(f"kill -9 of an actor, process {victim}; {before:.0f} games/s before")
                else:
                    now = time.time()
                    cluster.remove_node(nodes.pop(), allow_graceful=False)
                    killed.update(dict.fromkeys(set(alive) - set(actors()), now))
                    log(f"kill -9 of a node and its actor; {before:.0f} games/s before")
                    nodes.append(cluster.add_node(num_cpus=1))
                    log("another node joins")
                wait_for(lambda lost=lost: workers.lost > lost)
                log(f"the learner has noticed; {rate(stored):.0f} games/s")
                wait_for(lambda: len(workers.ready) == 2)
                log(f"two actors again; {rate(stored):.0f} games/s, {workers.lost} actors lost so far")
        finally:
            training.stop()
            learner.join()
        steps = training.progress.steps
        training.close()
    ended = witnessed(tmp_path / "witness")
    missing = {game: at for game, at in ended.items() if game not in stored}
    counts = f"{len(stored)} came to the learner, {training.progress.games} are counted"
    log(f"{len(ended)} games ended on actors, {counts}")
    for process, at in missing.values():
        log(f"  one ended {killed[process] - at:.3f} s before process {process} was killed, and had not left it")
        assert killed[process] - at < INSTANT
    assert training.progress.games == len(stored) == counted(run)
    assert max(entry["actors_lost"] for entry in read_metrics(run) if "nodes" in entry) >= FAULTS / 2
    again = Training(config, run)
    assert (again.progress.games, again.progress.steps) == (len(stored), steps)
    again.close()


@pytest.mark.slow
def test_a_learner_that_is_killed_goes_on_with_all_games(tmp_path):
    log, run = Log(tmp_path / "cluster-faults.log"), tmp_path / "run"
    settings = tmp_path / "tiny.toml"
    settings.write_text(to_toml(tiny("training.games_a_round=20", "selfplay.parallel_games=8", "games=100000"), {}))
    games = 0
    with local_cluster() as cluster:
        cluster.add_node(num_cpus=1)
        command = [sys.executable, "-m", "eightfold", "train", str(settings), "--run", str(run)]
        for launch in range(3):
            learner = subprocess.Popen([*command, "--cluster", cluster.address], stderr=subprocess.DEVNULL)
            wait_for(lambda least=games + 60: counted(run) >= least)
            learner.kill()
            learner.wait()
            log(f"launch {launch}: the learner is killed with {counted(run)} games")
            assert counted(run) >= games + 60
            games = counted(run)
    again = Training(tiny("training.games_a_round=20", "selfplay.parallel_games=8"), run)
    assert again.progress.games in (games, games + 1)  # a line of games.jsonl may have been missing
    assert again.progress.steps > 0
    again.close()


def counted(run: Path) -> int:
    with contextlib.suppress(OSError):
        return (run / "games.jsonl").read_bytes().count(b"\n")
    return 0


def wait_for(condition, seconds: float = 120) -> None:
    deadline = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < deadline
        time.sleep(0.05)


def rate(stored: list[str], seconds: float = 2.0) -> float:
    """Games a second that come to the learner."""
    before = len(stored)
    time.sleep(seconds)
    return (len(stored) - before) / seconds


def actors() -> list[int]:
    """The processes of actors that are alive."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes().startswith(b"ray::WitnessedActor"):
                found.append(int(path.parent.name))
    return found


def witnessed(folder: Path) -> dict[str, tuple[int, float]]:
    """The games that ended on actors: in which process, and when."""
    found = {}
    for path in folder.iterdir():
        for line in path.read_text().splitlines():
            at, _, game = line.partition(" ")
            found[game] = int(path.name), float(at)
    return found
