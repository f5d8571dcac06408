"""The engine that plays games: a list of fixtures, many of them side by side.

In every step each player is asked once for all positions in which it is to move (`seats.py`). What a game needs is in
its fixture, random numbers included, so it does not matter which games are played beside it. Games whose players can
play many at once come first; those of a program, a person or a player with a clock are played one after another.

A player that forfeits loses that game, with the reason kept, and the others go on; one that resigns has just lost.
Read next: `match.py` and `tournaments/`, which make the fixtures; `cluster_games.py`, which has them played elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from eightfold.arena.forfeit import Forfeit, Resignation
from eightfold.arena.results import GameResult
from eightfold.arena.seats import Seat, games_at_once, think_side_by_side
from eightfold.core.errors import EightfoldError
from eightfold.core.threads import usable_cores
from eightfold.games.game import Position
from eightfold.games.state import BLACK
from eightfold.search.result import Player


class MadeFrom(NamedTuple):
    """What `make_player` made a player from, so that another machine can make it too."""

    text: str
    seed: int


@dataclass(frozen=True, kw_only=True)
class Fixture:
    """A game that is to be played. Of its two players the first-named is number 0."""

    players: tuple[Player, Player]
    names: tuple[str, str]
    seeds: tuple[int, int]
    first_named_is_black: bool
    opening: Position
    made_from: tuple[MadeFrom | None, MadeFrom | None] = (None, None)


class PlayGames(Protocol):
    """What plays games: `play_games` does it here, `cluster_games.py` on a cluster."""

    def __call__(
        self,
        fixtures: Sequence[Fixture],
        *,
        parallel: int = 0,
        threads: int = 0,
        finished: Callable[[int, GameResult], None],
    ) -> None:
        """Play all games; `finished` is told of each when it ends: its place in `fixtures`, and what came of it.

        `parallel` games are played at once, by `threads` threads; 0 chooses.
        """


def play_games(
    fixtures: Sequence[Fixture],
    *,
    parallel: int = 0,
    threads: int = 0,
    finished: Callable[[int, GameResult], None],
) -> None:
    """Play all games in this process (`PlayGames`)."""
    for number, result in games_played(fixtures, parallel=parallel, threads=threads):
        finished(number, result)


def games_played(
    fixtures: Sequence[Fixture], *, parallel: int = 0, threads: int = 0
) -> Iterator[tuple[int, GameResult]]:
    """The games in the order in which they end."""
    seats: dict[int, Seat] = {}  # by player: one may have several games, and play against itself
    for fixture in fixtures:
        for player in fixture.players:
            seats.setdefault(id(player), Seat(player))
    games_at_once(list(seats.values()), len(fixtures), parallel)  # an error if so many are too many
    games = [
        _Game(number=number, fixture=fixture, seats=(seats[id(fixture.players[0])], seats[id(fixture.players[1])]))
        for number, fixture in enumerate(fixtures)
    ]
    together = [each for each in games if all(seat.plays_many for seat in each.seats)]
    alone = [each for each in games if not all(seat.plays_many for seat in each.seats)]
    for group in filter(None, (together, alone)):
        used = list({id(seat): seat for each in group for seat in each.seats}.values())
        slots = games_at_once(used, len(group), parallel)
        for seat in used:
            seat.set_up(slots)
        yield from _play(group, slots, threads or usable_cores())


@dataclass(kw_only=True)
class _Game:
    """A game that goes on, or waits for a slot."""

    number: int
    fixture: Fixture
    seats: tuple[Seat, Seat]
    seconds: list[float] = field(default_factory=list)
    lost_by: tuple[int, Forfeit] | None = None  # the player that could not or would not go on, and why

    def __post_init__(self) -> None:
        self.position = self.fixture.opening

    @property
    def mover(self) -> int:
        """The player to move."""
        return int((self.position.to_move == BLACK) != self.fixture.first_named_is_black)

    @property
    def is_over(self) -> bool:
        return self.position.is_over or self.lost_by is not None

    def start(self, slot: int) -> None:
        for player in (0, 1):
            try:
                self.seats[player].start_game(slot, self.fixture.seeds[player])
            except Forfeit as error:
                self.lost_by = player, error
                return

    def go_on(self, answer: Forfeit | int, seconds: float) -> None:
        if isinstance(answer, Forfeit):
            self.lost_by = self.mover, answer
            return
        try:
            position = self.position.play(answer)
        except EightfoldError as error:
            who = f"player {self.fixture.names[self.mover]} at move {self.position.ply + 1}"
            raise EightfoldError(f"{who}: {error}") from None
        self.position = position
        self.seconds.append(seconds)

    def result(self) -> GameResult:
        names, opening = self.fixture.names, self.fixture.opening
        black = 0 if self.fixture.first_named_is_black else 1
        player, error = self.lost_by or (0, None)
        return GameResult(
            position=self.position,
            black=names[black],
            white=names[1 - black],
            first_named_is_black=self.fixture.first_named_is_black,
            opening_plies=len(opening.moves),
            seconds=(*[0.0] * len(opening.moves), *self.seconds),
            forfeited_by=None if error is None else BLACK + (player != black),
            reason="" if error is None else str(error),
            resigned=isinstance(error, Resignation),
        )


def _play(games: Sequence[_Game], slots: int, threads: int) -> Iterator[tuple[int, GameResult]]:
    """All games to their end, so many at a time."""
    table: dict[int, _Game] = {}  # what goes on, by slot
    waiting = iter(games)
    while True:
        for slot in range(slots):
            while slot not in table and (fresh := next(waiting, None)) is not None:
                fresh.start(slot)
                if fresh.is_over:  # one cannot even begin
                    yield fresh.number, fresh.result()
                else:
                    table[slot] = fresh
        if not table:
            return
        asked: dict[Seat, dict[int, Position]] = {}
        for slot, each in sorted(table.items()):
            asked.setdefault(each.seats[each.mover], {})[slot] = each.position
        tasks = [task for seat, positions in asked.items() for task in seat.tasks(positions)]
        answers = think_side_by_side(tasks, threads)
        for slot, (result, seconds) in sorted(answers.items()):
            each = table[slot]
            each.go_on(result if isinstance(result, Forfeit) else result.action, seconds)
            if each.is_over:
                yield each.number, table.pop(slot).result()
