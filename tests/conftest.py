"""What all tests share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# One thread for each process: the tests run side by side already, and threads that wait for a core spin. PyTorch reads
# this when it is imported, here and in the processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Shells start what is in the background with Ctrl-C ignored, and children inherit that: tests that send it would wait.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# These machines are shared: a slow moment is no failure, so Hypothesis sets no deadline.
settings.register_profile("eightfold", deadline=None)
settings.load_profile("eightfold")


@pytest.fixture
def examples() -> Path:
    """The folder with the examples that the documentation explains."""
    return Path(__file__).parents[1] / "docs" / "examples"


@pytest.fixture
def run_python() -> Callable[..., str]:
    """Run a piece of Python in a new process and give back what it prints."""

    def run(code: str, *, cwd: Path | None = None, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=cwd,
            # Byte code is found by size and second alone, so a module that a test writes twice would not change.
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
