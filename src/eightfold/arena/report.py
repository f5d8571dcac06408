"""What people see of a match: the progress, the table, the board, and the list of players."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from eightfold.arena.match import GameResult, MatchReport, Tally
from eightfold.arena.players import HUMAN
from eightfold.core.settings import settings_of
from eightfold.games.game import Position
from eightfold.games.records.record import GameRecord
from eightfold.games.state import BLACK, WHITE
from eightfold.parts import PLAYERS

MOST_FORFEITS = 12  # that are shown one by one


class MatchProgress:
    """A bar on stderr with the score so far; nothing where stderr is not a terminal, or a person types there."""

    def __init__(self, first: str, second: str, games: int) -> None:
        self._console = Console(stderr=True, emoji=False)
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[score]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal or HUMAN in (first, second),
        )
        self._task = self._bar.add_task(f"{first} - {second}", total=games, score="")
        self._points = 0.0
        self._games = 0

    def __enter__(self) -> MatchProgress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def advance(self, result: GameResult) -> None:
        self._points += result.points
        self._games += 1
        self._bar.update(self._task, advance=1, score=f"{self._points:g} - {self._games - self._points:g}")


def print_match(report: MatchReport) -> None:
    console = Console(emoji=False)
    total, first, second = report.total, report.as_first, report.as_second
    low, high = total.interval
    times = report.seconds_per_move
    table = Table(title=f"{report.game}, {total.games} games, seed {report.seed}", title_justify="left")
    table.add_column("")
    for name in map(escape, report.names):
        table.add_column(name, justify="right", overflow="fold")
    table.add_row("score", f"{total.score:.1%}", f"{1 - total.score:.1%}", style="bold")
    table.add_row("95 % interval", f"{low:.1%} to {high:.1%}", f"{1 - high:.1%} to {1 - low:.1%}")
    table.add_row("wins, draws, losses", _short(total), _short(_turned(total)))
    table.add_row("moving first", _short(first), _short(_turned(second)))
    table.add_row("moving second", _short(second), _short(_turned(first)))
    table.add_row("mean time a move", _time(times[0]), _time(times[1]))
    console.print(table)
    for number, name, reason in report.forfeits[:MOST_FORFEITS]:
        console.print(f"game {number} was forfeited by {name}: {reason}", highlight=False, markup=False, soft_wrap=True)
    if len(report.forfeits) > MOST_FORFEITS:
        console.print(f"... and {len(report.forfeits) - MOST_FORFEITS} more were forfeited", highlight=False)
    for moves, numbers in report.repeats:
        listed = ", ".join(map(str, numbers[:12])) + (", ..." if len(numbers) > 12 else "")
        console.print(f"games {listed} are the same game of {len(moves)} moves", highlight=False)
    if report.repeats:
        advice = "" if report.opening_plies else "; use --opening-plies for variety"
        console.print(f"{report.distinct_games} of {total.games} games are different{advice}", highlight=False)


def _short(tally: Tally) -> str:
    return f"+{tally.wins}  ={tally.draws}  -{tally.losses}"


def _turned(tally: Tally) -> Tally:
    return Tally(games=tally.games, wins=tally.losses, draws=tally.draws, losses=tally.wins)


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


_STONES = {0: ("·", "·"), BLACK: ("●", "◉"), WHITE: ("○", "◎")}  # the second of each marks the last move
FORBIDDEN = "×"
_STYLES = {0: "dim", BLACK: "bold cyan", WHITE: "bold yellow"}


def draw_board(position: Position) -> None:
    """The board, its last move marked, and the points that the side to move may not play."""
    size, last = position.game.size, position.last_move
    ko, prisoners = position.ko_points, position.prisoners
    marked = set((position.forbidden_moves if ko is None else ko).tolist())  # beside a ko, suicide goes without saying
    board = Text()
    for row in range(size):
        board.append(f"{size - row:3d} ", style="dim")
        for column in range(size):
            action, stone = row * size + column, int(position.stones[row, column])
            if action in marked:
                board.append(f"{FORBIDDEN} ", style="red")
            else:
                board.append(f"{_STONES[stone][last == action]} ", style=_STYLES[stone])
        board.append("\n")
    board.append("    " + " ".join(position.game.spec.letters[:size]), style="dim")
    console = Console(emoji=False)
    console.print(board)
    crossed = f"  {FORBIDDEN} {'forbidden' if ko is None else 'ko'}" if marked else ""
    key = f"● black  ○ white{crossed}"
    if prisoners is not None:
        key += "; prisoners: black {}, white {}".format(*prisoners)
    moves = f"{position.ply} move{'' if position.ply == 1 else 's'}"
    console.print(f"{key}: {position.outcome} after {moves}\n", highlight=False)


def print_record(record: GameRecord, number: int, of: int) -> None:
    """Who played a recorded game, and how it ended."""
    names = f"{record.black or 'black'} - {record.white or 'white'}"
    facts = [names, record.result or "result unknown", f"{len(record.moves)} moves", record.event, record.date]
    console = Console(emoji=False)
    console.print(f"game {number} of {of}: {', '.join(filter(None, facts))}", highlight=False, markup=False)
    console.print(record.game, highlight=False, markup=False)


def print_players() -> None:
    """Every kind of player with its options, as they are declared."""
    console = Console(emoji=False)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, player in PLAYERS.items():
        kind = player.KIND
        table.add_row(name, f":{kind.argument}" if kind.argument else "", kind.summary)
        for one in settings_of(player.Options):
            usual = f"; if left out, {one.absent}" if one.absent else ""
            table.add_row("", f"{one.name}={'' if one.absent else one.default}", f"{one.help}; {one.expected()}{usual}")
        table.add_row()
    table.add_row(HUMAN, "", "a person at this terminal, in `eightfold match`; see also `eightfold play`")
    console.print(table)
    examples = ", ".join(player.KIND.example for player in PLAYERS.values() if player.KIND.example)
    console.print(f"\nName one with its options after a colon: {examples}", highlight=False)
