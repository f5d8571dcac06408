"""The player `net`: a trained network and PUCT, one game or many at once, several leaves of each in a batch.

net:runs/first,playouts=400     the newest checkpoint of a run
net:gomoku-8                    a network that comes with the package
net:runs/first/network.onnx     an exported network, which needs no PyTorch
net:gomoku-8,level=casual       weaker on purpose (`levels.py`)
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import all_optional, setting, settings_of
from eightfold.core.specs import check_spec
from eightfold.core.threads import usable_cores
from eightfold.games.game import Game, Position
from eightfold.games.state import BLACK, WHITE
from eightfold.nets.inference.backends.interface import Runner
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.levels import LEVELS, USUAL, WHOLE_GAME
from eightfold.nets.store.description import Description
from eightfold.nets.store.network import Network
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork
from eightfold.search.forest import ForestSearch
from eightfold.search.kernels.tree import ROOT, UNKNOWN
from eightfold.search.kind import Levels, PlayerKind
from eightfold.search.limits import Limits
from eightfold.search.move_time import Seconds
from eightfold.search.pace import Pace
from eightfold.search.result import Progress, SearchResult, check_position, check_seed, most_looked_at
from eightfold.search.settings import LeafSettings, PlaySettings, SearchSettings
from eightfold.search.temperature import draw_move

LEAVES = 8  # of a game in a batch: more are faster and search a little worse
TIMED_PLAYOUTS = 100_000  # room in the tree when time is the limit
NODE, EDGE = 17, 18  # bytes in a tree
LEAST_STEPS = 2  # batches that are always searched: the first asks about the position itself, the next about its moves
PONDERED = 2 / 3  # of the tree that the opponent's time may fill: the rest is for our own
PONDERED_THREATS = 0.05  # seconds as if for a move: a search for threats cannot be interrupted when the opponent moves
CHUNK = 256  # simulations between two looks at the clock: those that the rules settle ask no network


_Overrides: Any = all_optional(PlaySettings, absent="as the network says")


@dataclass(frozen=True, kw_only=True)
class NetOptions(_Overrides, LeafSettings):  # type: ignore[misc]  # every setting of a search for points is an option
    playouts: int = setting(400, "positions to evaluate for a move", least=1, most=1e6)
    seconds: float = setting(0.0, "time for a move, instead of playouts", least=0, most=1e6)
    temperature: float = setting(
        0.0, "temperature of moves, drawn by what the search found; 0: the best one is played", least=0, most=100
    )
    temperature_plies: int = setting(WHOLE_GAME, "moves of a game that are drawn so", least=0, most=WHOLE_GAME)
    level: str = setting(
        USUAL, "a named strength, instead of playouts and temperature", choices=tuple(LEVELS), absent="none"
    )
    memory: int = setting(
        0, "megabytes for the tree when time is the limit; 0: room for 100,000 playouts", least=0, most=1e6
    )
    early: str = setting(
        "yes",
        "yes: when time is the limit, a certain move is played early, and on a clock a hard one gets more; no: never",
        choices=("yes", "no"),
    )

    def at_level(self) -> NetOptions:
        """The options that a level stands for; an error where others say the same."""
        if self.level is None:
            return self
        told = asdict(LEVELS[self.level])
        for name in (*told, "seconds"):
            if getattr(self, name) != getattr(NetOptions, name, None):
                raise EightfoldError(
                    f"player net: level={self.level} says how long it thinks and how it chooses;"
                    f" leave out {name}={getattr(self, name)}, or the level"
                )
        return replace(self, **told)

    def search_settings(self, usual: PlaySettings) -> SearchSettings:
        """How the network says that it plays, but for what is given here."""
        options = asdict(self)
        names = {declared.field for declared in settings_of(PlaySettings)}
        given = {name: value for name, value in options.items() if name in names and value is not None}
        leaves = {declared.field: options[declared.field] for declared in settings_of(LeafSettings)}
        return SearchSettings(**{**asdict(usual), **given, **leaves})


def _opened(place: str | Network, game: Game) -> tuple[Runner, Description]:
    if not isinstance(place, PolicyValueNetwork):
        place = open_network(place if isinstance(place, str) else place.file, game, kind=PolicyValueNetwork)
    elif place.game.text != game.text:
        backend, device = place.backend, place.device
        place = open_network(place.file, game, backend=backend, device=device, kind=PolicyValueNetwork)
    return place.runner(), place.description


class NetPlayer:
    """A network that thinks with a number of playouts, or for some seconds."""

    KIND = PlayerKind(
        summary="a trained network with a tree search; PLACE: a run, a checkpoint, a .onnx file or a shipped network",
        argument="PLACE",
        example="net:gomoku-8,playouts=400",
        levels=Levels(option="level", values=tuple(LEVELS), usual=list(LEVELS).index(USUAL)),
        has_tree=True,
    )
    Options = NetOptions

    def __init__(
        self,
        game: Game,
        place: str | Network | tuple[Runner, Description],  # where a network lies, or one that is open
        options: NetOptions = NetOptions(),  # noqa: B008 - frozen
        *,
        leaves_a_game: int = 0,  # in a batch; 0: as many as suit the playouts
        seed: int = 0,
    ) -> None:
        check_spec(options, "player net")
        self._capped = options.level is not None  # a level is no stronger for having more time
        options = options.at_level()
        playouts, seconds, memory = options.playouts, options.seconds, options.memory
        runner, description = place if isinstance(place, tuple) else _opened(place, game)
        self._game, self._playouts, self._seconds, self._early = game, playouts, seconds, options.early == "yes"
        self._temperature, self._temperature_plies = options.temperature, options.temperature_plies
        self._random = np.random.default_rng(check_seed(seed))
        self._evaluator = NetworkEvaluator(
            runner,
            encoder=description.encoder,
            symmetry=description.symmetry,
            symmetries=game.symmetries,
            random=self._random,
        )
        self._settings = options.search_settings(description.play_settings())
        self._leaves = leaves_a_game or min(LEAVES, max(1, playouts // 16))
        self._most = TIMED_PLAYOUTS if not memory else min(TIMED_PLAYOUTS, self._playouts_in(memory))
        self.timed = seconds > 0
        self._known: dict[int, tuple[int, ...]] = {}  # the moves that lead to each tree's root, by slot
        self._last: tuple[int, float] | None = None  # the ply and the value of the last search of the single game
        self._ties: dict[int, np.random.Generator] = {}  # chooses between equally good moves, by slot
        self._room = self._slots = 0
        self._make_room(self._most if seconds else playouts, 1)

    @property
    def bytes_a_game(self) -> int:
        """Of a tree: three nodes for a playout, and some."""
        return (3 * self._playouts + self._spare_nodes) * (NODE + EDGE * self._game.actions)

    def _playouts_in(self, memory: int) -> int:
        """For how many playouts so many megabytes are enough: two trees."""
        nodes = memory * 1_000_000 // (2 * (NODE + EDGE * self._game.actions))
        return max(1, (nodes - self._spare_nodes) // 3)

    @property
    def _spare_nodes(self) -> int:
        return 2 * self._leaves + 2 * self._game.actions + 2

    def _make_room(self, playouts: int, slots: int) -> None:
        if playouts > self._room or slots > self._slots:
            self._search = ForestSearch(
                self._game,
                self._evaluator,
                games=slots,
                playouts=playouts,
                leaves_a_game=self._leaves,
                settings=self._settings,
                random=self._random,
                threads=usable_cores() if slots > 1 else 1,
            )
            self._room, self._slots = playouts, slots
            self._known.clear()

    def new_game(self) -> None:
        self._known.pop(0, None)
        self._last = None

    # ---- many games at once ---------------------------------------------------------------------------

    def set_up(self, games: int) -> None:
        self._make_room(self._playouts, games)

    def start_game(self, slot: int, seed: int) -> None:
        self._known.pop(slot, None)
        self._ties[slot] = np.random.default_rng(seed)
        if self._search.rollouts is not None:
            self._search.rollouts.reseed(slot, seed)

    def think_many(self, positions: Mapping[int, Position]) -> dict[int, SearchResult]:
        search, before = self._search, self._search.simulations
        search.suit_threats(None)
        for slot, position in positions.items():
            check_position(position, self._game, "net")
            self._take_up(slot, position)
            search.prepare_root(slot, self._playouts, noisy=False)
        while search.step():
            pass
        effort = (search.simulations - before) // max(1, len(positions))
        return {slot: self._result(slot, effort, ties=self._ties.get(slot, self._random)) for slot in positions}

    # ---- one game -------------------------------------------------------------------------------------

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, "net")
        limits = Limits(self._seconds, seconds, stop, on_progress)
        timed = limits.timed and (limits.told or not self._capped)  # who wants to be told analyses, at full strength
        if timed:
            self._make_room(self._most, 1)
        self._search.suit_threats(limits.seconds)
        self._take_up(0, position)
        search, before = self._search, self._search.simulations
        pace = self._pace(limits, len(position.moves)) if timed else None
        search.prepare_root(0, CHUNK if timed else self._playouts, noisy=False)
        steps, more = 0, True
        while more and (steps < LEAST_STEPS or not (limits.reached() if pace is None else limits.exhausted())):
            if steps:
                limits.report(lambda: self._result(0, search.simulations - before, told=True))
            more = self._timed_step() if timed else search.step() > 0
            steps += 1
            if pace is not None and steps >= LEAST_STEPS and pace.enough(search.standing(0)):
                break
        search.forest.left[0] = 0
        result = self._result(0, search.simulations - before, ties=self._random, told=limits.told)
        self._last = len(position.moves), result.value
        return result

    def _pace(self, limits: Limits, ply: int) -> Pace | None:
        """Who says that a move has had enough time, or deserves more; None: the time alone says it.

        Whoever is told how it stands wants to see all of a time that is for this position alone.
        """
        if not self._early or (limits.told and not limits.on_a_clock):
            return None
        expected = None
        if self._last is not None:  # which may have been a hint for the other side
            earlier, value = self._last
            expected = value if (ply - earlier) % 2 == 0 else -value
        return Pace(limits, kept=int(self._search.forest.visits[0, ROOT]), expected=expected)

    def ponder(self, position: Position, stop: threading.Event) -> None:
        check_position(position, self._game, "net")
        if self._capped:
            return
        self._make_room(self._most, 1)
        self._search.suit_threats(PONDERED_THREATS)
        self._take_up(0, position, own_side=BLACK + WHITE - position.to_move)
        self._search.prepare_root(0, CHUNK, noisy=False)
        forest = self._search.forest
        enough = int(PONDERED * forest.first.shape[1])
        while not stop.is_set() and forest.used[0, 0] < enough and self._timed_step():
            pass
        forest.left[0] = 0

    def _timed_step(self) -> bool:
        """One batch of a search that has no number to reach; whether there is any use in another."""
        forest = self._search.forest
        if forest.used[0, 0] + self._leaves >= forest.first.shape[1]:
            return False  # the tree is full
        forest.left[0] = CHUNK
        self._search.step()
        return bool(forest.proof[0, 0] == UNKNOWN)

    # ---- both -----------------------------------------------------------------------------------------

    def _result(
        self, slot: int, effort: int, *, ties: np.random.Generator | None = None, told: bool = False
    ) -> SearchResult:
        """What a tree says; equally good moves are chosen from by `ties`, and in a snapshot the first is taken."""
        search = self._search
        visits = search.root_visits(slot)
        policy = visits / visits.sum()
        if search.is_unvisited(slot):
            visits, policy = np.zeros_like(visits), search.root_priors(slot)
        best, values = search.best_moves(slot), search.root_values(slot)
        action = int(best[0] if ties is None else ties.choice(best))
        if not told and ties is not None and self._temperature > 0 and len(self._known[slot]) < self._temperature_plies:
            not_lost = np.where(values == -1, 0, policy)
            action = draw_move(not_lost if not_lost.any() else policy, self._temperature, ties)
        return SearchResult(
            action=action,
            policy=policy,
            value=search.root_value(slot),
            visits=visits.astype(np.int64),
            values=values,
            principal_variation=search.variation(slot, action),
            variations=tuple(search.variation(slot, move) for move in most_looked_at(visits)) if told else (),
            effort=effort,
        )

    def _take_up(self, slot: int, position: Position, *, own_side: int = 0) -> None:
        """Follow the moves played since the last search, or start a new tree for `own_side`, or whoever is to move."""
        known = self._known.get(slot)
        if known is not None and position.moves[: len(known)] == known:
            for move in position.moves[len(known) :]:
                self._search.advance(slot, move)
        else:
            self._search.set_root(slot, position.state, contempt_side=own_side or position.to_move)
            self._last = None
        self._known[slot] = position.moves
