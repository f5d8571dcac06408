"""Files that are saved together: after a kill at any moment all of them are new or all of them are old.

    every file is written beside the old one, as a draft, and is on the disk
    -> `checksums.json`, with size and SHA-256 of every new file, takes the place of the old one: now they count
    -> the drafts take their places

Who opens the folder next (`open_saved`) puts drafts in place that the checksums vouch for, and removes all others.
The checksums also tell a file that was cut, scribbled on or removed since. `notes` are kept in the same file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError, not_written

CHECKSUMS = "checksums.json"
DRAFT = re.compile(r"\..+\.draft")


@dataclass
class Checksums:
    """What `checksums.json` says."""

    folder: Path
    files: dict[str, list[Any]] = field(default_factory=dict)  # name: bytes, SHA-256
    notes: dict[str, Any] = field(default_factory=dict)

    def fault(self, name: str) -> str:
        """What is wrong with a file; nothing if it is as it was written, or was never vouched for."""
        return self._fault(name, self.folder / name)

    def _fault(self, name: str, path: Path) -> str:
        if name not in self.files:
            return "" if path.is_file() else "is missing"
        size, digest = self.files[name]
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return "is missing"
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        if len(data) != size:
            return f"is damaged ({len(data)} bytes instead of {size})"
        return "" if _digest(data) == digest else "is damaged (it is not what was written)"

    def read(self, name: str) -> bytes | None:
        """A file as it was written, from its place or from its draft; None: it is in neither, or not yet, or damaged.

        Nothing is changed, so this may be asked while another process saves.
        """
        for path in (self.folder / name, _draft(self.folder / name)):
            try:
                data = path.read_bytes()
            except OSError:
                continue
            if name in self.files and [len(data), _digest(data)] == list(self.files[name]):
                return data
        return None

    def settle(self) -> None:
        """Finish what a kill interrupted: put those drafts in place that belong to these checksums."""
        for name in self.files:
            draft = _draft(self.folder / name)
            if draft.is_file() and self.fault(name) and not self._fault(name, draft):
                os.replace(draft, self.folder / name)


def save_together(
    folder: Path,
    files: Mapping[str, bytes],
    *,
    notes: Mapping[str, Any] | None = None,
    also: Mapping[str, list[Any]] | None = None,
) -> Checksums:
    """Write files together; `also` are entries of an earlier save, of files that stay as they are."""
    entries = {name: [len(data), _digest(data)] for name, data in files.items()}
    checksums = Checksums(folder, {**(also or {}), **entries}, dict(notes or {}))
    content = {"files": checksums.files, "notes": checksums.notes}
    whole = json.dumps({**content, "crc32": _crc(content)}, indent=1).encode()
    paths = [folder / name for name in (*files, CHECKSUMS)]
    path = paths[0]
    try:
        for path, data in zip(paths, [*files.values(), whole], strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(_draft(path), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
    except OSError as error:
        for path_ in paths:
            _draft(path_).unlink(missing_ok=True)
        raise not_written(path, error.strerror) from None
    try:
        for path in reversed(paths):  # the checksums first
            os.replace(_draft(path), path)
    except OSError as error:
        raise not_written(path, error.strerror) from None
    return checksums


def open_saved(folder: Path) -> Checksums | None:
    """The checksums of a folder, once everything that was written is in its place; None: there are none."""
    checksums = read_checksums(folder)
    if checksums is None:
        return None
    try:
        checksums.settle()
    except OSError as error:
        raise not_written(folder, error.strerror) from None
    return checksums


def read_checksums(folder: Path) -> Checksums | None:
    """The checksums of a folder as they are; None: there are none."""
    path = folder / CHECKSUMS
    try:
        data = json.loads(path.read_bytes())
        checksums = Checksums(folder, data["files"], data["notes"])
        if data["crc32"] != _crc({"files": checksums.files, "notes": checksums.notes}):
            raise ValueError
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EightfoldError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise EightfoldError(
            f"{path} is damaged; remove it to go on with the files beside it as they are, unchecked"
        ) from None
    return checksums


def has_other_files(folder: Path) -> bool:
    """Whether a folder without a run holds anything but what a launch leaves that is killed at its start."""
    return any(path.name != "lock" and not DRAFT.fullmatch(path.name) for path in folder.iterdir())


def remove_drafts(folders: Iterable[Path]) -> None:
    """Remove what a kill left half written; the run must be ours alone, and what was saved together in place."""
    for folder in folders:
        for path in folder.glob(".*.draft"):
            if DRAFT.fullmatch(path.name) and path.is_file():
                path.unlink(missing_ok=True)


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.draft")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _crc(content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())
