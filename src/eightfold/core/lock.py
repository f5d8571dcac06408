"""One process at a time: the lock of a folder, such as a run's."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from eightfold.core.errors import EightfoldError, not_written


def lock_folder(folder: Path, what: str) -> IO[str]:
    """The lock of a folder, held as long as the file is open; an error if another process holds it.

    `what` the folder is, as in 'run', tells the error.
    """
    path = folder / "lock"
    try:
        file = open(path, "a", encoding="utf-8")  # noqa: SIM115 - held as long as the folder is in use
    except OSError as error:
        raise not_written(path, error.strerror) from None
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # no such lock on this system
    except OSError:
        file.close()
        raise EightfoldError(f"the {what} {folder} is in use by another process") from None
    return file
