"""Another program as a child process that reads and writes lines, and that is never left behind.

The child leads a process group of its own, so that whatever it starts ends with it. It ends when it is closed, when
nothing refers to it any more, or when the interpreter exits, whichever comes first.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import IO

from eightfold.protocols.line_reader import decode_ascii, read_lines

MOST_WAITING = 1000  # lines; a program that says more without being asked has to wait
QUIT_TIME, TERMINATE_TIME = 1.0, 0.5  # seconds to end after the quit command, and after SIGTERM
KEPT_ERRORS = 5  # lines of its error output that are kept


class ProgramEnded(Exception):
    """The program has ended."""


class Program:
    """A running program. All its threads end with it."""

    def __init__(self, command: Sequence[str], *, decode: Callable[[bytes], str] = decode_ascii) -> None:
        """Start it; an OSError if that cannot be done. `decode` makes text of its lines."""
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._error_lines: deque[str] = deque(maxlen=KEPT_ERRORS)
        # None of these may refer to this object, or it would never be collected.
        threads = (
            threading.Thread(target=_collect, args=(self._process.stdout, self._lines, decode), daemon=True),
            threading.Thread(target=_remember, args=(self._process.stderr, self._error_lines), daemon=True),
        )
        self._errors = threads[1]
        self._end = weakref.finalize(self, _end, self._process, self._lines, threads)
        for thread in threads:
            thread.start()

    @property
    def number(self) -> int:
        """Its process id."""
        return self._process.pid

    def send(self, *lines: str) -> None:
        """Write lines to it, all at once."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode("ascii"))
        except (OSError, ValueError):
            raise ProgramEnded(self.how_it_ended()) from None

    def read(self, seconds: float) -> str | None:
        """Its next line, or None if none comes in that time."""
        try:
            line = self._lines.get(timeout=max(0.0, seconds)) if seconds > 0 else self._lines.get_nowait()
        except queue.Empty:
            return None
        if line is None:
            self._lines.put(None)  # for the next call
            raise ProgramEnded(self.how_it_ended())
        return line

    def how_it_ended(self) -> str:
        """Its exit code or signal, and the last line of its error output."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(TERMINATE_TIME)
        self._errors.join(TERMINATE_TIME)
        code = self._process.poll()
        if code is None:
            how = "it closed its output"
        elif code < 0:
            how = f"it was ended by {_signal_name(-code)}"
        else:
            how = f"it ended with exit code {code}"
        words = next((line for line in reversed(self._error_lines) if line), "")
        return f"{how} ({words[:120]})" if words else how

    def close(self, *quit_lines: str) -> None:
        """Ask it to quit and wait a moment; then end it and all that it started."""
        if self._end.alive:
            with contextlib.suppress(ProgramEnded):
                if quit_lines and self._process.poll() is None:
                    self.send(*quit_lines)
                    _wait(self._process, self._lines, QUIT_TIME)
            if self._process.poll() is None:
                _signal_group(self._process, signal.SIGTERM)
                _wait(self._process, self._lines, TERMINATE_TIME)
            self._end()


def _collect(stream: IO[bytes], lines: queue.Queue[str | None], decode: Callable[[bytes], str]) -> None:
    with stream:
        for line in read_lines(stream.fileno(), decode=decode):
            lines.put(line)
    lines.put(None)


def _remember(stream: IO[bytes], lines: deque[str]) -> None:
    with stream:
        lines.extend(read_lines(stream.fileno()))


def _wait(process: subprocess.Popen[bytes], lines: queue.Queue[str | None], seconds: float) -> None:
    """Wait for it to end, and read what it writes meanwhile: a program that cannot write cannot end."""
    deadline = time.perf_counter() + seconds
    while process.poll() is None and time.perf_counter() < deadline:
        _drain(lines)
        time.sleep(0.005)


def _drain(lines: queue.Queue[str | None]) -> None:
    with contextlib.suppress(queue.Empty):
        while True:
            lines.get_nowait()


def _end(process: subprocess.Popen[bytes], lines: queue.Queue[str | None], threads: Sequence[threading.Thread]) -> None:
    """Kill a program and its children, reap it, and close its pipes."""
    _signal_group(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    if process.poll() is None:
        process.kill()
    process.wait()
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    deadline = time.perf_counter() + TERMINATE_TIME
    for thread in threads:  # they see the end of the pipes, but one may be waiting for room
        while thread.is_alive() and time.perf_counter() < deadline:
            _drain(lines)
            thread.join(0.005)


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    if not hasattr(os, "killpg"):
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
