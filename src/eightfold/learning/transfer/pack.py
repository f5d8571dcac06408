"""`eightfold pack RUN`: a self-play run in a few small files, from which it goes on elsewhere (`unpack.py`).

What travels, in this order, until the pack is full:

    always       settings, network, optimiser, counters, metrics, the samples held out for validation; as many networks
                 of earlier evaluations as are asked for, spread over the run
    newest first the last lines of games.jsonl, a small share; then samples of the buffer; then more of games.jsonl

The state is that of the last checkpoint, also of a run that was killed or that trains meanwhile: nothing in its folder
is changed. An advisor's samples stay behind.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.core.line_file import lines_after
from eightfold.core.lock import lock_folder
from eightfold.core.words import number_of
from eightfold.learning.checkpointing import SELF_PLAY, SelfPlayProgress
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.lmdb_store import DATA, LmdbReader, check_file
from eightfold.learning.opponents import EVALUATED, evaluated_networks, spread_out
from eightfold.learning.runs.atomic_save import CHECKSUMS, read_checksums
from eightfold.learning.runs.fixed_settings import load_run_config
from eightfold.learning.runs.folder import CONFIG, GAMES, NETWORK, PROGRESS, TRAINING
from eightfold.learning.runs.metrics import METRICS
from eightfold.learning.runs.progress import progress_of
from eightfold.learning.transfer.container import INDEX_ROOM, MEGABYTE, Piece, check_free, write_pack
from eightfold.learning.transfer.records import joined
from eightfold.nets.store.description import CARD, DESCRIPTION

SAVED = (NETWORK, DESCRIPTION, CARD, TRAINING, PROGRESS)  # of a checkpoint
KEPT = (NETWORK, DESCRIPTION)  # of a network of an earlier evaluation
BUFFER, VALIDATION, ADVICE = "buffer", "validation", "advice"
LARGEST = 1_000_000  # megabytes
GAMES_SHARE = 0.05  # of a pack, before the samples get theirs
RECORDS = 4096  # samples in a piece
GAMES_PIECE, LEAST_PIECE = 0.01, 20_000  # of games.jsonl in a piece: share of the pack's size, and bytes at least
ATTEMPTS, PAUSE = 50, 0.1  # to find a checkpoint whole that is being replaced, and seconds between them


@dataclass(frozen=True, kw_only=True)
class Packed:
    """What a pack holds, for people."""

    folder: Path
    progress: SelfPlayProgress
    samples: int  # in it
    of_samples: int  # that the buffer had
    games: int  # lines of games.jsonl in it
    of_games: int
    networks: int  # of earlier evaluations in it
    of_networks: int
    advice: bool  # whether an advisor's samples stay behind

    def lines(self) -> list[str]:
        said = [
            f"packed {self.progress.summary}, with {self.samples:,} of {self.of_samples:,} samples, into {self.folder}"
        ]
        if self.games < self.of_games:
            said.append(f"of games.jsonl the last {self.games:,} of {self.of_games:,} games")
        if self.networks:
            said.append(f"of the networks that the run has kept {self.networks} of {self.of_networks}")
        if self.advice:
            said.append("the advisor's samples stay behind: the run goes on without them, or finds its folder again")
        return said


class _Room:
    """The bytes that are left in a pack."""

    def __init__(self, size: int) -> None:
        self.size, self.left = size, size - INDEX_ROOM

    def take(self, piece: Piece) -> bool:
        """Whether there is room for a piece, which is taken then."""
        if len(piece.data) > self.left:
            return False
        self.left -= len(piece.data)
        return True


def pack_run(
    run: Path, target: Path | None = None, *, size: float = 64, file_size: float = 16, networks: int = 0
) -> Packed:
    """Pack a run into a new folder, by default RUN.pack: `size` megabytes in all, `file_size` at most for a file.

    So many `networks` of earlier evaluations are taken along at most.
    """
    if not 0 < file_size <= size <= LARGEST:
        raise EightfoldError(
            f"files of {file_size:g} MB in a pack of {size:g} MB: the first must be the smaller, and neither below 0"
            f" or above {LARGEST:,}"
        )
    run = run if run.name else run.resolve()  # `.` has none
    target = target or run.with_name(f"{run.name}.pack")
    check_free(target)
    settings = _settings(run)
    saved, notes = _checkpoint(run)
    progress = progress_of(SelfPlayProgress, saved[PROGRESS], run / SELF_PLAY.checkpoint / PROGRESS)
    room = _Room(int(size * MEGABYTE))
    kept = evaluated_networks(run)
    chosen = {at: kept[at] for at in spread_out(list(kept), networks)}
    pieces = [
        Piece.of(CONFIG, settings),
        *(Piece.of(name, data) for name, data in saved.items()),
        Piece.of(METRICS, _metrics(run, notes.get(METRICS) or {})),
        *_held_out(run),
        *(_network(at, folder) for at, folder in chosen.items()),
    ]
    if not all(room.take(piece) for piece in pieces):
        least = (sum(len(piece.data) for piece in pieces) + INDEX_ROOM) / MEGABYTE
        and_networks = f" with {number_of(len(chosen), 'kept network')}" if chosen else ""
        raise EightfoldError(
            f"the weights and the optimiser of {run}{and_networks} alone take {least:.1f} MB; give --size more"
        )
    games = _Games(run, notes.get(GAMES) or {})
    samples = _Samples(run, progress)
    try:
        games.take(room, least_left=room.left - int(GAMES_SHARE * room.size))
        samples.take(room)
        games.take(room)
    finally:
        samples.close()
    packed = Packed(
        folder=target,
        progress=progress,
        samples=samples.taken,
        of_samples=samples.total,
        games=games.taken,
        of_games=progress.games,
        networks=len(chosen),
        of_networks=len(kept),
        advice=(run / ADVICE / DATA).exists(),
    )
    about = {**asdict(progress), "run": run.name, "samples_packed": packed.samples, "games_packed": packed.games}
    part_size = min(int(file_size * MEGABYTE), room.size)
    write_pack(target, [*pieces, *games.pieces, *samples.pieces], about, part_size=part_size)
    return packed


def _settings(run: Path) -> bytes:
    path = run / CONFIG
    if not path.is_file():
        raise EightfoldError(f"{run} is not a run: it has no {CONFIG}")
    load_run_config(TrainConfig(), path, command=SELF_PLAY.command, remedy="put a copy back")
    return path.read_bytes()


def _checkpoint(run: Path) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files of the last checkpoint, all of one moment, and the notes beside them."""
    folder = run / SELF_PLAY.checkpoint
    for attempt in range(ATTEMPTS):
        checksums = read_checksums(folder)
        if checksums is None:
            raise EightfoldError(f"{run} has no checkpoint yet: there is no {folder / CHECKSUMS}")
        saved = {name: checksums.read(name) for name in SAVED if name in checksums.files}
        missing = [name for name in (NETWORK, DESCRIPTION, TRAINING, PROGRESS) if saved.get(name) is None]
        if not missing:
            return {name: data for name, data in saved.items() if data is not None}, checksums.notes
        if attempt and not _is_used(run):
            break
        time.sleep(PAUSE)  # a save may be under way
    raise EightfoldError(f"{folder / missing[0]} is missing or damaged; eightfold train says what can be done about it")


