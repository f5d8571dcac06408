"""Files of game records: `read_records` and `write_records` are all that most callers need.

The formats are in `sgf.py` (SGF, many games to a file) and `psq.py` (Piskvork, one game to a file), each with a reader
from text or bytes and a writer to text. A file may come from a stranger: whatever is in it, the answer is a list of
records or one `RecordError`, and nothing in it can name code to run.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.games.records.psq import is_psq, read_psq, write_psq
from eightfold.games.records.record import (
    EXPECTED,
    LARGEST_FILE,
    GameRecord,
    RecordError,
    as_text,
    path_label,
    too_large,
)
from eightfold.games.records.sgf import read_sgf, write_sgf
from eightfold.games.records.sgf_tree import declared_charset, is_sgf

WRITERS = {".sgf": write_sgf, ".psq": write_psq}


def read_records(
    path: str | os.PathLike[str], *, refused: list[RecordError] | None = None, first: bool = False
) -> list[GameRecord]:
    """The games in a file, SGF or psq; which of the two, its content says, and else its extension.

    The first game that cannot be read is an error. With a list as `refused`, such games are left out and
    their errors put on the list; a file that cannot be read at all is an error either way. With `first` only the
    first game is read, and nobody asks what comes behind it.
    """
    label, suffix = path_label(path), _suffix(path)
    bad: list[RecordError] = []
    try:
        text = as_text(_load(path), charset=declared_charset)
        if not (is_psq(text) or is_sgf(text) or suffix in (".psq", ".sgf")):
            raise RecordError(f"holds no game record; {EXPECTED}")
        read = read_psq if is_psq(text) or (suffix == ".psq" and not is_sgf(text)) else read_sgf
        records = read(text, refused=None if refused is None else bad, first=first)
    except EightfoldError as error:
        raise RecordError(f"{label}: {error}") from None
    if refused is not None:
        refused.extend(RecordError(f"{label}: {error}") for error in bad)
    return records


def write_records(path: str | os.PathLike[str], records: Iterable[GameRecord]) -> None:
    """Write games to a file, in the format of its extension; the file is replaced whole or not at all."""
    label, suffix = path_label(path), _suffix(path)
    if suffix not in WRITERS:
        raise RecordError(f"{label}: unknown extension {suffix!r}; known: {', '.join(WRITERS)}")
    try:
        _replace(path, WRITERS[suffix](list(records)).encode("utf-8", "replace"))
    except EightfoldError as error:
        raise RecordError(f"{label}: {error}") from None


def record_suffix(game: Game) -> str:
    """The extension of the records of a game, '.sgf' or else '.psq'; '' if it can be written as neither.

    >>> from eightfold.games.game import make_game
    >>> record_suffix(make_game("gomoku:size=15"))
    '.sgf'
    """
    for suffix, write in WRITERS.items():
        with contextlib.suppress(EightfoldError):
            write([GameRecord(game=game.text, moves=())])
            return suffix
    return ""


def _suffix(path: str | os.PathLike[str]) -> str:
    return os.path.splitext(os.fspath(path))[1].lower()


def _load(path: str | os.PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > LARGEST_FILE:
                raise too_large()
            return file.read(LARGEST_FILE + 1)  # a pipe or a device has no size to ask for
    except FileNotFoundError:
        raise RecordError("no such file") from None
    except IsADirectoryError:
        raise RecordError("is a folder; give a file, .sgf or .psq") from None
    except OSError as error:
        raise RecordError(f"cannot be read: {error.strerror}") from None
    except EightfoldError:
        raise
    except ValueError as error:  # such as a path with a zero byte in it
        raise RecordError(f"is not a path: {error}") from None


def _replace(path: str | os.PathLike[str], data: bytes) -> None:
    try:
        target = Path(os.path.realpath(path))  # a link stays a link
        beside = target.with_name(f".eightfold-{os.getpid()}-{secrets.token_hex(4)}.tmp")
        try:
            beside.write_bytes(data)
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise RecordError(f"cannot be written: {error.strerror}") from None
    except ValueError as error:
        raise RecordError(f"is not a path: {error}") from None
