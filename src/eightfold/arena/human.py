"""`human` as a player of a match: a person at this terminal, asked for every move.

A person sits at one terminal, so only a match makes one (`eightfold match human mcts:playouts=100`); engines
cannot be people, and the page has its own. The end of the input, or `quit`, gives the game up; what is typed
may also come from a file or a pipe. A longer game, with moves taken back and hints, is `eightfold play`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from rich.console import Console

from eightfold.arena.forfeit import Resignation
from eightfold.arena.players import HUMAN as HUMAN
from eightfold.arena.report import draw_board
from eightfold.core.errors import EightfoldError
from eightfold.games.game import COLOUR_NAMES, Position
from eightfold.search.move_time import Seconds
from eightfold.search.result import Progress, SearchResult, one_hot

HELP = "type a point such as h8 (or pass, in Go), resign to give up, quit to leave"


class HumanPlayer:
    """Draws the board and asks until a legal move is typed."""

    def __init__(self, read: Callable[[str], str] = input) -> None:
        if sys.stdin is None or sys.stdin.closed:
            raise EightfoldError("player human needs a terminal to type at, and there is no input here; name another")
        self._read, self._new, self._left = read, True, False
        self._console = Console(highlight=False, soft_wrap=True, emoji=False)

    def new_game(self) -> None:
        if self._left:
            raise EightfoldError("player human has left: the input ended before all games of the match were played")
        self._new = True

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        colour = COLOUR_NAMES[position.to_move]
        if self._new:
            self._say(f"{position.game.text}: you play {colour}; {HELP}")
        self._new = False
        draw_board(position)
        while True:
            action = self._action(position, f"{colour}> ")
            if action is not None:
                return SearchResult(action=action, policy=one_hot(position.game.actions, action), value=0.0)

    def _action(self, position: Position, prompt: str) -> int | None:
        """One line; None if it was no move, and was answered."""
        try:
            line = self._read(prompt).strip()
        except EOFError:
            self._say("")
            line = "quit"
        match line.lower():
            case "quit" | "exit" | "q":
                self._left = True
                raise Resignation("the human left")
            case "resign":
                raise Resignation("the human resigned")
            case "" | "help" | "?":
                self._say(HELP)
                return None
        try:
            action = position.game.action(line)
            position.play(action)
        except EightfoldError as error:
            self._say(f"{error}; {HELP}")
            return None
        return action

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False)