def _is_used(run: Path) -> bool:
    """Whether a process trains the run just now."""
    try:
        lock_folder(run, "run").close()
    except EightfoldError:
        return True
    return False


def _whole_lines(path: Path, mark: dict[str, Any]) -> bytes:
    """What a file of lines held at the checkpoint; nothing if it was removed."""
    fault, _ = lines_after(path, mark)
    if fault == "is missing":
        return b""
    if fault:
        raise EightfoldError(f"{path} {fault}; put a copy back, or remove it to pack the run without it")
    return path.read_bytes()[: int(mark.get("bytes", 0))] if mark else b""


def _metrics(run: Path, mark: dict[str, Any]) -> bytes:
    """With the lines that the checkpoint lets in, written already or not."""
    return _whole_lines(run / METRICS, mark) + "".join(f"{line}\n" for line in mark.get("then", ())).encode()


def _held_out(run: Path) -> Iterator[Piece]:
    """The samples for validation: there are never many."""
    records = _reader(run / VALIDATION)
    if records is None:
        return
    with records:
        yield Piece.of(f"{VALIDATION}.json", json.dumps(records.meta).encode())
        for packed in reversed(list(records.newest_first(RECORDS))):
            yield Piece.of(VALIDATION, joined(packed))


def _network(games: int, folder: Path) -> Piece:
    """A network that was kept after so many games."""
    try:
        return Piece.of(EVALUATED, joined([str(games).encode(), *((folder / name).read_bytes() for name in KEPT)]))
    except OSError as error:
        raise EightfoldError(f"cannot pack {folder}: {error.strerror}; remove it, or take fewer networks") from None


