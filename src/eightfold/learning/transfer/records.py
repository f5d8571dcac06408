"""Packed samples as one piece of bytes and back: the length of each (32 bits), then the samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

COUNT = np.dtype("<u4")


def joined(records: Sequence[bytes]) -> bytes:
    """
    >>> separated(joined([b"ab", b"", b"c"]))
    [b'ab', b'', b'c']
    """
    lengths = np.array([len(records), *map(len, records)], COUNT)
    return lengths.tobytes() + b"".join(records)


def separated(data: bytes) -> list[bytes]:
    """The records again; a ValueError if it cannot be such a piece."""
    if len(data) < COUNT.itemsize:
        raise ValueError("it is cut short")
    count = int(np.frombuffer(data, COUNT, 1)[0])
    head = COUNT.itemsize * (count + 1)
    if len(data) < head:
        raise ValueError("it is cut short")
    ends = head + np.cumsum(np.frombuffer(data, COUNT, count, COUNT.itemsize), dtype=np.int64)
    if len(data) != (ends[-1] if count else head):
        raise ValueError("its records are not as long as they should be")
    starts = [head, *ends[:-1].tolist()] if count else []
    return [data[start:end] for start, end in zip(starts, ends.tolist(), strict=True)]
