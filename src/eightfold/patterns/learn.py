"""Learning a library from game records: `learn_library(paths)`, the counts of Wei et al. (section 3.1).

    blocks of text ──▶ threads: read, replay, count, each into a tally of its own ──▶ tables ──▶ Library

Counts are sums, so it does not matter which thread counts which game. Now and then the tallies are added to the
tables; where there is an output file, these are then kept beside it (`partial.py`), and the same call goes on from
there.

Read next: `counting.py`, the kernel; `tally.py`, what it counts into; `records/stream.py`, where games come from.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from eightfold import __version__
from eightfold.core.errors import EightfoldError, not_written
from eightfold.core.jit import Ints
from eightfold.core.specialise import specialise
from eightfold.core.threads import usable_cores
from eightfold.core.words import number_of
from eightfold.patterns.library import Library, Table
from eightfold.patterns.partial import PartialFile
from eightfold.patterns.placements import lay_out
from eightfold.patterns.records.game import RecordedGames
from eightfold.patterns.records.skipped import SkippedGames
from eightfold.patterns.records.sources import record_files, size_of
from eightfold.patterns.records.stream import Block, Games, RecordReader, blocks
from eightfold.patterns.tally import MOST_POSITIONS, empty_tally, places_for, take_out
from eightfold.patterns.templates import Template, read_names

BLOCKS_AHEAD = 2  # for each thread: cut into games and waiting
SAVE_SECONDS = 60.0
SOURCES_NAMED = 20  # files whose names a library keeps; a folder may hold thousands


class LearningStopped(EightfoldError):
    """Learning was asked to stop."""


@dataclass
class Progress:
    """How far learning is."""

    entries: int = 0  # of the records, games for the most part
    games: int = 0  # that were counted
    moves: int = 0
    sizes: Counter[int] = field(default_factory=Counter)
    variations: int = 0  # games that had some
    skipped: SkippedGames = field(default_factory=SkippedGames)
    share: float = 0.0  # of all that there is to read

    def add(self, block: Block, games: Games) -> None:
        self.entries += block.entries
        self.games += len(games.first)
        self.moves += int((games.last - games.first).sum())
        self.sizes.update(games.sizes.tolist())
        self.variations += games.variations
        self.skipped.add(games.skipped)

    def as_dict(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "moves": self.moves,
            "sizes": {str(size): self.sizes[size] for size in sorted(self.sizes)},
            "variations": self.variations,
            "skipped": dict(sorted(self.skipped.reasons.items())),
            "skipped_first": self.skipped.first,
        }

    @classmethod
    def from_dict(cls, entries: int, data: dict[str, Any]) -> Progress:
        return cls(
            entries=entries,
            games=int(data["games"]),
            moves=int(data["moves"]),
            sizes=Counter({int(size): int(count) for size, count in data["sizes"].items()}),
            variations=int(data["variations"]),
            skipped=SkippedGames(Counter(data["skipped"]), list(data["skipped_first"])),
        )


def learn_library(
    paths: Iterable[str | os.PathLike[str]],
    *,
    game: str = "go",
    templates: Sequence[str] = ("3x3", "4x4"),
    combined: bool = True,
    games: int | None = None,
    skip: int = 0,
    size: int | None = None,
    threads: int | None = None,
    output: Path | None = None,
    log: Path | None = None,
    stop: threading.Event | None = None,
    tell: Callable[[Progress], None] | None = None,
    save_seconds: float = SAVE_SECONDS,
) -> Library:
    """Count the patterns of all games in files and folders.

    `combined`: symmetric patterns together, while reading; else a table for each template. `games`: no more than
    so many, after the first `skip` of the records. `size`: only on that board. `output`: the file that the library will
    be stored to, beside which unfinished work is kept. `log`: a file for the name of every game that is skipped.
    `stop`: set it to have the work kept and `LearningStopped` raised. `tell` hears how far it is.
    """
    learning = _Learning(
        files=record_files(paths),
        recorded=RecordedGames(game, size=size, trusted=True),
        templates=read_names(templates),
        combined=combined,
        games=games,
        skip=skip,
        threads=threads or usable_cores(),
        partial=None if output is None else PartialFile.beside(output),
        log=log,
    )
    learning.resume()
    learning.run(stop or threading.Event(), tell or (lambda progress: None), save_seconds)
    return learning.library()


@dataclass
class _Tally:
    """What one thread counts into."""

    words: Ints
    positions: int = 0  # that are in it


class _Learning:
    def __init__(
        self,
        *,
        files: list[Path],
        recorded: RecordedGames,
        templates: tuple[Template, ...],
        combined: bool,
        games: int | None,
        skip: int,
        threads: int,
        partial: PartialFile | None,
        log: Path | None,
    ) -> None:
        self.files, self.recorded, self.templates, self.combined = files, recorded, templates, combined
        self.games, self.skip, self.threads, self.partial, self.log = games, skip, threads, partial, log
        self.tables: dict[str, Table] = {}
        self.progress = Progress()
        self.settings = {
            "game": recorded.text,
            "size": recorded.size,
            "templates": [template.name for template in templates],
            "combined": combined,
            "skip": skip,
            "limit": games,
        }
        self._bytes = [size_of(file) for file in files]
        self._reader = RecordReader(recorded)
        self._kernels = specialise("eightfold.patterns.counting", recorded.rules)
        self._places = places_for(templates, combined=combined)
        self._tallies = [_Tally(empty_tally(templates, combined=combined)) for _ in range(threads)]
        self._free: queue.LifoQueue[_Tally] = queue.LifoQueue()  # one that was used before, if possible
        for tally in self._tallies:
            self._free.put(tally)
        self._log_length = 0

    # ---- counting ----------------------------------------------------------------------------------

    def run(self, stop: threading.Event, tell: Callable[[Progress], None], save_seconds: float) -> None:
        entries = self.progress.entries
        left = None if self.games is None else max(0, self.games - entries)
        stream = blocks(self.files, skip=self.skip + entries, games=left)
        waiting: deque[tuple[Block, Future[Games]]] = deque()
        saved = time.monotonic()
        with ThreadPoolExecutor(self.threads, thread_name_prefix="eightfold-patterns") as pool:
            for block in stream:
                waiting.append((block, pool.submit(self._count, block)))
                if len(waiting) > BLOCKS_AHEAD * self.threads:
                    self._finish(*waiting.popleft(), tell)
                is_due = time.monotonic() - saved > save_seconds and self.partial is not None
                if stop.is_set() or is_due or self._is_full():
                    while waiting:
                        self._finish(*waiting.popleft(), tell)
                    self._take_out()
                    if stop.is_set() or is_due:
                        self._save()
                        saved = time.monotonic()
                    if stop.is_set():
                        raise LearningStopped(f"stopped after {number_of(self.progress.games, 'game')}")
            while waiting:
                self._finish(*waiting.popleft(), tell)
        self._take_out()

    def _count(self, block: Block) -> Games:
        """Read a block and count its games. Runs in any thread."""
        games = self._reader.read(block)
        tally = self._free.get()
        try:
            for size in np.unique(games.sizes).tolist():
                game = self.recorded.on_board(size)
                assert game is not None  # the reader leaves out the others
                placements = lay_out(self.templates, size)
                first, last = games.on_board(size)
                tally.positions += self._kernels.count_games(
                    self._kernels.make_board(game.spec.state_length(size), size, placements),
                    self._kernels.make_waiting(),
                    size,
                    np.array(game.numbers, np.int64),
                    games.moves,
                    first,
                    last,
                    placements,
                    self._places,
                    tally.words,
                )
        finally:
            self._free.put(tally)
        return games

    def _finish(self, block: Block, counted: Future[Games], tell: Callable[[Progress], None]) -> None:
        games = counted.result()
        self.progress.add(block, games)
        by_games = self.progress.entries / self.games if self.games else 0.0
        self.progress.share = min(1.0, max(by_games, block.bytes_read / max(1, sum(self._bytes))))
        self._write_log([str(game) for game in games.skipped])
        tell(self.progress)

    def _take_out(self) -> None:
        used = [tally for tally in self._tallies if tally.positions]
        if used:
            words = [tally.words for tally in used]
            self.tables = take_out(words, self.templates, combined=self.combined, before=self.tables)
        for tally in used:
            tally.positions = 0

    def _is_full(self) -> bool:
        """Long before a word can overflow: the blocks that are under way are counted too."""
        return any(tally.positions > MOST_POSITIONS // 2 for tally in self._tallies)

    def library(self) -> Library:
        """What was counted; an error if that is nothing."""
        progress = self.progress
        if not progress.games:
            found = ", ".join(f"{count} {reason}" for reason, count in progress.skipped.reasons.most_common())
            first = f"; the first: {progress.skipped.first[0]}" if progress.skipped.first else ""
            raise EightfoldError(f"no game could be counted: {found or 'there is none'}{first}")
        return Library(game=self.recorded.name, combined=self.combined, tables=self.tables, about=self._about())

    def _about(self) -> dict[str, Any]:
        return {
            "files": len(self.files),
            "sources": [file.name for file in self.files[:SOURCES_NAMED]],
            **self.progress.as_dict(),
            "settings": self.settings,
            "version": __version__,
        }

    # ---- stopping and going on ---------------------------------------------------------------------

    def _command(self) -> dict[str, Any]:
        """What must be the same for the work to go on."""
        return {"sources": [[file.name, length] for file, length in zip(self.files, self._bytes, strict=True)]} | (
            self.settings
        )

    def resume(self) -> None:
        """Go on from what an earlier call kept, if there is any."""
        kept = self.partial.load(self._command()) if self.partial else None
        if kept is not None:
            self.tables = dict(kept.library.tables)
            self.progress = Progress.from_dict(kept.entries, kept.about)
            self._log_length = kept.log_length
        if self.log is not None:
            if any(self.log.exists() and file.exists() and self.log.samefile(file) for file in self.files):
                raise EightfoldError(f"the log {self.log} is one of the records; name another file")
            with self._open_log(self.log) as file:
                file.truncate(self._log_length)

    def _save(self) -> None:
        if self.partial is not None:
            library = Library(
                game=self.recorded.name, combined=self.combined, tables=self.tables, about=self.progress.as_dict()
            )
            self.partial.save(library, self._command(), self.progress.entries, self._log_length)

    def _open_log(self, log: Path) -> BinaryIO:
        try:
            return open(log, "ab")
        except OSError as error:
            raise not_written(log, error.strerror) from None

    def _write_log(self, lines: list[str]) -> None:
        if self.log is not None and lines:
            with self._open_log(self.log) as file:
                self._log_length += file.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
