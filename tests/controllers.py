"""A scripted GTP controller for the tests: real pipes, and no code of ours between the engine and the assertions."""

from __future__ import annotations

import queue
import re
import sys

from managers import LONG, Manager

ENGINE = [sys.executable, "-m", "eightfold", "gtp"]
ANSWER = re.compile(r"([=?])(\d*) ?(.*)", re.ASCII)


class Controller(Manager):
    """Starts an engine, sends commands and reads answers; use it in a `with`."""

    def __init__(self, *arguments: str, command: list[str] | None = None, newline: str = "\n", **environment: str):
        super().__init__(*arguments, command=command or ENGINE, newline=newline, **environment)

    def line(self, seconds: float = LONG) -> str:
        line = self._lines.get(timeout=seconds)
        assert line is not None, f"the engine ended: {self.errors()}"
        return line

    def reply(self, seconds: float = LONG) -> tuple[str, str, list[str]]:
        """The next answer: its sign, its number, and its lines."""
        first = self.line(seconds)
        found = ANSWER.fullmatch(first)
        assert found is not None, f"not the beginning of an answer: {first!r}"
        lines = [found[3]] if found[3] else []
        while line := self.line(seconds):
            lines.append(line)
        return found[1], found[2], lines

    def gtp(self, command: str, seconds: float = LONG) -> str:
        """The answer to a command, which must be a success."""
        self.send(command)
        sign, number, lines = self.reply(seconds)
        assert sign == "=", f"{command}: {lines}"
        assert number == ""
        return "\n".join(lines)

    def refused(self, command: str) -> str:
        """The error that a command is answered with, one line."""
        self.send(command)
        sign, _, lines = self.reply()
        assert sign == "?", f"{command}: {lines}"
        assert len(lines) == 1
        return lines[0]

    def is_silent(self, seconds: float) -> bool:
        """Whether nothing comes for a while."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        self._lines.put(line)
        return False

    def quit(self) -> int:
        assert self.gtp("quit") == ""
        return self.process.wait(LONG)


def relay(black: Controller, white: Controller, size: int, *, komi: float, most: int) -> tuple[list[str], str]:
    """A game between two engines, each of which hears the moves of the other and must accept them.

    The moves, and who resigned: `black`, `white`, or nobody.
    """
    for engine in (black, white):
        engine.gtp(f"boardsize {size}")
        engine.gtp(f"komi {komi}")
        engine.gtp("clear_board")
    moves: list[str] = []
    while len(moves) < most and moves[-2:] != ["pass", "pass"]:
        mover, listener, colour = (black, white, "black") if len(moves) % 2 == 0 else (white, black, "white")
        move = mover.gtp(f"genmove {colour}").lower()
        if move == "resign":
            return moves, colour
        listener.gtp(f"play {colour} {move}")
        moves.append(move)
    return moves, ""
