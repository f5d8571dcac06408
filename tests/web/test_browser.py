"""The page in a real browser, used as people use it: clicks, keys, a reload."""

from __future__ import annotations

import pytest

from eightfold.benchmarks.browser import browser, ready, why_not
from web.browsing import click_point, opened_page, point_at, settled, start, state

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


@pytest.fixture
def page(chromium, address):
    with opened_page(chromium, address) as opened:
        yield opened


def test_a_whole_game_is_played_by_clicking(page):
    start(page)
    assert state(page)["game"]["size"] == 7
    for _ in range(25):
        now = state(page)
        if now["over"]:
            break
        click_point(page, now["stones"].index("0"))
        stones = 49 - now["stones"].count("0")
        settled(page, stones + 2)
    assert state(page)["over"]
    assert "wins" in page.inner_text("#status") or "Draw" in page.inner_text("#status")
    if state(page)["winner"]:
        assert page.locator("svg.board .line circle").count() >= 4


def test_undo_hint_and_resign(page):
    start(page)
    click_point(page, 24)
    settled(page, 2)
    page.click("#undo")
    page.wait_for_function("() => !/[12]/.test(window.eightfold.game.state.stones)")
    page.click("#hint")
    page.wait_for_selector("svg.board .hint[visibility=visible]")
    page.click("#resign")
    page.wait_for_function("() => window.eightfold.game.state.over")
    assert "resigns" in page.inner_text("#status")


def test_a_reload_goes_on_with_the_game(page):
    start(page)
    click_point(page, 24)
    settled(page, 2)
    before = state(page)
    page.reload()
    ready(page)
    after = state(page)
    assert after["id"] == before["id"]
    assert after["stones"] == before["stones"]
    click_point(page, after["stones"].index("0"))
    settled(page, 4)


def test_a_lost_connection_comes_back(page):
    start(page)
    identity = state(page)["id"]
    page.evaluate("() => window.eightfold.game.socket.socket.close()")
    page.wait_for_selector("#connection", state="visible")
    page.wait_for_selector("#connection", state="hidden")
    assert state(page)["id"] == identity
    click_point(page, 10)
    settled(page, 2)


def lose_game(page):
    """What a restart of the server does: the page comes back, and nobody knows its game."""
    page.evaluate(
        """() => {
            const { socket } = window.eightfold.game;
            socket.id = "lost-in-a-restart";
            socket.socket.close();
        }"""
    )
    page.wait_for_selector(".toast:has-text('does not have')")


def test_a_game_that_the_server_has_lost_goes_on(page):
    start(page, game={"size": "7", "win": "5"})
    click_point(page, 24)
    settled(page, 2)
    before = state(page)
    lose_game(page)
    page.wait_for_function("id => window.eightfold.game.state.id !== id", arg=before["id"])
    after = state(page)
    assert after["game"] == before["game"]
    assert (after["stones"], after["seats"], after["playing"]) == (before["stones"], before["seats"], True)
    click_point(page, after["stones"].index("0"))
    settled(page, 4)
    page.click("#resign")
    page.wait_for_function("() => window.eightfold.game.state.over")
    resigned = state(page)
    lose_game(page)
    page.wait_for_function("id => window.eightfold.game.state.id !== id", arg=resigned["id"])
    assert state(page)["stones"] == resigned["stones"]
    assert not state(page)["playing"], "nobody moves after a resignation"


def test_a_lost_game_whose_player_is_gone_keeps_its_moves(page):
    start(page, game={"size": "7", "win": "5"})
    click_point(page, 24)
    settled(page, 2)
    before = state(page)
    page.evaluate("() => { window.eightfold.game.state.seats.white = { player: 'net:runs/gone', level: 0 }; }")
    lose_game(page)
    page.wait_for_function("id => window.eightfold.game.state.id !== id", arg=before["id"])
    after = state(page)
    assert after["stones"] == before["stones"]
    assert {seat["player"] for seat in after["seats"].values()} == {"human"}


