"""Examples as bytes, for the buffer on disk: exact, and a fraction of the arrays' size.

An encoded position is mostly zeros and ones, and a search visits few of all moves. So a state of zeros and ones is
kept as bits (any other in half precision, which holds simple fractions exactly), and of a policy the entries that
are not zero, with a bit for every entry to say which they are:

    header | a bit for each action | state | entries of the policy | extra text

On 15x15 that is about a sixth of the plain arrays, and LMDB fits eight such records on a page instead of one.

Shapes: B batch, C planes, N board size, A actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADER = np.dtype(
    [
        ("bits", np.uint8),  # 1: the state is zeros and ones, kept as bits
        ("value", "<f4"),
        ("last_move", "<i2", 2),
        ("player", "<i2"),
        ("entries", "<u2"),  # of the policy, that are not zero
    ]
)
ONE = 0x3C00  # 1.0 in half precision


class Packing:
    """To and from bytes, for records of one type (see `buffer.record_type`)."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._kind = kind
        self._cells, self._actions = int(np.prod(kind["state"].shape)), int(kind["policy"].shape[0])
        self._masked = HEADER.itemsize + _bytes(self._actions)  # where the state begins
        self._state_bytes = (2 * self._cells, _bytes(self._cells))  # in half precision, as bits

    def pack(self, records: NDArray[Any], extras: Sequence[str]) -> list[bytes]:
        # Half-precision numbers are compared as words, which is many times faster; a negative zero is not zero then.
        words = np.ascontiguousarray(records["state"], "<f2").view("<u2").reshape(len(records), -1)
        ones = words == ONE
        binary = (ones | (words == 0)).all(axis=1)
        policies = np.ascontiguousarray(records["policy"])
        chosen = policies != 0
        headers = np.zeros(len(records), HEADER)
        headers["bits"], headers["entries"] = binary, chosen.sum(axis=1)
        for name in ("value", "last_move", "player"):
            headers[name] = records[name]
        fronts = np.concatenate([_raw(headers), np.packbits(chosen, axis=1)], axis=1).tobytes()
        bits, halves = np.packbits(ones, axis=1).tobytes(), b"" if binary.all() else words.tobytes()
        entries = policies[chosen].astype("<f4").tobytes()
        packed, start = [], 0
        for k, (extra, as_bits, count) in enumerate(
            zip(extras, binary.tolist(), headers["entries"].tolist(), strict=True)
        ):
            size, stop = self._state_bytes[as_bits], start + 4 * count
            state = (bits if as_bits else halves)[k * size : (k + 1) * size]
            front = fronts[k * self._masked : (k + 1) * self._masked]
            packed.append(front + state + entries[start:stop] + extra.encode())
            start = stop
        return packed

    def unpack(
        self, packed: Sequence[memoryview]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
        """States [B, C, N, N], policies [B, A], values [B] and last moves [B, 2]."""
        batch, masked = len(packed), self._masked
        fronts = np.frombuffer(b"".join([record[:masked] for record in packed]), np.uint8).reshape(batch, masked)
        headers = np.ascontiguousarray(fronts[:, : HEADER.itemsize]).view(HEADER)[:, 0]
        ends = masked + np.where(headers["bits"] == 1, self._state_bytes[1], self._state_bytes[0])
        stops = (ends + 4 * headers["entries"].astype(np.int64)).tolist()

        chosen = np.unpackbits(fronts[:, HEADER.itemsize :], axis=1, count=self._actions).view(np.bool_)
        policies = np.zeros((batch, self._actions), np.float32)
        joined = b"".join([record[end:stop] for record, end, stop in zip(packed, ends.tolist(), stops, strict=True)])
        policies[chosen] = np.frombuffer(joined, "<f4")

        states = np.empty((batch, self._cells), np.float32)
        for bits in (0, 1):
            rows = np.flatnonzero(headers["bits"] == bits)
            if len(rows):
                size = self._state_bytes[bits]
                joined = b"".join([packed[row][masked : masked + size] for row in rows.tolist()])
                raw = np.frombuffer(joined, np.uint8).reshape(len(rows), size)
                plain = np.unpackbits(raw, axis=1, count=self._cells) if bits else raw.view("<f2")
                if len(rows) == batch:
                    states[:] = plain
                else:
                    states[rows] = plain
        return (
            states.reshape(batch, *self._kind["state"].shape),
            policies,
            headers["value"].astype(np.float32),
            headers["last_move"].astype(np.int64),
        )

    def extra(self, record: bytes) -> str:
        """The text behind a packed record."""
        header = np.frombuffer(record, HEADER, 1)[0]
        return record[self._masked + self._state_bytes[int(header["bits"])] + 4 * int(header["entries"]) :].decode()


def _raw(headers: NDArray[Any]) -> NDArray[np.uint8]:
    return headers.view(np.uint8).reshape(len(headers), HEADER.itemsize)


def _bytes(bits: int) -> int:
    return (bits + 7) // 8
