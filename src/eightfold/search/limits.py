"""The limits of one move: a time, a stop from outside, and whoever wants to know how it stands meanwhile.

Every searching player asks here whether to go on, so that `think(seconds=, stop=, on_progress=)` means the same for
all of them.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from eightfold.core.errors import EightfoldError
from eightfold.search.result import Progress, SearchResult

REPORT_EVERY = 0.25  # seconds between two snapshots
LONGEST = 1e6  # seconds: twelve days; timers take no more than some years


class Limits:
    """Made when the thinking begins, at the time that `now` tells. `own` is the player's option `seconds`, or 0."""

    def __init__(
        self,
        own: float,
        seconds: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
        *,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        if seconds is not None and not seconds >= 0:  # this way round what is no number is refused too
            raise EightfoldError(f"seconds={seconds} is not a time to think; give 0 or more, or None for no limit")
        self._now, begun = now, now()
        self.seconds = min(seconds, LONGEST) if seconds is not None else (own or None)  # None: no limit
        self._deadline = math.inf if self.seconds is None else begun + self.seconds
        self._stop, self._on_progress = stop, on_progress
        self._next_report = begun + REPORT_EVERY

    @property
    def timed(self) -> bool:
        return self.seconds is not None

    @property
    def watched(self) -> bool:
        """Whether somebody outside may interrupt or wants to be told."""
        return self._stop is not None or self._on_progress is not None

    @property
    def told(self) -> bool:
        """Whether somebody wants to be told."""
        return self._on_progress is not None

    def stopped(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    def reached(self) -> bool:
        """Time to play the best move so far."""
        return self.stopped() or self._now() >= self._deadline

    def report(self, snapshot: Callable[[], SearchResult]) -> None:
        """Tell how it stands, if that is wanted and due."""
        if self._on_progress is not None and (now := self._now()) >= self._next_report:
            self._next_report = now + REPORT_EVERY
            self._on_progress(snapshot())
