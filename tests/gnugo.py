"""GNU Go as a referee of rules, over GTP: one long-lived process that many games are played on."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

PROGRAM = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
needs_gnugo = pytest.mark.skipif(PROGRAM is None, reason="GNU Go is not installed (Debian: gnugo)")

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
COLOURS = {1: "black", 2: "white"}


class GnuGo:
    """Commands are sent in one go and the answers read afterwards: a round trip for every move would take too long."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout

    def ask(self, commands: Iterable[str]) -> list[str]:
        """The answers without their leading `=`; one that begins with `?` stays as it is."""
        listed = list(commands)
        answers = []
        for begin in range(0, len(listed), 50):  # no more than the pipes hold
            batch = listed[begin : begin + 50]
            self._input.write("\n".join(batch) + "\n")
            self._input.flush()
            answers += [self._read() for _ in batch]
        return answers

    def _read(self) -> str:
        lines: list[str] = []
        while True:
            line = self._output.readline()
            assert line, "GNU Go has gone"
            if line == "\n" and lines:
                break
            lines.append(line.rstrip("\n"))
        text = "\n".join(lines)
        return text[1:].strip() if text.startswith("=") else text


@contextmanager
def gnugo(*options: str) -> Iterator[GnuGo]:
    assert PROGRAM is not None
    command = [PROGRAM, "--mode", "gtp", "--quiet", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield GnuGo(process)
        finally:
            process.kill()


def vertex(move: int, size: int) -> str:
    """
    >>> vertex(0, 9), vertex(80, 9), vertex(81, 9)
    ('A9', 'J1', 'pass')
    """
    if move == size * size:
        return "pass"
    row, column = divmod(move, size)
    return f"{COLUMNS[column]}{size - row}"


def action(name: str, size: int) -> int:
    if name.lower() == "pass":
        return size * size
    return (size - int(name[1:])) * size + COLUMNS.index(name[0].upper())
