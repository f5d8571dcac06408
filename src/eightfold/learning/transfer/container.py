"""The folder that a packed run travels in: `pack.json` and parts of a limited size.

    pack.json            what it is, the name, size and SHA-256 of every part, and the pieces that they hold
    part-001.bin, ...    the pieces, compressed (zlib), one behind the other, cut wherever a part is full

A piece is a name and bytes; pieces of one name belong together in their order. Nothing in a pack is code or a path:
names are looked up, and a damaged or missing file is named in one line before anything is made of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eightfold import __version__
from eightfold.core.errors import EightfoldError, not_written

FORMAT = 1
INDEX = "pack.json"
PART = re.compile(r"part-\d{3}\.bin")
MEGABYTE = 1_000_000
MOST_PARTS = 999
LARGEST_PIECE = 1 << 31  # bytes, unpacked: more is a mistake or an attack
INDEX_ROOM = 100_000  # bytes that are kept free for the index


@dataclass(frozen=True)
class Piece:
    """Bytes as they are stored, and how many they are once unpacked."""

    name: str
    data: bytes
    size: int

    @classmethod
    def of(cls, name: str, data: bytes) -> Piece:
        return cls(name, zlib.compress(data), len(data))


@contextmanager
def made_whole(target: Path) -> Iterator[Path]:
    """A folder to write into, which takes the place of `target` when all is done; after an error there is nothing."""
    target = target if target.name else target.resolve()  # `.` has no name
    draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
    try:
        draft.mkdir(parents=True)
        yield draft
        if target.is_dir():
            target.rmdir()  # an empty one
        os.replace(draft, target)
    except OSError as error:
        raise not_written(target, error.strerror or str(error)) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def check_free(target: Path) -> None:
    """An error if something is there that would be overwritten."""
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise EightfoldError(f"{target} is there already; choose another folder")


def write_pack(target: Path, pieces: Iterable[Piece], about: Mapping[str, Any], *, part_size: int) -> None:
    """Write a pack into a new folder, whole or not at all; no file is larger than `part_size` bytes."""
    parts: list[list[Any]] = []
    listed: list[list[Any]] = []
    with made_whole(target) as folder:
        waiting = bytearray()

        def write(count: int) -> None:
            name, data = f"part-{len(parts) + 1:03d}.bin", bytes(waiting[:count])
            del waiting[:count]
            if len(parts) == MOST_PARTS:
                raise EightfoldError(f"{target} would have more than {MOST_PARTS} parts; give them a larger size")
            _write(folder / name, data)
            parts.append([name, len(data), hashlib.sha256(data).hexdigest()])

        for piece in pieces:
            listed.append([piece.name, len(piece.data), piece.size])
            waiting += piece.data
            while len(waiting) >= part_size:
                write(part_size)
        if waiting:
            write(len(waiting))
        content = {"format": FORMAT, "version": __version__, "about": dict(about), "parts": parts, "pieces": listed}
        _write(folder / INDEX, json.dumps({**content, "crc32": _crc(content)}).encode())


@dataclass(frozen=True)
class Pack:
    """A pack that was read and is whole."""

    folder: Path
    about: dict[str, Any]
    pieces: tuple[Piece, ...]

    def all(self, name: str) -> Iterator[bytes]:
        """The pieces of that name, unpacked."""
        for piece in self.pieces:
            if piece.name == name:
                yield self._unpacked(piece)

    def joined(self, name: str) -> bytes | None:
        """They as one; None if there are none."""
        found = list(self.all(name))
        return b"".join(found) if found else None

    def _unpacked(self, piece: Piece) -> bytes:
        unpacker = zlib.decompressobj()
        try:
            data = unpacker.decompress(piece.data, piece.size + 1)
        except zlib.error:
            data = b""
        if len(data) != piece.size or not unpacker.eof or unpacker.unused_data:
            raise EightfoldError(f"{self.folder}: {piece.name} in it is not what the index says; pack the run again")
        return data


def read_pack(folder: Path) -> Pack:
    """A pack with all of its parts; what is missing, damaged or of another version is one line."""
    path = folder / INDEX
    content = _read_index(path)
    stream = bytearray()
    try:
        for name, size, digest in content["parts"]:
            if not (isinstance(name, str) and PART.fullmatch(name)):
                raise ValueError
            stream += _read_part(folder / name, int(size), str(digest))
        pieces, at = [], 0
        for name, stored, size in content["pieces"]:
            if not (isinstance(name, str) and type(stored) is type(size) is int and 0 <= size < LARGEST_PIECE):
                raise ValueError
            pieces.append(Piece(name, bytes(stream[at : at + stored]), size))
            at += stored
        if at != len(stream) or not isinstance(content["about"], dict):
            raise ValueError
    except EightfoldError:
        raise  # it names the part
    except (KeyError, TypeError, ValueError):
        raise _damaged(path) from None
    return Pack(folder, content["about"], tuple(pieces))


def _read_index(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
        if not isinstance(content, dict):
            raise ValueError
    except (FileNotFoundError, NotADirectoryError):
        raise EightfoldError(f"{path.parent} is not a packed run: it has no {INDEX}") from None
    except OSError as error:
        raise EightfoldError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise _damaged(path) from None
    if content.get("format") != FORMAT:
        raise EightfoldError(
            f"{path} has format {content.get('format')!r}, written by version {content.get('version')!r}; this"
            f" version of Eightfold reads {FORMAT}"
        )
    crc = content.pop("crc32", None)
    if crc != _crc(content):
        raise _damaged(path)
    return content


def _read_part(path: Path, size: int, digest: str) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise EightfoldError(f"{path} is missing: copy it there too") from None
    except OSError as error:
        raise EightfoldError(f"cannot read {path}: {error.strerror}") from None
    if len(data) != size:
        raise EightfoldError(f"{path} is damaged ({len(data)} bytes instead of {size}); copy it again")
    if hashlib.sha256(data).hexdigest() != digest:
        raise EightfoldError(f"{path} is damaged (it is not what was written); copy it again")
    return data


def _damaged(path: Path) -> EightfoldError:
    return EightfoldError(f"{path} is damaged; copy it again")


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _crc(content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())
