"""The page beside a training run: a process of its own, so that neither slows the other more than it must."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from eightfold.web.serve import has_display


@contextlib.contextmanager
def page_beside(run: Path) -> Iterator[subprocess.Popen[bytes] | None]:
    """The page while the run goes on; None where there is no display to show it on."""
    if not has_display():
        yield None
        return
    page = subprocess.Popen([sys.executable, "-m", "eightfold", "serve", "--run", str(run)])
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield page
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
        page.terminate()
        try:
            page.wait(timeout=10)
        except subprocess.TimeoutExpired:
            page.kill()
            page.wait()


def _end(number: int, frame: FrameType | None) -> None:
    """SIGTERM ends the page too; without this it would stay behind."""
    raise SystemExit(128 + number)
