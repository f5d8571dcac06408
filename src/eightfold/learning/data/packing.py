"""Samples as bytes, for the buffer on disk: exact, and a fraction of the arrays' size.

An encoded position is mostly zeros and ones, and a search visits few of all moves. So a state of zeros and ones is
kept as bits (any other in half precision, which holds simple fractions exactly), and of a policy the entries that
are not zero, with a bit for every entry to say which they are:

    header | a bit for each action | state | entries of the policy | score, ownership, next move, if kept | extra text

Of the ownership at the end of a game two bits a point are kept: whether the side to move owns it, and whether the
opponent does. A bit of the header tells whether a sample has a next move: those of earlier buffers have none.

On 15x15 that is about a sixth of the plain arrays, and LMDB fits eight such records on a page instead of one.

Shapes: B batch, C planes, N board size, A actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.learning.data.sample import Batch, SampleShape, one_hot_rows

HEADER = np.dtype(
    [
        ("bits", np.uint8),  # AS_BITS and HAS_NEXT, as far as they hold
        ("value", "<f4"),
        ("last_move", "<i2", 2),
        ("player", "<i2"),
        ("entries", "<u2"),  # of the policy, that are not zero
    ]
)
AS_BITS, HAS_NEXT = 1, 2  # the state is zeros and ones, kept as bits; the move that was played next is kept
NEXT = np.dtype("<u2")
ONE = 0x3C00  # 1.0 in half precision


class Packing:
    """To and from bytes, for samples of one shape."""

    def __init__(self, shape: SampleShape) -> None:
        self._shape = shape
        self._cells, self._actions = int(np.prod(shape.state)), shape.actions
        self._masked = HEADER.itemsize + _bytes(self._actions)  # where the state begins
        self._state_bytes = (2 * self._cells, _bytes(self._cells))  # in half precision, as bits
        self._tail = 4 + 2 * _bytes(shape.points) if shape.auxiliary else 0  # a score, and two bits for each point

    def pack(self, batch: Batch, players: Sequence[int], extras: Sequence[str]) -> list[bytes]:
        # Half-precision numbers are compared as words, which is many times faster; a negative zero is not zero then.
        words = np.ascontiguousarray(batch.states, "<f2").view("<u2").reshape(len(batch), -1)
        ones = words == ONE
        binary = (ones | (words == 0)).all(axis=1)
        policies = np.ascontiguousarray(batch.policies)
        chosen = policies != 0
        headers = np.zeros(len(batch), HEADER)
        following, known = self._pack_next_moves(batch)
        headers["bits"], headers["entries"] = AS_BITS * binary + HAS_NEXT * known, chosen.sum(axis=1)
        headers["value"], headers["last_move"], headers["player"] = batch.values, batch.last_moves, players
        fronts = np.concatenate([_raw(headers), np.packbits(chosen, axis=1)], axis=1).tobytes()
        bits, halves = np.packbits(ones, axis=1).tobytes(), b"" if binary.all() else words.tobytes()
        entries = policies[chosen].astype("<f4").tobytes()
        tails, tail = self._pack_auxiliary(batch), self._tail
        packed, start = [], 0
        for k, (extra, as_bits, count) in enumerate(
            zip(extras, binary.tolist(), headers["entries"].tolist(), strict=True)
        ):
            size, stop = self._state_bytes[as_bits], start + 4 * count
            state = (bits if as_bits else halves)[k * size : (k + 1) * size]
            front = fronts[k * self._masked : (k + 1) * self._masked]
            auxiliary = tails[k * tail : (k + 1) * tail]
            packed.append(front + state + entries[start:stop] + auxiliary + following[k] + extra.encode())
            start = stop
        return packed

    def _pack_next_moves(self, batch: Batch) -> tuple[list[bytes], NDArray[np.bool_]]:
        """What is appended to each record, and which have a next move."""
        if batch.next_moves is None or not self._shape.next_moves:
            return [b""] * len(batch), np.zeros(len(batch), np.bool_)
        known = np.asarray(batch.next_moves.any(axis=1))
        moves = batch.next_moves.argmax(axis=1).astype(NEXT)
        told = [move.tobytes() if has else b"" for has, move in zip(known.tolist(), moves, strict=True)]
        return told, known

    def _unpack_next_moves(
        self, packed: Sequence[memoryview], known: NDArray[np.bool_], ends: Sequence[int]
    ) -> NDArray[np.float32]:  # [B, A]
        """`ends`: where each record's next move begins, if there is one."""
        moves = np.full(len(packed), -1, np.int64)
        rows = np.flatnonzero(known)
        joined = b"".join([packed[row][ends[row] : ends[row] + NEXT.itemsize] for row in rows.tolist()])
        moves[rows] = np.frombuffer(joined, NEXT)
        return one_hot_rows(moves, self._actions)

    def _pack_auxiliary(self, batch: Batch) -> bytes:
        if batch.ownership is None or batch.scores is None:
            return b""
        scores = np.ascontiguousarray(batch.scores, "<f4").view(np.uint8).reshape(len(batch), 4)
        sides = [np.packbits(batch.ownership == side, axis=1) for side in (1, -1)]
        return np.concatenate([scores, *sides], axis=1).tobytes()

    def _unpack_auxiliary(self, joined: bytes, count: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Ownership [B, N * N] and scores [B]."""
        raw = np.frombuffer(joined, np.uint8).reshape(count, self._tail)
        scores = np.ascontiguousarray(raw[:, :4]).view("<f4")[:, 0].astype(np.float32)
        points = self._shape.points
        half = _bytes(points)
        own, other = (
            np.unpackbits(raw[:, first : first + half], axis=1, count=points).astype(np.float32)
            for first in (4, 4 + half)
        )
        return own - other, scores

    def unpack(self, packed: Sequence[memoryview]) -> Batch:
        batch, masked = len(packed), self._masked
        fronts = np.frombuffer(b"".join([record[:masked] for record in packed]), np.uint8).reshape(batch, masked)
        headers = np.ascontiguousarray(fronts[:, : HEADER.itemsize]).view(HEADER)[:, 0]
        as_bits = headers["bits"] & AS_BITS
        ends = masked + np.where(as_bits, self._state_bytes[1], self._state_bytes[0])
        stops = (ends + 4 * headers["entries"].astype(np.int64)).tolist()

        chosen = np.unpackbits(fronts[:, HEADER.itemsize :], axis=1, count=self._actions).view(np.bool_)
        policies = np.zeros((batch, self._actions), np.float32)
        joined = b"".join([record[end:stop] for record, end, stop in zip(packed, ends.tolist(), stops, strict=True)])
        policies[chosen] = np.frombuffer(joined, "<f4")

        states = np.empty((batch, self._cells), np.float32)
        for bits in (0, 1):
            rows = np.flatnonzero(as_bits == bits)
            if len(rows):
                size = self._state_bytes[bits]
                joined = b"".join([packed[row][masked : masked + size] for row in rows.tolist()])
                raw = np.frombuffer(joined, np.uint8).reshape(len(rows), size)
                plain = np.unpackbits(raw, axis=1, count=self._cells) if bits else raw.view("<f2")
                if len(rows) == batch:
                    states[:] = plain
                else:
                    states[rows] = plain
        ownership, scores = None, None
        if self._shape.auxiliary:
            tails = [record[stop : stop + self._tail] for record, stop in zip(packed, stops, strict=True)]
            ownership, scores = self._unpack_auxiliary(b"".join(tails), batch)
        next_moves = None
        if self._shape.next_moves:
            known = (headers["bits"] & HAS_NEXT) > 0
            next_moves = self._unpack_next_moves(packed, known, [stop + self._tail for stop in stops])
        return Batch(
            states.reshape(batch, *self._shape.state),
            policies,
            headers["value"].astype(np.float32),
            headers["last_move"].astype(np.int64),
            ownership,
            scores,
            next_moves,
        )

    def extra(self, record: bytes) -> str:
        """The text behind a packed record."""
        header = np.frombuffer(record, HEADER, 1)[0]
        bits = int(header["bits"])
        state, following = self._state_bytes[bits & AS_BITS], NEXT.itemsize if bits & HAS_NEXT else 0
        return record[self._masked + state + 4 * int(header["entries"]) + self._tail + following :].decode()


def _raw(headers: NDArray[Any]) -> NDArray[np.uint8]:
    return headers.view(np.uint8).reshape(len(headers), HEADER.itemsize)


def _bytes(bits: int) -> int:
    return (bits + 7) // 8
