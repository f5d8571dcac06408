"""Matches: the one engine that plays games between players, for whoever wants to know who is stronger.

`play_match` is two players, `gauntlet` one against several, `round_robin` everybody against everybody. Many games are
played side by side: in every step each player is asked once for all positions in which it is to move (`seats.py`). A
game's random numbers come from the seed of the match and the game's number, so that it does not matter which games are
played beside it; results are in the order of the games.

Colours alternate. With openings, every opening is some random moves that end nothing and is played twice, each player
once on either side of it. Two deterministic players without openings play the same two games for ever, so identical
games are counted and named. A player that forfeits loses that game, with the reason kept, and the match goes on; one
that resigns has just lost.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from eightfold.arena.forfeit import Forfeit, Resignation
from eightfold.arena.human import HumanPlayer
from eightfold.arena.openings import random_openings
from eightfold.arena.players import HUMAN, make_player
from eightfold.arena.results import GameResult, MatchReport, RoundRobin
from eightfold.arena.seats import Seat, games_at_once, think_side_by_side
from eightfold.core.errors import EightfoldError, shown
from eightfold.core.threads import usable_cores
from eightfold.games.game import Game, Position
from eightfold.games.state import BLACK
from eightfold.search.result import Player, close_player

Finished = Callable[[GameResult], None]


def play_match(
    game: Game,
    first: str | Player,
    second: str | Player,
    *,
    games: int = 20,
    seed: int = 0,
    opening_plies: int = 0,
    names: Sequence[str] = (),
    first_always_black: bool = False,
    parallel: int = 0,
    threads: int = 0,
    progress: Finished = lambda result: None,
) -> MatchReport:
    """Play `games` games between two players, given by their texts or as objects.

    `names` are what the report calls them. `parallel` games are played at once; 0 chooses. `progress` is told of
    every game, in their order.
    """
    matches = gauntlet(
        game, first, [second], games=games, seed=seed, opening_plies=opening_plies, names=names,
        first_always_black=first_always_black, parallel=parallel, threads=threads, progress=progress,
    )  # fmt: skip
    return matches[0]


def gauntlet(
    game: Game,
    player: str | Player,
    opponents: Sequence[str | Player],
    *,
    games: int = 20,
    seed: int = 0,
    opening_plies: int = 0,
    names: Sequence[str] = (),
    first_always_black: bool = False,
    parallel: int = 0,
    threads: int = 0,
    progress: Finished = lambda result: None,
) -> list[MatchReport]:
    """A match of one player against each of several opponents, all at once; `names`: the player's, then theirs."""
    return _play_pairs(
        game, [player, *opponents], [(0, other + 1) for other in range(len(opponents))], games=games, seed=seed,
        opening_plies=opening_plies, names=names, first_always_black=first_always_black, parallel=parallel,
        threads=threads, progress=progress,
    )  # fmt: skip


def round_robin(
    game: Game,
    players: Sequence[str | Player] | Mapping[str, str | Player],
    *,
    games: int = 10,
    seed: int = 0,
    opening_plies: int = 0,
    parallel: int = 0,
    threads: int = 0,
    progress: Finished = lambda result: None,
) -> RoundRobin:
    """A match of `games` games between any two players, given by texts, as objects, or by names of your own."""
    names = list(players) if isinstance(players, Mapping) else []
    entrants = list(players.values()) if isinstance(players, Mapping) else list(players)
    if len(entrants) < 2:
        raise EightfoldError(f"a round robin of {len(entrants)} players has no games; give at least 2")
    pairs = list(itertools.combinations(range(len(entrants)), 2))
    matches = _play_pairs(
        game, entrants, pairs, games=games, seed=seed, opening_plies=opening_plies, names=names, parallel=parallel,
        threads=threads, progress=progress,
    )  # fmt: skip
    return RoundRobin(names=tuple(names or map(player_name, entrants)), pairs=tuple(pairs), matches=tuple(matches))


def player_name(player: str | Player) -> str:
    """What a report calls a player: its text, what `str` makes of an object, or its class."""
    if isinstance(player, str):
        return player
    plain = type(player).__str__ is object.__str__ and type(player).__repr__ is object.__repr__
    return type(player).__name__ if plain else str(player)


