"""Games played in this process: one `SelfPlay`, on half of the cores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from torch import nn

from eightfold.arena.engine import PlayGames, play_games
from eightfold.learning.actors.players import Wanted, on_cpu
from eightfold.learning.data.record import PlayedGame
from eightfold.learning.evaluators import make_evaluator
from eightfold.learning.opening_book import OpeningBook, wants_book
from eightfold.learning.runs.torch_globals import half_of_the_cores
from eightfold.learning.selfplay import SelfPlay
from eightfold.nets.inference.backends import Backend


class LocalPlayers:
    """`Players` with a network of their own, on a backend."""

    def __init__(self, wanted: Wanted, *, threads: int = 0, seeds: tuple[int, ...] = (1,)) -> None:
        """`threads` 0: half of the cores. `seeds` tell apart those who play for the same run."""
        config, threads = wanted.config, threads or half_of_the_cores()
        self.backend, evaluator, self.cache = make_evaluator(
            config,
            wanted.network,
            wanted.description.shape(),
            game=wanted.game,
            random=np.random.default_rng(wanted.turns),
            threads=threads,
        )
        self.book = None
        if wants_book(config.selfplay):
            book_seed = (config.seed, wanted.games, *seeds)
            self.book = OpeningBook(wanted.game, config.selfplay, evaluator, seed=book_seed)
        self.selfplay = SelfPlay(
            wanted.game,
            evaluator if self.cache is None else self.cache,
            settings=config.selfplay,
            random=np.random.default_rng([config.seed, wanted.games, *seeds]),
            threads=threads,
            seed=config.seed,
            book=self.book,
        )

    @property
    def simulations(self) -> int:
        return self.selfplay.search.simulations

    def prepare(self, stop: Callable[[], bool]) -> None:
        """All is there."""

    def load(self, network: nn.Module, *, theta: float) -> None:
        self.backend.load(on_cpu(network))
        self.selfplay.search.theta = theta
        if self.cache is not None:
            self.cache.clear()
        if self.book is not None:
            self.book.renew()

    def play(
        self,
        games: int,
        *,
        on_game: Callable[[PlayedGame], None],
        deadline: float = math.inf,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        return len(self.selfplay.play(games, on_game=on_game, deadline=deadline, stop=stop))

    def finish(self) -> None:
        """All games that ended were told of."""

    def figures(self) -> dict[str, Any]:
        found: dict[str, Any] = {} if self.cache is None else {"cache_hits": self.cache.hit_rate}
        if self.selfplay.search.rollouts is not None:
            found["theta"] = self.selfplay.search.theta
        if self.book is not None:
            found["balanced_openings"] = self.book.share
        return found

    def runner(self) -> Backend:
        return self.backend

    @property
    def play_games(self) -> PlayGames:
        return play_games

    def close(self) -> None:
        """Nothing outlives the process."""
