"""What people see in the terminal: the board, a record, and the list of players. Matches: `match_report.py`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eightfold.arena.players import HUMAN
from eightfold.core.errors import unknown
from eightfold.core.settings import settings_of
from eightfold.core.words import number_of
from eightfold.games.game import Game, Position
from eightfold.games.points import count
from eightfold.games.records.record import GameRecord
from eightfold.games.state import BLACK, WHITE
from eightfold.nets.levels import LEVELS, WHOLE_GAME, Level, LevelRatings
from eightfold.parts import PLAYERS

_STONES = {0: ("·", "·"), BLACK: ("●", "◉"), WHITE: ("○", "◎")}  # the second of each marks the last move
FORBIDDEN, LEGAL = "×", "+"
_STYLES = {0: "dim", BLACK: "bold cyan", WHITE: "bold yellow"}


def draw_board(position: Position) -> None:
    """The board, its last move marked, and the points that the side to move may not play, or may where few are."""
    game, size, last = position.game, position.game.size, position.last_move
    ko, prisoners = position.ko_points, position.prisoners
    marked = set((position.forbidden_moves if ko is None else ko).tolist())  # beside a ko, suicide goes without saying
    legal = set(position.legal_moves.tolist()) if game.spec.marks_legal else set()
    board = Text()
    for row in range(size):
        board.append(f"{size - row:3d} ", style="dim")
        for column in range(size):
            action, stone = row * size + column, int(position.stones[row, column])
            if action in marked:
                board.append(f"{FORBIDDEN} ", style="red")
            elif action in legal:
                board.append(f"{LEGAL} ", style="green")
            else:
                board.append(f"{_STONES[stone][last == action]} ", style=_STYLES[stone])
        board.append("\n")
    board.append("    " + " ".join(game.spec.letters[:size]), style="dim")
    console = Console(emoji=False)
    console.print(board)
    crossed = f"  {FORBIDDEN} {'forbidden' if ko is None else 'ko'}" if marked else ""
    key = f"● black{_goal(game, BLACK)}  ○ white{_goal(game, WHITE)}{crossed}"
    if legal - {game.points}:
        key += f"  {LEGAL} possible"
    if game.counts_points and not game.has_dead_stones:
        counted = count(position)
        key += f"; points: black {counted.black:g}, white {counted.white:g}"
    if prisoners is not None:
        key += "; prisoners: black {}, white {}".format(*prisoners)
    console.print(f"{key}: {position.outcome} after {number_of(position.ply, 'move')}\n", highlight=False)


def _goal(game: Game, colour: int) -> str:
    """The sides of the board that belong to a colour, where there are any."""
    sides = [edge for edge, owner in game.spec.edges.items() if owner == colour]
    return f" ({' and '.join(sides)})" if sides else ""


def print_record(record: GameRecord, number: int, of: int) -> None:
    """Who played a recorded game, and how it ended."""
    names = f"{record.black or 'black'} - {record.white or 'white'}"
    facts = [names, record.result or "result unknown", number_of(len(record.moves), "move"), record.event, record.date]
    console = Console(emoji=False)
    console.print(f"game {number} of {of}: {', '.join(filter(None, facts))}", highlight=False, markup=False)
    console.print(record.game, highlight=False, markup=False)


def print_levels(ratings: LevelRatings) -> None:
    """The named strengths of a network, and those it was measured with, by rating where there is one."""
    console = Console(emoji=False, highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("level", no_wrap=True)
    for heading in ("Elo", "±", "playouts"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("temperature")
    rows = [(name, ratings.ratings.get(name), level) for name, level in LEVELS.items()]
    everybody = [*rows, *((name, found, None) for name, found in ratings.others.items())]
    if ratings.ratings:
        everybody.sort(key=lambda row: row[1].elo if row[1] is not None else 0.0)
    for name, found, level in everybody:
        elo, error = ("?", "") if found is None else (f"{round(found.elo):+d}", f"{found.error:.0f}")
        table.add_row(name, elo, error, *(("", "") if level is None else (f"{level.playouts:,}", _warmth(level))))
    console.print(table)
    if ratings.ratings:
        console.print(f"{ratings.games} games of each pair of {ratings.game}; the rating 0 is that of {ratings.zero}")
    else:
        console.print("nobody has measured the levels of this network: eightfold levels NETWORK --rate FOLDER")


def _warmth(level: Level) -> str:
    if level.temperature == 0:
        return "0"
    return f"{level.temperature:g}" + (
        f" for {level.temperature_plies} moves" if level.temperature_plies < WHOLE_GAME else ""
    )


def print_players(names: Sequence[str] = ()) -> None:
    """Kinds of players with their options, as they are declared: those that are named, alone or in full, or all."""
    known = [*PLAYERS, HUMAN]
    named = [name.partition(":")[0] for name in names] or known
    for name in named:
        if name not in known:
            raise unknown("player", name, known)
    chosen = {name: player for name, player in PLAYERS.items() if name in named}
    console = Console(emoji=False)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, player in chosen.items():
        kind = player.KIND
        table.add_row(name, f":{kind.argument}" if kind.argument else "", kind.summary)
        for one in settings_of(player.Options):
            usual = f"; if left out, {one.absent}" if one.absent else ""
            table.add_row("", f"{one.name}={'' if one.absent else one.default}", f"{one.help}; {one.expected()}{usual}")
        table.add_row()
    if HUMAN in named:
        table.add_row(HUMAN, "", "a person at this terminal, in `eightfold match`; see also `eightfold play`")
    console.print(table)
    examples = ", ".join(player.KIND.example for player in chosen.values() if player.KIND.example)
    if examples:
        console.print(f"\nName one with its options after a colon: {examples}", highlight=False)
