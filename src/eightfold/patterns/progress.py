"""What people see while a library is learned, on stderr: games, games a second and how long it will still take."""

from __future__ import annotations

import time

from rich.progress import BarColumn

from eightfold.core.bars import StderrBar, text_column
from eightfold.core.words import number_of
from eightfold.patterns.learn import Progress as Learned


class LearningBar(StderrBar):
    """Games and speed beside the bar."""

    def __init__(self) -> None:
        super().__init__(text_column("learning patterns"), BarColumn(), text_column("{task.fields[what]}"))
        self._task = self.bar.add_task("", total=1.0, what="")
        self._start = time.monotonic()
        self._before: tuple[int, float] | None = None  # games and share that were done by an earlier call

    def __call__(self, learned: Learned) -> None:
        now = time.monotonic()
        if self._before is None:
            self._before, self._start = (learned.games, learned.share), now
        what = _what(learned, self._before, now - self._start)
        self.bar.update(self._task, completed=learned.share, what=what)
        self.say_now_and_then(f"learning patterns: {what}")


def _what(learned: Learned, before: tuple[int, float], seconds: float) -> str:
    """
    >>> _what(Learned(games=3000, share=0.5), (1000, 0.2), 4.0)
    '3,000 games, 500 a second, 7 s left'
    """
    parts = [number_of(learned.games, "game")]
    share = learned.share - before[1]
    if seconds > 0 and share > 0:
        left = seconds * (1 - learned.share) / share
        parts.append(f"{(learned.games - before[0]) / seconds:,.0f} a second")
        parts.append(f"{left:.0f} s left" if left < 120 else f"{left / 60:.0f} min left")
    if learned.skipped.total:
        parts.append(f"{learned.skipped.total:,} skipped")
    return ", ".join(parts)
