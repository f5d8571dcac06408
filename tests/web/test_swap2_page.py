"""Swap2 on the page: the session's rules, engines that open and choose, and the page in a real browser."""

from __future__ import annotations

import pytest

from eightfold.benchmarks.browser import browser, why_not
from eightfold.core.errors import EightfoldError
from eightfold.games import BLACK, WHITE
from eightfold.web.messages import Seat
from eightfold.web.session import Session
from web.browsing import click_point, opened_page, settled, state

GAME = "gomoku:size=8,win=5,rule=freestyle"
HUMAN, GREEDY = Seat(player="human"), Seat(player="greedy")


def session(moves: str = "", *, black: Seat = HUMAN, white: Seat = GREEDY) -> Session:
    made = Session.new(GAME, [], black, white, playing=True, now=0.0, opening="swap2")
    for move in moves.split():
        made.play(made.game.action(move), 0.0)
    return made


def test_a_session_says_what_is_to_be_done():
    made = session("d4 e5")
    assert made.turn == BLACK, "the first player places white's stone too"
    assert made.mover == HUMAN
    assert made.state(0.0)["swap2"] == {"stage": "place", "choices": [], "stones_left": 1}
    made.play(made.game.action("d5"), 1.0)
    assert (made.turn, made.mover) == (WHITE, GREEDY)
    assert made.state(0.0)["swap2"]["choices"] == ["black", "white", "more"]
    with pytest.raises(EightfoldError, match="choose first: black, white, more"):
        made.play(0, 1.0)
    for refused in (made.undo, made.resign):
        with pytest.raises(EightfoldError):
            refused(1.0)


def test_a_choice_gives_the_colours_and_is_written_down():
    made = session("d4 e5 d5")
    made.used = {BLACK: 5.0, WHITE: 7.0}
    made.choose("black", 0.0)
    assert made.seats == {BLACK: GREEDY, WHITE: HUMAN}
    assert made.used == {BLACK: 7.0, WHITE: 5.0}, "a clock goes with its player"
    assert made.swap2 is None
    assert made.turn == WHITE
    text = made.as_sgf()
    assert "PB[greedy]PW[human]" in text
    assert "Opened with swap2: human placed 3 stones; with 3 on the board greedy chose black." in text
    made.play(0, 0.0)
    made.play(1, 0.0)
    made.undo(0.0)
    assert made.position.ply == 3
    with pytest.raises(EightfoldError, match="no move to take back"):
        made.undo(0.0)
    assert Session.from_sgf(text, now=0.0).position.ply == 3


def test_two_more_stones_and_the_first_chooses():
    made = session("d4 e5 d5", black=GREEDY, white=HUMAN)
    made.choose("more", 0.0)
    for move in ("c3", "c4"):
        assert made.mover == HUMAN
        made.play(made.game.action(move), 0.0)
    assert made.mover == GREEDY
    made.choose("white", 0.0)
    assert made.seats == {BLACK: HUMAN, WHITE: GREEDY}
    assert made.turn == WHITE


def test_who_looks_elsewhere_leaves_the_opening_and_other_games_have_none():
    made = session("d4 e5")
    made.select(1, 0.0)
    assert made.swap2 is None
    with pytest.raises(EightfoldError, match="nothing to choose in this game"):
        made.choose("black", 0.0)
    with pytest.raises(EightfoldError, match=r"go:size=9.* does not begin with swap2"):
        Session.new("go:size=9", [], HUMAN, GREEDY, playing=True, now=0.0, opening="swap2")
    with pytest.raises(EightfoldError, match="begins with an empty board"):
        Session.new(GAME, [3], HUMAN, GREEDY, playing=True, now=0.0, opening="swap2")


# ---- in a browser ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium():
    if why_not():
        pytest.skip(why_not())
    with browser() as started:
        yield started


def begin(page, *, black: str, white: str) -> None:
    before = state(page)["id"]
    page.click("#new-game")
    page.select_option('select[data-option="game"]', "go")
    assert not page.is_visible('select[data-option="opening"]')
    page.select_option('select[data-option="game"]', "gomoku")
    page.fill('dialog input[data-option="size"]', "9")
    page.select_option('select[data-option="opening"]', "swap2")
    page.select_option('select[data-seat="black"]', black)
    page.select_option('select[data-seat="white"]', white)
    page.click("#start")
    page.wait_for_selector("dialog", state="detached")
    page.wait_for_function("id => window.eightfold.game.state.id !== id", arg=before)


def test_a_person_opens_and_an_engine_takes_a_colour(chromium, address):
    with opened_page(chromium, address) as page:
        begin(page, black="human", white="alphabeta:depth=2")
        assert "place three stones" in page.inner_text("#status")
        assert not page.is_visible("#swap2")
        assert page.is_disabled("#undo")
        for count, point in enumerate((30, 41, 50), start=1):
            click_point(page, point)
            settled(page, count)
        page.wait_for_function("() => window.eightfold.game.state.swap2 === null")
        settled(page, 3)
        seats = {colour: seat["player"] for colour, seat in state(page)["seats"].items()}
        assert sorted(seats.values()) == ["alphabeta:depth=2", "human"]
        page.wait_for_function(
            "() => window.eightfold.game.humanToMove() && !window.eightfold.game.state.thinking", timeout=60_000
        )
        stones = state(page)["stones"]
        assert 81 - stones.count("0") == (4 if seats["white"] != "human" else 3)
        click_point(page, stones.index("0"))
        settled(page, 5)


@pytest.mark.parametrize("choice", ["white", "more", pytest.param("black", marks=pytest.mark.slow)])
def test_an_engine_opens_and_a_person_chooses(chromium, address, choice):
    with opened_page(chromium, address) as page:
        begin(page, black="greedy", white="human")
        page.wait_for_selector(f'#swap2 button[data-choice="{choice}"]', state="visible")
        assert "take a colour, or place two more" in page.inner_text("#status")
        click_point(page, 0)  # nothing may be placed now
        page.click(f'#swap2 button[data-choice="{choice}"]')
        if choice == "more":
            page.wait_for_function("() => window.eightfold.game.state.swap2.stage === 'place-more'")
            now = state(page)["stones"]
            empty = [point for point, stone in enumerate(now) if stone == "0"]
            for count, point in enumerate((empty[0], empty[-1]), start=4):
                click_point(page, point)
                settled(page, count)
        page.wait_for_function("() => window.eightfold.game.state.swap2 === null")
        assert not page.is_visible("#swap2")
        if choice != "more":
            assert state(page)["seats"][choice]["player"] == "human"
        settled(page, {"black": 4, "white": 3, "more": 5}[choice])
