"""The board of a GTP engine: a game with its history, two clocks, and the `Engine` that thinks about it.

`engine.py` beside it speaks the protocol. Every method that can fail does so before it changes anything.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.core.specs import write_spec
from eightfold.games.game import Game, Position, make_game
from eightfold.games.records.record import GameRecord
from eightfold.games.state import BLACK, WHITE
from eightfold.protocols.clock import EXPECTED_MOVES, Clock
from eightfold.protocols.engine import Engine
from eightfold.protocols.gtp.history import History, from_record
from eightfold.search.result import Progress, SearchResult

MOVES_PER_POINT = 0.4  # of either side in a game of Go


class Board:
    def __init__(self, engine: Engine, game: Game) -> None:
        self.engine = engine
        self._game = game
        self._history: History | None = None  # made when it is needed: that may wait for a compiler
        self.clocks = {colour: Clock() for colour in (BLACK, WHITE)}

    @property
    def history(self) -> History:
        if self._history is None:
            self._history = History(self._game.start())
        return self._history

    @history.setter
    def history(self, history: History) -> None:
        self._history, self._game = history, history.position.game

    @property
    def position(self) -> Position:
        return self.history.position

    @property
    def game(self) -> Game:
        return self._game

    # ---- games --------------------------------------------------------------------------------------

    def resize(self, size: int) -> None:
        """An empty board of another size, or of the same."""
        self._begin(self._changed(size=size, **self._no_handicap()))

    def clear(self) -> None:
        """An empty board, and a player that can think at once."""
        game = self._changed(**self._no_handicap())
        self.engine.show(game.start(), branch=0)  # no history has this number
        self.engine.ready()
        self._begin(game)

    def change(self, **values: object) -> None:
        """The same moves with other options of the game."""
        game = self._changed(**values)
        if game.text != self.game.text:
            self.history = self.history.under(game)

    def load(self, record: GameRecord, plies: int | None) -> None:
        history = from_record(record, plies)
        self._begin(history.position.game)
        self.history = history

    def place(self, points: Iterable[int]) -> None:
        """Black stones on an empty board, white to move."""
        from eightfold.games.setup import start_from  # other games do without

        if not self.history.is_empty:
            raise EightfoldError("board not empty")
        self.history = History(start_from(self.game, dict.fromkeys(points, BLACK), to_move=WHITE))

    def _begin(self, game: Game) -> None:
        self._game, self._history = game, None
        for clock in self.clocks.values():
            clock.new_game()

    def _no_handicap(self) -> dict[str, object]:
        """A handicap is for one game: that of a loaded record does not hold for the next."""
        return {"handicap": 0} if "handicap" in self.game.values else {}

    def _changed(self, **values: object) -> Game:
        options: dict[str, Any] = {**self.game.values, **values}
        return make_game(write_spec(self.game.name, options))

    # ---- thinking -----------------------------------------------------------------------------------

    def think(
        self,
        colour: int,
        *,
        keep: bool = True,
        since: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        """The move of the player as that colour; with `keep` the clock of that colour runs."""
        self._show(colour)
        clock = self.clocks[colour]
        points = self.game.points
        clock.expected_moves = round(MOVES_PER_POINT * points) if self.game.spec.has_pass else EXPECTED_MOVES
        self.engine.clock = clock if keep else replace(clock)
        return self.engine.think(since=since, stop=stop, on_progress=on_progress)

    def ponder(self, stop: threading.Event) -> None:
        """Use the opponent's time for the position as it is."""
        if not self.position.is_over:
            self.engine.show(self.position, branch=self.history.branch)
            self.engine.ponder(stop)

    def analyse(self, colour: int, stop: threading.Event, on_progress: Progress) -> SearchResult:
        self._show(colour)
        return self.engine.analyse(stop, on_progress)

    def ready(self, colour: int) -> Position:
        """Have a player that can think at once; returns the position with that colour to move."""
        self._show(colour)
        self.engine.ready()
        return self.engine.position

    def _show(self, colour: int) -> None:
        position, branch = self.history.with_side(colour)
        if position.is_over:
            raise EightfoldError(f"the game is over ({position.outcome})")
        self.engine.show(position, branch=branch)
