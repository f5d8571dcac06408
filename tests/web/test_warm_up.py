"""Kernels are used for the first time beside the event loop, and whoever waits for a compiler is told so."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest

from eightfold.benchmarks.page import play_cold, server
from eightfold.core.compiling import BURSTS
from eightfold.web.lobby import Lobby
from eightfold.web.warm_up import WarmUp
from patience import LONG, finished
from web.serving import GREEDY, client, running

FIRST_GAMES = f"""
import sys, threading
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from numba.core import event
from web.serving import GREEDY, LOOP, RANDOM, client, running
from eightfold.web.lobby import Lobby

waited = set()  # threads that waited for the compiler's lock: to load a kernel from the cache one does, too

class Hearing(event.Listener):
    def on_start(self, happened):
        waited.add(threading.current_thread().name)
    def on_end(self, happened):
        pass

event.register("numba:compiler_lock", Hearing())
with running(Lobby(workers=2, pace=0, seed=1)) as address, client(address) as person:
    person.new(game="gomoku:size=7,rule=renju", white=GREEDY)
    person.say("play", action=24)
    person.hear("state", lambda state: state["stones"].count("2") == 1)
    person.ask("undo")
    person.ask("resign")
    person.new(game="go:size=5", white=RANDOM)
    person.say("play", action=12)
    person.hear("state", lambda state: len(state["tree"]) == 3)
    person.new(game="go:size=9,handicap=2")
    for action in (40, 81, 81):
        person.ask("play", action=action)
    person.ask("mark_dead", action=40)
    person.ask("agree")
    person.say("save")
    person.hear("sgf")
    person.say("load", sgf="(;GM[1]SZ[9]AB[cc]AW[gg];B[ee];W[dd])")
    person.hear("state")
    person.ask("select", node=1)
print(LOOP in waited, len(waited) > 0)
"""


def test_no_kernel_is_used_first_on_the_event_loop(run_python):
    """In a new process, where every kernel has still to be loaded or compiled."""
    assert run_python(FIRST_GAMES).split() == ["False", "True"]


@pytest.mark.slow
def test_who_waits_for_a_compiler_is_told_and_nobody_else_waits():
    compiled, lobby = threading.Event(), Lobby(workers=1, pace=0, seed=1)
    lobby.warm_up.step("a long compilation", lambda: compiled.wait(LONG))
    BURSTS.begin("eightfold.games.gomoku.rules")
    try:
        with running(lobby) as address, client(address) as person, client(address) as other:
            person.say("new", game="gomoku:size=7", black=GREEDY, white=GREEDY)
            [task] = person.hear("compiling")["tasks"]
            assert (task["who"], task["part"]) == ("the page", "the rules of gomoku")
            assert task["seconds"] >= 0
            for page in (person, other):  # the loop is free, and so is a connection whose game waits
                page.say("ping")
                page.hear("pong")
            assert person.state == {}
            BURSTS.end()
            compiled.set()
            person.hear("state", lambda state: "2" in state["stones"])
    finally:
        compiled.set()
    finished(_compiled)
    with running(Lobby(workers=1)) as address, client(address) as late:
        late.say("ping")
        while (message := late.hear_any())["type"] != "pong":
            assert message == {"type": "compiling", "tasks": []}, "nothing is compiled any more"


def _compiled() -> None:
    while BURSTS.now:
        time.sleep(0.01)


def test_a_step_is_done_once_and_those_that_are_asked_for_come_first():
    warm_up, begun, order = WarmUp(idle=0.01), threading.Event(), []
    warm_up.step("first", lambda: begun.wait(LONG))
    warm_up.step("later", lambda: order.append("later"), later=True)
    warm_up.step("put off, then asked for", lambda: order.append("both"), later=True)
    asked = warm_up.step("asked for", lambda: order.append("asked for"))
    both = warm_up.step("put off, then asked for", lambda: order.append("both"))
    failed = warm_up.step("failing", lambda: 1 / 0)
    begun.set()
    for done in (asked, both, failed, warm_up.step("later", lambda: order.append("later"))):
        finished(done.result)
    assert order == ["asked for", "both", "later"]


def test_what_training_compiles_is_told_too():
    lobby = Lobby(workers=1, pace=0, seed=1)
    with running(lobby) as address, client(address) as person:
        person.say("ping")
        person.hear("pong")
        for part in ("gomoku: search with a network", ""):
            lobby.training_compiles(part)
            told = person.hear("compiling", lambda message, part=part: bool(part) == bool(message["tasks"]))
            assert [(task["who"], task["part"]) for task in told["tasks"]] == ([("training", part)] if part else [])


@pytest.mark.slow
def test_games_at_a_cold_server_are_told_and_then_answered(tmp_path):
    with server(EIGHTFOLD_CACHE=str(tmp_path)) as (address, _):
        games = asyncio.run(play_cold(address, 20))
    assert all("compiling" in game.words[0] for game in games), "before its first state"
    assert all(len(game.played.waits) == 2 and game.played.lost == 0 for game in games)
