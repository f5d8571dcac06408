"""Work in a thread of its own, for which somebody waits as long as there is time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")
LOOK = 0.02  # seconds between two looks at whether somebody wants to wait no longer


class Beside(Generic[Answer]):
    """Begins at once; a process that ends does not wait for it."""

    def __init__(self, work: Callable[[], Answer]) -> None:
        self._done = threading.Event()
        self._answers: list[Answer] = []
        self._trouble: BaseException | None = None

        def run() -> None:
            try:
                self._answers.append(work())
            except BaseException as trouble:
                self._trouble = trouble
            self._done.set()

        threading.Thread(target=run, name="beside", daemon=True).start()

    @property
    def done(self) -> bool:
        return self._done.is_set()

    def wait(self, seconds: float | None = None, stop: threading.Event | None = None) -> bool:
        """Wait so long, or until `stop` is set; whether the work is done."""
        end = None if seconds is None else time.perf_counter() + seconds
        while not self.done and not (stop is not None and stop.is_set()):
            left = LOOK if end is None else min(LOOK, end - time.perf_counter())
            if left <= 0:
                break
            self._done.wait(left)
        return self.done

    def result(self) -> Answer:
        """What came of it, however long it takes; its trouble is raised, each time."""
        self._done.wait()
        if self._trouble is not None:
            raise self._trouble
        return self._answers[0]
