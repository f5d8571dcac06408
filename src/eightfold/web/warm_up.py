"""A thread in which everything that is compiled is used for the first time.

A kernel compiles when it is first called, and loading it from the disk cache waits for whatever else compiles. So
nothing is called for the first time on the event loop, nor in a worker that others wait for. Whoever needs the rules
of a game or a player waits for a step of this thread. Steps that somebody waits for come before those that the
server does on its own account.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field

from eightfold.arena.players import HUMAN
from eightfold.games.game import make_game
from eightfold.search.solving import proven_line
from eightfold.web.messages import Seat
from eightfold.web.session import Session

IDLE = 5.0  # seconds without a request before a step begins that nobody waits for

log = logging.getLogger("eightfold.web")


@dataclass(order=True)
class _Step:
    later: bool  # nobody waits for it
    number: int
    work: Callable[[], object] = field(compare=False)
    done: Future[None] = field(compare=False)


class WarmUp:
    """Steps, each done once, one at a time."""

    def __init__(self, *, idle: float = IDLE) -> None:
        self._idle = idle
        self._done: dict[Hashable, Future[None]] = {}  # by the key of a step, also while it is queued
        self._queue: list[_Step] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="warm-up", daemon=True)
        self._thread.start()

    def step(self, key: Hashable, work: Callable[[], object], *, later: bool = False) -> Future[None]:
        """Do a step once; `later`: when the server is idle, unless somebody asks for it before.

        A step that fails counts as done: whoever needs what it could not reach gets the same error.
        """
        with self._changed:
            done = self._done.get(key)
            if done is None:
                done = self._done[key] = Future()
                done.set_running_or_notify_cancel()  # whoever stops waiting stops nobody else
            elif later or done.done():
                return done
            # A step that was queued for later is queued again: whichever comes first does it.
            heapq.heappush(self._queue, _Step(later, next(self._numbers), work, done))
            self._changed.notify()
            return done

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closed)
                # A step cannot be interrupted: somebody who comes in a moment should not have to wait for it.
                self._changed.wait_for(lambda: self._closed or not self._queue[0].later, self._idle)
                if self._closed:
                    return
                step = heapq.heappop(self._queue)
            if step.done.done():
                continue
            try:
                step.work()
            except Exception as error:
                log.debug("a first use failed: %s", error)
            step.done.set_result(None)

    def close(self) -> None:
        """Begin nothing more. What is being compiled ends with the process."""
        with self._changed:
            self._closed = True
            self._queue.clear()
            self._changed.notify()


def warm_up_session(family: str) -> None:
    """Everything that a session does with the rules of a game, so that none of it compiles on the event loop."""
    human = Seat(player=HUMAN)
    text = make_game(family).text.replace("handicap=0", "handicap=2")
    first = int(make_game(text).start().legal_moves[0])
    session = Session.new(text, [first], human, human, playing=True, now=0.0)
    game = session.game
    session.play(int(session.position.legal_moves[0]), 0.0)
    session.state(0.0)
    session.undo(0.0)
    if game.has_dead_stones:
        session.play(game.points, 0.0)
        session.play(game.points, 0.0)
        session.mark_dead(first)
    session.state(0.0)
    session.as_sgf()


def warm_up_threats(family: str) -> None:
    """The search for wins that hints show, where the game has one."""
    proven_line(make_game(family).start(), nodes=1)
