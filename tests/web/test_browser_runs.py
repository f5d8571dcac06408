"""The runs view in a real browser: runs that begin while one looks or that others replace, games by other rules."""

from __future__ import annotations

import json

import pytest

from eightfold.benchmarks.browser import browser, why_not
from eightfold.web.lobby import Lobby
from web.browsing import opened_page, state
from web.serving import running

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

SEVEN = {"moves": [24, 25, 17, 18, 10, 11, 3], "opening": 0, "result": 1}
HANDICAP = {"moves": [40, 41], "opening": 0, "result": 1, "game": "go:size=9,komi=0.5,handicap=2"}
# A tenth of the time to the next refresh.
HURRY = "() => { const wait = setTimeout; window.setTimeout = (work, time) => wait(work, time / 10); }"
METRICS = {"minutes": 1.0, "games": 1, "policy_loss": 1.0}


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


def write_run(folder, game, *games, metrics=1):
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(f'game = "{game}"\nminutes = 1\n')
    (folder / "metrics.jsonl").write_text((json.dumps(METRICS) + "\n") * metrics)
    (folder / "games.jsonl").write_text("".join(json.dumps(kept) + "\n" for kept in games))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The folders of a run that has not begun, one of Go and one without games."""
    place = tmp_path_factory.mktemp("runs")
    write_run(place / "go", "go:size=9", HANDICAP)
    write_run(place / "idle", "go:size=9")
    return [place / name for name in ("late", "go", "idle")]


@pytest.fixture(scope="module")
def watching(folders):
    with running(Lobby(runs=folders, workers=1, pace=0, seed=1)) as address:
        yield address


@pytest.fixture
def page(chromium, watching):
    with opened_page(chromium, watching) as opened:
        opened.evaluate(HURRY)
        opened.click('nav a[data-view="runs"]')
        yield opened


def board_of(page, size, stones):
    """Wait until the replayed game has so many stones on a board of that size."""
    page.wait_for_selector(f'.replay-board svg[aria-label*="{size} by {size}"]')
    page.wait_for_function(
        "n => document.querySelectorAll('.replay-board .stone:not([visibility=hidden])').length === n", arg=stones
    )


def choose_run(page, name):
    page.select_option("#runs-panel .intro select", label=name)


def test_a_run_that_begins_while_one_looks_is_shown_on_its_board(page, folders):
    page.wait_for_selector("#run-score:has-text('nothing yet')")
    write_run(folders[0], "gomoku:size=7", SEVEN, metrics=3)
    board_of(page, 7, 7)
    assert page.inner_text("#run-facts") == "gomoku:size=7 · 1 minute"
    assert page.inner_text("#run-score") == "1.0 minutes, 1 game"
    write_run(folders[0], "gomoku:size=5,win=4", {"moves": [12, 13], "opening": 0, "result": 3})  # another in its place
    board_of(page, 5, 2)
    assert page.inner_text("#run-facts") == "gomoku:size=5,win=4 · 1 minute"


def test_games_by_other_rules_and_another_run_in_the_middle_of_a_replay(page):
    page.wait_for_selector("#run-score:visible")
    choose_run(page, "go")
    board_of(page, 9, 4)  # two of them the handicap
    page.click("#analyse-game")
    page.wait_for_function("() => window.eightfold.game.state.game.handicap === 2")
    assert len(state(page)["tree"]) == 3
    page.click('nav a[data-view="runs"]')
    page.click("#selfplay-games button")
    page.wait_for_selector(".replay button:has-text('Pause')")
    choose_run(page, "idle")
    page.wait_for_selector(".replay button:has-text('Play')")
    page.wait_for_timeout(500)  # longer than a move of a replay: the page would tell an error
    assert page.locator(".replay-board svg").count() == page.locator("#selfplay-games li").count() == 0
    choose_run(page, "go")
    board_of(page, 9, 4)


def test_a_score_that_was_measured_once_is_a_dot_and_only_what_was_measured_has_a_name(chromium, tmp_path):
    write_run(tmp_path / "short", "gomoku:size=7", SEVEN)
    score = {"score": 0.5, "ci95": [0.4, 0.6], "wins": 1, "draws": 0, "losses": 1}
    measured = {"mcts": score, "earlier": score}
    with open(tmp_path / "short" / "metrics.jsonl", "a") as file:
        file.write(json.dumps({"minutes": 2.0, "games": 2, "evaluation": measured}) + "\n")
    with running(Lobby(runs=[tmp_path / "short"])) as address, opened_page(chromium, address) as page:
        page.click('nav a[data-view="runs"]')
        chart = page.locator("figure", has=page.get_by_role("heading", name="Score"))
        chart.locator("circle.c1").wait_for()
        assert chart.locator("circle").count() == 2
        assert chart.locator(".legend span:visible").all_inner_texts() == ["against mcts", "against its earlier self"]
