"""What tests and screenshots do with a real browser; `eightfold.benchmarks.browser` starts it.

`python tests/web/browsing.py` gets one where there is none; `make test` does so once.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from typing import Any

from eightfold.benchmarks.browser import why_not

LONGEST_DOWNLOAD = 600  # seconds


def get_browser() -> str:
    """Install a Chromium where there is none, as far as that is possible here; why not, or ''."""
    ways = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        ways.insert(0, ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"])
        ways.insert(0, ["apt-get", "update"])
    for way in ways:
        if not why_not():
            break
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(way, capture_output=True, timeout=LONGEST_DOWNLOAD, check=False)
    return why_not()


def state(page: Any) -> dict[str, Any]:
    return page.evaluate("() => window.eightfold.game.state")


def place_of(page: Any, action: int) -> tuple[float, float]:
    """Where a point of the board is on the screen."""
    x, y = page.evaluate(
        """action => {
            const { board } = window.eightfold;
            const box = board.svg.getBoundingClientRect();
            const scale = box.width / board.svg.viewBox.baseVal.width;
            return [box.left + board.x(action) * scale, box.top + board.y(action) * scale];
        }""",
        action,
    )
    return x, y


def click_point(page: Any, action: int) -> None:
    """Click a point of the board as a person would."""
    page.mouse.click(*place_of(page, action))


def point_at(page: Any, action: int) -> None:
    page.mouse.move(*place_of(page, action))


def settled(page: Any, stones: int) -> None:
    """Wait until so many stones are on the board, or the game is over."""
    page.wait_for_function(
        """n => {
            const s = window.eightfold.game.state;
            return s.over || s.stones.replaceAll("0", "").length >= n;
        }""",
        arg=stones,
        timeout=60_000,
    )


if __name__ == "__main__":
    trouble = get_browser()
    print(f"the page will not be tested in a browser: {trouble}" if trouble else "the page is tested in Chromium")
