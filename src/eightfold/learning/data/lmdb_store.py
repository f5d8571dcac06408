"""A ring of packed records in LMDB: memory-mapped, transactional, as large as the disk.

Records are numbered by their slot in the ring; behind the keys `meta` (what the buffer is) and `ring` (how full it
is, where it goes on, and the caller's note) they come last in the order of keys, so that a ring that fills for the
first time is appended to and its pages are full. Every value carries a CRC-32, over its key too. The file is read
once before LMDB opens it (`lmdb_pages.py`), because LMDB itself dies of a damaged one.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import lmdb
import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, not_written
from eightfold.learning.data.lmdb_pages import Damaged, can_check, read_records
from eightfold.learning.data.packing import Packing
from eightfold.learning.data.sample import Batch, SampleShape
from eightfold.symmetry.group import ALL

READ = (2, 3, 4)  # formats; the first had no checksums, in the last records may tell the next move
META, RING, SLOT = b"meta", b"ring", b"s"
DATA, DRAFT = "data.mdb", ".draft"
ALMOST_NOTHING = 1 << 18  # bytes; less than a game may take
CHUNK = 4096


class LmdbStore:
    """Opens the store at `path`, or makes it with `meta`."""

    def __init__(self, path: Path, max_size: int, meta: Mapping[str, Any] | None) -> None:
        self._path = path
        shutil.rmtree(path / DRAFT, ignore_errors=True)  # a kill left it
        if meta is None:
            check_file(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            # The map is address space, not memory and not disk: the file grows as records come.
            self._environment = lmdb.open(str(path), map_size=1 << 40, readahead=False, max_dbs=0)
            with self._environment.begin(write=meta is not None) as transaction:
                stored, ring = transaction.get(META), transaction.get(RING)
                if stored is None:
                    if meta is None:
                        raise EightfoldError(f"{path} is not a buffer: it has no description")
                    stored = _sealed({**meta, "max_size": max_size})
                    transaction.put(META, stored)
            self.meta, self.count, self.next, self.note = _read_state(stored, ring)
        except (lmdb.Error, OSError) as error:
            reason = str(error).rpartition(": ")[2]
            if meta is not None:
                raise not_written(f"the buffer {path}", reason) from None
            raise EightfoldError(f"cannot open the buffer {path}: {reason}") from None
        except Damaged as damage:
            raise _damaged(path, str(damage)) from None
        self._max_size = int(self.meta["max_size"])
        self._checksums = self.meta["format"] >= 3

    @classmethod
    def made(cls, path: Path, max_size: int, meta: Mapping[str, Any] | None) -> LmdbStore:
        """A new store, which is there once it is whole: a kill, or a full disk, on the way leaves none."""
        draft = path / DRAFT
        shutil.rmtree(draft, ignore_errors=True)
        cls(draft, max_size, meta).close()
        _take_place(draft, path)
        return cls(path, max_size, None)

    def set_shape(self, shape: SampleShape) -> None:
        self._packing = Packing(shape)

    def append(self, batch: Batch, players: Sequence[int], extras: Sequence[str], note: str) -> None:
        self._append(self._packing.pack(batch, players, extras), note)

    def append_packed(self, packed: Sequence[bytes], note: str = "") -> None:
        """Records that are packed already, in one transaction."""
        self._append(packed, note)

    def _append(self, packed: Sequence[bytes], note: str) -> None:
        slots = (self.next + np.arange(len(packed))) % self._max_size
        count, following = min(self.count + len(packed), self._max_size), int(slots[-1] + 1) % self._max_size
        keys = list(map(_key, slots.tolist()))
        items = [(key, record + _crc(key, record)) for key, record in zip(keys, packed, strict=True)]
        fresh = max(0, min(len(items), self._max_size - self.count))  # go to slots that were never used, in order
        try:
            with self._environment.begin(write=True) as transaction:
                cursor = transaction.cursor()
                cursor.putmulti(items[:fresh], append=True)
                cursor.putmulti(items[fresh:])
                transaction.put(RING, _sealed({"count": count, "next": following, "note": note}))
        except lmdb.Error as error:
            raise not_written(f"the buffer {self._path}", self._reason(error)) from None
        self.count, self.next, self.note = count, following, note

    def read(self, slots: NDArray[np.int64]) -> Batch:
        # In the order of the keys neighbours share pages; the batch itself stays in the order asked for.
        order = np.argsort(slots)
        keys = [_key(slot) for slot in slots[order].tolist()]
        with self._environment.begin(buffers=True) as transaction:
            found = self._found(transaction, keys)
            places = np.empty(len(slots), np.int64)
            places[order] = np.arange(len(slots))
            return self._packing.unpack([found[place] for place in places.tolist()])

    def _found(self, transaction: Any, keys: Sequence[bytes]) -> list[memoryview]:
        """The records behind keys in ascending order, as long as the transaction lasts; each is checked."""
        found = transaction.cursor().getmulti(keys)
        if len(found) < len(keys):
            missing = sorted(set(keys) - {bytes(key) for key, _ in found})
            raise EightfoldError(
                f"the buffer {self._path} has no sample in slot {int.from_bytes(missing[0][1:], 'big')}"
            )
        if not self._checksums:
            return [value for _, value in found]
        for key, value in found:
            if _crc(key, value[:-4]) != value[-4:]:
                raise _damaged(self._path, f"the sample in slot {int.from_bytes(key[1:], 'big')} is not what it was")
        return [value[:-4] for _, value in found]

    def extra(self, slot: int) -> str:
        with self._environment.begin(buffers=True) as transaction:
            found = self._found(transaction, [_key(slot)]) if slot < self.count else []
            return self._packing.extra(bytes(found[0])) if found else ""

    # ---- another size -----------------------------------------------------------------------------------

    def resized(self, max_size: int) -> LmdbStore:
        """The store with another size: this one, or one that took its place."""
        if max_size == self._max_size:
            return self
        meta = {**self.meta, "max_size": max_size}
        if self.count < self._max_size and self.count < max_size:  # it never came round: only its end moves
            try:
                with self._environment.begin(write=True) as transaction:
                    transaction.put(META, _sealed(meta))
            except lmdb.Error as error:
                raise not_written(f"the buffer {self._path}", self._reason(error)) from None
            self.meta, self._max_size = meta, max_size
            return self
        return self.rewritten(meta)

    def rewritten(self, meta: Mapping[str, Any]) -> LmdbStore:
        """The newest records in a store with another description, which takes the place of this one at once."""
        draft, max_size = self._path / DRAFT, int(meta["max_size"])
        store = LmdbStore(draft, max_size, meta)
        kept = min(self.count, max_size)
        slots = (self.next - kept + np.arange(kept)) % max(self.count, 1)
        try:
            for first in range(0, kept, CHUNK):
                store._append(self._packed(slots[first : first + CHUNK]), self.note)
        finally:
            store.close()
        self.close()
        _take_place(draft, self._path)
        changed = LmdbStore(self._path, max_size, None)
        changed._packing = self._packing
        return changed

    def _packed(self, slots: NDArray[np.int64]) -> list[bytes]:
        """Records as they are packed, in the order of the slots."""
        order = np.argsort(slots)
        with self._environment.begin(buffers=True) as transaction:
            found = self._found(transaction, [_key(slot) for slot in slots[order].tolist()])
            places = np.empty(len(slots), np.int64)
            places[order] = np.arange(len(slots))
            return [bytes(found[place]) for place in places.tolist()]

    def _reason(self, error: lmdb.Error) -> str:
        """What went wrong; LMDB calls it an input/output error if its pages fit in part before the disk is full."""
        if shutil.disk_usage(self._path).free < ALMOST_NOTHING:
            return os.strerror(errno.ENOSPC)
        return str(error).rpartition(": ")[2]

    def close(self) -> None:
        self._environment.close()


class LmdbReader:
    """The records of a store as they are now, also while another process adds to it; use it in a `with`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            shared = os.access(path, os.W_OK)  # readers sign a file beside it
            self._environment = lmdb.open(str(path), readonly=True, readahead=False, lock=shared)
        except (lmdb.Error, OSError) as error:
            raise EightfoldError(f"cannot open the buffer {path}: {str(error).rpartition(': ')[2]}") from None
        try:
            self._transaction = self._environment.begin(buffers=True)
            meta, ring = (self._transaction.get(key) for key in (META, RING))
            self.meta, self.count, self._next, self.note = _read_state(
                bytes(meta or b""), None if ring is None else bytes(ring)
            )
            if self.meta["format"] not in READ[1:]:
                raise EightfoldError(
                    f"the buffer {path} has format {self.meta['format']}; train the run for a moment to renew it"
                )
        except Damaged as damage:
            self._environment.close()
            raise _damaged(path, str(damage)) from None
        except BaseException:
            self._environment.close()
            raise

    def newest_first(self, chunk: int, *, skipped: int = 0) -> Iterator[list[bytes]]:
        """Packed records in lists of up to `chunk`, from the newest list to the oldest; the `skipped` newest left out.

        Within a list they are in the order in which they were stored.
        """
        for last in range(self.count - skipped, 0, -chunk):
            ages = np.arange(max(0, last - chunk), last)  # 0 is the oldest
            slots = ((self._next - self.count + ages) % self.count).tolist()
            yield [self._record(_key(slot)) for slot in slots]

    def _record(self, key: bytes) -> bytes:
        value = self._transaction.get(key)
        if value is None or _crc(key, value[:-4]) != value[-4:]:
            slot = int.from_bytes(key[1:], "big")
            raise _damaged(self._path, f"the sample in slot {slot} is not what it was")
        return bytes(value[:-4])

    def close(self) -> None:
        self._transaction.abort()
        self._environment.close()

    def __enter__(self) -> LmdbReader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _take_place(draft: Path, path: Path) -> None:
    """Put the file of a store that is whole in its place."""
    try:
        os.replace(draft / DATA, path / DATA)
    except OSError as error:
        raise not_written(f"the buffer {path}", error.strerror) from None
    shutil.rmtree(draft, ignore_errors=True)