def test_a_game_that_cannot_be_leaves_the_form_open_and_says_why(page):
    before = state(page)["id"]
    page.click("#new-game")
    page.fill('dialog input[data-option="size"]', "7")
    page.fill('dialog input[data-option="win"]', "9")
    page.click("#start")
    page.wait_for_selector("dialog .fault:has-text('does not fit')")
    assert page.input_value('dialog input[data-option="size"]') == "7"
    assert state(page)["id"] == before
    page.fill('dialog input[data-option="win"]', "")
    page.click("#start")
    assert page.evaluate("() => document.querySelector('dialog :invalid[data-option=win]') !== null"), (
        "nothing is asked"
    )
    page.fill('dialog input[data-option="win"]', "4")
    page.click("#start")
    page.wait_for_selector("dialog", state="detached")
    assert state(page)["id"] != before
    assert "win=4" in state(page)["game"]["text"]


def test_the_newest_moves_of_a_long_game_are_in_sight(page):
    start(page, game={"size": "15", "win": "5"}, white="human")
    page.evaluate(
        """() => {
            const { game } = window.eightfold;
            const colours = [[], []]; // two and two in a row, so that nobody has five
            for (let k = 0; k < 225; k++) colours[Number((k % 15 + 2 * Math.floor(k / 15)) % 4 > 1)].push(k);
            const human = { player: "human", level: 0 };
            const moves = colours[0].slice(0, 40).flatMap((k, n) => [k, colours[1][n]]);
            game.send("new", { game: game.state.game.text, moves, playing: false, black: human, white: human });
        }"""
    )
    page.wait_for_function("() => document.querySelectorAll('.moves li').length > 30")
    seen = page.evaluate(
        """() => {
            const list = document.querySelector(".moves");
            const [box, last] = [list.getBoundingClientRect(), list.lastElementChild.getBoundingClientRect()];
            return [list.scrollWidth <= list.clientWidth, last.bottom <= box.bottom + 1, last.right <= box.right + 1];
        }"""
    )
    assert seen == [True, True, True]


@pytest.mark.parametrize(
    ("link", "said"),
    [("gomoku:size=99&moves=h8", "size=99"), ("garbage", "garbage"), ("&moves=h8", "names no position")],
)
def test_a_link_to_nothing_says_so(page, link, said):
    page.evaluate("link => { location.hash = `#position=${link}`; }", link)
    page.wait_for_selector(f".toast:has-text('{said}')")


def test_a_link_that_cannot_even_be_read_opens_the_usual_game(page, address):
    page.goto("about:blank")
    page.goto(f"{address}/#position=gomoku:size=9,{'x' * 500}&moves=")
    page.wait_for_function("() => window.eightfold?.game.state")
    ready(page)


def test_a_lost_game_that_no_message_can_tell_stays_on_the_screen(page):
    page.click('nav a[data-view="analyse"]')
    page.fill("#sgf", "(;GM[1]SZ[5]AB[cc]PL[W];W[bb])")
    page.click("#load")
    page.wait_for_function("() => window.eightfold.game.state.game.set_up")
    before = state(page)["id"]
    lose_game(page)
    page.evaluate("() => window.eightfold.game.send('undo')")
    page.wait_for_selector(".toast:has-text('there is no game yet')")
    assert state(page)["id"] == before


def test_a_connection_that_is_silent_is_given_up_and_comes_back(page):
    start(page)
    identity = state(page)["id"]
    page.evaluate("() => { window.eightfold.game.socket.socket.send = () => {}; }")  # nothing arrives any more
    for _ in range(3):
        assert not page.is_visible("#connection")
        page.evaluate("() => window.eightfold.game.socket.ping()")
    page.wait_for_selector("#connection", state="visible")
    page.wait_for_selector("#connection", state="hidden")
    assert state(page)["id"] == identity
    click_point(page, 10)
    settled(page, 2)
    for _ in range(5):  # a server that answers is kept
        page.evaluate("() => window.eightfold.game.socket.ping()")
        page.wait_for_function("() => window.eightfold.game.socket.unanswered === 0")
    assert not page.is_visible("#connection")


def test_the_keyboard_plays_and_a_screen_reader_hears(page):
    start(page)
    page.focus("svg.board")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#live") == "c4, empty"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    settled(page, 2)
    assert state(page)["stones"][16] == "1"
    assert "White plays" in page.inner_text("#live")


def test_two_players_against_each_other(page):
    start(page, black="random", white="greedy")
    page.wait_for_function("() => window.eightfold.game.state.over", timeout=60_000)


