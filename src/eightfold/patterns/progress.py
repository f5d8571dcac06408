"""What people see while a library is learned, on stderr: games, games a second and how long it will still take."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from eightfold.patterns.learn import Progress as Learned

QUIET_SECONDS = 30.0  # between two lines, where stderr is not a terminal


class LearningBar:
    """A bar; where stderr is no terminal, a line now and then."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, emoji=False, markup=False, soft_wrap=True)
        self._live = self._console.is_terminal
        self._bar = Progress(
            TextColumn("learning patterns"),
            BarColumn(),
            TextColumn("{task.fields[what]}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._live,
        )
        self._task = self._bar.add_task("", total=1.0, what="")
        self._start, self._said = time.monotonic(), time.monotonic()
        self._before: tuple[int, float] | None = None  # games and share that were done by an earlier call

    def __enter__(self) -> LearningBar:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, learned: Learned) -> None:
        now = time.monotonic()
        if self._before is None:
            self._before, self._start = (learned.games, learned.share), now
        what = _what(learned, self._before, now - self._start)
        self._bar.update(self._task, completed=learned.share, what=what)
        if not self._live and now - self._said > QUIET_SECONDS:
            self._console.print(f"learning patterns: {what}")
            self._said = now


def _what(learned: Learned, before: tuple[int, float], seconds: float) -> str:
    """
    >>> _what(Learned(games=3000, share=0.5), (1000, 0.2), 4.0)
    '3,000 games, 500 a second, 7 s left'
    """
    parts = [f"{learned.games:,} games"]
    share = learned.share - before[1]
    if seconds > 0 and share > 0:
        left = seconds * (1 - learned.share) / share
        parts.append(f"{(learned.games - before[0]) / seconds:,.0f} a second")
        parts.append(f"{left:.0f} s left" if left < 120 else f"{left / 60:.0f} min left")
    if learned.skipped.total:
        parts.append(f"{learned.skipped.total:,} skipped")
    return ", ".join(parts)
