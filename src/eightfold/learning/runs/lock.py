"""One process at a time: the lock of a run."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from eightfold.core.errors import EightfoldError, not_written


def lock_run(run: Path) -> IO[str]:
    """The lock of a run, held as long as the file is open; an error if another process holds it."""
    path = run / "lock"
    try:
        file = open(path, "a", encoding="utf-8")  # noqa: SIM115 - held as long as the run is open
    except OSError as error:
        raise not_written(path, error.strerror) from None
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # no such lock on this system
    except OSError:
        file.close()
        raise EightfoldError(f"the run {run} is in use by another process") from None
    return file
