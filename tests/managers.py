"""A scripted manager for the tests: real pipes, an independent implementation of the rules, no code of ours between."""

from __future__ import annotations

import contextlib
import os
import queue
import random
import signal
import subprocess
import sys
import threading

from eightfold.benchmarks.reference.gomoku import BLACK, PlainGomoku
from patience import LONG

PYTHON = [sys.executable, "-X", "faulthandler"]  # which tells where every thread is when it is aborted
ENGINE = [*PYTHON, "-m", "eightfold.protocols.gomocup.session"]


class Manager:
    """Starts an engine, speaks to it and hears it; use it in a `with`."""

    def __init__(self, *arguments: str, newline: str = "\n", command: list[str] | None = None, **environment: str):
        self._newline = newline
        self.process = subprocess.Popen(
            [*(command or ENGINE), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        self.remarks: list[str] = []

    def __enter__(self) -> Manager:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.process.kill()
        self.process.wait()
        self._thread.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.decode().rstrip("\r\n"))
        self._lines.put(None)

    def send(self, *lines: str) -> None:
        self.send_bytes("".join(line + self._newline for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def answer(self, seconds: float = LONG) -> str:
        """The next line that is not for people."""
        while True:
            try:
                line = self._lines.get(timeout=seconds)
            except queue.Empty:
                self.process.send_signal(signal.SIGABRT)
                raise AssertionError(f"no answer within {seconds:g} s; the engine was here: {self.errors()}") from None
            assert line is not None, f"the engine ended: {self.errors()}"
            if line.partition(" ")[0] not in ("MESSAGE", "DEBUG"):
                return line
            self.remarks.append(line)

    def ask(self, *lines: str, seconds: float = LONG) -> str:
        self.send(*lines)
        return self.answer(seconds)

    def rest(self) -> list[str]:
        """What it still says until it ends."""
        lines = []
        while (line := self._lines.get(timeout=LONG)) is not None:
            lines.append(line)
        return lines

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode(errors="replace")

    def end(self, seconds: float = LONG) -> int:
        """END; its exit code."""
        self.send("END")
        return self.process.wait(seconds)

    def high_water(self) -> float:
        """The most memory that was ever resident, in megabytes (VmHWM)."""
        with open(f"/proc/{self.process.pid}/status") as status:
            [line] = [line for line in status if line.startswith("VmHWM")]
        return int(line.split()[1]) / 1000


def point(move: int, size: int) -> str:
    row, column = divmod(move, size)
    return f"{column},{row}"


def move_of(text: str, size: int) -> int:
    column, row = (int(part) for part in text.split(","))
    assert 0 <= column < size
    assert 0 <= row < size
    return row * size + column


def play_game(
    manager: Manager, size: int, *, style: str, engine_is_black: bool, seed: int, exactly: bool = False
) -> PlainGomoku:
    """A whole game against random moves; the finished game.

    Styles: START for each game, RESTART between games, or the whole BOARD at every move.
    """
    assert manager.ask("RESTART" if style == "RESTART" else f"START {size}") == "OK"
    game, chance = PlainGomoku(size, 5, exactly), random.Random(seed)
    history: list[int] = []
    while not game.result:
        if (game.side == BLACK) == engine_is_black:
            if style == "BOARD" and history:
                stones = [
                    f"{point(move, size)},{1 if (len(history) - k) % 2 == 0 else 2}" for k, move in enumerate(history)
                ]
                chance.shuffle(stones)
                commands = ["BOARD", *stones, "DONE"]
            else:
                commands = [f"TURN {point(history[-1], size)}"] if history else ["BEGIN"]
            move = move_of(manager.ask(*commands), size)
            assert move in game.legal()
        else:
            move = chance.choice(game.legal())
        game.play(move)
        history.append(move)
    return game
