"""The replay buffer of document 002: `DataBuffer`, a ring of examples on disk (LMDB) or in memory.

An example is `(state, policy, value, last_move)`; a player and anything that JSON can hold may follow. Examples
are stored in the board's own frame, and `sample_batch` turns each by a random symmetry (lazy); in the eager
mode, which is marked in the file, all turns are stored and drawn as they are. State, policy and last
move always turn together. The trainer reads with `sample_stored`, which turns nothing: only the batch maker does.
With `foresight` an example has a seventh part, `(owners, score)` of the end of its game: 1, 0 or -1 for every point and
the lead as a share of the board, for the side to move.

One call of `add_data` is one transaction: whenever the process is killed, the buffer reopens with every example
of every call that returned, and goes on in the ring where it was. A `note` of the caller's is kept with it, the newest
alone. Every example has a checksum; a file that was cut or scribbled on is refused in one line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, shown
from eightfold.symmetry.group import ALL, read_symmetries
from eightfold.symmetry.transform import transform_batch, transform_policies

FORMAT = 3  # 1 kept plain arrays, 2 no checksums
DEFAULT_SIZE = 5_000_000
NO_MOVE = (-1, -1)


class SampledBatch(NamedTuple):
    states: NDArray[np.float32]  # [B, C, N, N]
    policies: NDArray[np.float32]  # [B, A]
    values: NDArray[np.float32]  # [B]
    last_moves: NDArray[np.int64]  # [B, 2], (-1, -1) for none


class ForeseenBatch(NamedTuple):
    """The same from a buffer with foresight."""

    states: NDArray[np.float32]  # [B, C, N, N]
    policies: NDArray[np.float32]  # [B, A]
    values: NDArray[np.float32]  # [B]
    last_moves: NDArray[np.int64]  # [B, 2]
    owners: NDArray[np.float32]  # [B, N * N]
    scores: NDArray[np.float32]  # [B]


AnyBatch = SampledBatch | ForeseenBatch


def as_batch(columns: Sequence[NDArray[Any]]) -> AnyBatch:
    """Columns in the order of the fields."""
    return SampledBatch(*columns) if len(columns) == len(SampledBatch._fields) else ForeseenBatch(*columns)


def targets_of(batch: AnyBatch, part: slice = slice(None)) -> list[NDArray[Any]]:
    """What the batch maker takes of the examples, or of some of them: all but the last moves."""
    columns: tuple[NDArray[Any], ...] = tuple(batch)
    return [column[part] for name, column in zip(batch._fields, columns, strict=True) if name != "last_moves"]


class Store(Protocol):
    """A ring of records of one type; `extra` is a JSON text kept with each."""

    count: int
    next: int
    note: str

    def append(self, records: NDArray[Any], extras: Sequence[str], note: str) -> None: ...

    def read(self, slots: NDArray[np.int64]) -> AnyBatch: ...

    def extra(self, slot: int) -> str: ...

    def close(self) -> None: ...


class DataBuffer:
    def __init__(
        self,
        db_path: str | Path | None,
        max_size: int | None = None,
        lazy_augmentation: bool = True,
        *,
        seed: int | None = None,
        encoder: str = "",
        symmetries: Sequence[int] = ALL,
        foresight: bool = False,
    ) -> None:
        """Open or make the buffer at `db_path`; None keeps it in memory, and so does a machine without lmdb.

        A buffer that is there gets `max_size`, as by `resize`; None keeps the size it has (a new one: five million).
        `symmetries` are those of the game: augmentation keeps to them.
        """
        self.symmetries = read_symmetries(symmetries)
        _check_size(max_size, 1 if lazy_augmentation else len(self.symmetries))
        self._path = None if db_path is None or not _has_lmdb() else Path(db_path)
        self._lazy, self._encoder, self._max_size = lazy_augmentation, encoder, max_size or DEFAULT_SIZE
        self._foresight = foresight
        self._random = np.random.default_rng(seed)
        self._store: Store | None = None
        if self._path is not None and (self._path / "data.mdb").exists():
            self._open(None)
            if max_size is not None:
                self.resize(max_size)

    # ---- writing --------------------------------------------------------------------------------------

    def add_data(self, examples: Iterable[Sequence[Any]], *, note: str = "") -> None:
        """Append examples; the oldest make room. All of them are stored, with the note, or, after an error, none."""
        listed = list(examples)
        if not listed:
            return
        shapes = {(np.shape(example[0]), np.shape(example[1])) for example in listed if len(example) >= 3}
        if len(shapes) != 1 or any(len(example) < 3 for example in listed):
            raise EightfoldError(
                f"examples must be (state, policy, value, last_move) of one shape, got {len(shapes)} shapes"
            )
        state_shape, policy_shape = shapes.pop()
        kind = _record_type(state_shape, policy_shape, self._foresight)
        if self._store is None:
            self._open(kind)
        assert self._store is not None
        if kind != self._kind:
            raise EightfoldError(
                f"examples of shape {state_shape} and {policy_shape} do not fit this buffer of "
                f"{self._kind['state'].shape} and {self._kind['policy'].shape}; was it made by another encoder?"
            )
        records = _as_records(listed, kind)
        extras = [json.dumps(example[5]) if len(example) > 5 and example[5] is not None else "" for example in listed]
        if not self._lazy:
            records = _all_turns(records, self.symmetries)
            extras = [extra for extra in extras for _ in self.symmetries]
        self._store.append(records, extras, note)

    def resize(self, max_size: int) -> None:
        """Let the ring hold so many examples; it keeps those it has, in their order, or the newest of them."""
        _check_size(max_size, self.variants)
        self._max_size = max_size
        if self._store is None or self._path is None:
            if self._store is not None:
                raise EightfoldError("a buffer in memory that holds examples cannot be resized")
            return
        from eightfold.learning.data.lmdb_store import LmdbStore

        assert isinstance(self._store, LmdbStore)
        self._store = self._store.resized(max_size)

    # ---- reading --------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return 0 if self._store is None else self._store.count

    def sample_batch(self, batch_size: int) -> AnyBatch:
        """Examples drawn at random with replacement, each turned by a random symmetry in the lazy mode."""
        batch = self.sample_stored(batch_size)
        if not self._lazy:
            return batch
        ids = np.array(self.symmetries)[self._random.integers(0, len(self.symmetries), batch_size)]
        turned = transform_batch(batch.states, batch.policies, ids, batch.last_moves)
        columns = [turned.states, turned.policies, batch.values, np.asarray(turned.last_moves)]
        if isinstance(batch, ForeseenBatch):
            columns += [transform_policies(batch.owners, batch.states.shape[-1], ids), batch.scores]
        return as_batch(columns)

    def sample_stored(self, batch_size: int, *, recent: int = 0) -> AnyBatch:
        """Examples drawn at random with replacement, as they are stored; only the `recent` newest, if given."""
        count, newest = len(self), self.newest
        if count == 0:
            raise EightfoldError("the buffer is empty; add_data comes before sampling")
        if recent and recent < count:
            ages = self._random.integers(1, recent + 1, batch_size)
            return self.read((newest - ages) % count)
        return self.read(self._random.integers(0, count, batch_size))

    def read(self, slots: Sequence[int] | NDArray[np.int64]) -> AnyBatch:
        """The examples in given slots of the ring, as they are stored."""
        assert self._store is not None
        return self._store.read(np.asarray(slots, np.int64))

    @property
    def lazy_augmentation(self) -> bool:
        return self._lazy

    @property
    def variants(self) -> int:
        """How many examples are stored for each that is added."""
        return 1 if self._lazy else len(self.symmetries)

    @property
    def note(self) -> str:
        """The note of the last call of `add_data`."""
        return "" if self._store is None else self._store.note

    @property
    def newest(self) -> int:
        """The slot that the next example will take."""
        return 0 if self._store is None else self._store.next

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def __enter__(self) -> DataBuffer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---- the store ------------------------------------------------------------------------------------

    def _open(self, kind: np.dtype[Any] | None) -> None:
        """Open the store; `kind` is the type of its records if it has to be made."""
        if self._path is None:
            assert kind is not None
            self._kind = kind
            self._store = MemoryStore(kind, self._max_size)
            return
        from eightfold.learning.data.lmdb_store import READ, LmdbStore

        meta = None
        if kind is not None:
            meta = {
                "format": FORMAT,
                "state": list(kind["state"].shape),
                "policy": list(kind["policy"].shape),
                "eager": not self._lazy,
                "symmetries": list(self.symmetries),
                "encoder": self._encoder,
                "foresight": self._foresight,
            }
        is_new = meta is not None and not (self._path / "data.mdb").exists()
        store = (LmdbStore.made if is_new else LmdbStore)(self._path, self._max_size, meta)
        found = store.meta
        if found["format"] not in READ:
            store.close()
            raise EightfoldError(
                f"{self._path} has format {found['format']} and this version of Eightfold reads {FORMAT};"
                " start a new buffer or run"
            )
        eager, encoder = bool(found["eager"]), str(found["encoder"])
        foresight = bool(found.get("foresight", False))  # buffers from before that know nothing of it
        self._kind = _record_type(tuple(found["state"]), tuple(found["policy"]), foresight)
        store.set_kind(self._kind)
        if eager == self._lazy:
            store.close()
            have, want = ("eager", "lazy") if eager else ("lazy", "eager")
            raise EightfoldError(f"{self._path} was made with {have} augmentation and is opened as {want}")
        stored = tuple(found.get("symmetries", ALL))  # earlier buffers are of games that have all eight
        if eager and stored != self.symmetries:
            store.close()
            raise EightfoldError(
                f"{self._path} holds every example under symmetries {list(stored)}, and the game has"
                f" {list(self.symmetries)}; start a new buffer or run"
            )
        if foresight != self._foresight:
            store.close()
            have, want = ("with", "without") if foresight else ("without", "with")
            raise EightfoldError(
                f"{self._path} was made {have} owners and scores and is opened {want} them; start a new buffer or run"
            )
        if encoder and self._encoder and encoder != self._encoder:
            store.close()
            raise EightfoldError(f"{self._path} was made by encoder {encoder!r}, not {self._encoder!r}")
        self._store = store if found["format"] == FORMAT else store.rewritten({**found, "format": FORMAT})


class MemoryStore:
    """The ring as one array."""

    def __init__(self, kind: np.dtype[Any], max_size: int) -> None:
        self._records = np.zeros(min(max_size, 1024), kind)
        self._extras: dict[int, str] = {}
        self._max_size = max_size
        self.count = self.next = 0
        self.note = ""

    def append(self, records: NDArray[Any], extras: Sequence[str], note: str) -> None:
        self.note = note
        needed = min(self.next + len(records), self._max_size)
        if needed > len(self._records):
            grown = np.zeros(min(max(needed, 2 * len(self._records)), self._max_size), self._records.dtype)
            grown[: self.count] = self._records[: self.count]
            self._records = grown
        for record, extra in zip(records, extras, strict=True):
            self._records[self.next] = record
            self._extras.pop(self.next, None)
            if extra:
                self._extras[self.next] = extra
            self.next = (self.next + 1) % self._max_size
            self.count = min(self.count + 1, self._max_size)

    def read(self, slots: NDArray[np.int64]) -> AnyBatch:
        records = self._records[slots]
        columns = [
            records["state"].astype(np.float32),
            records["policy"].astype(np.float32),
            records["value"].copy(),
            records["last_move"].astype(np.int64),
        ]
        if "owners" in (records.dtype.names or ()):
            columns += [records["owners"].astype(np.float32), records["score"].copy()]
        return as_batch(columns)

    def extra(self, slot: int) -> str:
        return self._extras.get(slot, "")

    def close(self) -> None:
        self._records = self._records[:0]


def _check_size(max_size: int | None, variants: int) -> None:
    if max_size is not None and max_size < variants:
        raise EightfoldError(f"max_size={max_size} is too small to hold an example and its turns")


def _record_type(state: tuple[int, ...], policy: tuple[int, ...], foresight: bool = False) -> np.dtype[Any]:
    """Planes in half precision, which holds stones and simple fractions exactly; targets in single."""
    if (
        len(state) != 3
        or state[1] != state[2]
        or len(policy) != 1
        or policy[0] not in (state[1] ** 2, state[1] ** 2 + 1)
    ):
        raise EightfoldError(f"a state {state} with a policy {policy} is not [C, N, N] with [N*N] or [N*N+1]")
    fields: list[Any] = [
        ("state", np.float16, state),
        ("policy", np.float32, policy),
        ("value", np.float32),
        ("last_move", np.int16, 2),
        ("player", np.int16),
    ]
    if foresight:
        fields += [("owners", np.int8, state[1] ** 2), ("score", np.float32)]
    return np.dtype(fields)


def _as_records(examples: Sequence[Sequence[Any]], kind: np.dtype[Any]) -> NDArray[Any]:
    records = np.zeros(len(examples), kind)
    for record, example in zip(records, examples, strict=True):
        state, policy, value = example[:3]
        last_move = example[3] if len(example) > 3 and example[3] is not None else NO_MOVE
        try:
            record["state"], record["policy"], record["value"] = state, policy, value
            record["last_move"] = last_move
            record["player"] = example[4] if len(example) > 4 and example[4] is not None else 0
            if "owners" in (kind.names or ()):
                record["owners"], record["score"] = example[6]
        except IndexError:
            raise EightfoldError("an example for this buffer ends with (owners, score) of its game") from None
        except (TypeError, ValueError):
            raise EightfoldError(f"example {shown(example[2:5])} is not (state, policy, value, last_move)") from None
    if not (np.isfinite(records["value"]).all() and np.isfinite(records["policy"]).all()):
        raise EightfoldError("an example has a value or a policy that is not a number")
    return records


def _all_turns(records: NDArray[Any], symmetries: Sequence[int]) -> NDArray[Any]:
    """Each record once for each symmetry, turned by it."""
    turned = np.repeat(records, len(symmetries))
    ids = np.tile(np.array(symmetries), len(records))
    states, policies, moves = transform_batch(
        turned["state"], turned["policy"], ids, turned["last_move"].astype(np.int64)
    )
    turned["state"], turned["policy"], turned["last_move"] = states, policies, moves
    if "owners" in (records.dtype.names or ()):
        owners = turned["owners"].astype(np.float32)
        turned["owners"] = transform_policies(owners, records["state"].shape[-1], ids)
    return turned


def _has_lmdb() -> bool:
    import importlib.util

    return importlib.util.find_spec("lmdb") is not None
