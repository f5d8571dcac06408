"""Pictures of Othello and Hex on the page: python tests/web/screenshots_own_games.py FOLDER"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from eightfold.benchmarks.browser import browser, ready, why_not
from eightfold.web.lobby import Lobby
from web.serving import running

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
WINDOW = {"width": 1080, "height": 700}
POSITIONS = {
    "othello": "python:othello,size=8&moves=e3-f3-f4-f5-f6-c4-g3-g4-g5-h4-c5-g6-h6-h5-h3-b5",
    "hex": "python:hex,size=7&moves=d4-e3-c3-d2-b4-c4-e4-c5-d5-f4-f3-g3-f5-e2",
}


def take(folder: Path) -> None:
    sys.path.insert(0, str(EXAMPLES))
    folder.mkdir(parents=True, exist_ok=True)
    for name, position in POSITIONS.items():
        with running(Lobby(game=f"python:{name}", workers=1, seed=1)) as address, browser() as chromium:
            page = chromium.new_page(viewport=WINDOW)
            page.goto(f"http://{address}/#position={position}")
            ready(page)
            page.wait_for_function("() => window.eightfold.game.state?.tree.length > 10")
            page.click('nav a[data-view="play"]')
            page.wait_for_timeout(500)
            page.screenshot(path=folder / f"{name}.png")


if __name__ == "__main__":
    if why_not() or len(sys.argv) < 2:
        sys.exit(why_not() or __doc__)
    take(Path(sys.argv[1]))