def start_thinking(page):
    """An analysis of the board with a stone in the middle, by an engine that counts visits."""
    start(page, white="human")
    click_point(page, 24)
    settled(page, 1)
    page.click('nav a[data-view="analyse"]')
    page.select_option('select[data-seat="engine"]', "mcts:playouts=50")
    page.click("#think")


def test_analysis_shows_what_an_engine_thinks(page):
    start_thinking(page)
    page.wait_for_selector("svg.board .assessment.best")
    assert "Best" in page.inner_text("#summary")
    page.wait_for_selector("svg.board .assessment[visibility=visible]")
    click_point(page, 0)  # a move in analysis is thought about too
    page.wait_for_function("() => window.eightfold.game.assessments.has(window.eightfold.game.state.node)")
    page.keyboard.press("Escape")
    page.click("#think")
    page.wait_for_function("() => window.eightfold.game.state.analysing === null")


def test_a_chosen_strength_is_still_there_when_one_comes_back(page):
    start(page, white="human")
    page.click('nav a[data-view="analyse"]')
    page.select_option('select[data-seat="engine"]', "mcts")
    strength = page.locator(".seat:has([data-seat=engine]) select").nth(1)
    usual = strength.input_value()
    strength.select_option("0")
    assert usual != "0"
    page.click('nav a[data-view="play"]')
    page.click('nav a[data-view="analyse"]')
    assert strength.input_value() == "0"
    page.select_option('select[data-seat="engine"]', "alphabeta")
    page.select_option('select[data-seat="engine"]', "mcts")
    assert strength.input_value() == usual, "another player begins with its own"


def test_one_of_a_kind_is_not_called_by_the_plural(page):
    start(page, white="human")
    click_point(page, 24)
    settled(page, 1)
    assert "7 by 7, 1 stone;" in page.get_attribute("svg.board", "aria-label")
    for left, said in ((1, "Reviewing, 1 position left"), (2, "Reviewing, 2 positions left")):
        page.evaluate(
            "n => { const { game } = window.eightfold; game.setState({ ...game.state, reviewing: n }); }", left
        )
        assert page.text_content("#review") == said


def test_every_move_that_was_looked_at_shows_how_it_goes_on(page):
    start_thinking(page)
    page.wait_for_function(
        "() => window.eightfold.game.assessments.get(1)?.lines.filter((l) => l.length > 2).length > 3"
    )
    page.click("#think")
    page.wait_for_function("() => window.eightfold.game.state.analysing === null")
    for line in page.evaluate("() => window.eightfold.game.assessments.get(1).lines")[:4]:
        point_at(page, line[0])
        page.wait_for_function("n => document.querySelectorAll('svg.board .ghost').length === n", arg=len(line))
        assert page.inner_text(".variation").startswith("After ")
        assert page.locator("svg.board .assessment[visibility=visible]").count() == 0
    point_at(page, 24)  # a stone
    page.wait_for_selector("svg.board .assessment.best[visibility=visible]")
    assert page.locator("svg.board .ghost").count() == 0
    assert page.inner_text(".variation").startswith("Expects ")
    lines = page.evaluate("() => window.eightfold.game.assessments.get(1).lines")
    target = next(line[0] for line in lines if line[0] < 42)  # not in the lowest row
    page.focus("svg.board")
    page.evaluate("below => { window.eightfold.board.at = below; }", target + 7)
    page.keyboard.press("ArrowUp")  # the keyboard's cursor points as well
    page.wait_for_selector("svg.board .ghost")


SGF = "(;GM[4]SZ[9]PB[ann]PW[bob];B[ee];W[ff](;B[fe];W[de])(;B[dd]))"


