"""A task in a thread of its own, for which callers wait as long as they have time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")
POLL = 0.02  # seconds between two looks at `stop`
NAME = "background"  # of the threads


class BackgroundTask(Generic[Result]):
    """Starts at once. A process that ends does not wait for it."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._done = threading.Event()
        self._results: list[Result] = []
        self._error: BaseException | None = None

        def run() -> None:
            try:
                self._results.append(work())
            except BaseException as error:
                self._error = error
            self._done.set()

        threading.Thread(target=run, name=NAME, daemon=True).start()

    @property
    def done(self) -> bool:
        return self._done.is_set()

    def wait(self, seconds: float | None = None, stop: threading.Event | None = None) -> bool:
        """Wait for at most `seconds`, or until `stop` is set; returns whether the task is done."""
        end = None if seconds is None else time.perf_counter() + seconds
        while not self.done and not (stop is not None and stop.is_set()):
            left = POLL if end is None else min(POLL, end - time.perf_counter())
            if left <= 0:
                break
            self._done.wait(left)
        return self.done

    def result(self) -> Result:
        """The result, however long it takes; an error of the task is raised here, each time."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._results[0]


def anything_goes_on() -> bool:
    """Whether a task is still at work. A process must not end as usual then: libraries abort it in their middle."""
    return any(thread.name == NAME for thread in threading.enumerate())
