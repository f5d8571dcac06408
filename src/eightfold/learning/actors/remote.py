"""What plays a run's games on another machine: the same players as on this one, for some seconds at a time.

Weights come as the bytes of a safetensors file through the object store, games leave as `PlayedGame.to_bytes`, each
when it ends, or from a GPU some at once. Read before: `here.py`. Read next: `cluster.py`, which is at the other end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from eightfold.arena.match_actor import MatchActor
from eightfold.games.game import make_game
from eightfold.learning.actors.here import players_here
from eightfold.learning.actors.players import Wanted
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.record import PlayedGame
from eightfold.nets.store.description import Description

GAMES_OF_A_GPU = 64  # that leave together: a GPU that has to tell of each one waits for that


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """What an actor is made for: plain data."""

    config: TrainConfig  # with the device of the actor
    description: Description
    games: int  # that the run had when it was launched
    number: int  # of the actor's place
    life: int  # how many actors the place had before
    threads: int


@dataclass(frozen=True, kw_only=True)
class SliceReport:
    """What an actor did in some seconds; it comes after the games of these seconds."""

    version: int  # of its weights
    simulations: int
    seconds: float
    processor_seconds: float
    figures: dict[str, Any]


class SelfPlayActor(MatchActor):
    """Plays for a run, and matches when the run measures its network."""

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(assignment.threads)
        torch.set_num_threads(assignment.threads)
        config, number, life = assignment.config, assignment.number, assignment.life
        self._network, self._version = assignment.description.make(), 0
        wanted = Wanted(
            config=config,
            game=make_game(config.game, trusted=True),  # who typed it is at the other end
            network=self._network,
            description=assignment.description,
            turns=np.random.SeedSequence([config.seed, assignment.games, number, life]),
            games=assignment.games,
            checkpoint=Path(),
        )
        self._selfplay = players_here(wanted, threads=assignment.threads, seeds=(1, number, life))
        self._selfplay.prepare(lambda: False)
        self._together = GAMES_OF_A_GPU if config.device.startswith("cuda") else 1

    def load(self, version: int, weights: list[Any], theta: float) -> Iterator[int]:
        """Take weights, of which the list holds the place in the object store; which version this is."""
        import ray
        from safetensors.torch import load

        self._network.load_state_dict(load(ray.get(weights[0]).tobytes()))
        self._selfplay.load(self._network, theta=theta)
        self._version = version
        yield version

    def play(self, seconds: float) -> Iterator[list[bytes] | SliceReport]:
        """Go on with all games for so long: the games that end, at once, and what it took."""
        begun, spent, simulations = time.perf_counter(), time.process_time(), self._selfplay.simulations
        while time.perf_counter() - begun < seconds:
            ended = list[PlayedGame]()
            self._selfplay.play(self._together, on_game=ended.append, deadline=begun + seconds)
            if ended:
                yield [game.to_bytes() for game in ended]
        yield SliceReport(
            version=self._version,
            simulations=self._selfplay.simulations - simulations,
            seconds=time.perf_counter() - begun,
            processor_seconds=time.process_time() - spent,
            figures=self._selfplay.figures(),
        )
