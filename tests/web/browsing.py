"""What tests and screenshots do with a real browser; `eightfold.benchmarks.browser` starts it.

`python tests/web/browsing.py` gets one where there is none; `make test` does so once.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from eightfold.benchmarks.browser import ready, why_not

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


@contextlib.contextmanager
def opened_page(chromium: Any, address: str) -> Iterator[Any]:
    """A fresh page; it may neither fail nor ask anybody but its server."""
    context = chromium.new_context(viewport={"width": 1280, "height": 860}, accept_downloads=True)
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    troubles: list[str] = []
    asked: list[str] = []
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("console", lambda line: troubles.append(line.text) if line.type == "error" else None)
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("dialog", lambda dialog: dialog.accept())
    opened.goto(f"http://{address}/")
    ready(opened)
    yield opened
    context.close()
    assert not troubles, troubles
    elsewhere = [url for url in asked if not url.startswith((f"http://{address}/", "blob:", "data:"))]
    assert not elsewhere, "the page asks nobody but its server"


def start(page: Any, *, family: str = "gomoku", game: Any = None, black: str = "human", white: str = "greedy") -> None:
    """A new game through the form."""
    before = state(page)["id"]
    page.click("#new-game")
    page.select_option('select[data-option="game"]', family)
    for option, value in (game or {"size": "7", "win": "4"}).items():
        page.fill(f'dialog input[data-option="{option}"]', value)
    page.select_option('select[data-seat="black"]', black)
    page.select_option('select[data-seat="white"]', white)
    page.click("#start")
    page.wait_for_selector("dialog", state="detached")
    page.wait_for_function("id => window.eightfold.game.state.id !== id", arg=before)


if __name__ == "__main__":
    trouble = get_browser()
    print(f"the page will not be tested in a browser: {trouble}" if trouble else "the page is tested in Chromium")
