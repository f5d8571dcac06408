"""Worker threads that think for many games, in fair turns and off the event loop.

A server has as many workers as it has cores, whatever the number of games. The games that wait take turns (round
robin): each gets one job done, then the next one. Read next: `player_pool.py`, which lends the players.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from eightfold.core.errors import EightfoldError

log = logging.getLogger("eightfold.web")


@dataclass(eq=False)
class Job:
    """A piece of work, most often a player's thinking."""

    work: Callable[[threading.Event], Any]
    done: Callable[[Job, Any, Exception | None], None]  # called in the worker
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        if self.stop.is_set():
            return
        result, failure = None, None
        try:
            result = self.work(self.stop)
        except Exception as error:
            failure = error
            if not isinstance(error, EightfoldError):
                log.exception("a player failed")
        self.done(self, result, failure)


class WorkerPool:
    """Worker threads, and the queue of jobs of each table."""

    def __init__(self, workers: int) -> None:
        self._waiting: OrderedDict[str, deque[Job]] = OrderedDict()  # by table, in the order of turns
        self._running: set[Job] = set()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"worker-{number}", daemon=True) for number in range(workers)
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
        """Queue a job for this table; `done` is called when it ends, unless it is stopped before it begins.

        A job that needs something first is queued when `after` is done, and keeps no worker waiting.
        """
        job = Job(work, done)
        if after is None or after.done():
            self._queue(table, job)
        else:
            after.add_done_callback(lambda _: self._queue(table, job))
        return job

    def _queue(self, table: str, job: Job) -> None:
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
                    self._waiting[table] = jobs  # behind all other tables
                self._running.add(job)
            try:
                job.run()
            except Exception:
                log.exception("a worker failed")  # and goes on: others wait for it
            finally:
                with self._changed:
                    self._running.discard(job)

    def close(self) -> None:
        """Stop everything. A player that cannot be stopped ends with the process."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            for job in self._running:
                job.stop.set()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(timeout=2)


def failure_text(error: Exception | None) -> str:
    """One line for the page. A bug tells its kind and no more: the rest is in the server's log."""
    return str(error) if isinstance(error, EightfoldError) else f"a player failed: {type(error).__name__}"


def on_loop(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: Any) -> None:
    """Call something on the event loop from another thread; does nothing when the server has ended."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *arguments)
