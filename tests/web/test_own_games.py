"""A user's own game on the page: the server is started with it, and a browser may then name it, and nothing else."""

from __future__ import annotations

import json

import numpy as np
import pytest

from eightfold.benchmarks.browser import browser, why_not
from eightfold.cli.main import app
from eightfold.games import make_game
from eightfold.web.lobby import Lobby
from eightfold.web.messages import Seat
from eightfold.web.session import Session
from refusals import refusal
from web.browsing import click_point, opened_page, state
from web.serving import HUMAN, RANDOM, client, get, running

PASS = 16  # on 4x4


@pytest.fixture(autouse=True)
def _own_games(examples, monkeypatch):
    monkeypatch.syspath_prepend(str(examples))


@pytest.fixture
def othello(tmp_path):
    """The address of a server for Othello on 4x4, with a run that trained for it."""
    run = tmp_path / "run"
    run.mkdir()
    (run / "config.toml").write_text('game = "python:othello,size=4"\n')
    (run / "games.jsonl").write_text(json.dumps({"moves": first_moves(4), "opening": 0, "result": 1}) + "\n")
    with running(Lobby(game="python:othello,size=4", runs=[run], workers=1, pace=0, seed=1)) as address:
        yield address


def first_moves(count):
    """The smallest legal move, over and over."""
    position = make_game("python:othello,size=4", trusted=True).start()
    for _ in range(count):
        position = position.play(int(position.legal_moves[0]))
    return list(position.moves)


def line_with_a_pass():
    """The end of a random game in which somebody had to pass."""
    game = make_game("python:othello,size=4", trusted=True)
    for seed in range(100):
        random, position = np.random.default_rng(seed), game.start()
        while not position.is_over:
            position = position.play(int(random.choice(position.legal_moves)))
        if game.points in position.moves:
            return position
    raise AssertionError("nobody passed in a hundred games")


def test_the_menu_has_the_game_first_and_says_how_it_is_drawn(othello):
    _, menu, _ = get(othello, "/api/menu")
    assert [game["name"] for game in menu["games"]] == ["gomoku", "go", "python:othello"]
    family = menu["games"][-1]
    assert (family["title"], family["board"], family["default_player"]) == ("othello", "cells", "mcts")
    assert menu["default_game"] == "python:othello,size=4"
    assert menu["asked_for"]


def test_a_game_with_a_pass_is_played_to_its_score_and_saved(othello):
    end = line_with_a_pass()
    position = end.game.start()
    with client(othello) as one:
        told = one.new("python:othello,size=4")
        for move in end.moves:
            assert told["can_pass"] == (move == PASS)
            assert told["legal"] == [point for point in position.legal_moves.tolist() if point < PASS]
            assert told["score"]["black"] == told["stones"].count("1")
            assert told["score"]["agreed"], "no stone can be dead"
            if move != PASS:
                assert "not legal" in one.refused("play", action=PASS)
            told, position = one.ask("play", action=move), position.play(move)
        assert told["over"]
        assert told["outcome"] == position.outcome
        assert told["score"]["black"] - told["score"]["white"] == position.margin
        assert "no stone is dead in python:othello" in one.refused("mark_dead", action=0)
        assert "no stone is dead in python:othello" in one.refused("suggest_dead")
        one.say("save")
        sgf = one.hear("sgf")["sgf"]
        assert "GM[2]" in sgf
        loaded = one.ask("load", sgf=sgf)
        assert loaded["stones"] == told["stones"]
        assert one.ask("undo")["over"] is False


def test_a_player_of_the_menu_answers_and_one_that_cannot_is_refused(othello):
    with client(othello) as one:
        one.new("python:othello,size=4", white=RANDOM)
        one.say("play", action=first_moves(1)[0])
        one.hear("state", lambda told: told["stones"].count("0") == 10)
        said = one.refused("new", game="python:othello,size=4", black=HUMAN, white={"player": "greedy", "level": 0})
        assert said == "player greedy needs a game that scores moves; python:othello,size=4 does not"


def test_a_browser_names_no_other_code(othello):
    with client(othello) as one:
        for text in ("python:antigravity", "python:othello:GAME", "PYTHON:squares_of_nobody", "python:"):
            said = one.refused("new", game=text, black=HUMAN, white=HUMAN)
            assert said.startswith("unknown game "), said
        assert "code of somebody's own" in one.refused("load", sgf="(;GM[11]EIGHTFOLD[python:antigravity];B[aa])")