def test_a_pasted_record_is_walked_through_reviewed_and_saved(page):
    page.click('nav a[data-view="analyse"]')
    page.fill("#sgf", SGF)
    page.click("#load")
    page.wait_for_function("() => window.eightfold.game.state.game.size === 9")
    assert page.locator("svg.tree g[data-node]").count() == 6
    page.select_option('select[data-seat="engine"]', "mcts:playouts=50")
    page.click("#review")
    page.wait_for_function("() => Object.keys(window.eightfold.game.state.evaluations).length >= 5", timeout=60_000)
    assert page.get_attribute("svg.graph .curve", "d")
    page.locator("#analyse-panel h2:visible").first.click()
    page.keyboard.press("Home")
    page.wait_for_function("() => window.eightfold.game.state.node === 0")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.eightfold.game.state.node === 1")
    for key in ("End", "ArrowLeft", "ArrowLeft", "ArrowLeft"):  # faster than the server can answer
        page.keyboard.press(key)
    page.wait_for_function("() => window.eightfold.game.state.node === 1")
    page.click('svg.tree g[data-node="5"]')
    page.wait_for_function("() => window.eightfold.game.state.node === 5")
    # A value that fell is no mistake where the move was the engine's own choice: the engine saw it only then.
    fell = "best => { const { game } = window.eightfold; const { move } = game.nodes.get(1);"
    fell += " game.addEvaluation({ node: 0, value: 0.9, best: best ?? move, left: 0 });"
    fell += " game.addEvaluation({ node: 1, value: 0.1, best: 0, left: 0 }); }"
    listed = page.locator("ul.mistakes li")
    page.evaluate(fell, 0)
    assert "better a" in listed.first.inner_text()
    page.evaluate(fell, None)
    assert not any(each.startswith("1. ") for each in listed.all_inner_texts())
    with page.expect_download() as saved:
        page.click("#save")
    text = saved.value.path().read_text()
    assert "PB[ann]" in text
    assert text.count(";B[") == 3


def test_a_bad_record_is_explained(page):
    page.click('nav a[data-view="analyse"]')
    page.fill("#sgf", "(;GM[7]SZ[19];B[pd])")
    page.click("#load")
    page.wait_for_selector(".toast.error")
    assert "Go is GM[1]" in page.inner_text(".toast.error")


def test_a_shared_position_opens_in_analysis(page, address):
    page.goto(f"http://{address}/#position=gomoku:size=9,win=5,rule=freestyle&moves=e5-f4-d6")
    page.wait_for_function("() => window.eightfold?.game.state?.game.size === 9")
    assert state(page)["stones"].count("1") == 2
    assert page.is_visible("#analyse-panel")


def test_forbidden_points_are_crossed_out_and_cannot_be_played(page, address):
    cross = "h9-a1-h7-o1-g8-a15-i8-o15"
    page.goto(f"http://{address}/#position=gomoku:size=15,win=5,rule=renju&moves={cross}")
    page.wait_for_selector("svg.board .forbidden path")
    assert state(page)["forbidden"] == [7 * 15 + 7]
    assert page.locator("svg.board .forbidden path").count() == 1
    click_point(page, 7 * 15 + 7)
    click_point(page, 7 * 15 + 9)
    settled(page, 9)
    assert state(page)["stones"][7 * 15 + 7] == "0"
    assert page.locator("svg.board .forbidden path").count() == 0, "white may play everywhere"


def test_the_eightfold_view_shows_eight_sides_and_one_number(page):
    start(page, white="human", game={"size": "7", "win": "5"})
    for number, action in enumerate((24, 3, 10), start=1):
        click_point(page, action)
        settled(page, number)
    page.click('nav a[data-view="eightfold"]')
    page.wait_for_selector("#disagreement")
    assert page.inner_text("#disagreement") == "0.000"
    assert page.locator("#eight .board-side").count() == 8
    assert page.locator("#eight .board-side.canonical").count() == 2
    assert "mirror left and right" in page.inner_text(".facts")
    page.select_option("#eightfold-panel select >> nth=1", "bare")
    page.wait_for_function("() => Number(document.getElementById('disagreement').textContent) > 0")
    network = page.locator("#eightfold-panel select").first
    chosen = network.input_value()
    page.reload()
    page.wait_for_selector("#disagreement")
    assert network.input_value() == chosen
    network.select_option("")
    page.wait_for_selector("#verdict:has-text('Choose a network')")
    page.evaluate("() => window.eightfold.game.send('undo')")
    page.wait_for_function("() => window.eightfold.game.state.tree.length === 3")
    assert network.input_value() == "", "the next move brings none back"


