"""Lines of a pipe, whatever comes through it: LF or CRLF, binary, endless.

Read by `os.read`, without Python's own buffers: a thread that waits in them cannot be left behind at the end.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

LONGEST = 4096  # bytes of a line that are kept; the rest of it is dropped
_PIECE = 1 << 16


def plain(line: bytes) -> str:
    """A line as text: what is not printable ASCII becomes a blank or a question mark.

    >>> plain(bytes([9]) + b"START 15" + bytes([200, 13, 0]))
    'START 15?'
    """
    text = line.decode("ascii", "replace").replace("\ufffd", "?")
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def read_lines(descriptor: int, *, plain: Callable[[bytes], str] = plain) -> Iterator[str]:
    """The lines as `plain` makes text of them, without their ends, until the pipe is closed."""
    rest, dropping = b"", False
    while True:
        try:
            piece = os.read(descriptor, _PIECE)
        except OSError:
            piece = b""  # the other side is gone, or the pipe was closed on this side
        if not piece:
            break
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if not dropping:
                yield plain(line[:LONGEST])
            dropping = False
        if dropping:
            rest = b""
        elif len(rest) > LONGEST:  # it is answered now, and what still comes of it is dropped
            yield plain(rest[:LONGEST])
            rest, dropping = b"", True
    if rest and not dropping:
        yield plain(rest)
