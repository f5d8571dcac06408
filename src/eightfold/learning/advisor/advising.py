"""`eightfold advise`: an advisor plays games into a folder, with a bar while it does and a summary at the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eightfold.core.bars import StderrBar, counting_columns
from eightfold.core.words import number_of
from eightfold.games.game import Game
from eightfold.games.state import BLACK, DRAW, WHITE
from eightfold.learning.advisor.folder import AdviceFolder
from eightfold.learning.advisor.teacher import Teacher, same_games
from eightfold.learning.advisor.teaching import Teaching
from eightfold.learning.data.record import PlayedGame

NAMED = 12  # games that are the same, and faults, told one by one
Tell = Callable[[int], None]  # how many games are there


@dataclass(frozen=True, kw_only=True)
class AdviceSummary:
    folder: str
    game: str
    player: str
    games: int  # in the folder
    played: int  # of them just now
    seconds: float
    moves: int
    black_wins: int
    white_wins: int
    draws: int
    same: tuple[tuple[int, ...], ...]  # numbers of games that are one and the same
    faults: tuple[str, ...]  # what could not be read of earlier games

    @property
    def distinct(self) -> int:
        return self.games - sum(len(numbers) - 1 for numbers in self.same)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "distinct": self.distinct}


def advise_into(
    path: Path,
    game: Game,
    teaching: Teaching,
    *,
    games: int,
    threads: int = 0,
    stop: Callable[[], bool] = lambda: False,
    tell: Tell = lambda games: None,
) -> AdviceSummary:
    """Play games until the folder has so many, or until `stop` says so. Games that are there are not played again."""
    with Teacher(game, teaching, threads=threads) as teacher, AdviceFolder(path, game, teaching) as folder:
        there, start = folder.advice.games, time.perf_counter()
        before = len(there)
        tell(before)

        def keep(number: int, played: PlayedGame) -> None:
            folder.add(number, played)
            tell(len(there))

        teacher.play((number for number in range(games) if number not in there), on_game=keep, stop=stop)
        results = [played.result for played in there.values()]
        return AdviceSummary(
            folder=str(path),
            game=game.text,
            player=teaching.player,
            games=len(there),
            played=len(there) - before,
            seconds=time.perf_counter() - start,
            moves=sum(len(played.moves) for played in there.values()),
            black_wins=results.count(BLACK),
            white_wins=results.count(WHITE),
            draws=results.count(DRAW),
            same=tuple(tuple(sorted(numbers)) for numbers in same_games(there.items(), game)),
            faults=tuple(folder.advice.faults),
        )


class AdviceBar(StderrBar):
    """How many games are there."""

    def __init__(self, player: str, games: int) -> None:
        super().__init__(*counting_columns())
        self._task, self._games = self.bar.add_task(player, total=games), games

    def __call__(self, games: int) -> None:
        self.bar.update(self._task, completed=games)
        self.say_now_and_then(f"{games:,} of {self._games:,} games")


def print_summary(summary: AdviceSummary) -> None:
    """What is in the folder now."""
    games = summary.games
    print(f"{number_of(games, 'game')} of {summary.game} by {summary.player} in {summary.folder}")
    print(
        f"{summary.black_wins} won by black, {summary.white_wins} by white, {summary.draws} drawn;"
        f" {summary.moves} positions, {summary.moves / games:.1f} moves a game"
    )
    for numbers in summary.same[:NAMED]:
        listed = ", ".join(str(number + 1) for number in numbers[:NAMED]) + (", ..." if len(numbers) > NAMED else "")
        print(f"games {listed} are the same, symmetric boards counted as one")
    if len(summary.same) > NAMED:
        print(f"... and {len(summary.same) - NAMED} more games that came more than once")
    if summary.same:
        print(f"{summary.distinct} of {games} games are different")
    if summary.played:
        rate = summary.played / summary.seconds
        print(f"{summary.played} of them played in {summary.seconds:.1f} s, {rate:.1f} a second")
