"""What a training loop asks of whoever plays its games; it does not know where they are played.

A round of the loop hands over weights (`load`) and has games played (`play`) while it trains. `local.py` plays them in
this process, `cluster.py` on the nodes of a cluster.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from torch import nn

from eightfold.arena.engine import PlayGames
from eightfold.games.game import Game
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.record import PlayedGame
from eightfold.nets.inference.backends.interface import Runner
from eightfold.nets.store.description import Description


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is to be played, and with what."""

    config: TrainConfig
    game: Game
    network: nn.Module  # as it is trained; it may change while games go on, up to the next `load`
    description: Description
    turns: np.random.SeedSequence  # for the evaluator, which may turn boards by chance
    games: int  # that the run has so far: another launch draws other random numbers
    checkpoint: Path  # where the run saves its network


class Players(Protocol):
    """Somebody who plays games with the newest weights that were handed over."""

    @property
    def simulations(self) -> int:
        """That asked the network, so far."""

    def prepare(self, stop: Callable[[], bool]) -> None:
        """What takes long before the first game, and is not charged to it."""

    def load(self, network: nn.Module, *, theta: float) -> None:
        """From now on play with these weights; `theta`: how much the games of leaves count.

        They are where they are trained, which nobody does meanwhile; who needs them on the CPU asks `on_cpu`.
        """

    def play(
        self,
        games: int,
        *,
        on_game: Callable[[PlayedGame], None],
        deadline: float = math.inf,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Go on until so many games have ended, `time.perf_counter()` reaches the deadline, or `stop` says so.

        `on_game` hears of every game when it ends, and every game that it hears of is counted in the answer. Games
        that have not ended are kept for the next call.
        """

    def finish(self) -> None:
        """Hand the games that have ended and were not told of yet to the last `on_game`; nothing more is asked for."""

    def figures(self) -> dict[str, Any]:
        """What the metrics should say of the round, beside games and simulations."""

    def runner(self) -> Runner | Path:
        """The network that was loaded last, for matches: what runs it here, or its checkpoint."""

    @property
    def play_games(self) -> PlayGames:
        """What plays those matches."""

    def close(self) -> None: ...


def on_cpu(network: nn.Module) -> nn.Module:
    """The network, or a copy, on the CPU."""
    away = any(parameter.device.type != "cpu" for parameter in network.parameters())
    return copy.deepcopy(network).to("cpu") if away else network


MakePlayers = Callable[[Wanted], Players]
