"""The player `net`: a trained network and PUCT, one game with several leaves in a batch.

net:runs/first,playouts=400     the newest checkpoint of a run
net:gomoku-8                    a network that comes with the package
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from eightfold.errors import EightfoldError
from eightfold.games.game import Game, Position, make_game
from eightfold.nets.backends import make_backend
from eightfold.nets.checkpoint import find_checkpoint, load_checkpoint
from eightfold.nets.evaluator import NetworkEvaluator
from eightfold.search.forest import PLAYING, ForestSearch
from eightfold.search.result import SearchResult, check_position, check_seed
from eightfold.texts import Option, check_options

LANES = 8  # leaves in a batch: more are faster and search a little worse
TIMED_PLAYOUTS = 100_000  # room in the tree when time is the limit


class NetPlayer:
    """A network that thinks with a number of playouts, or for some seconds."""

    OPTIONS = (
        Option(name="playouts", default=400, least=1, most=1e6, help="positions to look at for a move"),
        Option(name="seconds", default=0.0, least=0, most=1e6, help="time for a move, instead of playouts"),
        Option(name="c", default=PLAYING.exploration, least=0, most=1e3, help="exploration"),
        Option(name="contempt", default=PLAYING.contempt, least=0, most=1, help="how much worse than even a draw is"),
    )

    def __init__(
        self,
        game: Game,
        place: str,
        *,
        playouts: int = 400,
        seconds: float = 0.0,
        c: float = PLAYING.exploration,
        contempt: float = PLAYING.contempt,
        seed: int = 0,
    ) -> None:
        given = {"playouts": playouts, "seconds": seconds, "c": c, "contempt": contempt}
        check_options(self.OPTIONS, "player net", given)
        network, description = load_checkpoint(find_checkpoint(place))
        if description.game != game.text:
            if not (network.any_size and _differ_in_size_alone(make_game(description.game), game)):
                raise EightfoldError(f"player net:{place} was trained for {description.game}, not for {game.text}")
            description = replace(description, game=game.text)  # its weights fit any board
        self._game, self._playouts, self._seconds = game, playouts, seconds
        self._random = np.random.default_rng(check_seed(seed))
        backend = make_backend("auto", network, description.shape())
        evaluator = NetworkEvaluator(
            backend, encoder=description.encoder, symmetry=description.symmetry, random=self._random
        )
        self._search = ForestSearch(
            game,
            evaluator,
            playouts=TIMED_PLAYOUTS if seconds else playouts,
            settings=replace(PLAYING, exploration=c, contempt=contempt, lanes=min(LANES, max(1, playouts // 16))),
            random=self._random,
        )
        self._moves: tuple[int, ...] | None = None

    def new_game(self) -> None:
        self._moves = None

    def think(self, position: Position) -> SearchResult:
        check_position(position, self._game, "net")
        self._take_up(position)
        search, before = self._search, self._search.simulations
        search.prepare_root(0, TIMED_PLAYOUTS if self._seconds else self._playouts, noisy=False)
        deadline = time.perf_counter() + self._seconds if self._seconds else float("inf")
        while search.step() and time.perf_counter() < deadline:
            pass
        search.forest.left[0] = 0
        visits = search.root_visits(0)
        action = int(self._random.choice(np.flatnonzero(visits == visits.max())))
        return SearchResult(
            action=action,
            policy=visits / visits.sum(),
            value=search.root_value(0),
            visits=visits.astype(np.int64),
            principal_variation=(action,),
            effort=search.simulations - before,
        )

    def _take_up(self, position: Position) -> None:
        """Follow the moves played since the last search, or start a new tree."""
        known = self._moves
        if known is not None and position.moves[: len(known)] == known:
            for move in position.moves[len(known) :]:
                self._search.advance(0, move)
        else:
            self._search.set_root(0, position.state, wants=position.to_move)
        self._moves = position.moves


def _differ_in_size_alone(one: Game, other: Game) -> bool:
    values, others = dict(one.values), dict(other.values)
    return one.family is other.family and values | {"size": 0} == others | {"size": 0}
