"""What people see on stderr while they wait: a bar, or where stderr is no terminal, a line now and then."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

QUIET_SECONDS = 30.0  # between two lines, where stderr is no terminal


def text_column(text: str = "{task.description}") -> TextColumn:
    return TextColumn(text, markup=False)


def counting_columns(*between: ProgressColumn) -> tuple[ProgressColumn, ...]:
    """A description, a bar, so many of so many, and the time."""
    return text_column(), BarColumn(), MofNCompleteColumn(), *between, TimeElapsedColumn(), TimeRemainingColumn()


class StderrBar:
    """A bar as long as the `with` block lasts; it vanishes at the end."""

    def __init__(self, *columns: ProgressColumn, shown: bool = True) -> None:
        self.console = Console(stderr=True, highlight=False, emoji=False, markup=False, soft_wrap=True)
        self.live = self.console.is_terminal
        hidden = not (self.live and shown)
        self.bar = Progress(*columns, console=self.console, transient=True, disable=hidden)
        self._said = time.monotonic()

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def say(self, text: str) -> None:
        """A line that stays."""
        self.console.print(text)
        self._said = time.monotonic()

    def say_now_and_then(self, text: str) -> None:
        """How far it is, for those who see no bar."""
        if not self.live and time.monotonic() - self._said > QUIET_SECONDS:
            self.say(text)
