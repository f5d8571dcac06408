"""A conversation over two file descriptors, for any protocol of lines.

Lines are read in a thread of their own, so that a stop, the wish to leave and the end of the input are heard while
the player thinks. Everything else waits for its turn. What differs between protocols is in `Manners`; who answers is a
`Conversation`: `gomocup.py` and `gtp.py` have one each.
"""

from __future__ import annotations

import os
import queue
import select
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from eightfold.protocols.lines import plain, read_lines

MOST_WAITING = 10_000  # lines; whoever sends more without waiting for answers is made to wait
LOOK = 0.5  # seconds between two looks at whether all is said
PATIENCE = 0.5  # seconds after the farewell in which the process leaves in good order; Gomocup managers wait for one


class Conversation(Protocol):
    def handle(self, line: str, *, since: float | None = None, stop: threading.Event | None = None) -> bool:
        """Answer a line that came at the time `since` (perf_counter); False when it was the last."""

    def close(self) -> None:
        """Give back what the player holds of the world outside."""


@dataclass(frozen=True, kw_only=True)
class Manners:
    """When a protocol wants thinking to end, by the first word of a line."""

    word: Callable[[str], str]  # of a line: what it commands
    stops: frozenset[str]  # commands that end any thinking at once
    farewell: str = ""  # the command after which the process leaves at once, whatever it is doing
    streams: frozenset[str] = frozenset()  # commands that go on until any other line comes
    end_stops: bool = True  # whether the end of the input ends thinking, or lets it come to its own end
    plain: Callable[[bytes], str] = plain
    encoding: str = "ascii"


class Session:
    """One conversation, from the first line to the last."""

    def __init__(
        self,
        begin: Callable[[Callable[[str], None]], Conversation],
        manners: Manners,
        *,
        source: int = 0,
        target: int = 1,
    ) -> None:
        """`begin` makes the conversation, given the way to say something; it is called when lines are already read."""
        self._begin, self._manners = begin, manners
        self._source, self._target = source, target
        self._lines: queue.Queue[tuple[int, float, str] | None] = queue.Queue(MOST_WAITING)
        self._stop = threading.Event()
        self._newest = -1  # the number of the last line that was read
        self._stopped_before = 0  # lines with a smaller number are not to be thought about any longer
        self._streaming = False  # whether the line that is being answered goes on until another comes
        self._lock = threading.Lock()  # for the three above: a line must not stop one that it came before
        self._done = threading.Event()

    def run(self) -> None:
        """Until the farewell, or the end of the input."""
        threading.Thread(target=self._read, name="protocol-reader", daemon=True).start()
        conversation = self._begin(self._say)
        try:
            while (item := self._lines.get()) is not None:
                number, since, line = item
                with self._lock:
                    self._stop.clear()
                    self._streaming = self._manners.word(line) in self._manners.streams
                    # A stop that came while this line was still waiting counts for it too.
                    if number < self._stopped_before or (self._streaming and number < self._newest):
                        self._stop.set()
                if not conversation.handle(line, since=since, stop=self._stop):
                    break
        except BrokenPipeError:
            return  # nobody listens any more
        finally:
            conversation.close()
            self._done.set()

    def _say(self, text: str) -> None:
        data = f"{text}\n".encode(self._manners.encoding, "replace")
        while data:
            data = data[os.write(self._target, data) :]

    def _read(self) -> None:
        """Put every line in the queue; those that end thinking do so at once."""
        manners = self._manners
        for number, line in enumerate(read_lines(self._source, plain=manners.plain)):
            word = manners.word(line)
            with self._lock:
                self._newest = number
                if word in manners.stops:
                    self._stopped_before = number
                if word in manners.stops or self._streaming:
                    self._stop.set()
            self._lines.put((number, time.perf_counter(), line))
            if word and word == manners.farewell:
                self._leave()
                return
        with self._lock:
            self._newest = sys.maxsize
            if manners.end_stops:
                self._stopped_before = sys.maxsize
            if manners.end_stops or self._streaming:
                self._stop.set()
        self._lines.put(None)
        if not manners.end_stops:
            self._stop_when_alone()

    def _stop_when_alone(self) -> None:
        """After the end of the input somebody may still read answers; where nobody does, thinking is for nothing."""
        if not hasattr(select, "poll"):
            return
        output = select.poll()
        output.register(self._target, 0)  # it always tells of a reader who is gone
        while not self._done.is_set():
            if output.poll(1000 * LOOK):
                with self._lock:
                    self._stopped_before = sys.maxsize
                    self._stop.set()
                return

    def _leave(self) -> None:
        """A manager waits one second; compiling kernels cannot be interrupted in any other way."""
        if not self._done.wait(PATIENCE) and self._source == 0:
            os._exit(0)


def serve_session(begin: Callable[[Callable[[str], None]], Conversation], manners: Manners) -> None:
    """Hold a conversation on standard input and output.

    What anything else prints (a library, a user's player) must not get between the lines of the protocol: it goes to
    the error output.
    """
    try:
        os.fstat(2)
    except OSError:  # a manager may have closed the error output, and what is opened next would take its place
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    target = os.dup(1)
    sys.stdout.flush()
    os.dup2(2, 1)
    try:
        Session(begin, manners, target=target).run()
    except KeyboardInterrupt:
        sys.exit(130)
