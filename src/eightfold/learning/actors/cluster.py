"""Games played on a cluster: an actor for each processor or GPU of its nodes, and one learner, which is this process.

    with players_on("auto") as make_players:
        Training(config, folder, make_players)

Weights are put into the object store once a version; every actor is told of it and fetches it, each node once. Games
come back packed (`PlayedGame.to_bytes`, half a kilobyte and more) at the moment they end. An actor that dies is
replaced by one with the newest weights, and its unfinished games are lost, nothing else. While the learner does not
ask, as during an evaluation, the actors wait, and play its matches.

The games of a run depend on which actor was faster: unlike a run on one machine, it cannot be repeated move by move.

Read before: `players.py`, `remote.py` (the actor), `eightfold.core.workers`.
"""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from eightfold.arena.cluster_games import ClusterGames
from eightfold.arena.engine import PlayGames
from eightfold.core.cluster import Cluster, connect
from eightfold.core.workers import Job, Place, Worker, Workers
from eightfold.learning.actors.here import players_here
from eightfold.learning.actors.players import MakePlayers, Wanted
from eightfold.learning.actors.remote import Assignment, SelfPlayActor, SliceReport
from eightfold.learning.data.record import PlayedGame
from eightfold.learning.runs.torch_globals import half_of_the_cores

SLICE_SECONDS = 0.5  # that an actor is asked to play for: new weights and the end of a run wait as long
SLICES = 2  # of an actor at once, the one that goes on included
WAIT_SECONDS = 0.2
KNOWN_VERSIONS = 1000  # whose age is known
LOAD_SECONDS = 1.0  # between two versions: with many actors a round is short, and weights are larger than games

log = logging.getLogger("eightfold")


@contextlib.contextmanager
def players_on(address: str | None, *, actors: int = 0) -> Iterator[MakePlayers]:
    """What makes the players of a run, on the cluster at an address or, for None, here; `actors` 0: all that fit."""
    if address is None:
        yield players_here
        return
    with connect(address) as cluster:  # an error comes before anything is written
        yield lambda wanted: ClusterPlayers(wanted, cluster, actors=actors)


@dataclass(kw_only=True)
class _Tally:
    """What the actors of a node did since the last figures."""

    actors: int = 0
    games: int = 0
    simulations: int = 0
    seconds: float = 0.0  # of all its actors
    processor_seconds: float = 0.0
    age: float = 0.0  # of the oldest weights


