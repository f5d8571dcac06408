"""What people see of a tournament: how far it is, the ratings and the cross table."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from eightfold.arena.tournaments.report import facts, rating_cells, time_text
from eightfold.arena.tournaments.standings import Standings

QUIET_SECONDS = 30.0  # between two lines, where stderr is no terminal


class TournamentProgress:
    """A bar on stderr; where that is no terminal, a line now and then."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)
        self._bar = Progress(
            TextColumn("games"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("games", total=None)
        self._start = self._said = time.monotonic()
        self._before: int | None = None  # games that were there already
        self.done = self.total = 0

    def __enter__(self) -> TournamentProgress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def say(self, text: str) -> None:
        self._console.print(text, markup=False)

    def advance(self, done: int, total: int) -> None:
        """So many games of this command are played, counting those that were there."""
        if self._before is None:
            self._before = done
            self._bar.reset(self._task, total=total - done)
            if done:
                self.say(f"{done:,} of {total:,} games are there already")
        self.done, self.total = done, total
        self._bar.update(self._task, completed=done - self._before)
        now = time.monotonic()
        if not self._console.is_terminal and now - self._said >= QUIET_SECONDS:
            self._said = now
            self.say(f"{done:,} of {total:,} games, {(now - self._start) / 60:.1f} min")


def print_standings(standings: Standings) -> None:
    console, settings = Console(emoji=False, highlight=False), standings.settings
    title = f"{settings.game}, {len(standings.games):,} games, seed {settings.seed}"
    console.print(title, markup=False, soft_wrap=True)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("player", overflow="fold")
    for heading in ("Elo", "±", "games", "score", "draws", "a move"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one, name in enumerate(standings.names):
        seconds = time_text(standings.seconds_a_move[one])
        table.add_row(str(one + 1), escape(name), *rating_cells(standings, one), seconds)
    console.print(table)
    for fact in facts(standings):
        console.print(fact, markup=False, soft_wrap=True)
    console.print("\nscores in per cent, the row's against the column's")
    console.print(_cross_table(standings))


def _cross_table(standings: Standings) -> Table:
    """Scores of the player of the row, in per cent; columns are ranks."""
    places = range(len(standings.names))
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("", no_wrap=True, overflow="ellipsis", max_width=32)
    for one in places:
        table.add_column(str(one + 1), justify="right", no_wrap=True, min_width=3)
    for one in places:
        pairs = [standings.pair(one, two) for two in places]
        cells = [f"{pair.score * 100:.0f}" if pair.games else "·" for pair in pairs]
        table.add_row(str(one + 1), escape(standings.names[one]), *cells)
    return table
