"""Players that are external programs: a command, a process, a game move by move, and the forfeit.

`gomocup/player.py` and `gtp/player.py` add what the two protocols say. `process.py` sees to it that no program is
left behind.
"""

from __future__ import annotations

import re
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from eightfold.arena.forfeit import Forfeit
from eightfold.core.commands import split_words
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.core.specs import check_spec
from eightfold.games.game import Game, Position
from eightfold.protocols.line_reader import decode_ascii
from eightfold.protocols.process import Program, ProgramEnded
from eightfold.search.move_time import MoveTime, Seconds
from eightfold.search.result import Progress, SearchResult, check_position, one_hot

POLL = 0.05  # seconds between two looks at `stop`
SHOWN = 80  # letters of an answer that a reason repeats
KEPT_REMARKS = 20


@dataclass(frozen=True, kw_only=True)
class ProgramOptions:
    seconds: float = setting(0.0, "time for a move (0: as the engine likes)", least=0, most=1e5)
    match: float = setting(0.0, "time for a game (0: no limit)", least=0, most=1e6)
    patience: float = setting(60.0, "seconds beyond its time after which it has lost", least=0, most=1e5)
    start: float = setting(60.0, "seconds in which it must be ready", least=0, most=1e5)


class ProgramPlayer(ABC):
    """A program in a process of its own. It starts when it is first needed, and again after a forfeit."""

    PROTOCOL = ""  # the name of the player
    QUIT = ""  # the command that asks the program to end
    POINT = re.compile("")  # what looks like a move, on the board or off it
    PAUSE_AFTER_MOVE = 0.0  # seconds in which the program is sent nothing
    DECODE: Callable[[bytes], str] = staticmethod(decode_ascii)  # makes text of its lines

    def __init__(self, game: Game, command: str, options: ProgramOptions) -> None:
        check_spec(options, f"player {self.PROTOCOL}")
        self._game = game
        self._words = split_words(command, self.PROTOCOL)
        self._seconds, self._match = options.seconds, options.match
        self._patience, self._start = options.patience, options.start
        self._program: Program | None = None
        self._known: tuple[int, ...] | None = None  # the moves that the program has on its board
        self._used = 0.0  # of the time for the game
        self._quiet_until = 0.0
        self.remarks: deque[str] = deque(maxlen=KEPT_REMARKS)  # what the program said for people, the latest last

    # ---- what a protocol adds -----------------------------------------------------------------------

    @abstractmethod
    def _begin(self) -> None:
        """Start a game in a new process."""

    @abstractmethod
    def _clear(self) -> None:
        """Start the next game in the same process."""

    def _limit(self, seconds: float | None) -> float:
        """The time for a move when a caller grants `seconds`; None: as the options say."""
        return self._seconds if seconds is None else seconds

    @abstractmethod
    def _show(self, position: Position, limit: float) -> None:
        """Tell it the position, and how long it may think."""

    @abstractmethod
    def _read_move(self, position: Position, limit: float, stop: threading.Event | None) -> str:
        """Its answer, a move as the protocol writes it."""

    @abstractmethod
    def _hurry(self) -> None:
        """Ask it to stop thinking and move."""

    @abstractmethod
    def _point(self, text: str) -> int:
        """The action of such a move, or an error."""

    # ---- a game -------------------------------------------------------------------------------------

    def new_game(self) -> None:
        """An empty board, in the same process if that works, else in a new one."""
        self._used = 0.0
        if self._program is not None:
            try:
                self._clear()
                return
            except Forfeit:
                pass  # it gets another chance, as a new process
        self._launch()
        self._begin()

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, self.PROTOCOL)
        if self._program is None:
            self.new_game()
        limit = self._limit(seconds.usual if isinstance(seconds, MoveTime) else seconds)
        self._show(position, limit)
        begun = time.perf_counter()
        action = self._check_move(position, self._read_move(position, limit, stop))
        now = time.perf_counter()
        self._used += now - begun
        self._quiet_until = now + self.PAUSE_AFTER_MOVE
        self._known = (*position.moves, action)
        return SearchResult(action=action, policy=one_hot(self._game.actions, action), value=0.0)

    def _check_move(self, position: Position, answer: str) -> int:
        try:
            action = self._point(answer)
        except EightfoldError:
            why = "off the board" if self.POINT.fullmatch(answer) else "which is not a move"
            raise self._forfeit(f"it answered {answer[:SHOWN]!r}, {why}") from None
        try:
            position.play(action)
        except EightfoldError as error:
            raise self._forfeit(f"it answered {answer[:SHOWN]!r}: {error}") from None
        return action

    # ---- the process --------------------------------------------------------------------------------

    def close(self) -> None:
        """Ask the program to quit, and end it."""
        program, self._program, self._known = self._program, None, None
        if program is not None:
            program.close(self.QUIT)

    def _launch(self) -> None:
        try:
            self._program = Program(self._words, decode=self.DECODE)
        except OSError as error:
            raise Forfeit(f"it cannot be started: {error.strerror or error}") from None

    def _send(self, *lines: str) -> None:
        assert self._program is not None
        time.sleep(max(0.0, self._quiet_until - time.perf_counter()))
        try:
            self._program.send(*lines)
        except ProgramEnded as error:
            raise self._forfeit(str(error)) from None

    def _read(self, seconds: float) -> str | None:
        assert self._program is not None
        try:
            return self._program.read(seconds)
        except ProgramEnded as error:
            raise self._forfeit(str(error)) from None

    def _read_lines(self, seconds: float, stop: threading.Event | None) -> Iterator[str]:
        """Its lines until `seconds` have passed. When `stop` is set, it is asked once to move at once."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            if stop is not None and stop.is_set():
                self._hurry()
                stop = None
            line = self._read(min(left, POLL) if stop is not None else left)
            if line is not None:
                yield line

    def _forfeit(self, reason: str) -> Forfeit:
        """The program loses the game and is ended: nobody knows what it would say next."""
        self._drop()
        return Forfeit(reason)

    def _drop(self) -> None:
        program, self._program, self._known = self._program, None, None
        if program is not None:
            program.close()
