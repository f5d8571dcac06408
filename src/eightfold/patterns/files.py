"""A library as a file, `.patterns`: a header in JSON, then the columns of its tables, to be mapped into memory.

    offset  bytes  what
    0       8      "8FOLDPAT"
    8       4      the version of the format, 1
    12      4      the length of the header in bytes, H
    16      4      CRC-32 of the header
    20      H      the header: UTF-8, one JSON object
    ...            the columns, each from a multiple of 64 bytes on

All numbers are little-endian. The header has `game`, `combined`, `about` and `columns`: a list of objects with `table`
(`3x3-centre`, or `features`), `column` (`codes`, `matches`, `plays`, `gammas`, or the name of a feature), `type`
(`<u4`, `<u8`, `<f4` or `<f8`), `length`, `offset` and `crc32`. Counts take four bytes where that is enough. Opening a
library checks all sums; a file of another version, or a damaged one, is refused in one line.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.files import replace_file
from eightfold.patterns.features import FEATURES as KNOWN_FEATURES
from eightfold.patterns.library import Library, Table
from eightfold.patterns.templates import TEMPLATES, reference

SUFFIX = ".patterns"
MAGIC, VERSION = b"8FOLDPAT", 1
FRONT = struct.Struct("<8sIII")
ALIGNMENT = 64
FEATURES = "features"
TYPES = ("<u4", "<u8", "<f4", "<f8")


def save_library(library: Library, path: Path) -> None:
    """Write a library; the file is whole or not there."""
    replace_file(path, library_bytes(library))


def library_bytes(library: Library) -> bytearray:
    columns = [(table, column, _compact(values)) for table, column, values in _columns(library)]
    described: list[dict[str, Any]] = [
        {
            "table": table,
            "column": column,
            "type": values.dtype.str,
            "length": len(values),
            "offset": 0,
            "crc32": zlib.crc32(values.data),
        }
        for table, column, values in columns
    ]
    header = {"game": library.game, "combined": library.combined, "about": dict(library.about), "columns": described}
    # Offsets change the header's length and it changes them: they count from the end of the header, aligned.
    place = 0
    for entry, (_, _, values) in zip(described, columns, strict=True):
        entry["offset"] = place
        place += _aligned(values.nbytes)
    text = json.dumps(header, ensure_ascii=False).encode()
    first = _aligned(FRONT.size + len(text))
    data = bytearray(first + place)
    FRONT.pack_into(data, 0, MAGIC, VERSION, len(text), zlib.crc32(text))
    data[FRONT.size : FRONT.size + len(text)] = text
    for entry, (_, _, values) in zip(described, columns, strict=True):
        start = first + entry["offset"]
        data[start : start + values.nbytes] = values.view(np.uint8).data
    return data


def load_library(path: Path) -> Library:
    """Open a library: mapped into memory once all checksums have been checked."""
    try:
        data = np.memmap(path, np.uint8, mode="r")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is empty"
        raise EightfoldError(f"cannot open the pattern library {path}: {reason}") from None
    columns: dict[str, dict[str, NDArray[Any]]] = {}
    try:
        header, first = _header(data, path)
        for entry in header["columns"]:
            columns.setdefault(entry["table"], {})[entry["column"]] = _column(data, entry, first, path)
        features = columns.pop(FEATURES, {})
        tables = {name: Table(**found) for name, found in columns.items()}
        for name, table in tables.items():
            _check_table(name, table, (reference(name) if header["combined"] else TEMPLATES[name]).codes)
        for name, levels in features.items():
            if len(levels) != KNOWN_FEATURES[name].levels + 1 or not _are_strengths(levels):
                raise ValueError(f"feature {name}")
        if not str(header["game"]).isprintable():
            raise ValueError("game")
        return Library(
            game=str(header["game"]),
            combined=bool(header["combined"]),
            tables=tables,
            features=features,
            about=dict(header["about"]),
        )
    except EightfoldError:
        raise
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise EightfoldError(f"{path} is a damaged pattern library: its header makes no sense ({error})") from None


def _check_table(name: str, table: Table, codes: int) -> None:
    """Kernels trust codes and lengths."""
    columns = [column for column in (table.codes, table.matches, table.plays, table.gammas) if column is not None]
    counts = all(column.dtype.kind == "u" for column in (table.codes, table.matches, table.plays))
    in_order = bool(np.all(table.codes[1:] > table.codes[:-1]))
    if not counts or not in_order or len({len(column) for column in columns}) > 1 or np.any(table.codes[-1:] >= codes):
        raise ValueError(f"table {name}")
    if table.gammas is not None and not _are_strengths(table.gammas):
        raise ValueError(f"strengths of {name}")


def _are_strengths(values: NDArray[Any]) -> bool:
    return bool(np.all(np.isfinite(values) & (values >= 0)))


def _header(data: NDArray[np.uint8], path: Path) -> tuple[dict[str, Any], int]:
    """The header, and where the columns begin."""
    if len(data) < FRONT.size or data[: len(MAGIC)].tobytes() != MAGIC:
        raise EightfoldError(f"{path} is no pattern library; `eightfold patterns learn` makes one")
    _, version, length, checksum = FRONT.unpack_from(data[: FRONT.size].tobytes())
    if version != VERSION:
        raise EightfoldError(f"{path} is a pattern library of format {version}; this program reads format {VERSION}")
    text = data[FRONT.size : FRONT.size + length].tobytes()
    if zlib.crc32(text) != checksum:
        raise EightfoldError(f"{path} is a damaged pattern library: the checksum of its header is wrong")
    return json.loads(text), _aligned(FRONT.size + length)


def _column(data: NDArray[np.uint8], entry: dict[str, Any], first: int, path: Path) -> NDArray[Any]:
    if entry["type"] not in TYPES:
        raise ValueError(f"type {entry['type']!r}")
    kind = np.dtype(entry["type"])
    start, length = first + int(entry["offset"]), int(entry["length"]) * kind.itemsize
    if min(start - first, length) < 0 or start + length > len(data):
        raise EightfoldError(f"{path} is a damaged pattern library: it ends before its {entry['column']} do")
    part = data[start : start + length]
    if zlib.crc32(part.data) != entry["crc32"]:
        name = f"{entry['table']}/{entry['column']}"
        raise EightfoldError(f"{path} is a damaged pattern library: the checksum of {name} is wrong")
    return part.view(kind)


def _columns(library: Library) -> Iterator[tuple[str, str, NDArray[Any]]]:
    for name, table in library.tables.items():
        for column in ("codes", "matches", "plays", "gammas"):
            values = getattr(table, column)
            if values is not None:
                yield name, column, values
    for name, values in library.features.items():
        yield FEATURES, name, values


def _compact(values: NDArray[Any]) -> NDArray[Any]:
    if np.issubdtype(values.dtype, np.integer):
        return np.ascontiguousarray(values, "<u4" if not len(values) or values.max() < 2**32 else "<u8")
    return np.ascontiguousarray(values, "<f4" if values.dtype.itemsize <= 4 else "<f8")


def _aligned(length: int) -> int:
    return -(-length // ALIGNMENT) * ALIGNMENT