def test_a_run_is_watched_and_its_games_replayed(page):
    page.click('nav a[data-view="runs"]')
    page.wait_for_selector(".chart .curve[d^=M]")
    assert "score 0.600 (0.50 to 0.70), 12 won, 12 drawn, 6 lost" in page.inner_text("#run-score")
    assert "4 actors on 2 nodes · 1 lost and replaced since the launch" in page.inner_text("#cluster-words")
    assert page.inner_text("#cluster-nodes tr >> nth=1").split("\t") == [
        "10.0.0.2", "2", "2.50", "6,000", "98.0%", "1.5 s old",
    ]  # fmt: skip
    page.locator("#selfplay-games button").first.click()
    page.wait_for_function("() => document.querySelectorAll('.replay-board .stone').length >= 2")
    page.click("#analyse-game")
    page.wait_for_function("() => window.eightfold.game.state.tree.length === 8")
    assert page.is_visible("#analyse-panel")


def test_collapsed_self_play_is_shown_with_its_boards(page):
    page.click('nav a[data-view="runs"]')
    page.click("#judge-games")
    page.wait_for_selector("#typical-games img")
    assert page.inner_text("#health-verdict") == "120 games; healthy slices: 0 of 1."
    assert "collapsed and redundant" in page.inner_text(".slice.sick")
    assert page.locator(".health .bands rect.sick").count() == 2
    assert "collapsed self-play: games of 7.0 moves" in page.inner_text(".alarm >> nth=0")
    drawn = "() => [...document.querySelectorAll('#typical-games img')].map((image) => image.naturalWidth)"
    page.wait_for_function(f"() => ({drawn})().every((width) => width > 100)")
    page.click("#typical-games button")
    page.wait_for_function("() => document.querySelectorAll('.replay-board .stone').length >= 2")


def test_the_page_tells_how_long_an_overlay_takes(page):
    """The figure itself is for `eightfold bench page`."""
    page.goto(page.url.split("#")[0] + "#position=gomoku:size=15,win=5,rule=freestyle&moves=")
    page.wait_for_function("() => window.eightfold?.game.state?.game.size === 15")
    assert page.evaluate("() => window.eightfold.measureOverlay(3)") > 0
    assert page.locator("svg.board .assessment").count() == 225
    assert page.locator("svg.board .assessment[visibility=visible]").count() == 0, "and it leaves nothing behind"


def test_a_phone_has_room_for_all_of_it(page):
    page.set_viewport_size({"width": 390, "height": 844})
    for view in ("play", "analyse", "eightfold", "runs"):
        page.click(f'nav a[data-view="{view}"]')
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= 390, f"{view} is wider than a phone"


def test_light_and_dark(page):
    colour = "() => getComputedStyle(document.body).backgroundColor"
    first = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")  # auto goes with the system
    page.wait_for_function("() => document.documentElement.dataset.shade === 'dark'")
    dark = page.evaluate(colour)
    assert dark != first
    page.click("#theme")
    assert page.evaluate(colour) == first, "light, whatever the system says"
    page.emulate_media(color_scheme="light")
    page.click("#theme")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(colour) == dark


def test_a_banner_says_what_is_compiled_by_whom_and_for_how_long(page):
    assert not page.is_visible("#compiling")
    tasks = [
        {"who": "training", "part": "the search for gomoku", "seconds": 12.0},
        {"who": "the page", "part": "the rules of go", "seconds": 3.0},
    ]
    page.evaluate("tasks => window.eightfold.game.socket.received({ type: 'compiling', tasks })", tasks)
    said = page.inner_text("#compiling")
    assert "Training compiles the search for gomoku, 12 s so far." in said
    assert "The page compiles the rules of go, 3 s so far." in said
    page.wait_for_function("() => document.querySelector('#compiling').textContent.includes('13 s')")
    page.evaluate("() => window.eightfold.game.socket.received({ type: 'compiling', tasks: [] })")
    assert not page.is_visible("#compiling")
    assert not page.is_visible("#loading")


def test_another_board_brings_the_network_of_that_board_unless_somebody_else_was_chosen(page):
    page.click("#new-game")
    seat, size = page.locator("dialog [data-seat=white]"), page.locator("dialog [data-option=size]")
    strength = page.locator("dialog .seat:has([data-seat=white]) select").nth(1)

    def with_size(number: int) -> str:
        size.fill(str(number))
        size.blur()
        return seat.input_value()

    seat.select_option("net:gomoku-15")
    strength.select_option("2")
    assert with_size(8) == "net:gomoku-8"
    assert strength.input_value() == "2", "as strong as before"
    assert with_size(19) == "net:gomoku-15"
    seat.select_option("greedy")
    assert with_size(8) == "greedy"
