"""Who waits for the compiler is told so: kernels compile on first use, once on a machine, and that takes a while.

Numba says when it begins and ends to compile a function. Those come in bursts of a hundred, so what people hear is
put together here: one line when a burst has gone on for a moment, one when the next function is of another part, and
one when nothing has been compiled for a while. What comes from the disk cache is not compiled, and nothing is said.
"""

from __future__ import annotations

import contextlib
import re
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

MOMENT = 0.5  # seconds of compiling before anything is said
PAUSE = 1.0  # seconds without compiling after which it is over
_SPECIALISED = re.compile(
    r"^(\w+?)_for_(?:eightfold_games_)?(\w+?)(?:_rules)?(_with_constants_[0-9a-f]{16})?_[0-9a-f]{16}$"
)
_SPECIALISED_PARTS = {
    "defaults": "the rules of",
    "counting": "the patterns of",
    "replaying": "the patterns of",
    "team_kernels": "the patterns of",
}
_OUR_RULES = re.compile(r"^eightfold\.games\.(\w+)\.")

Listener = Callable[[str], None]  # told what is compiled, such as 'the search for gomoku'; '' when it is over


class Bursts:
    """Begins and ends of single functions in, beginnings and ends of bursts out, in a thread of their own."""

    def __init__(self, *, moment: float = MOMENT, pause: float = PAUSE) -> None:
        self._moment, self._pause = moment, pause
        self._listeners: list[Listener] = []
        self._changed = threading.Condition()
        self._depth = 0  # functions that are being compiled, one for the sake of the other
        self._part = ""  # what they are for
        self._since: float | None = None  # when the burst began; None while there is none
        self._told = ""
        self._ended = 0.0
        self._thread: threading.Thread | None = None

    def listen(self, listener: Listener) -> None:
        """Tell somebody from now on, and at once if something is compiled already."""
        with self._changed:
            self._listeners.append(listener)
            told = self._told
        if told:
            listener(told)

    def forget(self, listener: Listener) -> None:
        with self._changed:
            self._listeners.remove(listener)

    @property
    def now(self) -> str:
        """What people were told last: what is compiled, or ''."""
        return self._told

    def begin(self, module: str) -> None:
        with self._changed:
            self._depth += 1
            if self._depth > 1:
                return
            self._part = part_of(module)
            if self._since is None:
                self._since = time.monotonic()
                if self._thread is None:
                    self._thread = threading.Thread(target=self._speak, name="compiling", daemon=True)
                    self._thread.start()
            self._changed.notify()

    def end(self) -> None:
        with self._changed:
            self._depth -= 1
            self._ended = time.monotonic()

    def _speak(self) -> None:
        while True:
            with self._changed:
                while (news := self._news()) is None:
                    self._changed.wait(None if self._since is None else self._pause / 4)
                self._told = news
                listeners = list(self._listeners)
            for listener in listeners:
                with contextlib.suppress(Exception):  # one who cannot be told keeps nobody else from hearing
                    listener(news)

    def _news(self) -> str | None:
        """What is to be said now; None if nothing is."""
        if self._since is None:
            return None
        now = time.monotonic()
        if self._depth == 0 and now - self._ended >= self._pause:
            self._since = None
            return "" if self._told else None
        if self._depth and now - self._since >= self._moment and self._part != self._told:
            return self._part
        return None


def part_of(module: str) -> str:
    """What a kernel's module is for, in words.

    >>> part_of("forest_for_eightfold_games_gomoku_rules_0123456789abcdef"), part_of("eightfold.games.go.board")
    ('the search for gomoku', 'the rules of go')
    """
    if found := _SPECIALISED.match(module):
        board = " on this board" if found[3] else ""  # as a GPU has it (`constants.py`)
        return f"{_SPECIALISED_PARTS.get(found[1], 'the search for')} {found[2]}{board}"
    if found := _OUR_RULES.match(module):
        return f"the rules of {found[1]}"
    if module.startswith("eightfold."):
        rooms = {"symmetry": "the board symmetries", "patterns": "the pattern libraries", "search": "a search"}
        return rooms.get(module.split(".")[1], "a network")
    return f"the rules of {module}" if module != "__main__" else "a kernel"


BURSTS = Bursts()  # of this process; `eightfold.core.jit` feeds it


def hear_numba() -> None:
    """From now on Numba tells `BURSTS` what it compiles."""
    from numba.core import event as numba_event

    event: Any = numba_event  # without types

    class Hearing(event.Listener):  # type: ignore[misc]
        def on_start(self, happened: Any) -> None:
            BURSTS.begin(happened.data["dispatcher"].py_func.__module__)

        def on_end(self, happened: Any) -> None:
            BURSTS.end()

    event.register("numba:compile", Hearing())


def say_on_stderr() -> None:
    """For people at a terminal; results and protocols go to stdout, where nothing of this appears."""
    begun: list[float] = []

    def say(part: str) -> None:
        begun.append(time.monotonic())
        if part:
            line = f"compiling {part} (once on this machine; it can take a minute) …"
        else:
            line = f"compiled, {begun[-1] - PAUSE - begun[0]:.0f} s"
            begun.clear()
        if sys.stderr is not None:  # or it would go to stdout
            print(line, file=sys.stderr, flush=True)

    BURSTS.listen(say)
