"""Any program that speaks GTP as a player: `gtp:COMMAND`. Eightfold is its controller.

    gtp:gnugo --mode gtp --level 1      the command is split as a shell would split it, but no shell is run
    gtp:seconds=2,gnugo --mode gtp      options come before the command

An engine that hangs, crashes, refuses a command, answers nonsense or plays an illegal move forfeits the game; for the
next one it is started again. An engine that resigns has lost the game and keeps running.

Our rules count every stone as alive when a game ends, while many engines pass as soon as they know which stones are
dead. So an engine that passes and knows `kgs-genmove_cleanup` is asked by that command for a move that is left to play.
"""

from __future__ import annotations

import json
import math
import re
import threading

from eightfold.arena.forfeit import Resignation
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position
from eightfold.games.state import BLACK, WHITE
from eightfold.protocols.gtp.syntax import (
    DEFAULT_GAME_ID,
    RULE_OPTIONS,
    STOP,
    decode_line,
    game_id,
    read_vertex,
    rules_of,
    write_colour,
    write_vertex,
)
from eightfold.protocols.program_player import SHOWN, ProgramOptions, ProgramPlayer
from eightfold.search.kind import PlayerKind

MOST_LINES = 10_000  # of one answer
NEEDED = ("boardsize", "clear_board", "play", "genmove")
CLEANUP = "kgs-genmove_cleanup"
_ANSWER = re.compile(r"([=?])(\d*)(?:\s+(.*))?", re.ASCII | re.DOTALL)