def test_the_games_of_a_run_are_replayed_by_its_rules(othello):
    _, told, _ = get(othello, "/api/runs/0/games")
    game = told["games"][0]
    stones = list(game["start"])
    assert sorted(stones) == sorted("0" * 12 + "1122")
    for point, stone in [change for changes in game["changes"] for change in changes]:
        stones[point] = str(stone)
    position = make_game("python:othello,size=4").after(game["moves"])
    assert "".join(stones) == "".join(map(str, position.stones.ravel().tolist()))
    assert all(len(changes) > 1 for changes in game["changes"]), "every move turns something"


def test_a_run_for_a_game_that_nobody_typed_shows_why_not(tmp_path):
    from eightfold.web.runs import WatchedRun

    (tmp_path / "config.toml").write_text('game = "python:not_typed_by_anybody"\n')
    (tmp_path / "games.jsonl").write_text(json.dumps({"moves": [1], "opening": 0, "result": 1}) + "\n")
    [game] = WatchedRun(tmp_path).games()["games"]
    assert "python:not_typed_by_anybody is code of somebody's own" in game["error"]


def test_a_wrong_game_ends_the_server_before_it_opens(capsys):
    for text, said in (("python:nobody_wrote_this", "ModuleNotFoundError"), ("python:othello,size=5", "size=5 is odd")):
        arguments = ["serve", "--no-browser", "--port", "0", "--game", text]
        assert said in refusal(lambda arguments=arguments: app(arguments, standalone_mode=False))
    assert "Eightfold is at" not in capsys.readouterr().out


def test_a_game_with_owned_sides_tells_them():
    make_game("python:hex", trusted=True)
    human = Seat(player="human")
    told = Session.new("python:hex,size=5", [0, 1], human, human, playing=True, now=0.0).state(0.0)
    assert told["game"]["board"] == "diagonals"
    assert told["game"]["edges"] == {"top": 1, "bottom": 1, "left": 2, "right": 2}
    assert told["score"] is None
    assert told["legal"] is None
    assert not told["can_pass"]


# ---- in a browser -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium():
    if why_not():
        pytest.skip(why_not())
    with browser() as started:
        yield started


def test_othello_in_a_browser(chromium, othello):
    end = line_with_a_pass()
    with opened_page(chromium, othello) as page:
        assert page.inner_text("#caption") == "Othello 4×4, move 0"
        assert page.inner_text("#score") == "Black 2, white 2"
        page.click("#new-game")
        page.select_option('select[data-seat="white"]', "human")
        before = state(page)["id"]
        page.click("#start")
        page.wait_for_function("id => window.eightfold.game.state.id !== id", arg=before)
        for ply, move in enumerate(end.moves):
            assert page.is_enabled("#pass") == (move == PASS)
            assert page.locator(".legal circle").count() == len(state(page)["legal"])
            if move == PASS:
                page.click("#pass")
            else:
                click_point(page, move)
            page.wait_for_function("n => window.eightfold.game.state.tree.length > n", arg=ply + 1)
        black, white = (int((end.stones == colour).sum()) for colour in (1, 2))
        assert page.inner_text("#score").startswith(f"Black {black}, white {white}: ")
        assert page.inner_text("#status").lower() == f"{end.outcome}."
        assert page.is_hidden("#agree")
        page.evaluate("location.hash = '#runs'")
        page.wait_for_function("() => document.querySelectorAll('#runs-panel .stone').length > 0")
        assert page.locator("#runs-panel .stone:not([visibility=hidden])").count() == 4 + 4


def test_hex_in_a_browser(chromium):
    with (
        running(Lobby(game="python:hex,size=3", workers=1, pace=0, seed=1)) as address,
        opened_page(chromium, address) as page,
    ):
        assert page.locator(".owned.black").count() == 2
        assert page.locator(".owned.white").count() == 2
        assert page.inner_text("#caption") == "Hex 3×3, move 0. Black joins top and bottom, white left and right."
        assert page.is_hidden("#pass")
        page.click("#new-game")
        page.select_option('select[data-seat="white"]', "human")
        before = state(page)["id"]
        page.click("#start")
        page.wait_for_function("id => window.eightfold.game.state.id !== id", arg=before)
        for ply, move in enumerate((0, 2, 3, 5, 6)):
            click_point(page, move)
            page.wait_for_function("n => window.eightfold.game.state.tree.length > n", arg=ply + 1)
        assert page.inner_text("#status") == "Black wins."
        page.evaluate("location.hash = '#eightfold'")
        page.wait_for_function("() => document.querySelectorAll('#eight .stone').length > 0")
        assert page.locator("#eight figure:not([hidden])").count() == 2
        assert "2 of the eight symmetries" in page.inner_text("#eightfold-panel")
