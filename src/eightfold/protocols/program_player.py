"""What players have in common that are programs of their own: a command, a process, and how games are forfeited.

`gomocup_player.py` and `gtp_player.py` add what the two protocols say. `process.py` sees to it that no program is
left behind.
"""

from __future__ import annotations

import re
import shlex
import shutil
import time

from eightfold.arena.forfeit import Forfeit
from eightfold.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.protocols.process import Program, ProgramEnded


class ProgramPlayer:
    """A program in a process of its own, which is started when it is first needed and anew after a forfeit."""

    PROTOCOL = ""  # the name of the player
    FAREWELL = ""  # what asks the program to end

    def __init__(self, game: Game, command: str) -> None:
        self._game = game
        self._words = split_words(command, self.PROTOCOL)
        self._program: Program | None = None
        self._known: tuple[int, ...] | None = None  # the moves that the program has on its board
        self._quiet_until = 0.0  # some programs drop what comes too soon

    def close(self) -> None:
        """End the program, with a farewell first."""
        program, self._program, self._known = self._program, None, None
        if program is not None:
            program.close(self.FAREWELL)

    def _launch(self) -> None:
        try:
            self._program = Program(self._words)
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

    def _forfeit(self, reason: str) -> Forfeit:
        """The game is lost, and so is the process: nobody knows what it would say next."""
        self._drop()
        return Forfeit(reason)

    def _drop(self) -> None:
        program, self._program, self._known = self._program, None, None
        if program is not None:
            program.close()


def split_command(text: str) -> tuple[str, str]:
    """Options and command of `key=value,key=value,COMMAND`.

    >>> split_command("seconds=1,./engine --fast a,b=c")
    ('seconds=1', './engine --fast a,b=c')
    """
    options: list[str] = []
    while (match := re.match(r"\s*(\w+\s*=\s*[^,\s]*)\s*(?:,|$)", text)) is not None:
        options.append(match[1])
        text = text[match.end() :]
    return ",".join(options), text.strip()


def split_words(command: str, protocol: str) -> list[str]:
    """The words of a command, the first of them a program that is there."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise EightfoldError(f"player {protocol}: the command {command!r} cannot be split: {error}") from None
    if not words:
        raise EightfoldError(
            f"player {protocol} names no command; write {protocol}:COMMAND, or {protocol}:seconds=1,COMMAND"
        )
    if shutil.which(words[0]) is None:
        raise EightfoldError(f"player {protocol}: there is no program {words[0]!r} that could be run")
    return words