def check_file(path: Path) -> None:
    """Read the file of a store from end to end; an error in one line if it is damaged."""
    if not can_check():
        return
    try:
        _check_records(read_records(path / DATA))
    except OSError as error:
        raise EightfoldError(f"cannot open the buffer {path}: {error.strerror}") from None
    except Damaged as damage:
        raise _damaged(path, str(damage)) from None


def _check_records(records: Iterable[tuple[bytes, bytes]]) -> None:
    held: dict[bytes, bytes] = {}
    slots = spoilt = 0
    checked = True
    for key, value in records:
        if not key.startswith(SLOT):
            held[key] = value
            continue
        if slots == 0:  # the others came before, in the order of keys
            checked = _read_state(held.get(META), held.get(RING))[0]["format"] >= 3
        if key != _key(slots):
            raise Damaged(f"there is no sample in slot {slots}")
        slots += 1
        spoilt += checked and _crc(key, value[:-4]) != value[-4:]
    about, count, *_ = _read_state(held.get(META), held.get(RING))
    if about["format"] not in READ:
        return  # for the caller to judge
    if slots != count:
        raise Damaged(f"it has {slots} samples and should have others")
    if spoilt:
        raise Damaged(f"{spoilt} of {slots} samples are not what they were")


def _read_state(meta: bytes | None, ring: bytes | None) -> tuple[dict[str, Any], int, int, str]:
    """What the store is, how many records it has, where it goes on, and the note."""
    try:
        about = json.loads(meta or b"")
        if about["format"] not in READ:
            return about, 0, 0, ""
        checked = about["format"] >= 3
        about.pop("crc32", None)
        if checked and meta != _sealed(about):
            raise ValueError
        about = _in_present_words(about)
        if ring is None:
            return about, 0, 0, ""
        state = json.loads(ring)
        if not checked:
            count, following = state
            return about, int(count), int(following), ""
        state.pop("crc32", None)
        if ring != _sealed(state):
            raise ValueError
        return about, int(state["count"]), int(state["next"]), str(state["note"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Damaged("its description is not what it was") from None


def _in_present_words(about: dict[str, Any]) -> dict[str, Any]:
    """What an earlier version said of its store; its games had all eight symmetries."""
    earlier = {"symmetries": [int(g) for g in ALL], "auxiliary": bool(about.pop("foresight", False))}
    return {**earlier, **about}


def _damaged(path: Path, reason: str) -> EightfoldError:
    return EightfoldError(
        f"the buffer {path} is damaged: {reason}; put a copy back, or remove {path} to go on without its samples"
    )


def _sealed(content: Mapping[str, Any]) -> bytes:
    """JSON with a checksum in it."""
    return json.dumps({**content, "crc32": zlib.crc32(json.dumps(content).encode())}).encode()


def _crc(key: bytes | memoryview, record: bytes | memoryview) -> bytes:
    return zlib.crc32(record, zlib.crc32(key)).to_bytes(4, "little")


def _key(slot: int) -> bytes:
    return SLOT + slot.to_bytes(8, "big")
