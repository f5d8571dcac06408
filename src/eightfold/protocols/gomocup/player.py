"""Any program that speaks Gomocup as a player: `gomocup:COMMAND`. Eightfold is its manager.

    gomocup:./engine --flag             the command is split as a shell would split it, but no shell is run
    gomocup:seconds=2,match=300,./engine   options come before the command

An engine that hangs, crashes, answers nonsense or plays an illegal move forfeits the game; for the next one it is
started again. `program_player.py` starts, ends and forfeits.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass

from eightfold.core.settings import setting, with_default
from eightfold.games.game import Game, Position
from eightfold.protocols.gomocup.rules import UNLIMITED, read_point, rule_number, write_point
from eightfold.protocols.program_player import SHOWN, ProgramOptions, ProgramPlayer
from eightfold.search.kind import PlayerKind

REMARKS = ("MESSAGE", "DEBUG", "INFO")  # lines for people, before an answer


@dataclass(frozen=True, kw_only=True)
class GomocupOptions(ProgramOptions):
    seconds: float = setting(5.0, "time for a move (INFO timeout_turn)", least=0, most=1e5)
    match: float = setting(0.0, "time for a game (INFO timeout_match; 0: no limit)", least=0, most=1e6)
    memory: int = setting(0, "megabytes (INFO max_memory; 0: no limit)", least=0, most=1e6)
    patience: float = with_default(ProgramOptions, "patience", 5.0)


class GomocupPlayer(ProgramPlayer):
    """An engine in a process of its own."""

    PROTOCOL, QUIT = "gomocup", "END"
    POINT = re.compile(r"-?\d+\s*,\s*-?\d+")
    PAUSE_AFTER_MOVE = 0.02  # some programs lose what arrives right after their move
    KIND = PlayerKind(
        summary="a program that speaks the Gomocup protocol; options come before its command, see docs/protocols.md",
        argument="COMMAND",
        example="gomocup:seconds=2,./engine",
        is_program=True,
    )
    Options = GomocupOptions

    def __init__(
        self,
        game: Game,
        command: str,
        options: GomocupOptions = GomocupOptions(),  # noqa: B008 - frozen
        *,
        seed: int = 0,
    ) -> None:
        """`seed` changes nothing: a program has its own randomness."""
        self._rule = rule_number(game)
        super().__init__(game, command, options)
        self._memory = options.memory
        self._told_seconds = -1.0
        self._refusals = 0  # of YXSTOP, which most engines do not know, that may still arrive

    # ---- a game -------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._told_seconds, self._refusals = -1.0, 0
        self._empty_board(f"START {self._game.size}")
        self._send(
            f"INFO timeout_match {round(1000 * self._match)}",
            f"INFO max_memory {self._memory * 1_000_000}",
            "INFO game_type 1",
            f"INFO rule {self._rule}",
        )

    def _clear(self) -> None:
        self._empty_board("RESTART")

    def _empty_board(self, command: str) -> None:
        """Send a command that empties the board; the program answers OK."""
        self._send(command)
        answer = self._answer(self._start)
        if answer != "OK":
            raise self._forfeit(f"it answered {command} with {answer[:SHOWN]!r} instead of OK")
        self._known = ()

    def _show(self, position: Position, limit: float) -> None:
        self._tell_limits(limit)
        self._send_position(position)

    # ---- the conversation ---------------------------------------------------------------------------

    def _tell_limits(self, limit: float) -> None:
        if limit != self._told_seconds:
            self._send(f"INFO timeout_turn {min(round(1000 * limit), UNLIMITED)}")
            self._told_seconds = limit
        left = round(1000 * (self._match - self._used)) if self._match else UNLIMITED
        self._send(f"INFO time_left {left}")

    def _send_position(self, position: Position) -> None:
        """Send TURN after one more move, BEGIN for an empty board, and else the whole board."""
        moves, known = position.moves, self._known
        if known is not None and moves and moves[:-1] == known:
            self._send(f"TURN {write_point(moves[-1], self._game)}")
        elif not moves and known == ():
            self._send("BEGIN")
        elif not moves:
            self._clear()
            self._send("BEGIN")
        else:
            stones = position.stones.ravel()
            fields = (
                f"{write_point(move, self._game)},{1 if stones[move] == position.to_move else 2}" for move in moves
            )
            self._send("BOARD", *fields, "DONE")

    def _read_move(self, position: Position, limit: float, stop: threading.Event | None) -> str:
        if self._match:
            limit = min(limit, max(0.0, self._match - self._used))
        answer = self._answer(limit + self._patience, stop)
        if answer.upper().startswith("SUGGEST"):
            self._send(f"PLAY {answer[len('SUGGEST') :].strip()}")
            answer = self._answer(self._patience)
        return answer

    def _point(self, text: str) -> int:
        return read_point(text, self._game)

    def _hurry(self) -> None:
        self._send("YXSTOP")  # those that know it answer at once
        self._refusals += 1

    def _answer(self, seconds: float, stop: threading.Event | None = None) -> str:
        """Its next line that is not a remark; a forfeit if there is none in time."""
        for line in self._read_lines(seconds, stop):
            word = line.partition(" ")[0].upper()
            if word in REMARKS:
                self.remarks.append(line)
            elif word in ("UNKNOWN", "ERROR") and self._refusals:
                self._refusals -= 1
            elif line:
                return line
        raise self._forfeit(f"it did not answer within {seconds:g} s")
