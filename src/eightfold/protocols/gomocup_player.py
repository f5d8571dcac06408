"""Any program that speaks Gomocup as a player: `gomocup:COMMAND`, our side as the manager.

    gomocup:./engine --flag             the command is split as a shell would split it, but no shell is run
    gomocup:seconds=2,match=300,./engine   options come before the command

An engine that hangs, crashes, answers nonsense or plays an illegal move forfeits the game; for the next one it is
started anew. Starting, ending and forfeiting are in `program_player.py`.
"""

from __future__ import annotations

import re
import threading
import time
from collections import deque

from eightfold.arena.forfeit import Forfeit
from eightfold.errors import EightfoldError
from eightfold.games.game import Game, Position
from eightfold.protocols.gomocup_rules import UNLIMITED, read_point, rule_number, write_point
from eightfold.protocols.program_player import ProgramPlayer
from eightfold.search.result import Progress, SearchResult, check_position, one_hot
from eightfold.texts import Option, check_options

SETTLING = 0.02  # seconds after its move in which an engine is left alone: some drop what comes at once
LOOK = 0.05  # seconds between two looks at a stop from outside
REMARKS = ("MESSAGE", "DEBUG", "INFO")  # lines for people, before an answer
KEPT = 20  # of them


class GomocupPlayer(ProgramPlayer):
    """An engine in a process of its own."""

    PROTOCOL, FAREWELL = "gomocup", "END"

    OPTIONS = (
        Option(name="seconds", default=5.0, least=0, most=1e5, help="time for a move (INFO timeout_turn)"),
        Option(name="match", default=0.0, least=0, most=1e6, help="time for a game (INFO timeout_match; 0: no limit)"),
        Option(name="memory", default=0, least=0, most=1e6, help="megabytes (INFO max_memory; 0: no limit)"),
        Option(name="patience", default=5.0, least=0, most=1e5, help="seconds beyond its time until it has lost"),
        Option(name="start", default=60.0, least=0, most=1e5, help="seconds in which it must be ready"),
    )

    def __init__(
        self,
        game: Game,
        command: str,
        *,
        seconds: float = 5.0,
        match: float = 0.0,
        memory: int = 0,
        patience: float = 5.0,
        start: float = 60.0,
    ) -> None:
        given = {"seconds": seconds, "match": match, "memory": memory, "patience": patience, "start": start}
        check_options(self.OPTIONS, "player gomocup", given)
        self._rule = rule_number(game)
        super().__init__(game, command)
        self._seconds, self._match, self._memory = seconds, match, memory
        self._patience, self._start = patience, start
        self._told_seconds = -1.0
        self._used = 0.0
        self._refusals = 0  # of YXSTOP, which most engines do not know, that may still come
        self.remarks: deque[str] = deque(maxlen=KEPT)  # what the engine said for people, the latest last

    # ---- a game -------------------------------------------------------------------------------------

    def new_game(self) -> None:
        """An empty board: RESTART where that works, else a new process."""
        self._used, self._known = 0.0, ()
        if self._program is not None:
            try:
                self._send("RESTART")
                if self._answer(self._start) == "OK":
                    return
            except Forfeit:
                pass  # it gets another chance, as a new process
            self._drop()
            self._known = ()
        self._launch()
        self._told_seconds, self._refusals = -1.0, 0
        self._send(f"START {self._game.size}")
        answer = self._answer(self._start)
        if answer != "OK":
            raise self._forfeit(f"it answered START {self._game.size} with {answer[:80]!r} instead of OK")
        self._send(
            f"INFO timeout_match {round(1000 * self._match)}",
            f"INFO max_memory {self._memory * 1_000_000}",
            "INFO game_type 1",
            f"INFO rule {self._rule}",
        )

    def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, "gomocup")
        if self._program is None:
            self.new_game()
        limit = self._seconds if seconds is None else seconds
        self._tell_limits(limit)
        self._ask(position)
        begun = time.perf_counter()
        action = self._move(position, limit + self._patience, stop)
        self._used += time.perf_counter() - begun
        self._known = (*position.moves, action)
        self._quiet_until = time.perf_counter() + SETTLING
        return SearchResult(action=action, policy=one_hot(self._game.actions, action), value=0.0)

    # ---- the conversation ---------------------------------------------------------------------------

    def _tell_limits(self, limit: float) -> None:
        if limit != self._told_seconds:
            self._send(f"INFO timeout_turn {min(round(1000 * limit), UNLIMITED)}")
            self._told_seconds = limit
        left = round(1000 * (self._match - self._used)) if self._match else UNLIMITED
        self._send(f"INFO time_left {left}")

    def _ask(self, position: Position) -> None:
        """One more move is a TURN, an empty board BEGIN; whatever else happened is shown as a whole board."""
        moves, known = position.moves, self._known
        if known is not None and moves and moves[:-1] == known:
            self._send(f"TURN {write_point(moves[-1], self._game)}")
        elif not moves and known == ():
            self._send("BEGIN")
        elif not moves:
            self._send("RESTART")
            answer = self._answer(self._start)
            if answer != "OK":
                raise self._forfeit(f"it answered RESTART with {answer[:80]!r} instead of OK")
            self._send("BEGIN")
        else:
            stones = position.stones.ravel()
            fields = (
                f"{write_point(move, self._game)},{1 if stones[move] == position.to_move else 2}" for move in moves
            )
            self._send("BOARD", *fields, "DONE")

    def _move(self, position: Position, seconds: float, stop: threading.Event | None) -> int:
        """The move that it answers with."""
        answer = self._answer(seconds, stop)
        if answer.upper().startswith("SUGGEST"):
            self._send(f"PLAY {answer[len('SUGGEST') :].strip()}")
            answer = self._answer(self._patience)
        try:
            action = read_point(answer, self._game)
        except EightfoldError:
            off = "off the board" if re.fullmatch(r"-?\d+\s*,\s*-?\d+", answer) else "which is not a move"
            raise self._forfeit(f"it answered {answer[:80]!r}, {off}") from None
        try:
            position.play(action)
        except EightfoldError as error:
            raise self._forfeit(f"it answered {answer[:80]!r}: {error}") from None
        return action

    def _answer(self, seconds: float, stop: threading.Event | None = None) -> str:
        """Its next line that is not a remark; a forfeit if there is none in time."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            if stop is not None and stop.is_set():
                self._send("YXSTOP")  # those that know it answer at once
                self._refusals += 1
                stop = None
            line = self._read(min(left, LOOK) if stop is not None else left)
            if not line:
                continue
            word = line.partition(" ")[0].upper()
            if word in REMARKS:
                self.remarks.append(line)
            elif word in ("UNKNOWN", "ERROR") and self._refusals:
                self._refusals -= 1
            else:
                return line
        raise self._forfeit(f"it did not answer within {seconds:g} s")
