"""Kernels are used for the first time beside the event loop, and whoever waits for a compiler is told so."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from eightfold.benchmarks.page import play_cold, server
from eightfold.core.compiling import BURSTS
from eightfold.web.host import Host
from eightfold.web.kernels import Kernels
from patience import LONG, finished
from web.serving import GREEDY, client, running

FIRST_GAMES = f"""
import sys, threading
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from numba.core import event
from web.serving import GREEDY, LOOP, RANDOM, client, running
from eightfold.web.host import Host

waited = set()  # threads that waited for the compiler's lock: to load a kernel from the cache one does, too

class Hearing(event.Listener):
    def on_start(self, happened):
        waited.add(threading.current_thread().name)
    def on_end(self, happened):
        pass

event.register("numba:compiler_lock", Hearing())
with running(Host(workers=2, pace=0, seed=1)) as address, client(address) as person:
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
    person.ask("mark", action=40)
    person.ask("agree")
    person.say("save")
    person.hear("sgf")
    person.say("load", sgf="(;GM[1]SZ[9]AB[cc]AW[gg];B[ee];W[dd])")
    person.hear("state")
    person.ask("go", node=1)
print(LOOP in waited, len(waited) > 0)
"""


def test_no_kernel_is_used_first_on_the_event_loop(run_python):
    """In a new process, where every kernel has still to be loaded or compiled."""
    assert run_python(FIRST_GAMES).split() == ["False", "True"]


def test_who_waits_for_a_compiler_is_told_and_nobody_else_waits():
    compiled, host = threading.Event(), Host(workers=1, pace=0, seed=1)
    host.kernels.step("a long compilation", lambda: compiled.wait(LONG))
    BURSTS.begin("eightfold.games.gomoku.rules")
    try:
        with running(host) as address, client(address) as person, client(address) as other:
            person.say("new", game="gomoku:size=7", black=GREEDY, white=GREEDY)
            assert "compiling the rules of gomoku" in person.hear("compiling")["text"]
            for page in (person, other):  # the loop is free, and so is a connection whose game waits
                page.say("ping")
                page.hear("pong")
            assert person.state == {}
            BURSTS.end()
            compiled.set()
            person.hear("state", lambda state: "2" in state["stones"])
    finally:
        compiled.set()
    with running(Host(workers=1)) as address, client(address) as late:
        late.say("ping")
        while (message := late.hear_any())["type"] != "pong":
            assert message == {"type": "compiling", "text": ""}, "nothing is compiled any more"


def test_a_step_is_done_once_and_those_that_are_asked_for_come_first():
    kernels, begun, order = Kernels(idle=0.01), threading.Event(), []
    kernels.step("first", lambda: begun.wait(LONG))
    kernels.step("later", lambda: order.append("later"), later=True)
    kernels.step("put off, then asked for", lambda: order.append("both"), later=True)
    asked = kernels.step("asked for", lambda: order.append("asked for"))
    both = kernels.step("put off, then asked for", lambda: order.append("both"))
    failed = kernels.step("failing", lambda: 1 / 0)
    begun.set()
    for done in (asked, both, failed, kernels.step("later", lambda: order.append("later"))):
        finished(done.result)
    assert order == ["asked for", "both", "later"]


@pytest.mark.slow
def test_games_at_a_cold_server_are_told_and_then_answered(tmp_path):
    with server(EIGHTFOLD_CACHE=str(tmp_path)) as (address, _):
        games = asyncio.run(play_cold(address, 20))
    assert all("compiling" in game.words[0] for game in games), "before its first state"
    assert all(len(game.played.waits) == 2 and game.played.lost == 0 for game in games)
