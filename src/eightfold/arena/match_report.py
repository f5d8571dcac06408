"""What people see of a match: the progress and the table."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from eightfold.arena.players import HUMAN
from eightfold.arena.results import GameResult, MatchReport, Tally
from eightfold.core.bars import StderrBar, counting_columns, text_column
from eightfold.core.words import number_of

MOST_FORFEITS = 12  # that are shown one by one


class MatchProgress(StderrBar):
    """A bar with the score so far; nothing where stderr is not a terminal, or a person types there."""

    def __init__(self, first: str, second: str, games: int) -> None:
        super().__init__(*counting_columns(text_column("{task.fields[score]}")), shown=HUMAN not in (first, second))
        self._task = self.bar.add_task(f"{first} - {second}", total=games, score="")
        self._points = 0.0
        self._games = 0

    def advance(self, result: GameResult) -> None:
        self._points += result.points
        self._games += 1
        self.bar.update(self._task, advance=1, score=f"{self._points:g} - {self._games - self._points:g}")


def print_match(report: MatchReport) -> None:
    console = Console(emoji=False)
    total, first, second = report.total, report.as_first, report.as_second
    low, high = total.interval
    times = report.seconds_per_move
    title = f"{report.game}, {number_of(total.games, 'game')}, seed {report.seed}"
    if report.opening_plies:
        title += f"\nopenings: {report.openings}, each from both sides"
    table = Table(title=escape(title), title_justify="left")
    table.add_column("")
    for name in map(escape, report.names):
        table.add_column(name, justify="right", overflow="fold")
    table.add_row("score", f"{total.score:.1%}", f"{1 - total.score:.1%}", style="bold")
    table.add_row("95 % interval", f"{low:.1%} to {high:.1%}", f"{1 - high:.1%} to {1 - low:.1%}")
    table.add_row("wins, draws, losses", _short(total), _short(total.swapped))
    table.add_row("moving first", _short(first), _short(second.swapped))
    table.add_row("moving second", _short(second), _short(first.swapped))
    table.add_row("mean time a move", _time(times[0]), _time(times[1]))
    console.print(table)
    for number, name, reason in report.forfeits[:MOST_FORFEITS]:
        console.print(f"game {number} was forfeited by {name}: {reason}", highlight=False, markup=False, soft_wrap=True)
    if len(report.forfeits) > MOST_FORFEITS:
        console.print(f"... and {len(report.forfeits) - MOST_FORFEITS} more were forfeited", highlight=False)
    for moves, numbers in report.repeats:
        listed = ", ".join(map(str, numbers[:12])) + (", ..." if len(numbers) > 12 else "")
        console.print(f"games {listed} are the same game of {number_of(len(moves), 'move')}", highlight=False)
    if report.repeats:
        advice = "" if report.opening_plies else "; use --opening-plies for variety"
        console.print(f"{report.distinct_games} of {total.games} games are different{advice}", highlight=False)


def _short(tally: Tally) -> str:
    return f"+{tally.wins}  ={tally.draws}  -{tally.losses}"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
