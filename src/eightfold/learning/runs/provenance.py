"""How a run came about: the version, the commit and the machine, for its config.toml and its metrics."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

from eightfold import __version__
from eightfold.core.threads import usable_cores
from eightfold.core.words import number_of


def run_notes() -> dict[str, str]:
    """What config.toml says of how a run came about."""
    return {
        "version": __version__,
        "commit": os.environ.get("EIGHTFOLD_COMMIT", _commit()),
        "python": platform.python_version(),
        "machine": this_machine(),
        "written": time.strftime("%Y-%m-%d %H:%M:%S"),
    }


def this_machine() -> str:
    """What kind of machine this is, and how many cores a run has on it."""
    return f"{platform.machine()}, {number_of(usable_cores(), 'core')}"


def _commit() -> str:
    """The commit of the source tree, where it is one."""
    head = Path(__file__).parents[4] / ".git" / "HEAD"
    try:
        text = head.read_text().strip()
        if text.startswith("ref: "):
            text = (head.parent / text[5:]).read_text().strip()
        return text[:12]
    except OSError:
        return ""
