"""Compiling beside the event loop: a thread of its own, in which everything compiled is used for the first time.

A kernel compiles when it is first called, and loading it from the cache waits for whatever else is being compiled. So
nothing may be called for the first time on the event loop, nor in a worker that others wait for. Whoever needs the
rules of a game or a player waits for a step here; steps that somebody waits for come before those of the server's own.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field

from eightfold.games.game import Game, make_game
from eightfold.search.result import Player
from eightfold.web.messages import Seat
from eightfold.web.offers import HUMAN
from eightfold.web.session import Session

IDLE = 5.0  # seconds in which nobody asks for anything before a step is done that nobody waits for

log = logging.getLogger("eightfold.web")


@dataclass(order=True)
class _Turn:
    later: bool  # nobody waits for it
    number: int
    work: Callable[[], object] = field(compare=False)
    done: Future[None] = field(compare=False)


class Kernels:
    """Steps, each done once, one at a time."""

    def __init__(self, *, idle: float = IDLE) -> None:
        self._idle = idle
        self._done: dict[Hashable, Future[None]] = {}  # by step, also while it waits
        self._turns: list[_Turn] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="first-use", daemon=True)
        self._thread.start()

    def step(self, key: Hashable, work: Callable[[], object], *, later: bool = False) -> Future[None]:
        """Do a step, unless it was done or is waited for already; `later`: when nobody waits for another.

        A step that fails counts as done: whoever needs what it could not reach meets the same trouble.
        """
        with self._changed:
            done = self._done.get(key)
            if done is None:
                done = self._done[key] = Future()
                done.set_running_or_notify_cancel()  # whoever stops waiting stops nobody else
            elif later or done.done():
                return done
            # One that was put off is asked for now: its first turn to come does it, and the other finds it done.
            heapq.heappush(self._turns, _Turn(later, next(self._numbers), work, done))
            self._changed.notify()
            return done

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._turns or self._closed)
                # A step cannot be interrupted: somebody who comes in a moment should not have to wait for it.
                self._changed.wait_for(lambda: self._closed or not self._turns[0].later, self._idle)
                if self._closed:
                    return
                turn = heapq.heappop(self._turns)
            if turn.done.done():
                continue
            try:
                turn.work()
            except Exception as error:
                log.debug("a first use failed: %s", error)
            turn.done.set_result(None)

    def close(self) -> None:
        """Begin nothing more. What is being compiled ends with the process."""
        with self._changed:
            self._closed = True
            self._turns.clear()
            self._changed.notify()


def use_rules(family: str) -> None:
    """Everything that a session does with the rules of a game, so that none of it compiles on the event loop."""
    human = Seat(player=HUMAN)
    text = f"{family}:size=9"
    if "handicap" in make_game(text).values:
        text += ",handicap=2"
    session = Session.new(text, [0], human, human, playing=True, now=0.0)
    points = session.game.points
    session.play(1, 0.0)
    session.state(0.0)
    session.undo(0.0)
    if session.game.spec.has_pass:  # and is counted then
        session.play(points, 0.0)
        session.play(points, 0.0)
        session.mark(0)
    session.state(0.0)
    session.as_sgf()


def use_player(player: Player, game: Game) -> None:
    """Two moves, as short as can be: the second may find a tree that is kept."""
    stop = threading.Event()
    stop.set()
    position = game.start()
    for _ in range(2):
        position = position.play(player.think(position, stop=stop).action)
