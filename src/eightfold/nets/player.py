"""The player `net`: a trained network and PUCT, one game with several leaves in a batch.

net:runs/first,playouts=400     the newest checkpoint of a run
net:gomoku-8                    a network that comes with the package
net:runs/first/network.onnx     an exported network, which needs no PyTorch
"""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from eightfold.core.settings import all_optional, setting, settings_of
from eightfold.core.specs import check_spec
from eightfold.games.game import Game, Position
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.store.opening import open_network
from eightfold.search.forest import ForestSearch
from eightfold.search.kernels.tree import UNKNOWN
from eightfold.search.kind import Levels, PlayerKind
from eightfold.search.limits import Limits
from eightfold.search.result import Progress, SearchResult, check_position, check_seed, most_looked_at
from eightfold.search.settings import PlaySettings

LEAVES = 8  # in a batch: more are faster and search a little worse
TIMED_PLAYOUTS = 100_000  # room in the tree when time is the limit
NODE, EDGE = 17, 18  # bytes in a tree
LEAST_STEPS = 2  # batches that are always searched: the first asks about the position itself, the next about its moves
CHUNK = 256  # simulations between two looks at the clock: those that the rules settle ask no network


_Overrides: Any = all_optional(PlaySettings, absent="as the network says")


@dataclass(frozen=True, kw_only=True)
class NetOptions(_Overrides):  # type: ignore[misc]  # every setting of a search for points is an option here
    playouts: int = setting(400, "positions to evaluate for a move", least=1, most=1e6)
    seconds: float = setting(0.0, "time for a move, instead of playouts", least=0, most=1e6)
    memory: int = setting(0, "megabytes for the tree when time is the limit", least=0, most=1e6)

    def play_settings(self, usual: PlaySettings) -> PlaySettings:
        """How the network says that it plays, but for what is given here."""
        names = {declared.field for declared in settings_of(PlaySettings)}
        given = {name: value for name, value in asdict(self).items() if name in names and value is not None}
        return replace(usual, **given)


class NetPlayer:
    """A network that thinks with a number of playouts, or for some seconds."""

    KIND = PlayerKind(
        summary="a trained network with a tree search; PLACE: a run, a checkpoint, a .onnx file or a shipped network",
        argument="PLACE",
        example="net:gomoku-8,playouts=400",
        levels=Levels(option="playouts", values=(16, 64, 400, 1600, 6400), usual=2, unit=("playout", "playouts")),
        has_tree=True,
    )
    Options = NetOptions

    def __init__(
        self,
        game: Game,
        place: str,
        options: NetOptions = NetOptions(),  # noqa: B008 - frozen
        *,
        seed: int = 0,
    ) -> None:
        check_spec(options, "player net")
        playouts, seconds, memory = options.playouts, options.seconds, options.memory
        runner, description = open_network(place, game)
        self._game, self._playouts, self._seconds = game, playouts, seconds
        self._random = np.random.default_rng(check_seed(seed))
        self._evaluator = NetworkEvaluator(
            runner,
            encoder=description.encoder,
            symmetry=description.symmetry,
            symmetries=game.symmetries,
            random=self._random,
        )
        self._settings = options.play_settings(description.play_settings())
        self._leaves = min(LEAVES, max(1, playouts // 16))
        self._most = TIMED_PLAYOUTS if not memory else min(TIMED_PLAYOUTS, self._playouts_in(memory))
        self._room = 0
        self._moves: tuple[int, ...] | None = None
        self._make_room(self._most if seconds else playouts)

    def _playouts_in(self, memory: int) -> int:
        """For how many playouts so many megabytes are enough: two trees, of three nodes for a playout."""
        nodes = memory * 1_000_000 // (2 * (NODE + EDGE * self._game.actions))
        return max(1, (nodes - 2 * self._leaves - 2 * self._game.actions - 2) // 3)

    def _make_room(self, playouts: int) -> None:
        if playouts > self._room:
            self._search = ForestSearch(
                self._game,
                self._evaluator,
                playouts=playouts,
                leaves_a_game=self._leaves,
                settings=self._settings,
                random=self._random,
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
        if forest.used[0, 0] + self._leaves >= forest.first.shape[1]:
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
            self._search.set_root(0, position.state, contempt_side=position.to_move)
        self._moves = position.moves
