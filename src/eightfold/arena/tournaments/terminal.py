"""What people see of a tournament: how far it is, the ratings and the cross table."""

from __future__ import annotations

import time

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from eightfold.arena.openings.source import RANDOM
from eightfold.arena.tournaments.report import facts, rating_cells, time_text
from eightfold.arena.tournaments.standings import Standings
from eightfold.core.bars import StderrBar, counting_columns
from eightfold.core.words import number_of


class TournamentProgress(StderrBar):
    """How many games are played."""

    def __init__(self) -> None:
        super().__init__(*counting_columns())
        self._task = self.bar.add_task("games", total=None)
        self._start = time.monotonic()
        self._before: int | None = None  # games that were there already
        self.done = self.total = 0

    def advance(self, done: int, total: int) -> None:
        """So many games of this command are played, counting those that were there."""
        if self._before is None:
            self._before = done
            self.bar.reset(self._task, total=total - done)
            if done:
                self.say(f"{done:,} of {total:,} games are there already")
        self.done, self.total = done, total
        self.bar.update(self._task, completed=done - self._before)
        minutes = (time.monotonic() - self._start) / 60
        self.say_now_and_then(f"{done:,} of {total:,} games, {minutes:.1f} min")


def print_standings(standings: Standings) -> None:
    console, settings = Console(emoji=False, highlight=False), standings.settings
    title = f"{settings.game}, {number_of(len(standings.games), 'game')}, seed {settings.seed}"
    if settings.openings != RANDOM:
        title += f", openings {settings.openings}"
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
