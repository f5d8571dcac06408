"""Unfinished work of learning, kept beside the library that it will be: `go.patterns.partial`.

It is a library (`files.py`) of what was counted so far, with `about.partial`: the command that it belongs to, how far
the records are read and how long the log was then. It is replaced whole, so that at any moment one is there that can
be gone on from; when the library is finished it is removed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.patterns.files import load_library, save_library
from eightfold.patterns.library import Library

SUFFIX = ".partial"


@dataclass(frozen=True, kw_only=True)
class Kept:
    library: Library
    about: dict[str, Any]
    entries: int
    log_length: int


@dataclass(frozen=True)
class PartialFile:
    path: Path

    @classmethod
    def beside(cls, output: Path) -> PartialFile:
        return cls(output.with_name(output.name + SUFFIX))

    def save(self, library: Library, command: dict[str, Any], entries: int, log_length: int) -> None:
        partial = {"command": command, "entries": entries, "log_length": log_length}
        save_library(replace(library, about={**library.about, "partial": partial}), self.path)

    def load(self, command: dict[str, Any]) -> Kept | None:
        """What was kept, or None; an error if it belongs to another command."""
        if not self.path.exists():
            return None
        library = load_library(self.path)
        about = dict(library.about)
        partial = about.get("partial")
        if not isinstance(partial, dict):
            raise EightfoldError(f"{self.path} is no unfinished library; move it away")
        for key, value in command.items():
            if partial["command"].get(key) != value:
                raise EightfoldError(
                    f"{self.path} is unfinished work of another command, whose {key} differ; "
                    "give that command again to finish it, or remove the file"
                )
        return Kept(
            library=library, about=about, entries=int(partial["entries"]), log_length=int(partial["log_length"])
        )

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
