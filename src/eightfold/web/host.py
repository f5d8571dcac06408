"""All tables of a server, and what they share: workers, players, networks.

Tables that nobody looks at are kept for a while, so that a lost connection or a closed laptop costs nothing; the
oldest of them go when there are too many.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from eightfold.core.compiling import BURSTS
from eightfold.core.errors import EightfoldError
from eightfold.core.specs import split_name
from eightfold.core.threads import usable_cores
from eightfold.games.game import DEFAULT_GAME, GAMES, Game
from eightfold.parts import PLAYERS
from eightfold.search.result import Player
from eightfold.web.eightfold_view import NetworkViews
from eightfold.web.kernels import Kernels, use_player, use_rules
from eightfold.web.maps import MapSources
from eightfold.web.messages import AnyMessage, New, Seat
from eightfold.web.offers import HUMAN, Offers
from eightfold.web.runs import WatchedRuns
from eightfold.web.session import Session, offered_game
from eightfold.web.table import Table, Viewer
from eightfold.web.thinking import PlayerShelf, ThinkingPool, on_loop

MOST_TABLES = 1000  # with viewers
MOST_RESTING = 200
LONGEST_REST = 4 * 3600.0  # seconds
PACE = 0.3  # seconds between the moves of two players


class Host:
    """One server's games."""

    def __init__(
        self,
        *,
        players: Sequence[str] = (),
        runs: Sequence[Path] = (),
        isns: Sequence[Path] = (),
        workers: int = 0,
        pace: float = PACE,
        seed: int | None = None,
    ) -> None:
        self.offers = Offers(players, runs)
        self.runs = WatchedRuns(runs)
        self.pool = ThinkingPool(workers or usable_cores())
        self.shelf = PlayerShelf(seed=seed)
        self.networks = NetworkViews()
        self.maps = MapSources(isns, self.offers)
        self.kernels = Kernels()
        self.pace = pace
        self.viewers: set[Viewer] = set()  # all connections, at a table or not yet
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tables: dict[str, Table] = {}

    def seat(self, session: Session) -> Table:
        """A table for a game."""
        self._clear_up()
        if len(self._tables) >= MOST_TABLES + MOST_RESTING:
            raise EightfoldError(f"{len(self._tables)} games are being played here; try again later")
        table = self._tables[session.id] = Table(self, session)
        return table

    def find(self, identity: str) -> Table:
        if identity not in self._tables:
            raise EightfoldError("this game is not known here any more; start a new one")
        return self._tables[identity]

    def check(self, message: AnyMessage) -> None:
        """An error if a message names a player or a level that is not offered. May take a while: not on the loop."""
        for name in ("black", "white", "by"):
            seat = getattr(message, name, None)
            if isinstance(seat, Seat) and seat.player != HUMAN:
                offer = self.offers.find(seat.player)
                offer.level(seat.level)
                if isinstance(message, New):
                    offer.check_fits(offered_game(message.game))

    def usual_analyst(self, game: Game) -> Seat:
        """Who thinks where nobody was chosen: a network for this game, else a search that suits it, else anybody."""
        offers = self.offers.all()
        fitting = [offer for offer in offers if offer.network and offer.game == game.text]
        chosen = (fitting or [offer for offer in offers if offer.key == game.usual_player] or offers)[0]
        return Seat(player=chosen.key, level=chosen.usual)

    @contextlib.contextmanager
    def borrowed(self, seat: Seat, game: Game, table: str) -> Iterator[Player]:
        """A player for one piece of thinking."""
        with self.shelf.borrowed(self.offers.find(seat.player), seat.level, game, table) as player:
            yield player

    def _clear_up(self) -> None:
        """Let go of the tables that nobody came back to."""
        now = time.monotonic()
        resting = sorted((t for t in self._tables.values() if not t.viewers), key=lambda table: table.touched)
        late = [table for table in resting if now - table.touched > LONGEST_REST]
        for table in {*late, *resting[: max(0, len(resting) - MOST_RESTING)]}:
            del self._tables[table.session.id]

    # ---- what is used for the first time -------------------------------------------------------------

    def open(self) -> None:
        """Begin, on the event loop: load in threads what the first visitor would else wait for."""
        self._loop = asyncio.get_running_loop()
        BURSTS.listen(self._compiling)
        self.kernels.step("offers", self.offers.all, later=True)
        default, _ = split_name(DEFAULT_GAME)
        for family in GAMES:
            self.kernels.step(family, partial(use_rules, family), later=family != default)

    def rules_used(self, game: Game) -> Future[None]:
        """Done when the rules of a game can be asked without waiting for a compiler."""
        return self.kernels.step(game.name, partial(use_rules, game.name))

    def player_used(self, seat: Seat, game: Game) -> Future[None] | None:
        """Done when a player can think without waiting for a compiler; None for programs of others."""
        name = seat.player.partition(":")[0]
        if name not in PLAYERS or PLAYERS[name].KIND.is_program:
            return None

        def work() -> None:
            with self.borrowed(seat, game, "") as player:
                use_player(player, game)

        return self.kernels.step((seat.player, game.name), work)

    def welcome(self, viewer: Viewer) -> None:
        self.viewers.add(viewer)
        if BURSTS.now:
            viewer.post(_compiling_message(BURSTS.now))

    def _compiling(self, part: str) -> None:
        """Tell everybody what is being compiled: who waits knows why. Called in a thread of its own."""

        def tell() -> None:
            for viewer in self.viewers:
                viewer.post(_compiling_message(part))

        if self._loop is not None:
            on_loop(self._loop, tell)

    def close(self) -> None:
        for table in self._tables.values():
            table.rest()
        if self._loop is not None:
            BURSTS.forget(self._compiling)
        self.kernels.close()
        self.pool.close()
        self.shelf.close()


def _compiling_message(part: str) -> dict[str, str]:
    return {"type": "compiling", "text": part and f"compiling {part}, once on this machine; it can take a minute"}
