"""What people see of a study while they wait, on stderr: the stage, its parts, and how long it will still take."""

from __future__ import annotations

import time

from rich.progress import BarColumn

from eightfold.core.bars import StderrBar, text_column


class StudyProgress(StderrBar):
    """A bar for the stage at work; where stderr is no terminal, a line for every stage and now and then for a part.

    The time left is that of the stage: what its parts took so far, for the parts that are missing. Parts that were
    kept from before do not count.
    """

    def __init__(self, study: str) -> None:
        super().__init__(text_column(), BarColumn(), text_column("{task.fields[left]}"))
        self._task = self.bar.add_task("", visible=False, left="")
        self._study, self._stage = study, ""
        self.begin(0)

    def stage(self, name: str) -> None:
        """A stage is going to be measured."""
        self._stage = f"{self._study}: {name.replace('_', ' ')}"
        self.say(self._stage)
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

    def share_of_parts(self, share: float) -> None:
        """This much is done of those that were begun and are not done yet, 1 for each."""
        self._show(share)

    def part_done(self) -> None:
        self._finished += 1
        self._show(0.0)

    def _show(self, share: float) -> None:
        now, done = time.monotonic(), self._finished + share
        left = time_left(now - self._start, done, self._parts)
        self.bar.update(
            self._task,
            description=self._what,
            completed=done,
            total=self._parts or None,
            visible=bool(self._what),
            left=left,
        )
        self.say_now_and_then(", ".join(text for text in (self._what, left) if text))


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
