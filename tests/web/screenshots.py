"""Pictures of the page for people to look at: python tests/web/screenshots.py FOLDER [RUN ...]"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from eightfold.benchmarks.browser import browser, ready, why_not
from eightfold.web.lobby import Lobby
from web.browsing import click_point, settled
from web.serving import running

DESK, PHONE = {"width": 1360, "height": 880}, {"width": 390, "height": 844}
POSITION = "#position=gomoku:size=15,win=5,rule=freestyle&moves=h8-i9-i7-g9-h9-h10-g8-j8-f7-e6-g7-h7-g6-g10-f9"

RENJU = "#position=gomoku:size=15,win=5,rule=renju&moves=h9-a1-h7-o1-g8-a15-i8-o15-j10-d3-k11-d12"


def take(folder: Path, runs: list[Path]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with running(Lobby(runs=runs, pace=0.1, seed=1)) as address, browser() as chromium:
        for scheme in ("light", "dark"):
            context = chromium.new_context(viewport=DESK, color_scheme=scheme)
            page = context.new_page()
            tour(page, address, folder, scheme)
            context.close()
        context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
        tour(context.new_page(), address, folder, "phone")


def tour(page: Any, address: str, folder: Path, name: str) -> None:
    def shoot(view: str) -> None:
        page.wait_for_timeout(400)
        page.screenshot(path=folder / f"{view}-{name}.png", full_page=name == "phone")

    page.goto(f"http://{address}/")
    ready(page)
    size = page.evaluate("() => window.eightfold.game.state.game.size")
    middle = size // 2
    for number, (row, column) in enumerate(((0, 0), (1, 1), (1, -1), (2, 0)), start=1):
        action = (middle + row) * size + middle + column
        if page.evaluate("a => window.eightfold.game.state.stones[a] === '0'", action):
            click_point(page, action)
            settled(page, 2 * number)
    shoot("play")
    page.click('nav a[data-view="eightfold"]')
    page.wait_for_timeout(4000)
    shoot("eightfold")
    page.click('nav a[data-view="runs"]')
    page.wait_for_timeout(1500)
    shoot("runs")
    page.goto(f"http://{address}/{POSITION}")
    page.wait_for_function("() => window.eightfold?.game.state?.tree.length === 16")
    page.click("#review")
    page.wait_for_function("() => Object.keys(window.eightfold.game.state.evaluations).length >= 16", timeout=120_000)
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => window.eightfold.game.state.node === 7")
    page.click("#think")
    page.wait_for_selector("#board .assessment.best")
    page.wait_for_timeout(2500)
    shoot("analyse")
    page.goto(f"http://{address}/{RENJU}")
    page.wait_for_function("() => window.eightfold?.game.state?.forbidden.length > 0")
    shoot("renju")
    page.click('nav a[data-view="play"]')
    page.click("#new-game")
    shoot("new-game")
    page.keyboard.press("Escape")


if __name__ == "__main__":
    if why_not() or len(sys.argv) < 2:
        sys.exit(why_not() or __doc__)
    take(Path(sys.argv[1]), [Path(run) for run in sys.argv[2:]])
