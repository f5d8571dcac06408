"""Who is let in: a process may only have so many files and sockets open, and past that nothing works for anybody.

Sockets get the lowest free number, so the number of a new one tells how near the limit is. Those above a reserve, which
the server keeps for files and for those who are inside already, are told so in one sentence and closed; the log gets
one line a minute, however many they are.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import time
from collections.abc import Callable
from typing import Any, cast

LARGEST_RESERVE = 64
PATIENCE = 1.0  # seconds for a request that will be refused to arrive: an answer before it would not be read
BETWEEN_LINES = 60.0  # seconds
WORDS = "this server has as many connections as it can hold; try again later"
REFUSAL = (
    f"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: {len(WORDS)}\r\n"
    f"Retry-After: 10\r\nConnection: close\r\n\r\n{WORDS}"
).encode()

log = logging.getLogger("eightfold.web")


class Door:
    """Admits connections to a server as long as there is room."""

    def __init__(self, limit: int | None, *, now: Callable[[], float] = time.monotonic) -> None:
        """`limit`: how many files the process may open; None: as many as it likes."""
        self.limit = limit
        self.reserve = 0 if limit is None else min(LARGEST_RESERVE, limit // 4)
        # Connections taken up in one turn of the event loop: some turns pass before those refused are closed again.
        self.at_once = 100 if limit is None else max(1, self.reserve // 8)
        self._now, self._refused, self._last_line = now, 0, -BETWEEN_LINES

    def admits(self, number: int) -> bool:
        """Whether a socket with this file number may come in."""
        return self.limit is None or number < self.limit - self.reserve

    def is_crowded(self, number: int) -> bool:
        """Whether there is not even room for those who are about to be refused."""
        return self.limit is not None and number >= self.limit - self.reserve // 2

    def refused(self) -> None:
        self._refused += 1
        if self._now() - self._last_line >= BETWEEN_LINES:
            count = "a connection was" if self._refused == 1 else f"{self._refused} connections were"
            log.warning("%s refused: this process may open %s files (ulimit -n)", count, self.limit)
            self._refused, self._last_line = 0, self._now()

    def guarded(self, protocol: Callable[..., asyncio.Protocol]) -> Callable[..., asyncio.Protocol]:
        """A protocol for those who are admitted, behind this door."""
        return lambda **options: _AtTheDoor(self, lambda: protocol(**options))

    def hear_of_trouble(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An exception handler for the loop: sockets that could not even be accepted are no news."""
        trouble = context.get("exception")
        if isinstance(trouble, OSError) and trouble.errno in (errno.EMFILE, errno.ENFILE):
            self.refused()
        else:
            loop.default_exception_handler(context)


class _AtTheDoor(asyncio.Protocol):
    """A connection of which it is not known yet whether it may come in."""

    def __init__(self, door: Door, inside: Callable[[], asyncio.Protocol]) -> None:
        self._door, self._inside = door, inside
        self._leave: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        number = transport.get_extra_info("socket").fileno()
        if self._door.admits(number):
            protocol = self._inside()
            self._transport.set_protocol(protocol)
            protocol.connection_made(transport)
            return
        self._door.refused()
        if self._door.is_crowded(number):
            self._transport.abort()
        else:
            self._leave = asyncio.get_running_loop().call_later(PATIENCE, self._transport.abort)

    def data_received(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(REFUSAL)
            self._transport.close()

    def connection_lost(self, trouble: Exception | None) -> None:
        if self._leave is not None:
            self._leave.cancel()


def file_limit() -> int | None:
    """How many files this process may open; None where nobody says."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft
