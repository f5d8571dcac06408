"""A real browser for tests and screenshots: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
from collections.abc import Iterator
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")


def browser_path() -> str | None:
    given = os.environ.get("EIGHTFOLD_BROWSER")
    return given or next(filter(None, map(shutil.which, NAMES)), None)


def why_not() -> str:
    """Why no browser can be had here; '' if one can."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed: pip install playwright"
    if browser_path() is None:
        return "there is no Chromium: apt-get install chromium"
    return ""


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # The sandbox needs rights that containers do not give; the pages shown are our own.
        started = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()


def ready(page: Any) -> None:
    """Wait until the page shows a game."""
    page.wait_for_function("() => window.eightfold?.game.state && document.querySelector('svg.board')")


def state(page: Any) -> dict[str, Any]:
    return page.evaluate("() => window.eightfold.game.state")


def click_point(page: Any, action: int) -> None:
    """Click a point of the board as a person would: at its place on the screen."""
    x, y = page.evaluate(
        """action => {
            const { board } = window.eightfold;
            const box = board.svg.getBoundingClientRect();
            const scale = box.width / board.svg.viewBox.baseVal.width;
            return [box.left + board.x(action) * scale, box.top + board.y(action) * scale];
        }""",
        action,
    )
    page.mouse.click(x, y)


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