# ---- the engine -------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class _Game:
    """A game that goes on, or waits for a slot. The first-named player is number 0."""

    number: int  # of all games
    seats: tuple[Seat, Seat]
    names: tuple[str, str]
    seeds: tuple[int, int]
    first_named_is_black: bool
    opening: Position
    position: Position
    seconds: list[float] = field(default_factory=list)
    lost_by: tuple[int, Forfeit] | None = None  # the player that could not or would not go on, and why

    @property
    def mover(self) -> int:
        """The player to move."""
        return int((self.position.to_move == BLACK) != self.first_named_is_black)

    @property
    def is_over(self) -> bool:
        return self.position.is_over or self.lost_by is not None

    def start(self, slot: int) -> None:
        for player in (0, 1):
            try:
                self.seats[player].start_game(slot, self.seeds[player])
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
            who = f"player {self.names[self.mover]} at move {self.position.ply + 1}"
            raise EightfoldError(f"{who}: {error}") from None
        self.position = position
        self.seconds.append(seconds)

    def result(self) -> GameResult:
        black = 0 if self.first_named_is_black else 1
        player, error = self.lost_by or (0, None)
        return GameResult(
            position=self.position,
            black=self.names[black],
            white=self.names[1 - black],
            first_named_is_black=self.first_named_is_black,
            opening_plies=len(self.opening.moves),
            seconds=(*[0.0] * len(self.opening.moves), *self.seconds),
            forfeited_by=None if error is None else BLACK + (player != black),
            reason="" if error is None else str(error),
            resigned=isinstance(error, Resignation),
        )


def _play_pairs(
    game: Game,
    players: Sequence[str | Player],
    pairs: Sequence[tuple[int, int]],
    *,
    games: int,
    seed: int,
    opening_plies: int,
    names: Sequence[str],
    parallel: int,
    threads: int,
    progress: Finished,
    first_always_black: bool = False,
) -> list[MatchReport]:
    """A match for each pair of places in `players`."""
    if games < 1:
        raise EightfoldError(f"{games} games are not a match; give at least 1")
    called = tuple(names or map(player_name, players))
    if len(called) != len(players):
        raise EightfoldError(f"{len(called)} names are given for {len(players)} players")
    stream = random_openings(game, opening_plies, seed)
    sides = 1 if first_always_black else 2  # an opening is played from so many sides
    openings = [next(stream) for _ in range(-(-games // sides))]
    made: list[Player] = []
    try:
        seats: list[Seat] = []
        for place, player in enumerate(players):
            if isinstance(player, str):
                made.append(_make(player, game, seed=len(players) * seed + place))
                seats.append(Seat(made[-1]))
                continue
            if not (hasattr(player, "think") and hasattr(player, "new_game")):
                raise EightfoldError(
                    f"{shown(player)} is no player: it has no think(position) and new_game();"
                    " a class with move(position) is a player as python:MODULE:CLASS"
                )
            known = (seat for seat in seats if seat.player is player)  # one object may play against itself
            seats.append(next(known, None) or Seat(player))
        waiting = [
            _Game(
                number=number,
                seats=(seats[one], seats[two]),
                names=(called[one], called[two]),
                seeds=(_seed(seed, number, one), _seed(seed, number, two)),
                first_named_is_black=first_always_black or k % 2 == 0,
                opening=openings[k // sides],
                position=openings[k // sides],
            )
            for number, ((one, two), k) in enumerate(itertools.product(pairs, range(games)))
        ]
        results = _play_games(waiting, games_at_once(seats, len(waiting), parallel), threads, progress)
    finally:
        for player in made:
            close_player(player)
    return [
        MatchReport(
            game=game.text,
            names=(called[one], called[two]),
            seed=seed,
            opening_plies=opening_plies,
            results=tuple(results[k * games : (k + 1) * games]),
        )
        for k, (one, two) in enumerate(pairs)
    ]


def _make(text: str, game: Game, *, seed: int) -> Player:
    return HumanPlayer() if text == HUMAN else make_player(text, game, seed=seed)


def _seed(seed: int, number: int, place: int) -> int:
    """Of one player in one game, whatever else is played."""
    return int(np.random.SeedSequence([seed, number, place]).generate_state(1)[0])


def _play_games(games: Sequence[_Game], slots: int, threads: int, progress: Finished) -> list[GameResult]:
    """All games to their end, so many at a time."""
    for seat in {id(seat): seat for each in games for seat in each.seats}.values():
        seat.set_up(slots)
    results: dict[int, GameResult] = {}
    told = 0
    table: dict[int, _Game] = {}  # what goes on, by slot
    waiting = iter(games)
    while True:
        for slot in range(slots):
            while slot not in table and (fresh := next(waiting, None)) is not None:
                fresh.start(slot)
                if fresh.is_over:  # one cannot even begin
                    results[fresh.number] = fresh.result()
                else:
                    table[slot] = fresh
        while told in results:
            progress(results[told])
            told += 1
        if not table:
            return [results[number] for number in range(len(games))]
        asked: dict[Seat, dict[int, Position]] = {}
        for slot, each in sorted(table.items()):
            asked.setdefault(each.seats[each.mover], {})[slot] = each.position
        tasks = [task for seat, positions in asked.items() for task in seat.tasks(positions)]
        answers = think_side_by_side(tasks, threads or usable_cores())
        for slot, (result, seconds) in sorted(answers.items()):
            each = table[slot]
            each.go_on(result if isinstance(result, Forfeit) else result.action, seconds)
            if each.is_over:
                results[each.number] = table.pop(slot).result()
