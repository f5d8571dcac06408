"""The player `mcts`: Monte Carlo tree search in two styles.

`plain` knows nothing but the rules and plays uniform random games (`uct.py`): the yardstick of training and studies.
`full` has what a Monte Carlo Go program needs (`rave.py`), for games that offer playouts with knowledge; there it is
what `mcts` alone means. `mcts_options.py` lists the options of both.
"""

from __future__ import annotations

import threading

from eightfold.games.game import Game, Position
from eightfold.search.kind import Levels, PlayerKind
from eightfold.search.limits import LONGEST
from eightfold.search.mcts_options import FULL, MctsOptions, style_of
from eightfold.search.move_time import Seconds
from eightfold.search.rave import Rave
from eightfold.search.result import Progress, SearchResult
from eightfold.search.uct import Uct


class Mcts:
    """Plays games out from promising positions and takes the most visited move."""

    KIND = PlayerKind(
        summary="Monte Carlo tree search: with RAVE and playouts that know the game where it offers them, else plain",
        example="mcts:playouts=3000",
        levels=Levels(
            option="playouts", values=(100, 1000, 3000, 10_000, 30_000), usual=1, unit=("playout", "playouts")
        ),
        has_tree=True,
    )
    Options = MctsOptions

    def __init__(self, game: Game, options: MctsOptions = MctsOptions(), *, seed: int = 0) -> None:  # noqa: B008
        self._game, self._options = game, options
        search = Rave if style_of(options, game) == FULL else Uct
        self._search = search(game, options, seed=seed)
        self.timed, self.bytes_a_game = options.seconds > 0, self._search.bytes_a_game

    def new_game(self) -> None:
        self._search.new_game()

    def fork(self, seed: int) -> Mcts:
        return Mcts(self._game, self._options, seed=seed)

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        return self._search.think(position, seconds=seconds, stop=stop, on_progress=on_progress)

    def ponder(self, position: Position, stop: threading.Event) -> None:
        self._search.think(position, seconds=LONGEST, stop=stop)
