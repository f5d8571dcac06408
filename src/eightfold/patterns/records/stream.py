"""A stream of games from files, in blocks: the text is cut into games in one place, and read in as many as one likes.

    files ──pieces──▶ `blocks` ──Block──▶ `RecordReader.read` ──Games──▶ counting, prediction

A block is some hundred games of one file as bytes. Everything in a file has a number: games, stretches of text that are
no game, and the place where a file cannot be read any further; so a place in the stream is one number, by which reading
can go on later. `skip` and `games` count these.

Reading a block gives the games whose every move is legal. The others are skipped and named (`skipped.py`).
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from eightfold.core.jit import Ints
from eightfold.core.specialise import specialise
from eightfold.games.records.record import path_label
from eightfold.games.records.sgf_tree import declared_charset
from eightfold.patterns.records import scan
from eightfold.patterns.records.careful import Refused, read_carefully
from eightfold.patterns.records.game import RecordedGames
from eightfold.patterns.records.scan import Bytes
from eightfold.patterns.records.skipped import Reason, Skipped, SkippedGames
from eightfold.patterns.records.sources import PIECE, DamagedFile, read_pieces, record_files, size_of

BLOCK = 1 << 20  # bytes that are cut into games at a time
LARGEST_GAME = 1 << 24  # bytes; what is longer is cut off
LONGEST_DETAIL = 200  # characters about a game that is skipped


@dataclass(frozen=True, kw_only=True)
class Block:
    """Some entries of a file, games for the most part, one after the other."""

    file: Path
    data: Bytes
    starts: Ints  # [E] into data
    ends: Ints  # [E]
    lines: Ints  # [E] on which line of the file it begins, from 1
    kinds: Ints  # [E] as in `scan.py`
    first: int  # the number of the first entry in its file, from 1
    damage: str = ""  # why the file cannot be read any further
    bytes_read: int = 0  # of all files, packed as they are

    @property
    def entries(self) -> int:
        return len(self.starts) + bool(self.damage)

    def part(self, begin: int, end: int) -> Block:
        """The entries from `begin` up to `end`."""
        games = slice(begin, min(end, len(self.starts)))
        return Block(
            file=self.file,
            data=self.data,
            starts=self.starts[games],
            ends=self.ends[games],
            lines=self.lines[games],
            kinds=self.kinds[games],
            first=self.first + begin,
            damage=self.damage if end > len(self.starts) else "",
            bytes_read=self.bytes_read,
        )


def blocks(
    files: Iterable[Path], *, skip: int = 0, games: int | None = None, block_bytes: int = BLOCK
) -> Iterator[Block]:
    """Cut files into games; without the first `skip` entries, and no more than `games` of them."""
    left, before = games, 0
    for file in files:
        for block in _blocks_of(file, block_bytes, before):
            begin = min(skip, block.entries)
            end = block.entries if left is None else min(block.entries, begin + left)
            skip -= begin
            if left is not None:
                left -= end - begin
            if end > begin:
                yield block.part(begin, end)
            if left == 0:
                return
        before += size_of(file)


def _blocks_of(file: Path, block_bytes: int, before: int) -> Iterator[Block]:
    pieces = read_pieces(file, min(block_bytes, PIECE))
    waiting = bytearray()  # text that is not cut yet
    number, line, wanted, final, damage = 1, 1, block_bytes, False, ""
    bytes_read = before
    while not final:
        try:
            while len(waiting) < wanted and not final:
                piece, place = next(pieces, (b"", 0))
                final = not piece
                waiting += piece
                bytes_read = max(bytes_read, before + place)
        except DamagedFile as error:
            final, damage = True, str(error)
        text = np.frombuffer(bytes(waiting), np.uint8)
        starts, ends, lines, kinds, used, used_lines = _cut(text, final)
        if not used and len(waiting) >= LARGEST_GAME:
            starts, ends, lines, kinds, used, used_lines = _cut(text, True)
        block = Block(
            file=file,
            data=text,
            starts=starts,
            ends=ends,
            lines=line + lines,
            kinds=kinds,
            first=number,
            damage=damage,
            bytes_read=bytes_read,
        )
        if block.entries:
            yield block
        del waiting[:used]
        number += len(starts)
        line += used_lines
        wanted = block_bytes if used else 2 * wanted  # a long game: more of it is needed


def _cut(text: Bytes, final: bool) -> tuple[Ints, Ints, Ints, Ints, int, int]:
    found = np.empty((4, len(text) // 2 + 1), np.int64)  # no game is shorter than "(;"
    count, used, lines = scan.find_games(text, len(text), final, *found)
    return *(column[:count].copy() for column in found), used, lines  # type: ignore[return-value]


@dataclass(frozen=True, kw_only=True)
class Games:
    """The G games of a block that can be counted: the moves of game g are moves[first[g]:last[g]], all legal."""

    moves: Ints
    first: Ints  # [G]
    last: Ints  # [G]
    sizes: Ints  # [G]
    variations: int  # games that had some; the main line is what is here
    skipped: list[Skipped] = field(default_factory=list)

    def on_board(self, size: int) -> tuple[Ints, Ints]:
        """`first` and `last` of the games on a board of that size."""
        chosen = self.sizes == size
        return self.first[chosen], self.last[chosen]


class RecordReader:
    """Reads blocks; any number of threads may do so at once."""

    def __init__(self, games: RecordedGames) -> None:
        self.games = games
        self._replaying = specialise("eightfold.patterns.records.replaying", games.rules)

    def read(self, block: Block) -> Games:
        reading = _Reading(block, self.games)
        reading.sort_out()
        for size in np.unique(reading.sizes[reading.good]).tolist():
            self._replay(reading, size)
        return reading.result()

    def _replay(self, reading: _Reading, size: int) -> None:
        """Leave out games with an illegal move: no half game counts."""
        game = self.games.on_board(size)
        assert game is not None  # else they were sorted out
        chosen = np.flatnonzero(reading.good & (reading.sizes == size))
        first, last = reading.first[chosen], reading.last[chosen]
        state, scratch = np.zeros(game.spec.state_length(size), np.int64), np.zeros(game.points + 1, np.int64)
        legal = np.zeros(len(chosen), np.int64)
        options = np.array(game.numbers, np.int64)
        self._replaying.replay_games(state, size, options, reading.moves, first, last, scratch, legal)
        for k in np.flatnonzero(legal < last - first).tolist():
            move = int(reading.moves[first[k] + legal[k]])
            reading.skip(int(chosen[k]), Reason.ILLEGAL, f"move {legal[k] + 1}, {game.name_of(move)}")


class _Reading:
    """One block on its way to games."""

    def __init__(self, block: Block, games: RecordedGames) -> None:
        entries = len(block.starts)
        self.block, self.games = block, games
        self.first, self.last, self.sizes, self.found = (np.zeros(entries, np.int64) for _ in range(4))
        self.good = np.ones(entries, bool)
        self.skipped: dict[int, Skipped] = {}
        # A move takes three bytes, as in B[]; the moves of games that are read carefully come behind.
        self.moves = np.empty(int((block.ends - block.starts).sum()) // 3 + 1, np.int64)

    def skip(self, entry: int, reason: Reason, detail: object = "") -> None:
        block = self.block
        line = int(block.lines[entry])
        where = f"line {line}" if reason is Reason.NOT_SGF else f"game {block.first + entry} (line {line})"
        self.good[entry] = False
        self.skipped[entry] = Skipped(
            reason=reason,
            where=f"{path_label(block.file)}: {where}",
            detail=textwrap.shorten(str(detail), LONGEST_DETAIL),
        )

    def sort_out(self) -> None:
        block, games = self.block, self.games
        scan.read_games(
            block.data, block.starts, block.ends, games.number, games.usual_size, games.has_pass,
            self.moves, self.first, self.last, self.sizes, self.found,
        )  # fmt: skip
        unusual: list[int] = []
        odd = (block.kinds & ~scan.VARIATIONS != scan.GAME) | (self.found != scan.PLAIN)
        for entry in np.flatnonzero(odd).tolist():
            if block.kinds[entry] & scan.JUNK:
                self.skip(entry, Reason.NOT_SGF)
            elif block.kinds[entry] & scan.CUT_OFF:
                self.skip(entry, Reason.TRUNCATED)
            elif block.kinds[entry] & scan.HIGH_BYTES and not _is_utf8(self._text(entry)):
                if declared_charset(self._text(entry)):
                    unusual.append(entry)
                else:
                    self.skip(entry, Reason.NOT_UTF8, "no charset is declared by CA[]")
            elif self.found[entry] == scan.UNUSUAL:
                unusual.append(entry)
            elif self.found[entry] != scan.PLAIN:
                self.skip(entry, REASONS[int(self.found[entry])])
        self._read_carefully(unusual)
        for entry in np.flatnonzero(self.good).tolist():
            size = int(self.sizes[entry])
            if games.on_board(size) is None:
                self.skip(entry, Reason.SIZE, f"{size}x{size}")
            elif not (self.moves[self.first[entry] : self.last[entry]] < size * size).any():
                self.skip(entry, Reason.NO_MOVES)

    def _text(self, entry: int) -> bytes:
        return self.block.data[self.block.starts[entry] : self.block.ends[entry]].tobytes()

    def _read_carefully(self, entries: list[int]) -> None:
        used, added = len(self.moves), [self.moves]
        for entry in entries:
            try:
                game = read_carefully(self._text(entry), self.games)
            except Refused as refused:
                self.skip(entry, refused.reason, refused)
                continue
            added.append(game.moves)
            self.first[entry], self.last[entry], self.sizes[entry] = used, used + len(game.moves), game.size
            used += len(game.moves)
        self.moves = np.concatenate(added) if len(added) > 1 else self.moves

    def result(self) -> Games:
        skipped = [self.skipped[entry] for entry in sorted(self.skipped)]
        if self.block.damage:
            where = path_label(self.block.file)
            skipped.append(Skipped(reason=Reason.DAMAGED, where=where, detail=self.block.damage))
        return Games(
            moves=self.moves,
            first=self.first[self.good],
            last=self.last[self.good],
            sizes=self.sizes[self.good],
            variations=int((self.block.kinds[self.good] & scan.VARIATIONS != 0).sum()),
            skipped=skipped,
        )


REASONS = {scan.OTHER_GAME: Reason.OTHER_GAME, scan.SETUP: Reason.SETUP}


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def stream_games(
    paths: Iterable[str | os.PathLike[str]],
    games: RecordedGames,
    *,
    skip: int = 0,
    limit: int | None = None,
    skipped: SkippedGames | None = None,
) -> Iterator[tuple[int, Ints]]:
    """The board and the moves of every game that can be counted, in order; `skipped` is told of the others."""
    reader = RecordReader(games)
    for block in blocks(record_files(paths), skip=skip, games=limit):
        read = reader.read(block)
        if skipped is not None:
            skipped.add(read.skipped)
        for size, first, last in zip(read.sizes.tolist(), read.first.tolist(), read.last.tolist(), strict=True):
            yield size, read.moves[first:last]
