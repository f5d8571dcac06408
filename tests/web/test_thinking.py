"""Fair turns, players that are lent out, and work that can be stopped."""

from __future__ import annotations

import threading
import time

import pytest

from eightfold.games.game import make_game
from eightfold.nets.store.description import MODELS
from eightfold.web.offers import Level, Offer, Offers
from eightfold.web.thinking import MOST_IDLE, PlayerShelf, ThinkingPool
from patience import LONG
from refusals import refusal


def wait_for(condition):
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "this did not happen"
        time.sleep(0.005)


def test_tables_take_turns_however_much_one_of_them_asks_for():
    pool, order = ThinkingPool(1), []
    gate = threading.Event()
    pool.submit("gate", lambda stop: gate.wait(20), lambda *_: None)
    for number in range(5):
        pool.submit("greedy", lambda stop, n=number: n, lambda job, result, trouble: order.append(("greedy", result)))
    for table in ("one", "two"):
        pool.submit(table, lambda stop: 0, lambda job, result, trouble, t=table: order.append((t, result)))
    gate.set()
    wait_for(lambda: len(order) == 7)
    assert order[:3] == [("greedy", 0), ("one", 0), ("two", 0)]
    assert order[3:] == [("greedy", number) for number in range(1, 5)]
    pool.close()


def test_what_was_stopped_before_its_turn_is_never_done():
    pool, done = ThinkingPool(1), []
    gate = threading.Event()
    pool.submit("gate", lambda stop: gate.wait(20), lambda *_: done.append("gate"))
    job = pool.submit("other", lambda stop: 1, lambda *_: done.append("other"))
    job.stop.set()
    gate.set()
    wait_for(lambda: done)
    time.sleep(0.05)
    assert done == ["gate"]
    pool.close()


def test_trouble_is_told_and_the_worker_goes_on():
    pool, heard = ThinkingPool(1), []

    def fail(stop):
        raise RuntimeError("a bug")

    pool.submit("one", fail, lambda job, result, trouble: heard.append(trouble))
    pool.submit("two", lambda stop: 5, lambda job, result, trouble: heard.append(result))
    wait_for(lambda: len(heard) == 2)
    assert isinstance(heard[0], RuntimeError)
    assert heard[1] == 5
    pool.close()


def test_closing_stops_what_runs():
    pool = ThinkingPool(2)
    begun, heard = threading.Event(), threading.Event()

    def long(stop):
        begun.set()
        if stop.wait(20):
            heard.set()

    pool.submit("one", long, lambda *_: None)
    assert begun.wait(20)
    pool.close()
    wait_for(heard.is_set)


# ---- players -------------------------------------------------------------------------------------------

GAME = make_game("gomoku:size=5,win=4")


def offer(key="random", text="random"):
    return Offer(key=key, summary="", levels=(Level(name="as it is", text=text),))


def test_a_player_is_lent_again_and_kept_for_the_game_it_served():
    shelf = PlayerShelf(seed=0)
    with shelf.borrowed(offer(), 0, GAME, "a") as first:
        pass
    with shelf.borrowed(offer(), 0, GAME, "b") as second:
        assert second is first
        with shelf.borrowed(offer(), 0, GAME, "a") as third:
            assert third is not first
    with shelf.borrowed(offer(), 0, GAME, "b") as again:
        assert again is first


def test_a_player_that_failed_is_not_lent_again_and_is_closed():
    shelf, closed = PlayerShelf(seed=0), []
    with pytest.raises(RuntimeError), shelf.borrowed(offer(), 0, GAME, "a") as first:  # noqa: PT012
        first.close = lambda: closed.append(1)
        raise RuntimeError
    with shelf.borrowed(offer(), 0, GAME, "a") as other:
        assert other is not first
    assert closed == [1]


def test_idle_players_are_few():
    shelf = PlayerShelf(seed=0)
    for number in range(MOST_IDLE + 5):
        with shelf.borrowed(offer(key=str(number)), 0, GAME, "a"):
            pass
    assert len(shelf._idle) == MOST_IDLE


# ---- offers --------------------------------------------------------------------------------------------


def engine_in(folder, name="pbrain-x"):
    """A program that could be run; nobody does."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_offers_are_the_built_in_players_and_what_was_asked_for(tmp_path):
    offers = Offers(["mcts:playouts=7", f"gomocup:seconds=2,{engine_in(tmp_path)} --fast"])
    keys = [offer.key for offer in offers.all()]
    assert {"mcts", "alphabeta", "greedy", "random", "mcts:playouts=7", "gomocup:pbrain-x"} <= set(keys)
    assert offers.find("mcts").level(0).text.startswith("mcts:playouts=100")
    assert str(tmp_path) not in str([offer.as_dict() for offer in offers.all()])


def test_an_internal_symmetry_network_is_offered_for_go_alone(tmp_path):
    file = tmp_path / "mine.safetensors"
    file.write_bytes((MODELS / "isn-9" / "isn.safetensors").read_bytes())
    offers = Offers([f"isn:{file},beta=20"])
    shipped, own = offers.find("isn:isn-9"), offers.find("isn:mine,beta=20")
    for size in (5, 9):
        game = make_game(f"go:size={size},komi=0.5")
        shipped.check_fits(game)
        assert shipped.make(0, game, seed=1).think(game.start()).action in game.start().legal_moves
    assert "was trained for go" in refusal(lambda: shipped.check_fits(make_game("gomoku:size=9")))
    file.unlink()
    said = refusal(lambda: own.make(0, make_game("go:size=5"), seed=1))
    assert "isn:mine" in said
    assert str(tmp_path) not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mcts:x=1", "unknown option of player mcts"),
        ("fly", "unknown player 'fly'"),
        ("gomocup:", "names no command"),
        ("gomocup:no-such-program", "there is no program"),
        ("gomocup:speed=3,sh", "unknown option"),
        ("python:nothing", "is not of the form"),
        ("gtp:no-such-program", "there is no program"),
        ("isn:nowhere", "holds no Internal Symmetry Network"),
        ("net:", "names no network"),
        ("net:no-such-run", "holds no network"),
    ],
)
def test_a_wrong_player_is_refused_when_the_server_starts(text, said):
    with pytest.raises(ValueError, match=said):
        Offers([text])


def test_two_of_a_name_are_told_apart(tmp_path):
    engines = [engine_in(tmp_path / folder, "engine") for folder in "ab"]
    offers = Offers([f"gomocup:{engine}" for engine in engines]).all()
    assert [offer.key for offer in offers if "engine" in offer.key] == ["gomocup:engine", "gomocup:engine (2)"]