class GtpPlayer(ProgramPlayer):
    """A GTP engine in a process of its own."""

    PROTOCOL, QUIT = "gtp", "quit"
    POINT = re.compile("[a-zA-Z][0-9]{1,3}")
    DECODE = staticmethod(decode_line)  # a letter beyond ASCII must not turn into the question mark of an error
    KIND = PlayerKind(
        summary="a program that speaks GTP, as Go engines do; options come before its command, see docs/protocols.md",
        argument="COMMAND",
        example="gtp:seconds=2,gnugo --mode gtp",
        is_program=True,
    )
    Options = ProgramOptions

    def __init__(
        self,
        game: Game,
        command: str,
        options: ProgramOptions = ProgramOptions(),  # noqa: B008 - frozen
        *,
        seed: int = 0,
    ) -> None:
        """`seed` changes nothing: a program has its own randomness."""
        super().__init__(game, command, options)
        self._number = 0  # of the last command that was sent
        self._commands: frozenset[str] = frozenset()
        self._told_seconds = -1.0

    # ---- a game -------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._number, self._told_seconds = 0, -1.0
        self._commands = frozenset(self._ask("list_commands", self._start).split())
        missing = [name for name in NEEDED if name not in self._commands]
        if missing:
            raise self._forfeit(f"it does not know {missing[0]}")
        self._check_game()
        self._clear()

    def _limit(self, seconds: float | None) -> float:
        """In whole seconds, as GTP has it. 0 means no limit, so a caller without time gets one second."""
        return math.ceil(self._seconds) if seconds is None else max(1, math.ceil(seconds))

    def _show(self, position: Position, limit: float) -> None:
        self._send_position(position)
        self._tell_time(limit, position.to_move)

    # ---- the board ----------------------------------------------------------------------------------

    def _check_game(self) -> None:
        """Every engine plays Go. For another game, the engine itself must say that it plays it."""
        wanted = game_id(self._game)
        if wanted == DEFAULT_GAME_ID:
            return
        known = "gogui-rules_game_id" in self._commands
        name = self._ask("gogui-rules_game_id", self._start) if known else DEFAULT_GAME_ID
        if name.lower() != wanted.lower():
            raise self._forfeit(f"it plays {name[:SHOWN]}, not {wanted.lower()}")

    def _clear(self) -> None:
        self._empty()
        self._set_handicap()
        self._known = ()

    def _empty(self) -> None:
        game = self._game
        self._ask(f"boardsize {game.size}", self._start)
        self._ask("clear_board", self._start)
        if "kata-set-rules" in self._commands and game.values.keys() >= RULE_OPTIONS:
            self._try(f"kata-set-rules {json.dumps(rules_of(game), separators=(',', ':'))}")
        if "komi" in self._commands and "komi" in game.values:
            self._ask(f"komi {game.values['komi']:g}", self._start)

    def _set_handicap(self) -> None:
        handicap = int(self._game.values.get("handicap", 0))
        if handicap and "fixed_handicap" in self._commands:
            self._ask(f"fixed_handicap {handicap}", self._start)
        elif handicap:
            self._place_stones(self._game.start())

    def _send_position(self, position: Position) -> None:
        """Bring the engine's board to the position: by the moves since, or from an empty board."""
        moves, known = position.moves, self._known
        if not known or moves[: len(known)] != known:
            if not self._moves_lead_to(position):
                self._empty()  # of the handicap too: its stones are among those of the position
                self._place_stones(position)
                known = moves
            elif known != ():
                self._clear()
                known = ()
        for number in range(len(known), len(moves)):
            mine = (len(moves) - number) % 2 == 0  # the last move is the opponent's
            colour = write_colour(position.to_move if mine else BLACK + WHITE - position.to_move)
            self._ask(f"play {colour} {write_vertex(moves[number], self._game)}", self._start)
        self._known = moves

    def _moves_lead_to(self, position: Position) -> bool:
        """Whether the moves alone lead here, from the start of the game and in turn."""
        try:
            reached = self._game.after(position.moves)
        except EightfoldError:
            return False
        return bool((reached.stones == position.stones).all()) and reached.to_move == position.to_move

    def _place_stones(self, position: Position) -> None:
        """Play all stones of a position. A part of a position captures nothing."""
        for colour in (BLACK, WHITE):
            for point in (position.stones.ravel() == colour).nonzero()[0]:
                self._ask(f"play {write_colour(colour)} {write_vertex(int(point), self._game)}", self._start)

    # ---- a move -------------------------------------------------------------------------------------

    def _tell_time(self, limit: float, colour: int) -> None:
        """Send the limits. Where there are none, the engine keeps its own."""
        if limit != self._told_seconds and "time_settings" in self._commands:
            if limit or self._match:
                self._try(f"time_settings {math.ceil(self._match)} {limit:.0f} {1 if limit else 0}")
            elif self._told_seconds > 0:
                self._try("time_settings 0 1 0")  # no limit any more
            self._told_seconds = limit
        if "time_left" in self._commands and (limit or self._match):
            left = math.floor(self._match - self._used)
            if left > 0 or not limit:
                self._try(f"time_left {write_colour(colour)} {max(0, left)} 0")
            else:
                self._try(f"time_left {write_colour(colour)} {limit:.0f} 1")

    def _read_move(self, position: Position, limit: float, stop: threading.Event | None) -> str:
        colour = write_colour(position.to_move)
        seconds = max(0.0, self._match - self._used) + limit + self._patience
        answer = self._ask(f"genmove {colour}", seconds, stop)
        if answer.lower() == "pass" and {CLEANUP, "undo"} <= self._commands:
            self._ask("undo", self._start)
            answer = self._ask(f"{CLEANUP} {colour}", seconds, stop)
        if answer.lower() == "resign":
            self._known = None  # the board is as it was, but the game is over
            raise Resignation("it resigned")
        return answer

    def _point(self, text: str) -> int:
        return read_vertex(text, self._game)

    # ---- the conversation ---------------------------------------------------------------------------

    def _ask(self, command: str, seconds: float, stop: threading.Event | None = None) -> str:
        """The answer to a command; a forfeit if it is refused, or none comes in time."""
        good, text = self._answer(command, seconds, stop)
        if not good:
            raise self._forfeit(f"it refused {command!r}: {text[:SHOWN] or 'without a reason'}")
        return text

    def _hurry(self) -> None:
        if STOP in self._commands:
            self._number += 1
            self._send(f"{self._number} {STOP}")  # nobody waits for the answer

    def _try(self, command: str) -> None:
        """Send a command that the engine may refuse."""
        self._answer(command, self._start)

    def _answer(self, command: str, seconds: float, stop: threading.Event | None = None) -> tuple[bool, str]:
        self._number += 1
        number = str(self._number)
        self._send(f"{number} {command}")
        found: re.Match[str] | None = None
        lines: list[str] = []
        for line in self._read_lines(seconds, stop):
            if len(lines) >= MOST_LINES:
                break
            if found is None:
                found = _ANSWER.fullmatch(line)
                if found is None and line:
                    self.remarks.append(line)
                elif found is not None:
                    lines = [found[3] or ""]
            elif line:
                lines.append(line)
            else:
                if found[2] in ("", number):
                    return found[1] == "=", "\n".join(lines).strip()
                found = None  # of an earlier command
        raise self._forfeit(f"it did not answer {command.split()[0]} within {seconds:g} s")
