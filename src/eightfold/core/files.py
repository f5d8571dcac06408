"""Files that are whole or not there: written beside their place, seen to the disk, then moved."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from eightfold.core.errors import not_written


def replace_file(path: Path, data: bytes | bytearray) -> None:
    """Write a file whole or not at all, and see it to the disk."""
    replace_files({path: data})


def replace_files(files: Mapping[Path, bytes | bytearray]) -> None:
    """Write files whole; all are on the disk before the first takes the place of an old one, in the order given."""
    drafts = {path: path.with_name(f".{path.name}.{os.getpid()}.draft") for path in files}
    path = next(iter(files))
    try:
        for path, data in files.items():
            with open(drafts[path], "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for path, draft in drafts.items():
            os.replace(draft, path)
    except OSError as error:
        raise not_written(path, error.strerror) from None
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
