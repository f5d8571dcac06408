"""The player `random`: any legal move, each as likely as the others."""

from __future__ import annotations

import threading

import numpy as np

from eightfold.core.specs import NoOptions
from eightfold.games.game import Game, Position
from eightfold.search.kind import PlayerKind
from eightfold.search.move_time import Seconds
from eightfold.search.result import Progress, SearchResult, check_position, check_seed


class RandomMover:
    """Any legal move."""

    KIND = PlayerKind(summary="any legal move, each as likely as the others")
    Options = NoOptions
    timed, bytes_a_game = False, 0

    def __init__(self, game: Game, options: NoOptions = NoOptions(), *, seed: int = 0) -> None:  # noqa: B008
        self._game, self._random = game, np.random.default_rng(check_seed(seed))

    def new_game(self) -> None:
        """It remembers nothing."""

    def fork(self, seed: int) -> RandomMover:
        return RandomMover(self._game, seed=seed)

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, "random")
        policy = (position.legal_mask / len(position.legal_moves)).astype(np.float32)
        return SearchResult(action=int(self._random.choice(position.legal_moves)), policy=policy, value=0.0)
