"""A real browser where there is one: Debian's Chromium, or Playwright's own, driven by Playwright."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")


def browser_path() -> str | None:
    """The system's Chromium, or the one that was named; None where there is none."""
    given = os.environ.get("EIGHTFOLD_BROWSER")
    return given or next(filter(None, map(shutil.which, NAMES)), None)


def playwrights_own() -> bool:
    """Whether Playwright has downloaded a Chromium."""
    folder = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright"
    return any(Path(folder).glob("chromium-*/INSTALLATION_COMPLETE"))


def why_not() -> str:
    """Why no browser can be had here; '' if one can."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed: pip install playwright"
    if browser_path() is None and not playwrights_own():
        return "there is no Chromium: apt-get install chromium, or playwright install chromium"
    return ""


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A browser without a window."""
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
