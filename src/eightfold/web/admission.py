"""Admission control: a process may open only so many files and sockets, and past that limit nothing works.

Sockets get the lowest free file number, so the number of a new one tells how near the limit is. The server keeps a
reserve for files and for the connections that it has. A connection above the reserve is answered with 503 and one
sentence, and closed. The log gets one line a minute, however many they are.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import time
from collections.abc import Callable
from typing import Any, cast

LARGEST_RESERVE = 64
REQUEST_TIMEOUT = 1.0  # seconds for a request to arrive that will be refused: an earlier answer would not be read
LOG_INTERVAL = 60.0  # seconds
REFUSAL = "this server has as many connections as it can hold; try again later"
RESPONSE = (
    f"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: {len(REFUSAL)}\r\n"
    f"Retry-After: 10\r\nConnection: close\r\n\r\n{REFUSAL}"
).encode()

log = logging.getLogger("eightfold.web")


class Admission:
    """Admits connections to a server as long as there is room."""

    def __init__(self, limit: int | None, *, now: Callable[[], float] = time.monotonic) -> None:
        """`limit`: how many files the process may open; None: no limit."""
        self.limit = limit
        self.reserve = 0 if limit is None else min(LARGEST_RESERVE, limit // 4)
        # Connections accepted in one turn of the event loop: some turns pass before refused ones are closed again.
        self.backlog = 100 if limit is None else max(1, self.reserve // 8)
        self._now, self._refused, self._last_line = now, 0, -LOG_INTERVAL

    def admits(self, number: int) -> bool:
        """Whether a socket with this file number is admitted."""
        return self.limit is None or number < self.limit - self.reserve

    def is_exhausted(self, number: int) -> bool:
        """Whether there is not even room to answer the connections that are refused."""
        return self.limit is not None and number >= self.limit - self.reserve // 2

    def count_refusal(self) -> None:
        self._refused += 1
        if self._now() - self._last_line >= LOG_INTERVAL:
            count = "a connection was" if self._refused == 1 else f"{self._refused} connections were"
            log.warning("%s refused: this process may open %s files (ulimit -n)", count, self.limit)
            self._refused, self._last_line = 0, self._now()

    def guard(self, protocol: Callable[..., asyncio.Protocol]) -> Callable[..., asyncio.Protocol]:
        """The protocol for connections that are admitted; the others get `RESPONSE`."""
        return lambda **options: _NewConnection(self, lambda: protocol(**options))

    def handle_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An exception handler for the event loop: a socket that cannot be accepted counts as refused."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            self.count_refusal()
        else:
            loop.default_exception_handler(context)


class _NewConnection(asyncio.Protocol):
    """A connection that is about to be admitted or refused."""

    def __init__(self, admission: Admission, admitted: Callable[[], asyncio.Protocol]) -> None:
        self._admission, self._admitted = admission, admitted
        self._timeout: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        number = transport.get_extra_info("socket").fileno()
        if self._admission.admits(number):
            protocol = self._admitted()
            self._transport.set_protocol(protocol)
            protocol.connection_made(transport)
            return
        self._admission.count_refusal()
        if self._admission.is_exhausted(number):
            self._transport.abort()
        else:
            self._timeout = asyncio.get_running_loop().call_later(REQUEST_TIMEOUT, self._transport.abort)

    def data_received(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(RESPONSE)
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if self._timeout is not None:
            self._timeout.cancel()


def file_limit() -> int | None:
    """How many files this process may open; None where there is no limit."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft
