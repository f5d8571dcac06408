"""The lobby: all tables of a server, and what they share (menu, workers, players, networks).

The lobby keeps tables without viewers for a while, so that a lost connection or a closed laptop costs nothing. When
there are too many, the oldest of them go.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from eightfold.arena.openings.balanced import Judge, find_judge
from eightfold.arena.players import HUMAN
from eightfold.arena.warmup import warm_up_player
from eightfold.core.compiling import BURSTS
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import settings_of
from eightfold.core.threads import usable_cores
from eightfold.games.game import DEFAULT_GAME, GAMES, Game, make_game
from eightfold.parts import PLAYERS
from eightfold.search.result import Player
from eightfold.web.explorer import ServedLibraries
from eightfold.web.maps import MapSources
from eightfold.web.menu import Menu
from eightfold.web.messages import AnyMessage, New, Seat
from eightfold.web.player_pool import PlayerPool
from eightfold.web.runs import WatchedRuns
from eightfold.web.session import Session, browser_game
from eightfold.web.table import Table, Viewer
from eightfold.web.warm_up import WarmUp, warm_up_session, warm_up_threats
from eightfold.web.workers import WorkerPool, on_loop

MOST_TABLES = 1000  # with viewers
MOST_RESTING = 200
LONGEST_REST = 4 * 3600.0  # seconds
PACE = 0.3  # seconds between the moves of two players
PAGE, TRAINING = "the page", "training"  # who compiles


class Lobby:
    """One server's games."""

    def __init__(
        self,
        *,
        players: Sequence[str] = (),
        runs: Sequence[Path] = (),
        isns: Sequence[Path] = (),
        patterns: Sequence[Path] = (),
        game: str | None = None,
        workers: int = 0,
        pace: float = PACE,
        seed: int | None = None,
    ) -> None:
        """`game`: what the user typed, which the page proposes first; it may be code of theirs."""
        self.game = None if game is None else make_game(game, trusted=True)
        self.menu = Menu(players, runs)
        self.runs = WatchedRuns(runs)
        self.maps = MapSources(isns, self.menu)
        self.patterns = ServedLibraries(patterns)
        self.workers = WorkerPool(workers or usable_cores())
        self.warm_up = WarmUp()
        self.pace = pace
        self.viewers: set[Viewer] = set()  # all connections, at a table or not yet
        self._players = PlayerPool(seed=seed)
        self._seeds = np.random.SeedSequence(seed)
        self._compiling: dict[str, tuple[str, float]] = {}  # who compiles -> which part, and since when
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tables: dict[str, Table] = {}

    def open(self) -> None:
        """Begin, on the event loop: load in a thread what the first visitor would else wait for."""
        self._loop = asyncio.get_running_loop()
        BURSTS.listen(self.page_compiles)
        default = (self.game or make_game(DEFAULT_GAME)).name
        for family in self.families:
            self.warm_up.step(family, partial(warm_up_session, family), later=family != default)

    def close(self) -> None:
        for table in self._tables.values():
            table.rest()
        if self._loop is not None:
            BURSTS.forget(self.page_compiles)
        self.warm_up.close()
        self.workers.close()
        self._players.close()

    @property
    def families(self) -> list[str]:
        """The games that the page offers: those of the package, and the one that the user typed."""
        return list(dict.fromkeys([*GAMES, *([self.game.name] if self.game else [])]))

    # ---- tables ---------------------------------------------------------------------------------------

    def add_table(self, session: Session) -> Table:
        """A table for a game."""
        self._remove_old_tables()
        if len(self._tables) >= MOST_TABLES + MOST_RESTING:
            raise EightfoldError(f"this server holds {len(self._tables)} games; try again later")
        table = self._tables[session.id] = Table(self, session)
        return table

    def find_table(self, identity: str) -> Table:
        if identity not in self._tables:
            raise EightfoldError("this server does not have that game any more; start a new one")
        return self._tables[identity]

    def _remove_old_tables(self) -> None:
        """Remove the tables that nobody came back to."""
        now = time.monotonic()
        resting = sorted((t for t in self._tables.values() if not t.viewers), key=lambda table: table.touched)
        late = [table for table in resting if now - table.touched > LONGEST_REST]
        for table in {*late, *resting[: max(0, len(resting) - MOST_RESTING)]}:
            del self._tables[table.session.id]

    # ---- players --------------------------------------------------------------------------------------

    def check_players(self, message: AnyMessage) -> None:
        """An error if a message names a player or a level that is not on the menu. It reads files: not on the loop."""
        for name in ("black", "white", "by"):
            seat = getattr(message, name, None)
            if isinstance(seat, Seat) and seat.player != HUMAN:
                entry = self.menu.find(seat.player)
                entry.level(seat.level)
                if isinstance(message, New):
                    entry.check_fits(browser_game(message.game))

    def default_analyst(self, game: Game) -> Seat:
        """Who thinks where nobody is chosen."""
        entry = self.menu.default_opponent(game)
        return Seat(player=entry.key, level=entry.default_level)

    @contextlib.contextmanager
    def borrow(self, seat: Seat, game: Game, table: str) -> Iterator[Player]:
        """A player for one piece of thinking."""
        with self._players.borrow(self.menu.find(seat.player), seat.level, game, table) as player:
            yield player

    def new_random(self) -> np.random.Generator:
        """Random numbers that nobody else has."""
        return np.random.default_rng(self._seeds.spawn(1)[0])

    def judge(self, seat: Seat, game: Game) -> Judge | None:
        """The network of a player, if it has one, which says what positions are worth."""
        place = self.menu.find(seat.player).network
        return find_judge(game, place) if place else None

    # ---- compiling ------------------------------------------------------------------------------------

    def rules_ready(self, game: Game) -> Future[None]:
        """Done when nobody waits for a compiler to use the rules of a game."""
        return self.warm_up.step(game.name, partial(warm_up_session, game.name))

    def threats_ready(self, game: Game) -> bool:
        """Whether wins by force can be looked for without waiting for a compiler; if not, it compiles when idle."""
        return self.warm_up.step(("threats", game.name), partial(warm_up_threats, game.name), later=True).done()

    def player_ready(self, seat: Seat, game: Game) -> Future[None] | None:
        """Done when a player can think without waiting for a compiler; None for external programs."""
        name = seat.player.partition(":")[0]
        if name not in PLAYERS or PLAYERS[name].KIND.is_program:
            return None

        def work() -> None:
            with self.borrow(seat, game, "") as player:
                warm_up_player(player, game)

        return self.warm_up.step((seat.player, game.name), work)

    def welcome(self, viewer: Viewer) -> None:
        self.viewers.add(viewer)
        if self._compiling:
            viewer.post(self._compiling_message())

    def page_compiles(self, part: str) -> None:
        """This process compiles a part; '': nothing any more. Called in a thread of its own."""
        self._set_compiling(PAGE, part)

    def training_compiles(self, part: str) -> None:
        """The training that opened the page compiles a part; '': nothing any more. Called in any thread."""
        self._set_compiling(TRAINING, part)

    def _set_compiling(self, who: str, part: str) -> None:
        """Tell everybody: whoever waits knows why."""

        def tell() -> None:
            self._compiling.pop(who, None)
            if part:
                self._compiling[who] = part, time.monotonic()
            for viewer in self.viewers:
                viewer.post(self._compiling_message())

        if self._loop is not None:
            on_loop(self._loop, tell)

    def _compiling_message(self) -> dict[str, Any]:
        now = time.monotonic()
        tasks = [
            {"who": who, "part": part, "seconds": round(now - since, 1)}
            for who, (part, since) in self._compiling.items()
        ]
        return {"type": "compiling", "tasks": tasks}

    # ---- what the page asks for first -----------------------------------------------------------------

    def menu_message(self) -> dict[str, Any]:
        """The players, games, point maps and pattern libraries that a browser may choose."""
        return {
            "players": [entry.as_dict() for entry in self.menu.all()],
            "games": [_family_message(make_game(name)) for name in self.families],
            "maps": self.maps.all(),
            "patterns": self.patterns.all(),
            "default_game": (self.game or make_game(DEFAULT_GAME)).text,
            "asked_for": self.game is not None,  # by the user, who started the server: then it comes first
        }


def _family_message(game: Game) -> dict[str, Any]:
    """What a form needs to know of a family of games."""
    spec = game.spec
    return {
        "name": game.name,
        "title": spec.name,
        "summary": spec.summary,
        "letters": spec.letters,
        "has_pass": spec.has_pass,
        "swap2": spec.swap2,
        "board": spec.board,
        "edges": dict(spec.edges),
        "default_player": game.usual_player,
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "help": option.help,
                "least": option.least,
                "most": option.most,
                "choices": list(option.choices),
            }
            for option in settings_of(spec.options)
        ],
    }
