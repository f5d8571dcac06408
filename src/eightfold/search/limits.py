"""The limits of one move: a time, a stop from outside, and whoever wants to know how it stands meanwhile.

Every searching player asks here whether to go on, so that `think(seconds=, stop=, on_progress=)` means the same for
all of them. Of a `MoveTime` a player takes the usual time, unless it knows which moves deserve more: see `pace.py`.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from eightfold.core.errors import EightfoldError
from eightfold.search.move_time import MoveTime, Seconds
from eightfold.search.result import Progress, SearchResult

REPORT_EVERY = 0.25  # seconds between two snapshots
LONGEST = 1e6  # seconds: twelve days; timers take no more than some years


class Limits:
    """Made when the thinking begins, at the time that `now` tells. `own` is the player's option `seconds`, or 0."""

    def __init__(
        self,
        own: float,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
        *,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        usual, most = (seconds.usual, seconds.most) if isinstance(seconds, MoveTime) else (seconds, seconds)
        if usual is not None and most is not None and not 0 <= usual <= most:  # this way round no number is refused too
            raise EightfoldError(f"seconds={usual} is not a time to think; give 0 or more, or None for no limit")
        self._now, self._begun = now, now()
        self.seconds = min(usual, LONGEST) if usual is not None else (own or None)  # the usual time; None: no limit
        self.most = min(most, LONGEST) if most is not None else self.seconds
        self.on_a_clock = usual != most  # what this move leaves is there for the next
        self._stop, self._on_progress = stop, on_progress
        self._next_report = self._begun + REPORT_EVERY

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

    @property
    def elapsed(self) -> float:
        """Seconds since the thinking began."""
        return self._now() - self._begun

    def stopped(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    def reached(self) -> bool:
        """Time to play the best move so far: the usual time is up."""
        return self.stopped() or self.elapsed >= (math.inf if self.seconds is None else self.seconds)

    def exhausted(self) -> bool:
        """As `reached`, for a player that knows why it goes on beyond the usual time: all time is up."""
        return self.stopped() or self.elapsed >= (math.inf if self.most is None else self.most)

    def report(self, snapshot: Callable[[], SearchResult]) -> None:
        """Tell how it stands, if that is wanted and due."""
        if self._on_progress is not None and (now := self._now()) >= self._next_report:
            self._next_report = now + REPORT_EVERY
            self._on_progress(snapshot())
