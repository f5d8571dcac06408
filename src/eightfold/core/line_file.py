"""Files of lines that grow, each line at once: `metrics.jsonl` and `games.jsonl` of runs and tournaments.

A checkpoint of a run notes how long they were and a checksum over that (`LineFile.mark`), so that the next launch sees
whether what was there then is still there.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eightfold.core.errors import not_written


class LineFile:
    """A file of lines to append to; a last line that a crash cut off is removed first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - open as long as it grows
            data = path.read_bytes()
            self._end = data.rfind(b"\n") + 1
            os.truncate(path, self._end)
        except OSError as error:
            raise not_written(path, error.strerror) from None
        self._crc = zlib.crc32(data[: self._end])

    @property
    def mark(self) -> dict[str, int]:
        """How long the file is, and a checksum."""
        return {"bytes": self._end, "crc32": self._crc}

    def add(self, line: str) -> None:
        """Append a line, whole or not at all."""
        whole = line.encode() + b"\n"
        data = memoryview(whole)
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            os.truncate(self._path, self._end)
            raise not_written(self._path, error.strerror) from None
        self._end += len(whole)
        self._crc = zlib.crc32(whole, self._crc)

    def sync(self) -> None:
        """See what was written to the disk."""
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise not_written(self._path, error.strerror) from None

    def close(self) -> None:
        self._file.close()


def lines_after(path: Path, mark: Mapping[str, Any]) -> tuple[str, list[str]]:
    """What is wrong with a file of lines, and the whole lines that came after the mark."""
    size, crc = int(mark.get("bytes", 0)), int(mark.get("crc32", 0))
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ("is missing" if size else "", [])
    except OSError as error:
        return f"cannot be read ({error.strerror})", []
    if len(data) < size:
        return f"is damaged ({len(data)} bytes, and there were {size})", []
    if zlib.crc32(data[:size]) != crc:
        return f"is damaged (its first {size} bytes are not what was written)", []
    lines = []
    for line in data[size : data.rfind(b"\n") + 1].splitlines():
        try:
            lines.append(line.decode())
            if not isinstance(json.loads(line), dict):
                raise ValueError
        except (ValueError, RecursionError):
            where = data[: data.index(line, size)].count(b"\n") + 1
            return f"is damaged (line {where} cannot be read)", []
    return "", lines
