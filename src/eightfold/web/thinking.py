"""Thinking beside the event loop: a few workers, fair turns for many games, players that are lent out.

A server has as many workers as it has cores, whatever the number of games. The games that wait form a round: each
gets one piece of thinking, then the next one. Nobody needs more players than there are workers, so players are
not made for a game but lent to it: a hundred games against the same network load it at most once for each worker,
and memory does not grow with the games. A player finds its way in any position, and keeps its tree where it
comes back to the game that it served last.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import secrets
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.search.result import Player, close_player
from eightfold.web.offers import Offer

MOST_IDLE = 12  # players kept for whoever asks next

log = logging.getLogger("eightfold.web")


@dataclass(eq=False)
class Job:
    """A piece of thinking that was asked for."""

    work: Callable[[threading.Event], Any]
    done: Callable[[Job, Any, Exception | None], None]  # called in the worker
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        if self.stop.is_set():
            return
        result, trouble = None, None
        try:
            result = self.work(self.stop)
        except Exception as error:
            trouble = error
            if not isinstance(error, EightfoldError):
                log.exception("a player failed")
        self.done(self, result, trouble)


class ThinkingPool:
    """Workers, and a round of those who wait."""

    def __init__(self, workers: int) -> None:
        self._waiting: OrderedDict[str, deque[Job]] = OrderedDict()  # by table, in the order of their turns
        self._running: set[Job] = set()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"thinking-{number}", daemon=True) for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def workers(self) -> int:
        return len(self._threads)

    def submit(
        self,
        table: str,
        work: Callable[[threading.Event], Any],
        done: Callable[[Job, Any, Exception | None], None],
        *,
        after: Future[None] | None = None,
    ) -> Job:
        """Wait for a turn of this table, then work; `done` hears of the end unless the job was stopped before.

        A job that needs something first joins the round when that is there, and keeps no worker waiting.
        """
        job = Job(work, done)
        if after is None or after.done():
            self._join(table, job)
        else:
            after.add_done_callback(lambda _: self._join(table, job))
        return job

    def _join(self, table: str, job: Job) -> None:
        with self._changed:
            if not self._closed:
                self._waiting.setdefault(table, deque()).append(job)
                self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                table, jobs = self._waiting.popitem(last=False)
                job = jobs.popleft()
                if jobs:
                    self._waiting[table] = jobs  # behind all others
                self._running.add(job)
            try:
                job.run()
            except Exception:
                log.exception("a worker failed")  # and goes on: others wait for it
            finally:
                with self._changed:
                    self._running.discard(job)

    def close(self) -> None:
        """Stop everything; a player that cannot be stopped ends with the process."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            for job in self._running:
                job.stop.set()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(timeout=2)


def on_loop(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: Any) -> None:
    """Call something on the loop, from a worker; a server that has ended hears nothing more."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *arguments)


@dataclass(eq=False)
class _Lent:
    key: tuple[Any, ...]
    player: Player
    table: str


class PlayerShelf:
    """Players that are lent out and come back."""

    def __init__(self, *, seed: int | None = None) -> None:
        self._idle: list[_Lent] = []  # the one that came back last is the last
        self._lock = threading.Lock()
        self._making = threading.Lock()  # one at a time: loading networks side by side takes twice the memory
        self._seeds = itertools.count(secrets.randbelow(1 << 30) if seed is None else seed)
        self._closed = False

    @contextlib.contextmanager
    def borrowed(self, offer: Offer, level: int, game: Game, table: str) -> Iterator[Player]:
        key = (offer.key, level, offer.version(), game.text)
        lent = self._take(key, table)
        if lent is None:
            with self._making:
                lent = self._take(key, table)  # somebody may have brought one back meanwhile
                if lent is None:
                    lent = _Lent(key, offer.make(level, game, next(self._seeds)), table)
                    lent.player.new_game()
        elif lent.table != table:
            lent.player.new_game()
            lent.table = table
        try:
            yield lent.player
        except BaseException:
            _close(lent.player)  # who knows what state it is in
            raise
        self._give_back(lent)

    def _take(self, key: tuple[Any, ...], table: str) -> _Lent | None:
        with self._lock:
            fitting = [lent for lent in self._idle if lent.key == key]
            if not fitting:
                return None
            known = [lent for lent in fitting if lent.table == table]
            lent = known[0] if known else fitting[0]
            self._idle.remove(lent)
            return lent

    def _give_back(self, lent: _Lent) -> None:
        with self._lock:
            self._idle.append(lent)
            dropped = [self._idle.pop(0)] if len(self._idle) > MOST_IDLE else []
            if self._closed:
                dropped, self._idle = dropped + self._idle, []
        for old in dropped:
            _close(old.player)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            dropped, self._idle = self._idle, []
        for lent in dropped:
            _close(lent.player)


def _close(player: Player) -> None:
    """Whatever comes of it: nobody waits for this player any more."""
    with contextlib.suppress(Exception):
        close_player(player)