class ClusterPlayers:
    """`Players` who sit on the nodes of a cluster."""

    def __init__(self, wanted: Wanted, cluster: Cluster, *, actors: int = 0) -> None:
        self._wanted, self._ray = wanted, cluster.ray
        self.simulations = 0
        self._version, self._theta = 0, 0.0
        self._weights: Any = None  # their place in the object store
        self._loaded_at: dict[int, float] = {}  # when each version was handed over
        self._on_game: Callable[[PlayedGame], None] = lambda game: None
        self._games = self._bytes = 0  # since the last figures
        self._tallies: dict[str, _Tally] = {}
        self._asked_at, self._broadcast = time.perf_counter(), 0.0
        self._of_last_slice: dict[str, Any] = {}
        self._lost = 0
        # The learner trains on half of the cores of its own machine.
        self.workers = Workers(
            cluster, SelfPlayActor, self._assign, most=actors, spare=half_of_the_cores(), on_new=self._send_weights
        )
        self._matches = ClusterGames(cluster, self.workers)

    def _assign(self, place: Place, life: int) -> tuple[Assignment]:
        wanted = self._wanted
        config = replace(wanted.config, device="cuda" if place.gpus else "cpu")
        made = {"number": place.number, "life": life, "threads": place.threads}
        return (Assignment(config=config, description=wanted.description, games=wanted.games, **made),)

    def prepare(self, stop: Callable[[], bool]) -> None:
        self.workers.start(stop=stop)

    # ---- weights --------------------------------------------------------------------------------------

    def load(self, network: nn.Module, *, theta: float) -> None:
        """Put the weights into the object store, unless that was done a moment ago: then the next ones will be."""
        if self._age(self._version) < LOAD_SECONDS and self._version:
            return
        from safetensors.torch import save

        state = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
        self._version, self._theta = self._version + 1, theta
        self._loaded_at[self._version] = time.perf_counter()
        self._loaded_at.pop(self._version - KNOWN_VERSIONS, None)
        self._weights = self._ray.put(np.frombuffer(save(state), np.uint8))
        for worker in self.workers.ready:
            self._send_weights(worker)

    def _send_weights(self, worker: Worker) -> None:
        if self._weights is None:
            return  # a worker that is made before the first round

        def arrived(worker: Worker, version: int) -> None:
            self._broadcast = self._age(version)

        arguments = self._version, [self._weights], self._theta
        self.workers.ask(worker, Job(method="load", arguments=arguments, on_item=arrived))

    # ---- games ----------------------------------------------------------------------------------------

    def play(
        self,
        games: int,
        *,
        on_game: Callable[[PlayedGame], None],
        deadline: float = math.inf,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        played = 0

        def count(game: PlayedGame) -> None:
            nonlocal played
            on_game(game)
            played += 1

        self._on_game = count
        while played < games and time.perf_counter() < deadline and not stop():
            for worker in self.workers.ready:
                for _ in range(SLICES - len(worker.jobs)):
                    self.workers.ask(
                        worker, Job(method="play", arguments=(SLICE_SECONDS,), on_item=self._take, on_death=self._mourn)
                    )
            self.workers.step(WAIT_SECONDS)
        return played

    def finish(self) -> None:
        """Let the actors come to the end of what they were asked for: games that have ended are on their way."""
        while any(worker.jobs for worker in self.workers.ready):
            self.workers.step(WAIT_SECONDS)

    def _take(self, worker: Worker, item: list[bytes] | SliceReport) -> None:
        tally = self._tallies.setdefault(worker.place.node.name, _Tally())
        if isinstance(item, SliceReport):
            self.simulations += item.simulations
            tally.simulations += item.simulations
            tally.seconds += item.seconds
            tally.processor_seconds += item.processor_seconds
            tally.age = max(tally.age, self._age(item.version))
            self._of_last_slice = item.figures
            return
        for data in item:
            self._on_game(PlayedGame.from_bytes(data))
            tally.games += 1
            self._games += 1
            self._bytes += len(data)

    def _age(self, version: int) -> float:
        """Seconds since this version was handed over; 0 for what is too long ago to be known."""
        now = time.perf_counter()
        return now - self._loaded_at.get(version, now)

    def _mourn(self, worker: Worker) -> None:
        if self.workers.lost > self._lost:
            self._lost = self.workers.lost
            log.warning("eightfold: note: an actor on node %s is lost; another takes its place", worker.place.node.name)

    def figures(self) -> dict[str, Any]:
        """Of all actors, and node by node; rates are those since the last call."""
        now = time.perf_counter()
        seconds, self._asked_at = now - self._asked_at, now
        tallies, self._tallies = self._tallies, {}
        for worker in self.workers.ready:
            tallies.setdefault(worker.place.node.name, _Tally()).actors += 1
        nodes = [
            {
                "node": name,
                "actors": tally.actors,
                "games_per_s": tally.games / seconds,
                "simulations_per_s": tally.simulations / seconds,
                "busy": tally.seconds / seconds / max(1, tally.actors),
                "weights_age_s": tally.age,
            }
            for name, tally in sorted(tallies.items())
        ]
        games, self._games = self._games, 0
        sent, self._bytes = self._bytes, 0
        return {
            **self._of_last_slice,
            "actors": len(self.workers.ready),
            "actors_lost": self.workers.lost,
            "bytes_a_game": sent / games if games else 0.0,
            "broadcast_s": self._broadcast,
            "nodes": nodes,
        }

    # ---- matches --------------------------------------------------------------------------------------

    def runner(self) -> Path:
        return self._wanted.checkpoint

    @property
    def play_games(self) -> PlayGames:
        return self._matches

    def close(self) -> None:
        self.workers.close()
