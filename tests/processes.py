"""Whether a process that a test started is still there."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

POSIX = pytest.mark.skipif(os.name != "posix", reason="process groups")


def is_running(number: int) -> bool:
    """Whether a process is there, zombies included."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def gone(number: int, seconds: float = 20) -> bool:
    """Whether a process that is not our child goes away: it is reaped by whoever inherits it."""
    deadline = time.perf_counter() + seconds
    while is_running(number) and not _is_zombie(number):
        if time.perf_counter() > deadline:
            return False
        time.sleep(0.02)
    return True


def _is_zombie(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False
