"""Files of records as bytes: single files and folders, plain or packed with gzip, xz or zstd, a piece at a time."""

from __future__ import annotations

import contextlib
import gzip
import lzma
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from eightfold.core.errors import EightfoldError
from eightfold.core.extras import need
from eightfold.games.records.record import path_label

PIECE = 1 << 18  # bytes at a time
ZSTD_PIECE = 1 << 12  # of packed bytes, which may become thirty thousand times as many
WIDEST_WINDOW = 1 << 27  # of zstd: what it may ask to keep in memory
GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
PACKED = ("", ".gz", ".xz", ".zst")
KINDS = tuple(f".sgf{packed}" for packed in PACKED)


class DamagedFile(EightfoldError):
    """A file that cannot be read to its end."""


def record_files(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Files as they are, and of folders all that are SGF by their names, however deep, in the order of their names."""
    found: list[Path] = []
    for path in map(Path, paths):
        label = path_label(path)
        if path.is_dir():
            inside = sorted(
                Path(folder) / name
                for folder, _, names in os.walk(path)
                for name in names
                if name.lower().endswith(KINDS)
            )
            if not inside:
                raise EightfoldError(f"{label} holds no records; their names end in {', '.join(KINDS)}")
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise EightfoldError(f"{label}: no such file or folder")
    if not found:
        raise EightfoldError("no records are named; give files or folders")
    return found


def size_of(path: Path) -> int:
    """Its bytes; none of a file that is not there, such as a broken link: reading it says so."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def read_pieces(path: Path, most: int = PIECE) -> Iterator[tuple[bytes, int]]:
    """What a file holds, unpacked, in pieces of about `most` bytes; with each, how many bytes of the file are read."""
    try:
        with open(path, "rb") as file:
            begin = file.read(len(XZ))
            file.seek(0)
            if begin.startswith(ZSTD):
                yield from _zstd_pieces(file)
                return
            with _unpacked(file, begin) as unpacked:
                while piece := unpacked.read1(most):  # not `read`, which loses what it has where a file is damaged
                    yield piece, file.tell()
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise DamagedFile(f"cannot be unpacked to its end: {error}") from None
    except OSError as error:
        raise DamagedFile(f"cannot be read: {error.strerror or error}") from None


def _unpacked(file: BinaryIO, begin: bytes) -> contextlib.AbstractContextManager[Any]:
    if begin.startswith(GZIP):
        return gzip.GzipFile(fileobj=file)
    return lzma.LZMAFile(file) if begin.startswith(XZ) else contextlib.nullcontext(file)


def _zstd_pieces(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    need("zstandard", purpose="reading .zst files")
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=WIDEST_WINDOW)
    frame = None  # several may follow each other
    try:
        while piece := file.read(ZSTD_PIECE):
            while piece:
                frame = frame or unpacker.decompressobj()
                unpacked = frame.decompress(piece)
                if unpacked:
                    yield unpacked, file.tell()
                piece = b""
                if frame.eof:
                    piece, frame = frame.unused_data, None
    except zstandard.ZstdError as error:
        raise DamagedFile(f"cannot be unpacked to its end: {error}") from None
    if frame is not None:
        raise DamagedFile("cannot be unpacked to its end: it stops in the middle")
