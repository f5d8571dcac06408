"""The pattern explorer: what the server tells of a position's patterns, and how it looks in a real browser."""

from __future__ import annotations

import json

import numpy as np
import pytest

from eightfold.benchmarks.browser import browser, why_not
from eightfold.games.game import make_game
from eightfold.patterns.files import load_library, save_library
from eightfold.patterns.library import Library
from eightfold.patterns.shapes import measure_named, shapes_round, shares, worth_of_points
from eightfold.patterns.shipped import shipped_library
from eightfold.web.explorer import ServedLibraries, explore
from patterns.libraries import random_games_library
from refusals import refusal
from web.browsing import click_point, opened_page, state
from web.serving import client, get

MOVES = ["d4", "c4", "d3", "c3", "e2", "a1", "g7"]
NEEDS_BROWSER = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(scope="module")
def position():
    return make_game("go:size=7").after(MOVES)


def test_the_answer_is_what_the_library_says(pattern_file, position):
    library = load_library(pattern_file)
    told = explore(library, position, "4x4 posterior", 24 - 7)
    worth = worth_of_points(library, position, measure_named(library, "4x4 posterior"))
    assert told["probabilities"] == pytest.approx(shares(worth), abs=1e-5)
    assert told["legal"] == len(position.legal_moves) - 1, "a pass is no point"
    assert told["rank"] == 1 + sum(value > worth[17] for value in worth)
    assert told["note"] == ""
    shapes = shapes_round(library, position, 17)
    assert [each["template"] for each in told["shapes"]] == [shape.template.name for shape in shapes]
    for each, shape in zip(told["shapes"], shapes, strict=True):
        known = shape.statistics
        assert (each["matches"], each["plays"], each["code"]) == (known.matches, known.plays, known.code)
        assert each["interval"][0] <= each["posterior"] <= each["interval"][1]
        assert each["orbit"][0] == each["picture"] == {"rows": shape.picture.rows, "edges": []}
        assert len(each["orbit"]) in (1, 2, 4, 8)
        assert len(each["block"]) == shape.template.side**2
    json.dumps(told)


def test_points_that_cannot_be_played_say_why(pattern_file, position):
    library, game = load_library(pattern_file), make_game("go:size=7")
    on_a_stone = explore(library, position, "Elo", game.action("d4"))
    assert (on_a_stone["rank"], on_a_stone["shapes"]) == (None, [])
    assert "A stone is there" in on_a_stone["note"]
    no_liberty = game.after(["a2", "g7", "b1"])
    assert "forbid" in explore(library, no_liberty, "3x3 posterior", game.action("a1"))["note"]
    over = position.play("pass").play("pass")
    told = explore(library, over, "3x3 posterior", 17)
    assert told["legal"] == 0
    assert "over" in told["note"]
    assert told["shapes"], "its shape can be looked at all the same"
    assert "49 is not a point" in refusal(lambda: explore(library, position, "Elo", 49))
    assert "known: 4x4 posterior, 3x3 posterior, Elo" in refusal(lambda: explore(library, position, "5x5", 0))


def test_libraries_are_those_of_the_server(pattern_file, position, tmp_path):
    twin = tmp_path / pattern_file.name
    save_library(random_games_library(sides=(3,)), twin)
    served = ServedLibraries([pattern_file, twin])
    first, second = served.all()[:2]  # shipped ones follow
    assert (first["key"], second["key"]) == ("few-games", "few-games (2)")
    assert first["game"] == "go"
    assert second["measures"] == ["3x3 posterior"]
    assert ", 4 games, 120 moves, symmetric patterns counted together" in first["summary"]
    assert isinstance(served.find("few-games", position), Library)
    assert "known: few-games, few-games (2)" in refusal(lambda: served.find("/etc/passwd", position))
    gomoku = make_game("gomoku:size=7").start()
    assert refusal(lambda: served.find("few-games", gomoku)) == "the patterns of few-games are of go, not of gomoku"
    twin.write_bytes(b"nonsense")
    assert "is no pattern library" in refusal(lambda: ServedLibraries([twin]))


