"""The replay buffer: `DataBuffer`, a ring of samples on disk (LMDB) or in memory.

A sample is a `Sample`, or a tuple `(state, policy, value, last_move)` that a player and anything that JSON can hold may
follow. Samples are stored in the board's own frame, and `sample_batch` transforms each by a random symmetry (lazy); in
the eager mode, which is marked in the file, all variants are stored and drawn as they are. State, policy, last
move and ownership are always transformed together. The trainer reads with `sample_stored`, which transforms nothing:
only the batch maker does. With `auxiliary` every sample also has ownership and score of the end of its game, and with
`next_moves` those that come now have the move that was played next; samples of an earlier file then go without.

One call of `add_data` is one transaction: whenever the process is killed, the buffer reopens with every sample
of every call that returned, and goes on in the ring where it was. A `note` of the caller's is kept with it, the newest
alone. Every sample has a checksum; a file that was cut or scribbled on is refused in one line.

Read before: `sample.py`. Read next: `store.py`, `lmdb_store.py` (where samples are kept), `batches.py`.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, shown
from eightfold.core.jit import Ints
from eightfold.learning.data.sample import Batch, Sample, SampleShape
from eightfold.learning.data.store import MemoryStore, Store
from eightfold.symmetry.group import ALL, read_symmetries

FORMAT, WITH_NEXT_MOVES = 3, 4  # 1 kept plain arrays, 2 no checksums; in 4 records may tell the next move
DEFAULT_SIZE = 5_000_000
FORM = "(state, policy, value, last_move)"


class Mirror(Protocol):
    """Somebody who keeps what the ring keeps once more, elsewhere."""

    def append(self, slots: Ints, batch: Batch) -> None:
        """Samples that were stored just now, in these slots."""


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
        auxiliary: bool = False,
        next_moves: bool = False,
    ) -> None:
        """Open or make the buffer at `db_path`; None keeps it in memory, and so does a machine without lmdb.

        A buffer that is there gets `max_size`, as by `resize`; None keeps the size it has (a new one: five million).
        `symmetries` are those of the game: augmentation keeps to them.
        """
        self.symmetries = read_symmetries(symmetries)
        _check_size(max_size, 1 if lazy_augmentation else len(self.symmetries))
        self._path = None if db_path is None or importlib.util.find_spec("lmdb") is None else Path(db_path)
        self._lazy, self._encoder, self._max_size = lazy_augmentation, encoder, max_size or DEFAULT_SIZE
        self._auxiliary, self._next_moves = auxiliary, next_moves
        self.mirror: Mirror | None = None  # what hears of every sample and its slot
        self._random = np.random.default_rng(seed)
        self._store: Store | None = None
        if self._path is not None and (self._path / "data.mdb").exists():
            self._open(None)
            if max_size is not None:
                self.resize(max_size)

    # ---- writing --------------------------------------------------------------------------------------

    def add_data(self, examples: Iterable[Sample | Sequence[Any]], *, note: str = "") -> None:
        """Append samples; the oldest make room. All of them are stored, with the note, or, after an error, none."""
        samples = [_as_sample(example) for example in examples]
        if not samples:
            return
        shapes = {(np.shape(sample.state), np.shape(sample.policy)) for sample in samples}
        if len(shapes) != 1:
            raise EightfoldError(f"examples must be {FORM} of one shape, got {len(shapes)} shapes")
        state, policy = shapes.pop()
        if len(policy) != 1:
            raise EightfoldError(f"a state {state} with a policy {policy} is not [C, N, N] with [N*N] or [N*N+1]")
        shape = SampleShape(state, policy[0], self._auxiliary, self._next_moves)
        self._check_shape(shape)
        batch = _as_batch(samples, shape)
        players = [sample.player or 0 for sample in samples]
        extras = [json.dumps(sample.extra) if sample.extra is not None else "" for sample in samples]
        self._append(batch, players, extras, note)

    def add_batch(self, batch: Batch, *, note: str = "") -> None:
        """The same for samples that are a batch already, with last moves; they have no players and no extras."""
        if not len(batch):
            return
        shape = SampleShape(batch.states.shape[1:], batch.policies.shape[1], self._auxiliary, self._next_moves)
        self._check_shape(shape)
        _check_numbers(batch, shape)
        self._append(batch, [0] * len(batch), [""] * len(batch), note)

    def _check_shape(self, shape: SampleShape) -> None:
        """An error if samples of this shape do not fit; the first that come say which do."""
        if self._store is None:
            self._open(shape)
        if shape != self._shape:
            raise EightfoldError(
                f"examples of shape {shape.state} and {(shape.actions,)} do not fit this buffer of {self._shape.state}"
                f" and {(self._shape.actions,)}; was it made by another encoder?"
            )

    def _append(self, batch: Batch, players: list[int], extras: list[str], note: str) -> None:
        assert self._store is not None
        if not self._lazy:
            rows = np.repeat(np.arange(len(batch)), self.variants)
            halved: Any = batch.states.astype(np.float16)  # as they are kept: less to move
            batch = replace(batch, states=halved).part(rows).transformed(np.tile(self.symmetries, len(batch)))
            players, extras = [players[k] for k in rows.tolist()], [extras[k] for k in rows.tolist()]
        slots = (self._store.next + np.arange(len(batch))) % self._max_size
        self._store.append(batch, players, extras, note)
        if self.mirror is not None:
            self.mirror.append(slots, batch)

    def resize(self, max_size: int) -> None:
        """Let the ring hold so many samples; it keeps those it has, in their order, or the newest of them."""
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

    def sample_batch(self, batch_size: int) -> Batch:
        """Samples drawn at random with replacement, each under a random symmetry in the lazy mode."""
        batch = self.sample_stored(batch_size)
        if not self._lazy:
            return batch
        drawn = self._random.integers(0, len(self.symmetries), batch_size)
        return batch.transformed(np.array(self.symmetries)[drawn])

    def sample_stored(self, batch_size: int, *, recent: int = 0) -> Batch:
        """Samples drawn at random with replacement, as they are stored; only the `recent` newest, if given."""
        if len(self) == 0:
            raise EightfoldError("the buffer is empty; add_data comes before sampling")
        return self.read(drawn_slots(self._random, batch_size, count=len(self), newest=self.newest, recent=recent))

    def read(self, slots: Sequence[int] | NDArray[np.int64]) -> Batch:
        """The samples in given slots of the ring, as they are stored."""
        assert self._store is not None
        return self._store.read(np.asarray(slots, np.int64))

    @property
    def lazy_augmentation(self) -> bool:
        return self._lazy

    @property
    def auxiliary(self) -> bool:
        """Whether every sample has ownership and score of the end of its game."""
        return self._auxiliary

    @property
    def next_moves(self) -> bool:
        """Whether samples have the move that was played next, as far as it is known."""
        return self._next_moves

    @property
    def variants(self) -> int:
        """How many samples are stored for each that is added."""
        return 1 if self._lazy else len(self.symmetries)

    @property
    def note(self) -> str:
        """The note of the last call of `add_data`."""
        return "" if self._store is None else self._store.note

    @property
    def newest(self) -> int:
        """The slot that the next sample will take."""
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

    def _open(self, shape: SampleShape | None) -> None:
        """Open the store; `shape` is that of its samples if it has to be made."""
        if self._path is None:
            assert shape is not None
            self._shape, self._store = shape, MemoryStore(shape, self._max_size)
            return
        from eightfold.learning.data.lmdb_store import READ, LmdbStore

        meta = None
        if shape is not None:
            meta = {
                "format": WITH_NEXT_MOVES if self._next_moves else FORMAT,
                "state": list(shape.state),
                "policy": [shape.actions],
                "eager": not self._lazy,
                "symmetries": list(self.symmetries),
                "encoder": self._encoder,
                "auxiliary": self._auxiliary,
            }
        is_new = meta is not None and not (self._path / "data.mdb").exists()
        store = (LmdbStore.made if is_new else LmdbStore)(self._path, self._max_size, meta)
        found = store.meta
        try:
            if found["format"] not in READ:
                raise EightfoldError(
                    f"{self._path} has format {found['format']} and this version of Eightfold reads {max(READ)};"
                    " start a new buffer or run"
                )
            auxiliary = bool(found["auxiliary"])
            self._shape = SampleShape(tuple(found["state"]), int(found["policy"][0]), auxiliary, self._next_moves)
            self._check_same(found, auxiliary)
        except EightfoldError:
            store.close()
            raise
        store.set_shape(self._shape)
        wanted = max(found["format"], WITH_NEXT_MOVES if self._next_moves else FORMAT)
        self._store = store if found["format"] == wanted else store.rewritten({**found, "format": wanted})

    def _check_same(self, found: Mapping[str, Any], auxiliary: bool) -> None:
        """An error if the buffer on the disk is of another make than this one was asked to be."""
        eager, encoder = bool(found["eager"]), str(found["encoder"])
        stored = tuple(found["symmetries"])
        if eager == self._lazy:
            have, want = ("eager", "lazy") if eager else ("lazy", "eager")
            raise EightfoldError(f"{self._path} was made with {have} augmentation and is opened as {want}")
        if eager and stored != self.symmetries:
            raise EightfoldError(
                f"{self._path} holds every example under symmetries {list(stored)}, and the game has"
                f" {list(self.symmetries)}; start a new buffer or run"
            )
        if auxiliary != self._auxiliary:
            have, want = ("with", "without") if auxiliary else ("without", "with")
            raise EightfoldError(
                f"{self._path} was made {have} ownership and scores and is opened {want} them;"
                " start a new buffer or run"
            )
        if encoder and self._encoder and encoder != self._encoder:
            raise EightfoldError(f"{self._path} was made by encoder {encoder!r}, not {self._encoder!r}")


def drawn_slots(
    random: np.random.Generator, size: int | tuple[int, ...], *, count: int, newest: int, recent: int = 0
) -> NDArray[np.int64]:
    """Slots of a ring, at random with replacement: of all `count` samples, or of the `recent` newest, if given.

    `newest` is the slot behind the newest sample.
    """
    if recent and recent < count:
        return (newest - random.integers(1, recent + 1, size)) % count
    return random.integers(0, count, size)


def _check_size(max_size: int | None, variants: int) -> None:
    if max_size is not None and max_size < variants:
        raise EightfoldError(f"max_size={max_size} is too small to hold an example and its variants")


def _as_sample(example: Sample | Sequence[Any]) -> Sample:
    if isinstance(example, Sample):
        return example
    if not 3 <= len(example) <= 6:
        raise EightfoldError(f"examples must be {FORM}, got {len(example)} parts")
    return Sample(*example)


def _as_batch(samples: Sequence[Sample], shape: SampleShape) -> Batch:
    """Samples as arrays, every number of which is one."""
    moves = [sample.next_move for sample in samples if sample.next_move is not None]
    if any(not 0 <= move < shape.actions for move in moves):
        raise EightfoldError(f"a next move is an action from 0 to {shape.actions - 1}; got {shown(moves)}")
    if shape.auxiliary and any(sample.ownership is None or sample.score is None for sample in samples):
        raise EightfoldError("a sample for this buffer has ownership and score of the end of its game")
    try:
        batch = Batch.of(samples, auxiliary=shape.auxiliary, next_moves=shape.next_moves)
    except (TypeError, ValueError):
        for sample in samples:  # name the one that is wrong
            try:
                Batch.of([sample], auxiliary=shape.auxiliary, next_moves=shape.next_moves)
            except (TypeError, ValueError):
                wrong = (sample.value, sample.last_move, sample.player)
                raise EightfoldError(f"example {shown(wrong)} is not {FORM}") from None
        raise
    _check_numbers(batch, shape)
    return batch


def _check_numbers(batch: Batch, shape: SampleShape) -> None:
    if not (np.isfinite(batch.values).all() and np.isfinite(batch.policies).all()):
        raise EightfoldError("an example has a value or a policy that is not a number")
    if batch.ownership is not None and batch.ownership.shape[1:] != (shape.points,):
        raise EightfoldError(f"ownership has a number for each of {shape.points} points, got {batch.ownership.shape}")
