"""Go on the page in a real browser: captures, a ko, passes, the count with a dead stone, records, maps."""

from __future__ import annotations

import pytest

from eightfold.benchmarks.browser import browser, why_not
from web.browsing import click_point, opened_page, settled, start, state

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

SIZE = 5
PASS = SIZE * SIZE


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


@pytest.fixture
def page(chromium, address):
    with opened_page(chromium, address) as opened:
        yield opened


def point(name, size=SIZE):
    column = "abcdefghjklmnopqrstuvwxyz".index(name[0])
    return (size - int(name[1:])) * size + column


def start_go(page, *, white="human", **options):
    start(page, family="go", game={"size": str(SIZE), "komi": "0.5"} | options, white=white)


def play(page, *names):
    for name in names:
        before = len(state(page)["tree"])
        if name == "pass":
            page.click("#pass")
        else:
            click_point(page, point(name, state(page)["game"]["size"]))
        page.wait_for_function("n => window.eightfold.game.state.tree.length > n", arg=before)


def test_a_game_with_a_capture_and_passes_is_counted_with_a_dead_stone(page):
    start_go(page)
    # Black takes a white stone on c4, and a wall divides the board; white's a5 is left behind black's.
    play(page, "c3", "c4", "b4", "d3", "d4", "d2", "c5", "d1")
    assert state(page)["stones"][point("c4")] == "0", "c4 was taken off"
    assert "black 1" in page.inner_text("#prisoners")
    play(page, "c2", "e4", "c1", "a5")
    page.keyboard.press("p")
    page.wait_for_function("() => window.eightfold.game.state.last === 25")
    assert "Black passes" in page.inner_text("#live")
    assert page.inner_text("#status") == "Black passed. White to move: your turn."
    play(page, "pass")
    told = state(page)
    assert told["over"]
    assert told["score"]["dead"] == []
    before = page.inner_text("#score")
    assert "mark its group" in page.inner_text("#scoring")
    click_point(page, point("a5"))
    page.wait_for_function("() => window.eightfold.game.state.score.dead.length === 1")
    assert page.locator("svg.board .stone.dead").count() == 1
    assert page.locator("svg.board .territory rect.black").count() > 0
    assert page.inner_text("#score") != before
    assert "stones and territory count. 1 stone is marked" in page.inner_text("#scoring")
    page.click("#agree")
    page.wait_for_function("() => window.eightfold.game.state.score.agreed")
    assert "Black wins by" in page.inner_text("#status")
    page.click('nav a[data-view="analyse"]')
    with page.expect_download() as saved:
        page.click("#save")
    text = saved.value.path().read_text()
    assert "GM[1]" in text
    assert ";B[];W[]TB[" in text
    assert f"RE[{state(page)['score']['text']}]" in text


def test_suggested_dead_stones_can_be_made_alive_and_a_pass_taken_back(page):
    start_go(page)
    play(page, "c3", "c4", "b4", "d3", "d4", "d2", "c5", "d1", "c2", "e4", "c1", "a5", "pass", "pass")
    page.click("#suggest")
    page.wait_for_function("() => window.eightfold.game.state.score.dead.length > 0")
    dead = state(page)["score"]["dead"]
    assert point("a5") in dead
    click_point(page, point("a5"))
    page.wait_for_function("a => !window.eightfold.game.state.score.dead.includes(a)", arg=point("a5"))
    page.click("#resume-play")
    page.wait_for_function("() => !window.eightfold.game.state.over")
    assert page.locator("svg.board .territory rect").count() == 0
    assert page.locator("svg.board .stone.dead").count() == 0
    click_point(page, point("b1"))
    page.wait_for_function("a => window.eightfold.game.state.stones[a] !== '0'", arg=point("b1"))


def test_it_is_said_that_no_stone_is_dead(page, address):
    page.goto(f"http://{address}/#position=go:size=5,komi=0.5,rules=japanese&moves=c3-pass-pass")
    page.wait_for_function("() => window.eightfold?.game.state?.over")
    assert "Territory and prisoners" in page.inner_text("#scoring")
    page.click("#agree")
    page.wait_for_function("() => window.eightfold.game.state.score.agreed")
    page.click("#suggest")
    page.wait_for_selector(".toast:has-text('no dead stones')")
    assert state(page)["score"]["agreed"], "nothing changed"


def test_a_network_for_go_brings_a_small_board_along(page):
    page.click("#new-game")
    assert page.input_value('dialog select[data-option="game"]') == "gomoku"
    page.select_option('select[data-seat="white"]', "isn:isn-9")
    assert page.input_value('dialog select[data-option="game"]') == "go"
    assert page.input_value('dialog input[data-option="size"]') == "9"


def test_a_ko_is_marked_and_refused(page):
    start_go(page)
    play(page, "b3", "c3", "a2", "d2", "b1", "c1", "c2", "b2")
    assert state(page)["ko"] == [point("c2")]
    assert page.locator("svg.board .forbidden .ko").count() == 1
    click_point(page, point("c2"))
    assert "c2, empty, ko: not possible" in page.inner_text("#live")
    assert state(page)["stones"][point("c2")] == "0"