def _reader(path: Path) -> LmdbReader | None:
    if not (path / DATA).exists():
        return None
    if not _is_used(path.parent):
        check_file(path)  # LMDB dies of a damaged one; whoever trains with it has looked
    return LmdbReader(path)


class _Games:
    """The lines of games.jsonl, from the end."""

    def __init__(self, run: Path, mark: dict[str, Any]) -> None:
        self._data = _whole_lines(run / GAMES, mark)
        self._end, self.pieces, self.taken = len(self._data), list[Piece](), 0

    def take(self, room: _Room, *, least_left: int = 0) -> None:
        """As many as there is room for, if so much is left then."""
        while self._end > 0:
            at = max(0, self._end - max(LEAST_PIECE, int(GAMES_PIECE * room.size)))
            first = self._data.rfind(b"\n", 0, at) + 1 if at else 0
            piece = Piece.of(GAMES, self._data[first : self._end])
            if room.left - len(piece.data) < least_left or not room.take(piece):
                return
            self.pieces.insert(0, piece)
            self.taken += self._data.count(b"\n", first, self._end)
            self._end = first


class _Samples:
    """The samples of the buffer up to the checkpoint, from the newest on."""

    def __init__(self, run: Path, progress: SelfPlayProgress) -> None:
        self._reader = _reader(run / BUFFER)
        self.pieces: list[Piece] = []
        self.taken = self.total = self._later = 0
        if self._reader is None:
            return
        meta, note = self._reader.meta, self._reader.note
        self._variants = len(meta["symmetries"]) if meta["eager"] else 1
        stored = json.loads(note)["samples"] if note else progress.samples
        self._later = min(self._reader.count, max(0, stored - progress.samples) * self._variants)
        self.total = (self._reader.count - self._later) // self._variants

    def take(self, room: _Room) -> None:
        if self._reader is None:
            return
        meta = Piece.of(f"{BUFFER}.json", json.dumps(self._reader.meta).encode())
        if not room.take(meta):
            return
        chunk = RECORDS // self._variants * self._variants  # no example without all of its variants
        for packed in self._reader.newest_first(chunk, skipped=self._later):
            whole = len(packed) // self._variants * self._variants
            while whole:
                piece = Piece.of(BUFFER, joined(packed[len(packed) - whole :]))
                if room.take(piece):
                    break
                # The last one: as much of it as there is still room for.
                whole = min(whole - self._variants, int(whole * 0.95 * room.left / len(piece.data)))
                whole = max(0, whole // self._variants * self._variants)
            if whole:
                self.pieces.insert(0, piece)
                self.taken += whole // self._variants
            if whole < len(packed):
                break
        self.pieces.insert(0, meta)

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
