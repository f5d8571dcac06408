"""The page of a training run: `eightfold train --page` runs it in a process of its own.

Training writes a line to the process whenever it begins to compile another part, and an empty line when nothing is
compiled any more; the page shows it. When that pipe closes, training is gone, and the page ends.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from eightfold.core.compiling import BURSTS
from eightfold.web.serve import has_display, serve


class PageProcess:
    """A running page."""

    def __init__(self, run: Path, game: str | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "eightfold.web.page_process", str(run), *([game] if game else [])],
            stdin=subprocess.PIPE,
            bufsize=0,
        )
        self._lock = threading.Lock()

    def compiles(self, part: str) -> None:
        """Training compiles a part; '': nothing any more. May be called in any thread."""
        assert self.process.stdin is not None
        with self._lock, contextlib.suppress(OSError, ValueError):  # somebody may have closed the page
            self.process.stdin.write(f"{part}\n".encode())

    def wait(self) -> None:
        self.process.wait()

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()


@contextlib.contextmanager
def page_process(run: Path, game: str | None = None) -> Iterator[PageProcess | None]:
    """The page of a run for the time of a `with` block; None where there is no display to show it on.

    `game`: the user's own game, typed by them, which the page then knows too.
    """
    if not has_display():
        yield None
        return
    page = PageProcess(run, game)
    before = signal.signal(signal.SIGTERM, _exit)
    BURSTS.listen(page.compiles)
    try:
        yield page
    finally:
        BURSTS.forget(page.compiles)
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
        page.close()


def _exit(number: int, frame: FrameType | None) -> None:
    """Let SIGTERM end the page too; without this it would be left behind."""
    raise SystemExit(128 + number)


def read_parts(hear: Callable[[str], None]) -> None:
    """Pass on what training compiles until the pipe closes."""
    for line in sys.stdin:
        hear(line.strip())


if __name__ == "__main__":
    serve(runs=[Path(sys.argv[1])], game=sys.argv[2] if len(sys.argv) > 2 else None, training=read_parts)
