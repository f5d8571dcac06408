"""`eightfold unpack FOLDER RUN`: the folder of a run from a pack, with which `eightfold train` goes on.

All of the pack is read and checked before anything is written, and the run's folder is there when it is whole. Read
before: `pack.py`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.core.extras import need
from eightfold.core.line_file import LineFile
from eightfold.learning.checkpointing import SELF_PLAY, SelfPlayProgress
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.buffer import FORMAT, WITH_NEXT_MOVES
from eightfold.learning.data.packing import Packing
from eightfold.learning.data.sample import SampleShape
from eightfold.learning.opponents import EVALUATED, evaluated_folder
from eightfold.learning.runs.atomic_save import save_together
from eightfold.learning.runs.fixed_settings import load_run_config
from eightfold.learning.runs.folder import CONFIG, GAMES, NETWORK, PROGRESS, TRAINING
from eightfold.learning.runs.metrics import METRICS
from eightfold.learning.runs.progress import progress_of
from eightfold.learning.transfer.container import Pack, check_free, made_whole, read_pack
from eightfold.learning.transfer.pack import BUFFER, KEPT, SAVED, VALIDATION
from eightfold.learning.transfer.records import separated
from eightfold.nets.store.description import DESCRIPTION

MOST_DIGITS = 18  # of a number of games


@dataclass(frozen=True, kw_only=True)
class Unpacked:
    """What a run has that came out of a pack, for people."""

    run: Path
    progress: SelfPlayProgress
    samples: int

    def lines(self) -> list[str]:
        return [
            f"unpacked {self.progress.summary}, with {self.samples:,} samples, into {self.run}",
            f"go on with it: eightfold train {self.run / CONFIG} --run {self.run}",
        ]


def unpack_run(folder: Path, run: Path) -> Unpacked:
    """Make the folder of a run from a pack."""
    check_free(run)
    pack = read_pack(folder)
    saved = {name: data for name in SAVED if (data := pack.joined(name)) is not None}
    settings = pack.joined(CONFIG)
    lacking = [name for name in (NETWORK, DESCRIPTION, TRAINING, PROGRESS) if name not in saved]
    if settings is None or lacking:
        raise EightfoldError(f"{folder} lacks {CONFIG if settings is None else lacking[0]}; pack the run again")
    progress = progress_of(SelfPlayProgress, saved[PROGRESS], folder / PROGRESS)
    samples = {name: _samples(pack, name) for name in (BUFFER, VALIDATION)}
    networks = _networks(pack)
    with made_whole(run) as draft:
        (draft / CONFIG).write_bytes(settings)
        load_run_config(TrainConfig(), draft / CONFIG, command=SELF_PLAY.command, remedy="pack the run again")
        marks = {name: _write_lines(draft / name, pack.all(name)) for name in (METRICS, GAMES)}
        counts = {name: _write_samples(draft / name, *found) for name, found in samples.items() if found is not None}
        notes = {
            METRICS: {**marks[METRICS], "then": []},
            GAMES: {**marks[GAMES], "games": progress.games},
            VALIDATION: counts.get(VALIDATION, 0),
        }
        for games, files in networks.items():
            kept = evaluated_folder(draft, games)
            kept.mkdir(parents=True)
            for name, data in zip(KEPT, files, strict=True):
                (kept / name).write_bytes(data)
        save_together(draft / SELF_PLAY.checkpoint, saved, notes=notes)
    return Unpacked(run=run, progress=progress, samples=counts.get(BUFFER, 0))


def _write_lines(path: Path, pieces: Iterable[bytes]) -> dict[str, int]:
    """A file of lines; its mark."""
    path.write_bytes(b"".join(pieces))
    lines = LineFile(path)
    lines.sync()
    lines.close()
    return lines.mark


def _samples(pack: Pack, name: str) -> tuple[dict[str, Any], list[list[bytes]]] | None:
    """The description of a buffer and its samples, every one of which can be read; None: there is none."""
    about = pack.joined(f"{name}.json")
    if about is None:
        return None
    need("lmdb", purpose="the samples of a packed run")
    try:
        meta = json.loads(about)
        next_moves = meta["format"] == WITH_NEXT_MOVES
        if meta["format"] != FORMAT and not next_moves:
            raise EightfoldError(
                f"{pack.folder} holds samples of format {meta['format']} and this version of Eightfold reads"
                f" {FORMAT} and {WITH_NEXT_MOVES}"
            )
        shape = SampleShape(tuple(meta["state"]), int(meta["policy"][0]), bool(meta["auxiliary"]), next_moves)
        packing = Packing(shape)
        found = [separated(data) for data in pack.all(name)]
        for records in found:
            packing.unpack([memoryview(record) for record in records])
        if sum(map(len, found)) > int(meta["max_size"]):
            raise ValueError
    except EightfoldError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, MemoryError):
        raise EightfoldError(f"{pack.folder}: its samples ({name}) cannot be read; pack the run again") from None
    return meta, found


def _networks(pack: Pack) -> dict[int, list[bytes]]:
    """The files of networks of earlier evaluations, by the number of games. Whoever opens one checks what it holds."""
    found: dict[int, list[bytes]] = {}
    for piece in pack.all(EVALUATED):
        try:
            games, *files = separated(piece)
            if not (games.isdigit() and len(games) <= MOST_DIGITS and len(files) == len(KEPT)):
                raise ValueError
        except ValueError:
            raise EightfoldError(f"{pack.folder}: a network in it cannot be read; pack the run again") from None
        found[int(games)] = files
    return found


def _write_samples(path: Path, meta: Mapping[str, Any], pieces: list[list[bytes]]) -> int:
    """A buffer with these samples; how many examples they are of."""
    from eightfold.learning.data.lmdb_store import LmdbStore

    store = LmdbStore.made(path, int(meta["max_size"]), meta)
    try:
        for records in pieces:
            if records:
                store.append_packed(records)
    finally:
        store.close()
    for lock in path.glob("lock.mdb"):
        os.unlink(lock)  # made anew by whoever opens the buffer
    return store.count // (len(meta["symmetries"]) if meta["eager"] else 1)
