"""What all tests share."""

from __future__ import annotations

import functools
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is marked `gpu` is skipped where there is none."""
    for item in items:
        for marker in item.iter_markers("gpu"):
            reason = why_no_gpu(**marker.kwargs)
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


@functools.cache
def why_no_gpu(*, kernels: bool = False) -> str:
    """Why a test cannot run on a GPU here, by its marker's words; with `kernels` it wants numba-cuda too."""
    from eightfold.core.cuda import why_no_cuda
    from eightfold.core.extras import is_installed

    if not is_installed("torch"):
        return "PyTorch is not installed"
    import torch

    if not torch.cuda.is_available():
        return "no GPU here"
    return why_no_cuda() if kernels else ""


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
