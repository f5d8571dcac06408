"""What people see of a study while they wait, on stderr: the stage, its parts, and how long it will still take."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

QUIET_SECONDS = 30.0  # between two lines about parts, where stderr is not a terminal


class StudyProgress:
    """A bar for the stage at work; where stderr is no terminal, a line for every stage and now and then for a part.

    The time left is that of the stage: what its parts took so far, for the parts that are missing. Parts that were
    kept from before do not count.
    """

    def __init__(self, study: str) -> None:
        self._console = Console(stderr=True, highlight=False, emoji=False, markup=False, soft_wrap=True)
        self._live = self._console.is_terminal
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._live,
        )
        self._task = self._bar.add_task("", visible=False, left="")
        self._study, self._stage, self._said = study, "", time.monotonic()
        self.begin(0)

    def __enter__(self) -> StudyProgress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def stage(self, name: str) -> None:
        """A stage is going to be measured."""
        self._stage, self._said = f"{self._study}: {name.replace('_', ' ')}", time.monotonic()
        self._console.print(self._stage)
        self.begin(0)

    def begin(self, parts: int) -> None:
        """So many parts of it are to be measured now."""
        self._parts, self._finished, self._start, self._what = parts, 0, time.monotonic(), self._stage
        self._show(0.0)

    def part(self, label: str) -> None:
        """One of them is begun."""
        number = f"{self._finished + 1} of {self._parts}" if self._parts > 1 else ""
        self._what = ", ".join(text for text in (f"{self._stage} {number}".rstrip(), label) if text)
        self._show(0.0)

    def share_of_part(self, share: float) -> None:
        """This much of it is done, 0 to 1."""
        self._show(min(1.0, share))

    def part_done(self) -> None:
        self._finished += 1
        self._show(0.0)

    def _show(self, share: float) -> None:
        now, done = time.monotonic(), self._finished + share
        left = time_left(now - self._start, done, self._parts)
        self._bar.update(
            self._task,
            description=self._what,
            completed=done,
            total=self._parts or None,
            visible=bool(self._what),
            left=left,
        )
        if not self._live and now - self._said > QUIET_SECONDS:
            self._console.print(", ".join(text for text in (self._what, left) if text))
            self._said = now


def time_left(spent: float, done: float, parts: int) -> str:
    """
    >>> time_left(60, 1, 3), time_left(60, 20, 21), time_left(86_400, 12, 36), time_left(5, 0, 3)
    ('2 min left', '3 s left', '48.0 h left', '')
    """
    if done <= 0:
        return ""
    seconds = spent / done * (parts - done)
    if seconds < 60:
        return f"{seconds:.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 7200 else f"{seconds / 3600:.1f} h left"
