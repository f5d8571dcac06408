"""A ring of packed records in LMDB: memory-mapped, transactional, as large as the disk.

Records are numbered by their slot in the ring; behind the keys `meta` (what the buffer is) and `ring` (how full it
is, and where it goes on) they come last in the order of keys, so that a ring that fills for the first time is
appended to and its pages are full.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lmdb
import numpy as np
from numpy.typing import NDArray

from eightfold.errors import EightfoldError, not_written
from eightfold.learning.buffer import AnyBatch, as_batch
from eightfold.learning.packing import Packing

META, RING = b"meta", b"ring"
ALMOST_NOTHING = 1 << 18  # bytes; less than a game may take


class LmdbStore:
    """Opens the store at `path`, or makes it with `meta`."""

    def __init__(self, path: Path, max_size: int, meta: Mapping[str, Any] | None) -> None:
        self._path, self._max_size = path, max_size
        try:
            path.mkdir(parents=True, exist_ok=True)
            # The map is address space, not memory and not disk: the file grows as records come.
            self._environment = lmdb.open(str(path), map_size=1 << 40, readahead=False, max_dbs=0)
            with self._environment.begin(write=True) as transaction:
                stored = transaction.get(META)
                if stored is None:
                    if meta is None:
                        raise EightfoldError(f"{path} is not a buffer: it has no description")
                    stored = json.dumps({**meta, "max_size": max_size}).encode()
                    transaction.put(META, stored)
                ring = transaction.get(RING)
        except (lmdb.Error, OSError) as error:
            raise EightfoldError(f"cannot open the buffer {path}: {error}") from None
        try:
            self.meta: dict[str, Any] = json.loads(stored)
        except ValueError:
            raise EightfoldError(f"{path} is not a buffer: its description cannot be read") from None
        self._max_size = int(self.meta["max_size"])
        self.count: int
        self.next: int
        self.count, self.next = json.loads(ring) if ring else (0, 0)

    def set_kind(self, kind: np.dtype[Any]) -> None:
        self._packing = Packing(kind)

    def append(self, records: NDArray[Any], extras: Sequence[str]) -> None:
        slots = (self.next + np.arange(len(records))) % self._max_size
        count, following = min(self.count + len(records), self._max_size), int(slots[-1] + 1) % self._max_size
        items = list(zip(map(_key, slots.tolist()), self._packing.pack(records, extras), strict=True))
        fresh = max(0, min(len(items), self._max_size - self.count))  # go to slots that were never used, in order
        try:
            with self._environment.begin(write=True) as transaction:
                cursor = transaction.cursor()
                cursor.putmulti(items[:fresh], append=True)
                cursor.putmulti(items[fresh:])
                transaction.put(RING, json.dumps([count, following]).encode())
        except lmdb.Error as error:
            raise not_written(f"the buffer {self._path}", self._reason(error)) from None
        self.count, self.next = count, following

    def read(self, slots: NDArray[np.int64]) -> AnyBatch:
        # In the order of the keys neighbours share pages; the batch itself stays in the order asked for.
        order = np.argsort(slots)
        keys = [_key(slot) for slot in slots[order].tolist()]
        with self._environment.begin(buffers=True) as transaction:
            found = transaction.cursor().getmulti(keys)
            if len(found) < len(keys):
                missing = sorted(set(keys) - {bytes(key) for key, _ in found})
                raise EightfoldError(
                    f"the buffer {self._path} has no example in slot {int.from_bytes(missing[0][1:], 'big')}"
                )
            places = np.empty(len(slots), np.int64)
            places[order] = np.arange(len(slots))
            return as_batch(self._packing.unpack([found[place][1] for place in places.tolist()]))

    def extra(self, slot: int) -> str:
        with self._environment.begin() as transaction:
            stored = transaction.get(_key(slot))
        return self._packing.extra(stored) if stored else ""

    def _reason(self, error: lmdb.Error) -> str:
        """What went wrong; LMDB calls it an input/output error if its pages fit in part before the disk is full."""
        if shutil.disk_usage(self._path).free < ALMOST_NOTHING:
            return os.strerror(errno.ENOSPC)
        return str(error).rpartition(": ")[2]

    def close(self) -> None:
        self._environment.close()


def _key(slot: int) -> bytes:
    return b"s" + slot.to_bytes(8, "big")