def test_shipped_libraries_follow_those_that_were_given(pattern_file, position, tmp_path, monkeypatch):
    def shipped_in(folder):
        return lambda game: shipped_library(game, folder)

    monkeypatch.setattr("eightfold.web.explorer.shipped_library", shipped_in(tmp_path / "none"))
    assert ServedLibraries().all() == []
    assert "--patterns FILE" in refusal(lambda: ServedLibraries().find("x", position))
    save_library(load_library(pattern_file), tmp_path / "any-name.patterns")
    monkeypatch.setattr("eightfold.web.explorer.shipped_library", shipped_in(tmp_path))
    served = ServedLibraries([pattern_file])
    assert [each["key"] for each in served.all()] == ["few-games", "shipped-go"]
    assert served.find("shipped-go", position).combined


def test_a_browser_asks_over_its_connection(address):
    assert "few-games" in [each["key"] for each in get(address, "/api/menu")[1]["patterns"]]
    with client(address) as page:
        page.new("go:size=7", moves=[24])
        page.say("patterns", library="few-games", measure="3x3 posterior")
        told = page.hear("patterns")
        assert (told["point"], told["library"], told["node"]) == (None, "few-games", 1)
        assert np.sum(told["probabilities"]) == pytest.approx(1, abs=1e-3)
        page.say("patterns", library="few-games", measure="3x3 posterior", point=25)
        assert page.hear("patterns")["shapes"][0]["template"] == "3x3-centre"
        for wrong, said in (
            ({"library": "../few-games", "measure": "Elo"}, "unknown pattern library"),
            ({"library": "few-games", "measure": "x"}, "unknown measure"),
            ({"library": "few-games", "measure": "Elo", "point": 49}, "not a point"),
            ({"library": "few-games", "measure": "Elo", "point": -1}, "not a message"),
            ({"library": "few-games"}, "not a message"),
        ):
            assert said in page.refused("patterns", **wrong)


@NEEDS_BROWSER
def test_a_click_shows_the_shapes_of_a_point(address):
    with browser() as chromium, opened_page(chromium, address) as page:
        page.evaluate("() => { window.eightfold.game.menu.patterns = []; }")
        page.click('nav a[data-view="patterns"]')
        page.wait_for_selector("#no-patterns:has-text('no pattern library for Gomoku')")
        page.goto("about:blank")
        page.goto(f"http://{address}/#position=go:size=7,komi=7.5&moves={'-'.join(MOVES)}")
        page.wait_for_function("() => window.eightfold?.game.state?.game.size === 7")
        page.click('nav a[data-view="patterns"]')
        page.select_option("#pattern-library", "few-games")
        page.wait_for_selector("svg.board .assessment.best")
        drawn = page.locator("svg.board .assessment[visibility=visible]").count()
        assert drawn == page.evaluate("() => window.eightfold.game.state.stones.split('0').length - 1")
        before = state(page)["node"]
        click_point(page, 17)
        page.wait_for_selector('.shape-card[data-template="4x4-centre-a"]')
        assert state(page)["node"] == before, "a click picks a point and plays nothing"
        assert "of 42 legal points" in page.inner_text("#pattern-rank")
        assert "Rank" in page.inner_text("#live")
        assert page.locator(".shape-card").count() == 5
        assert page.locator('.shape-card[data-template="3x3-centre"] .orbit svg').count() in (4, 8)
        width = float(page.get_attribute("svg.board .block", "width"))
        page.hover('.shape-card[data-template="4x4-centre-b"] h3')
        assert float(page.get_attribute("svg.board .block", "width")) > width, "its block is larger"
        page.focus("svg.board")  # by keyboard: from the middle to the right, and enter
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_selector('.shape-card[data-template="3x3-edge"]')
        page.select_option("#pattern-measure", "Elo")
        page.wait_for_function("() => document.querySelector('#pattern-rank').textContent.includes('by Elo')")
        page.select_option("#pattern-overlay", "nothing")
        assert page.locator("svg.board .assessment[visibility=visible]").count() == 0
        page.click('#patterns-panel button[aria-label="Back"]')
        page.wait_for_function("n => window.eightfold.game.state.node !== n", arg=before)
        page.wait_for_function("() => document.querySelector('#pattern-rank').textContent.includes('of 43 legal')")
        page.click('nav a[data-view="analyse"]')
        hidden = "() => document.querySelector('svg.board .block').getAttribute('visibility') === 'hidden'"
        page.wait_for_function(hidden)  # a view opens when the address has changed
        click_point(page, 0)
        page.wait_for_function("() => window.eightfold.game.state.stones[0] !== '0'")
