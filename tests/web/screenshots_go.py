"""Pictures of Go on the page for people to look at: python tests/web/screenshots_go.py FOLDER [PATTERNS ...]"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from eightfold.benchmarks.browser import browser, ready, why_not
from eightfold.web.lobby import Lobby
from web.browsing import click_point, settled, start
from web.screenshots import DESK, PHONE
from web.serving import running

GAME = (
    "e5-e4-d4-f5-e6-f6-d3-e3-f7-g7-f8-g8-e2-f2-d2-f3-g9-h9-f9-d1-c1-e1-c2-h8-e7-pass-c8"
    "-d8-c9-d7-c7-d9-c6-d6-d5-b8-b7-a8-a7-b9"
)
POSITION = f"#position=go:size=9,komi=7.5&moves={GAME}"
ENDED = f"#position=go:size=9,komi=7.5&moves={GAME}-pass-pass"
SHAPES = "#position=go:size=9,komi=7.5&moves=e5-e4-d4-f5-e6-f6-d3-e3-f7-g7-f8-g8-e2-f2-d2-f3-g9-h9-f9-d1"
KO = "#position=go:size=9,komi=7.5&moves=d5-e5-c4-f4-d3-e3-e4-d4"


def take(folder: Path, patterns: list[Path]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with running(Lobby(patterns=patterns, pace=0.1, seed=1)) as address, browser() as chromium:
        for scheme in ("light", "dark"):
            context = chromium.new_context(viewport=DESK, color_scheme=scheme)
            tour(context.new_page(), address, folder, scheme)
            context.close()
        context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
        tour(context.new_page(), address, folder, "phone")


def tour(page: Any, address: str, folder: Path, name: str) -> None:
    def shoot(view: str) -> None:
        page.wait_for_timeout(400)
        page.screenshot(path=folder / f"go-{view}-{name}.png", full_page=name == "phone")

    def open_position(text: str) -> None:
        page.goto(f"http://{address}/")
        ready(page)
        page.goto(f"http://{address}/{text}")
        page.wait_for_function("() => window.eightfold?.game.state?.prisoners")

    page.goto(f"http://{address}/")
    ready(page)
    page.click("#new-game")
    page.select_option('select[data-option="game"]', "go")
    shoot("new-game")
    page.keyboard.press("Escape")
    start(page, family="go", game={"size": "9"}, white="mcts")
    for number, places in enumerate(((40, 41), (30, 31, 32), (50, 49, 48)), start=1):
        stones = page.evaluate("() => window.eightfold.game.state.stones")
        click_point(page, next(action for action in places if stones[action] == "0"))
        settled(page, 2 * number)
    shoot("play")
    open_position(ENDED)
    page.click('nav a[data-view="play"]')
    page.click("#suggest")
    page.wait_for_function("() => window.eightfold.game.state.score.dead.length > 0")
    shoot("count")
    open_position(KO)
    shoot("ko")
    open_position(POSITION)
    page.select_option("#map-source", "random games")
    page.wait_for_selector("svg.board .owner[visibility=visible]")
    page.click("#think")
    page.wait_for_selector("#board .assessment.best")
    page.wait_for_timeout(1500)
    shoot("analyse")
    page.click("#think")
    page.select_option("#map-source", "isn:isn-9")
    page.wait_for_selector("svg.board .likelihood[visibility=visible]")
    shoot("isn-captures")
    page.select_option("#map", "4")
    shoot("isn-eyes")
    page.click('nav a[data-view="eightfold"]')
    page.wait_for_timeout(1500)
    shoot("eightfold")
    open_position(SHAPES)
    page.click('nav a[data-view="patterns"]')
    page.wait_for_timeout(1000)
    click_point(page, 42)
    shoot("patterns")


if __name__ == "__main__":
    if why_not() or len(sys.argv) < 2:
        sys.exit(why_not() or __doc__)
    take(Path(sys.argv[1]), [Path(file) for file in sys.argv[2:]])
