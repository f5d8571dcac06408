"""A session: one conversation over standard input and output, for any protocol of lines.

A thread reads the lines, so that a stop, a quit and the end of the input are noticed while the player thinks.
Everything else waits for its turn. `LineProtocol` says how protocols differ here; a `Conversation` answers the lines:
`gomocup/engine.py` and `gtp/engine.py` have one each.
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

from eightfold.core.errors import EightfoldError
from eightfold.protocols.background import anything_goes_on
from eightfold.protocols.line_reader import decode_ascii, read_lines

MOST_WAITING = 10_000  # lines; a program that sends more without waiting for answers is made to wait
POLL = 0.5  # seconds between two looks at whether somebody still reads the answers
QUIET = 0.05  # seconds without a line after which the opponent is believed to think
QUIT_TIME = 0.5  # seconds in which the process ends in good order after a quit; Gomocup managers wait for one

Say = Callable[[str], None]  # writes one line


class Conversation(Protocol):
    def handle(self, line: str, *, since: float | None = None, stop: threading.Event | None = None) -> bool:
        """Answer a line that arrived at the time `since` (perf_counter); False when it was the last."""

    def ponder(self, stop: threading.Event) -> None:
        """Use the time until the next line comes, which sets `stop`; returns at once where there is no use in that."""

    def close(self) -> None:
        """Close the player."""


@dataclass(frozen=True, kw_only=True)
class LineProtocol:
    """What a session has to know of a protocol."""

    command: Callable[[str], str]  # the command that a line holds
    stop_commands: frozenset[str]  # they end all thinking at once
    quit_command: str = ""  # after it the process ends at once, whatever it does
    streaming_commands: frozenset[str] = frozenset()  # they go on until any other line arrives
    stop_at_end: bool = True  # whether the end of the input ends thinking
    decode: Callable[[bytes], str] = decode_ascii
    encoding: str = "ascii"


class Session:
    """One conversation, from the first line to the last."""

    def __init__(
        self,
        begin: Callable[[Say], Conversation],
        protocol: LineProtocol,
        *,
        ponder: bool = False,
        source: int = 0,
        target: int = 1,
    ) -> None:
        """`begin` makes the conversation; lines are read already while it does."""
        self._begin, self._protocol, self._ponder = begin, protocol, ponder
        self._source, self._target = source, target
        self._lines: queue.Queue[tuple[int, float, str] | None] = queue.Queue(MOST_WAITING)
        self._stop = threading.Event()
        self._newest = -1  # the number of the last line that was read
        self._answered = -1  # and of the last that was answered
        self._stopped_before = 0  # lines with a smaller number get no more thinking
        self._streaming = False  # whether the current line is answered until another arrives
        self._lock = threading.Lock()  # for the three above: a line must not stop one that comes after it
        self._done = threading.Event()

    def run(self) -> None:
        """Answer lines until a quit, or the end of the input."""
        threading.Thread(target=self._read, name="protocol-reader", daemon=True).start()
        conversation = self._begin(self._say)
        try:
            while (item := self._next_line(conversation)) is not None:
                number, since, line = item
                with self._lock:
                    self._stop.clear()
                    self._streaming = self._protocol.command(line) in self._protocol.streaming_commands
                    # A stop that arrived while this line was still waiting counts for it too.
                    if number < self._stopped_before or (self._streaming and number < self._newest):
                        self._stop.set()
                if not conversation.handle(line, since=since, stop=self._stop):
                    break
                self._answered = number
        except BrokenPipeError:
            return  # nobody reads any more
        finally:
            conversation.close()
            self._done.set()

    def _next_line(self, conversation: Conversation) -> tuple[int, float, str] | None:
        """Wait for a line, with something to think about meanwhile where that is wanted; None at the end."""
        if self._ponder:
            try:
                return self._lines.get(timeout=QUIET)
            except queue.Empty:
                with self._lock:
                    quiet = self._newest == self._answered  # else a line is on its way
                    if quiet:
                        self._stop.clear()
                        self._streaming = True  # any line ends it
                if quiet:
                    conversation.ponder(self._stop)
        return self._lines.get()

    def _say(self, text: str) -> None:
        data = f"{text}\n".encode(self._protocol.encoding, "replace")
        while data:
            data = data[os.write(self._target, data) :]

    def _read(self) -> None:
        """Put every line in the queue; those that end thinking do so at once."""
        protocol = self._protocol
        for number, line in enumerate(read_lines(self._source, decode=protocol.decode)):
            command = protocol.command(line)
            with self._lock:
                self._newest = number
                if command in protocol.stop_commands:
                    self._stopped_before = number
                if command in protocol.stop_commands or self._streaming:
                    self._stop.set()
            self._lines.put((number, time.perf_counter(), line))
            if command and command == protocol.quit_command:
                self._quit()
                return
        with self._lock:
            self._newest = sys.maxsize
            if protocol.stop_at_end:
                self._stopped_before = sys.maxsize
            if protocol.stop_at_end or self._streaming:
                self._stop.set()
        self._lines.put(None)
        if not protocol.stop_at_end:
            self._stop_when_alone()

    def _stop_when_alone(self) -> None:
        """Stop thinking when nobody reads the answers any more: after the end of the input somebody still may."""
        if not hasattr(select, "poll"):
            return
        output = select.poll()
        output.register(self._target, 0)  # it always reports that the reader is gone
        while not self._done.is_set():
            if output.poll(1000 * POLL):
                with self._lock:
                    self._stopped_before = sys.maxsize
                    self._stop.set()
                return

    def _quit(self) -> None:
        """End the process: a manager waits one second, and nothing else interrupts a compiler."""
        if not self._done.wait(QUIT_TIME) and self._source == 0:
            os._exit(0)


def serve_lines(
    begin: Callable[[Say], Conversation], protocol: LineProtocol, player: str | None, *, ponder: bool = False
) -> None:
    """Hold a conversation on standard input and output.

    A wrong player's text, or a network that is not there, is an error before it begins. With `ponder` the player thinks
    on while its opponent does.

    Whatever else prints (a library, a user's player) must not get between the lines of the protocol: it goes to the
    error output.
    """
    if player is not None:
        from eightfold.arena.players import read_player

        spec = read_player(player)
        if not spec.kind.has_tree and ponder:
            raise EightfoldError(f"player {player} keeps no tree to grow in its opponent's time; leave --ponder out")
        if spec.name == "net":
            from eightfold.nets.store.policy_value import find_exported

            find_exported(spec.argument)
    try:
        os.fstat(2)
    except OSError:  # a manager may have closed the error output, and the next file would take its number
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    target = os.dup(1)
    sys.stdout.flush()
    os.dup2(2, 1)
    status = 0
    try:
        Session(begin, protocol, ponder=ponder, target=target).run()
    except KeyboardInterrupt:
        status = 130
    if anything_goes_on():  # a network that is being loaded
        sys.stderr.flush()
        os._exit(status)
    if status:
        sys.exit(status)