def test_a_handicap_game_against_an_engine_that_answers(page):
    start_go(page, white="mcts:playouts=50", size="9", handicap="2")
    settled(page, 3)  # white began
    told = state(page)
    assert (told["game"]["first"], told["to_move"]) == (2, 1)
    assert told["stones"].count("1") == 2
    letters = page.locator("svg.board .coordinates text").all_text_contents()
    assert "i" not in letters
    assert "j" in letters
    empty = told["stones"].index("0")
    click_point(page, empty)
    settled(page, 5)
    page.click("#undo")
    page.wait_for_function("() => window.eightfold.game.state.tree.length === 2")


SGF = "(;GM[1]SZ[9]KM[5.5]RU[Japanese]AB[cc][gg]AW[cg][gc]PL[W]PB[ann];W[ee];B[](;W[ef];B[eg])(;W[tt]))"


def test_a_pasted_record_of_go_is_walked_through(page):
    page.click('nav a[data-view="analyse"]')
    page.fill("#sgf", SGF)
    page.click("#load")
    page.wait_for_function("() => window.eightfold.game.state.game.size === 9")
    assert page.locator("svg.tree g[data-node]").count() == 6
    told = state(page)
    assert told["stones"].count("0") == 81 - 7
    assert told["game"]["first"] == 2
    assert page.locator("svg.tree g.white").count() == 3
    page.click('svg.tree g[data-node="5"]')
    page.wait_for_function("() => window.eightfold.game.state.over")
    assert "W+5.5" in page.inner_text("#score"), "nobody has walled in anything"


def test_ownership_and_an_isns_outputs_lie_over_the_board(page, address):
    page.goto(f"http://{address}/#position=go:size=9,komi=7.5&moves=c3-g7-g3-c7-pass-e5")
    page.wait_for_function("() => window.eightfold?.game.state?.game.size === 9")
    assert state(page)["last"] == 40
    page.select_option("#map-source", "random games")
    page.wait_for_selector("svg.board .owner.black[visibility=visible]")
    assert page.is_hidden("#map")
    assert "a surer owner" in page.inner_text("#legend")
    page.select_option("#map-source", "isn:snapshot")
    page.wait_for_selector("svg.board .likelihood[visibility=visible]")
    assert page.locator("#map option").count() == 7
    captured = page.locator("svg.board .likelihood[visibility=visible]").count()
    assert captured == 3, "a likelihood of capture for every white stone, and nowhere else"
    page.select_option("#map", "4")
    assert "eye of black" in page.inner_text("#map-note")
    assert "eye of black" in page.inner_text("#legend")
    drawn = page.locator("svg.board .likelihood[visibility=visible]").count()
    assert drawn == 81 - 5, "every empty point has its number, a small one too"
    click_point(page, 0)
    page.wait_for_function("() => window.eightfold.game.state.node === 7")
    page.wait_for_function("() => document.querySelector('#map').value === '4'")


def test_maps_go_on_when_a_question_was_left_behind_with_its_game(page, address):
    page.goto(f"http://{address}/#position=go:size=9,komi=7.5&moves=c3-g7")
    page.wait_for_function("() => window.eightfold?.game.state?.game.size === 9")
    before = state(page)["id"]
    page.evaluate(
        """() => {
            const source = document.querySelector("#map-source");
            source.value = "random games";
            source.dispatchEvent(new Event("change"));
            const human = { player: "human", level: 0 };
            const seats = { black: human, white: human, playing: false };
            window.eightfold.game.send("new", { game: "go:size=5", moves: [12], ...seats });
        }"""
    )
    page.wait_for_function("id => window.eightfold.game.state.id !== id", arg=before)
    page.wait_for_selector("svg.board .owner.black[visibility=visible]")


def test_squares_of_owners_make_room_for_numbers_and_for_the_count(page, address):
    page.goto(f"http://{address}/#position=go:size=5,komi=0.5&moves=c3-b4")
    page.wait_for_function("() => window.eightfold?.game.state?.game.size === 5")
    page.select_option("#map-source", "random games")
    page.wait_for_selector("svg.board .owner[visibility=visible]")
    page.select_option('select[data-seat="engine"]', "mcts:playouts=50")
    page.click("#think")
    page.wait_for_selector("svg.board .assessment.best")
    page.click("#think")
    page.wait_for_function("() => !window.eightfold.game.state.analysing")
    hidden, both = page.evaluate(
        """() => {
            const { maps, overlay } = window.eightfold.board;
            const squares = maps.points.filter((point) => point?.group.getAttribute("visibility") === "visible");
            const shown = (group) => getComputedStyle(group).display !== "none";
            const twice = (point, action) => point && shown(point.group) && overlay.points[action]?.visible;
            return [squares.filter((point) => !shown(point.group)).length, maps.points.filter(twice).length];
        }"""
    )
    assert hidden > 0
    assert both == 0
    play(page, "pass", "pass")
    page.wait_for_function("() => document.querySelector('#map-note').textContent.includes('the score')")
    assert page.locator("svg.board .owner[visibility=visible]").count() == 0


def test_an_engines_thoughts_on_go_and_the_eight_sides(page, address):
    page.goto(f"http://{address}/#position=go:size=5,komi=0.5&moves=c3-b4")
    page.wait_for_function("() => window.eightfold?.game.state?.game.size === 5")
    page.select_option('select[data-seat="engine"]', "mcts:playouts=50")
    page.click("#think")
    page.wait_for_selector("svg.board .assessment.best")
    assert "pass" in page.inner_text("#summary")
    page.click('nav a[data-view="eightfold"]')
    page.wait_for_function("() => document.querySelectorAll('#eight .stone').length >= 16")
    assert page.locator("#eight .board-side.canonical").count() == 2
