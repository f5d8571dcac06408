"""The player `net`: a trained network and PUCT, one game with several leaves in a batch.

net:runs/first,playouts=400     the newest checkpoint of a run
net:gomoku-8                    a network that comes with the package
net:runs/first/network.onnx     an exported network, which needs no PyTorch
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np

from eightfold.core.specs import Option, check_options
from eightfold.games.game import Game, Position
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.store.opening import open_network
from eightfold.search import playing
from eightfold.search.forest import ForestSearch
from eightfold.search.kernels.tree import UNKNOWN
from eightfold.search.limits import Limits
from eightfold.search.result import Progress, SearchResult, check_position, check_seed, most_looked_at

SHORT = {"exploration": "c"}
LANES = 8  # leaves in a batch: more are faster and search a little worse
TIMED_PLAYOUTS = 100_000  # room in the tree when time is the limit
NODE, EDGE = 17, 18  # bytes in a tree
LEAST_STEPS = 2  # batches that are always searched: the first asks about the position itself, the next about its moves
CHUNK = 256  # simulations between two looks at the clock: those that the rules settle ask no network


class NetPlayer:
    """A network that thinks with a number of playouts, or for some seconds."""

    OPTIONS = (
        Option(name="playouts", default=400, least=1, most=1e6, help="positions to look at for a move"),
        Option(name="seconds", default=0.0, least=0, most=1e6, help="time for a move, instead of playouts"),
        *(
            replace(option, name=SHORT.get(option.name, option.name), absent="as the network says")
            for option in playing.OPTIONS
        ),
        Option(name="memory", default=0, least=0, most=1e6, help="megabytes for the tree when time is the limit"),
    )

    def __init__(
        self,
        game: Game,
        place: str,
        *,
        playouts: int = 400,
        seconds: float = 0.0,
        c: float | None = None,
        unvisited: float | None = None,
        threats: int | None = None,
        contempt: float | None = None,
        memory: int = 0,
        seed: int = 0,
    ) -> None:
        chosen = {"unvisited": unvisited, "threats": threats, "contempt": contempt}
        limits = {"playouts": playouts, "seconds": seconds, "memory": memory}
        check_options(self.OPTIONS, "player net", {**chosen, **limits, "c": c})
        runner, description = open_network(place, game)
        self._game, self._playouts, self._seconds = game, playouts, seconds
        self._random = np.random.default_rng(check_seed(seed))
        self._evaluator = NetworkEvaluator(
            runner, encoder=description.encoder, symmetry=description.symmetry, random=self._random
        )
        overruled: dict[str, Any] = {
            name: value for name, value in {**chosen, "exploration": c}.items() if value is not None
        }
        self._settings = replace(
            description.settings(),
            lanes=min(LANES, max(1, playouts // 16)),
            **overruled,
        )
        self._most = TIMED_PLAYOUTS if not memory else min(TIMED_PLAYOUTS, self._playouts_in(memory))
        self._room = 0
        self._moves: tuple[int, ...] | None = None
        self._make_room(self._most if seconds else playouts)

    def _playouts_in(self, memory: int) -> int:
        """For how many playouts so many megabytes are enough: two trees, of three nodes for a playout."""
        nodes = memory * 1_000_000 // (2 * (NODE + EDGE * self._game.actions))
        return max(1, (nodes - 2 * self._settings.lanes - 2 * self._game.actions - 2) // 3)

    def _make_room(self, playouts: int) -> None:
        if playouts > self._room:
            self._search = ForestSearch(
                self._game, self._evaluator, playouts=playouts, settings=self._settings, random=self._random
            )
            self._room, self._moves = playouts, None

    def new_game(self) -> None:
        self._moves = None

    def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, "net")
        limits = Limits(self._seconds, seconds, stop, on_progress)
        if limits.timed:
            self._make_room(self._most)
        self._take_up(position)
        search, before = self._search, self._search.simulations
        search.prepare_root(0, CHUNK if limits.timed else self._playouts, noisy=False)
        steps, more = 0, True
        while more and (steps < LEAST_STEPS or not limits.reached()):
            if steps:
                limits.report(lambda: self._result(before, told=True))
            more = self._timed_step() if limits.timed else search.step() > 0
            steps += 1
        search.forest.left[0] = 0
        return self._result(before, ties=self._random, told=limits.told)

    def _timed_step(self) -> bool:
        """One batch of a search that has no number to reach; whether there is any use in another."""
        forest = self._search.forest
        if forest.used[0, 0] + self._settings.lanes >= forest.first.shape[1]:
            return False  # the tree is full
        forest.left[0] = CHUNK
        self._search.step()
        return bool(forest.proof[0, 0] == UNKNOWN)

    def _result(self, before: int, *, ties: np.random.Generator | None = None, told: bool = False) -> SearchResult:
        """What the tree says; equally good moves are chosen from by `ties`, and in a snapshot the first is taken."""
        search = self._search
        visits = search.root_visits(0)
        policy = visits / visits.sum()
        if search.is_unvisited(0):
            visits, policy = np.zeros_like(visits), search.root_priors(0)
        best = search.best_moves(0)
        action = int(best[0] if ties is None else ties.choice(best))
        return SearchResult(
            action=action,
            policy=policy,
            value=search.root_value(0),
            visits=visits.astype(np.int64),
            values=search.root_values(0),
            principal_variation=search.variation(0, action),
            variations=tuple(search.variation(0, move) for move in most_looked_at(visits)) if told else (),
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
