"""Game records: who played what, read from and written to files.

    >>> record = GameRecord(game="gomoku:size=9", moves=(40, 30, 41), black="ann", white="bob")
    >>> record.position().outcome
    'white to move'

Here is the record itself and what all formats need. Read next: `files.py`, which reads and writes files.
"""

from __future__ import annotations

import codecs
import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position, make_game
from eightfold.games.setup import start_from, stones_of

LARGEST_FILE = 256 << 20  # bytes; a hundred thousand Go games are about half of it
LONGEST_QUOTE = 60  # characters of a file that an error repeats
MOST_SECONDS = 1e9  # for one move: thirty years
EXPECTED = "a record begins with '(;' (SGF) or 'Piskvorky' (psq)"

# A file names its own charset, so only charsets that decode in linear time and run nothing are taken.
CHARSETS = re.compile(
    r"ascii|utf-8|iso8859-\d+|cp125\d|koi8-[ru]|gb2312|gbk|gb18030|big5|shift_jis|cp932|euc_jp|iso2022_jp|euc_kr|cp949"
)
WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}  # what files so labelled often hold

Part = TypeVar("Part")


class RecordError(EightfoldError):
    """A record that cannot be read or written: one line with the file, the game, the move and what would be right."""


@dataclass(frozen=True, kw_only=True)
class GameRecord:
    """One game as it was played, from the start of the game or from a setup; the moves are actions of the game."""

    game: str  # a game's text, such as 'gomoku:size=15,win=5,rule=freestyle'
    moves: tuple[int, ...]
    black: str = ""
    white: str = ""
    result: str = ""  # 'B+', 'W+', 'B+R' (resigned), 'B+T' (time), 'Draw'; '' where it is not known
    seconds: tuple[float, ...] = ()  # how long each move took; () where it is not known
    event: str = ""
    date: str = ""
    comment: str = ""
    setup: tuple[tuple[int, int], ...] = ()  # stones on the board before the first move: an action and a colour each
    to_move: int = 0  # who moves first where that is not who begins the game, and always after a setup
    dead: tuple[int, ...] = ()  # stones that both sides agreed to be dead at the end, in Go

    def __post_init__(self) -> None:
        if self.seconds and len(self.seconds) != len(self.moves):
            raise RecordError(f"{len(self.seconds)} times for {len(self.moves)} moves; give one for each, or none")
        for number, time in enumerate(self.seconds, start=1):
            if not (math.isfinite(time) and 0 <= time <= MOST_SECONDS):
                raise RecordError(f"move {number}: {time} is not a time in seconds from 0 to {MOST_SECONDS:.0f}")

    def start(self, game: Game | None = None) -> Position:
        """The position before the first move."""
        usual = (game or make_game(self.game)).start()
        to_move = self.to_move or usual.to_move
        if not self.setup and to_move == usual.to_move:
            return usual
        # Without a setup the game's own stones are there, those of a handicap, whoever begins.
        return start_from(usual.game, dict(self.setup) or stones_of(usual), to_move=to_move)

    def position(self, plies: int | None = None) -> Position:
        """The position at the end, or after so many moves, every move played by the rules."""
        game = make_game(self.game)
        return replay(game, self.moves[:plies], start=self.start(game))

    def changed(self, **values: Any) -> GameRecord:
        """The same record with other values."""
        return replace(self, **values)


def replay(game: Game, moves: Sequence[int], *, start: Position | None = None, written: Sequence[str] = ()) -> Position:
    """The position after `moves`; an error names the move, as the file has `written` it where that is given."""
    position = start or game.start()
    for number, move in enumerate(moves, start=1):
        try:
            action = game.action(move)
            _check_playable(position, action)
            position = position.play(action)
        except EightfoldError as error:
            text = f", {quoted(written[number - 1])}" if written else ""
            raise RecordError(f"move {number}{text}: {error}") from None
    return position


def _check_playable(position: Position, action: int) -> None:
    """The two common faults of a record, in words that help to find them in the file."""
    name = position.game.name_of(action)
    if position.is_over:
        end = f"{position.outcome} with move {position.ply}"
        raise RecordError(f"{name} comes after the end of the game ({end}) by the rules of {position.game.text}")
    if action < position.game.points and position.stones.flat[action]:
        if action not in position.moves:
            raise RecordError(f"{name} already has a stone from the start")
        latest = len(position.moves) - position.moves[::-1].index(action)
        raise RecordError(f"{name} already has the stone of move {latest}")


# ---- what all formats need -------------------------------------------------------------------------


def read_each(
    parts: Iterable[tuple[int, Part]],
    read: Callable[[Part], GameRecord],
    refused: list[RecordError] | None,
    *,
    first: bool,
) -> list[GameRecord]:
    """The records of the `parts` of a file, each with the line where it begins; of the `first` part alone if wanted."""
    records: list[GameRecord] = []
    number = 0
    try:
        for number, (line, part) in enumerate(islice(parts, 1 if first else None), start=1):
            try:
                records.append(read(part))
            except EightfoldError as error:
                fault = RecordError(f"game {number} (line {line}): {error}")
                if refused is None:
                    raise fault from None
                refused.append(fault)
    except EightfoldError as error:  # finding the next part failed: there is no way on from here
        if refused is None:
            raise
        refused.append(RecordError(str(error)))
    return records


def as_text(data: bytes | str, *, charset: Callable[[bytes], str | None] = lambda data: None) -> str:
    """Bytes as text: by their byte order mark, else the charset they declare, else UTF-8, else Latin-1."""
    if len(data) > LARGEST_FILE:
        raise too_large()
    if not data.strip():
        raise RecordError(f"is empty; {EXPECTED}")
    if isinstance(data, str):
        return data
    if data.startswith(codecs.BOM_UTF8):
        return data.decode("utf-8-sig", "replace")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    if b"\0" in data:
        raise RecordError(f"is not text: byte {data.index(0) + 1} is zero; {EXPECTED}")
    declared = _safe_codec(charset(data))
    try:
        return data.decode(declared or "utf-8")
    except UnicodeDecodeError:
        return data.decode(declared, "replace") if declared else data.decode("latin-1")


def _safe_codec(charset: str | None) -> str | None:
    try:
        name = codecs.lookup(charset or "").name
    except LookupError:
        return None
    return WIDER.get(name, name) if CHARSETS.fullmatch(name) else None


def too_large() -> RecordError:
    return RecordError(f"is larger than {LARGEST_FILE >> 20} MB; split it into several files")


def quoted(text: str) -> str:
    """A piece of a file for an error: in quotes, on one line, not too long.

    >>> print(quoted("B[h\\nh]"))
    'B[h\\nh]'
    """
    return repr(text) if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]!r}..."


def path_label(path: str | os.PathLike[str]) -> str:
    """A path for an error: as it is, or in quotes where it would not stay on one line."""
    text = os.fspath(path)
    return text if text.isprintable() and text else repr(text)
