"""Analysis: a player thinks about whatever position is shown, until somebody stops it.

It thinks a slice at a time, so that other games get their turns.
"""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING

from eightfold.arena.players import HUMAN
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Position
from eightfold.search.result import SearchResult
from eightfold.web.assessment import assessment
from eightfold.web.messages import Seat
from eightfold.web.workers import Job, on_loop

if TYPE_CHECKING:
    from eightfold.web.table import Table

SLICE = 0.5  # seconds of analysis before others get their turn
LONGEST_SLICE = 8.0
LONGEST_ANALYSIS = 120.0  # seconds for one position: more would hardly change the picture


class Analysis:
    """The analysis of one table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._job: Job | None = None
        self.analyst: Seat | None = None  # who thinks; None: nobody

    def start(self, by: Seat | None) -> None:
        self.stop()
        if by is None:
            raise EightfoldError("an analysis needs a player: by")
        if by.player == HUMAN:
            raise EightfoldError("a human cannot analyse for you; name another player")
        self.analyst = by
        self.follow()

    def stop(self) -> None:
        self.analyst = None
        self._stop_job()

    def _stop_job(self) -> None:
        if self._job is not None:
            self._job.stop.set()
            self._job = None

    def follow(self) -> None:
        """Think about the position that is shown now."""
        self._stop_job()
        session = self._table.session
        if self.analyst is not None and self._table.viewers and not session.is_over:
            self._think(self.analyst, session.position, session.node, SLICE, 0.0)

    def _think(self, seat: Seat, position: Position, node: int, seconds: float, spent: float) -> None:
        """One slice of `seconds`, and then the next; `spent`: seconds on this position so far."""
        table, session = self._table, self._table.session
        loop, identity = asyncio.get_running_loop(), session.id
        jobs: list[Job] = []

        def tell(result: SearchResult, more: float) -> None:
            if jobs and jobs[0] is self._job:
                session.store_evaluation(node, result, seat)
                table.tell(assessment(session, node, result, spent + more))

        def work(stop: threading.Event) -> tuple[SearchResult, float]:
            begin = time.monotonic()

            def progress(result: SearchResult) -> None:
                if not stop.is_set():
                    on_loop(loop, tell, result, time.monotonic() - begin)

            with table.lobby.borrow(seat, position.game, f"{identity} analysis") as player:
                result = player.think(position, seconds=seconds, stop=stop, on_progress=progress)
            return result, time.monotonic() - begin

        def done(job: Job, answer: tuple[SearchResult, float] | None, failure: Exception | None) -> None:
            if job is not self._job:
                return
            if failure is not None or answer is None:
                self.stop()
                table.tell_failure(failure)
                table.tell_state()
                return
            result, took = answer
            tell(result, took)
            self._job = None
            # A tree grows with every slice; a search without one begins again, and needs a longer slice.
            longer = seconds if result.visits is not None else 2 * seconds
            settled = abs(result.value) == 1 or len(position.legal_moves) == 1
            if not settled and spent + took < LONGEST_ANALYSIS and longer <= LONGEST_SLICE:
                self._think(seat, position, node, longer, spent + took)

        self._job = table.submit(work, done, by=seat)
        jobs.append(self._job)
