"""Read lines from a pipe, whatever comes through it: LF or CRLF, binary, endless.

`os.read` reads them, without Python's own buffers: a thread that waits in those blocks the end of the process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

LONGEST = 4096  # bytes of a line that are kept; the rest of it is dropped
_PIECE = 1 << 16


def decode_ascii(line: bytes) -> str:
    """A line as text: what is not printable ASCII becomes a blank or a question mark.

    >>> decode_ascii(bytes([9]) + b"START 15" + bytes([200, 13, 0]))
    'START 15?'
    """
    text = line.decode("ascii", "replace").replace("\ufffd", "?")
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def read_lines(descriptor: int, *, decode: Callable[[bytes], str] = decode_ascii) -> Iterator[str]:
    """The lines as text, without their ends, until the pipe is closed."""
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
                yield decode(line[:LONGEST])
            dropping = False
        if dropping:
            rest = b""
        elif len(rest) > LONGEST:  # it is answered now; the rest of it is dropped
            yield decode(rest[:LONGEST])
            rest, dropping = b"", True
    if rest and not dropping:
        yield decode(rest)
