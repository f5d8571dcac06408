"""A ring of fixed-size records in LMDB: memory-mapped, transactional, as large as the disk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lmdb
import numpy as np
from numpy.typing import NDArray

from eightfold.errors import EightfoldError

META, RING = b"meta", b"ring"
SLACK = 64 << 20


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
        self._kind = kind

    def append(self, records: NDArray[Any], extras: Sequence[str]) -> None:
        count, slot = self.count, self.next
        try:
            with self._environment.begin(write=True) as transaction:
                for record, extra in zip(records, extras, strict=True):
                    transaction.put(_key(slot), record.tobytes() + extra.encode())
                    slot = (slot + 1) % self._max_size
                    count = min(count + 1, self._max_size)
                transaction.put(RING, json.dumps([count, slot]).encode())
        except lmdb.Error as error:
            raise EightfoldError(f"cannot write to the buffer {self._path}: {error}; nothing was lost") from None
        self.count, self.next = count, slot

    def read(self, slots: NDArray[np.int64]) -> NDArray[Any]:
        records = np.empty(len(slots), self._kind)
        raw = records.view(np.uint8).reshape(len(slots), self._kind.itemsize)
        with self._environment.begin(buffers=True) as transaction:
            # In the order of the keys neighbours share pages; the batch itself stays in the order asked for.
            for place in np.argsort(slots):
                stored = transaction.get(_key(int(slots[place])))
                if stored is None:
                    raise EightfoldError(f"the buffer {self._path} has no example in slot {slots[place]}")
                raw[place] = np.frombuffer(stored, np.uint8, self._kind.itemsize)
        return records

    def extra(self, slot: int) -> str:
        with self._environment.begin() as transaction:
            stored = transaction.get(_key(slot))
        return stored[self._kind.itemsize :].decode() if stored else ""

    def close(self) -> None:
        self._environment.close()


def _key(slot: int) -> bytes:
    return b"r" + slot.to_bytes(8, "big")
