"""Matches: two players, some games, and what the result is worth.

Colours alternate. With openings, every opening is some random moves that end nothing and is played twice,
each player once on either side of it. All randomness comes from one seed. Two deterministic players
without openings play the same two games for ever, so identical games are counted and named. A player that
forfeits loses that game, with the reason kept, and the match goes on; one that resigns has just lost.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eightfold.arena.forfeit import Forfeit, Resignation
from eightfold.arena.players import HUMAN, make_player
from eightfold.arena.ratings import score_interval
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position
from eightfold.games.records.record import GameRecord
from eightfold.games.state import BLACK, WHITE
from eightfold.search.result import Player, close_player

OPENING_TRIES = 1000


@dataclass(frozen=True, kw_only=True)
class GameResult:
    """One game, seen from the first-named player of the match."""

    position: Position  # the final one, with all its moves
    black: str
    white: str
    first_named_is_black: bool
    opening_plies: int
    seconds: tuple[float, ...]  # thinking time of each move, 0 in the opening
    forfeited_by: int | None = None  # the colour that could not go on, if one could not
    reason: str = ""  # and why
    resigned: bool = False  # whether it gave up, as the rules allow, which is no forfeit

    @property
    def winner(self) -> int | None:
        """BLACK, WHITE, or None for a draw; by the rules or because the other side could not or would not go on."""
        return self.position.winner if self.forfeited_by is None else BLACK + WHITE - self.forfeited_by

    @property
    def points(self) -> float:
        """1, 0.5 or 0 for the first-named player."""
        if self.winner is None:
            return 0.5
        return float((self.winner == BLACK) == self.first_named_is_black)

    def record(self, **more: Any) -> GameRecord:
        result = {BLACK: "B+", WHITE: "W+", None: "Draw"}[self.winner]
        if self.resigned:
            result += "R"
        elif self.forfeited_by is not None:
            result, more = f"{result}F", {"comment": self.reason, **more}
        elif self.position.margin:
            result += f"{abs(self.position.margin):g}"
        return GameRecord(
            game=self.position.game.text,
            moves=self.position.moves,
            black=self.black,
            white=self.white,
            result=result,
            seconds=self.seconds,
            **more,
        )


@dataclass(frozen=True, kw_only=True)
class Tally:
    games: int
    wins: int
    draws: int
    losses: int

    @classmethod
    def of(cls, results: Sequence[GameResult]) -> Tally:
        points = Counter(result.points for result in results)
        return cls(games=len(results), wins=points[1.0], draws=points[0.5], losses=points[0.0])

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return score_interval(self.wins, self.draws, self.losses)

    def as_dict(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.score,
            "ci95": list(self.interval),
        }


@dataclass(frozen=True, kw_only=True)
class MatchReport:
    """All of a match; counts and scores are the first-named player's."""

    game: str
    names: tuple[str, str]
    seed: int
    opening_plies: int
    results: tuple[GameResult, ...]

    @property
    def total(self) -> Tally:
        return Tally.of(self.results)

    @property
    def as_first(self) -> Tally:
        """The games in which the first-named player moved first (black)."""
        return Tally.of([result for result in self.results if result.first_named_is_black])

    @property
    def as_second(self) -> Tally:
        return Tally.of([result for result in self.results if not result.first_named_is_black])

    @property
    def seconds_per_move(self) -> tuple[float, float]:
        """Mean thinking time of either player; without its first move, in which kernels are loaded or compiled."""
        spent: tuple[list[float], list[float]] = ([], [])
        for result in self.results:
            black_first = result.position.game.start().to_move == BLACK  # with a handicap, white begins
            for ply in range(result.opening_plies, len(result.seconds)):
                first_named = ((ply % 2 == 0) == black_first) == result.first_named_is_black
                spent[0 if first_named else 1].append(result.seconds[ply])
        first, second = (float(np.mean(times[1:] or times)) if times else 0.0 for times in spent)
        return first, second

    @property
    def repeats(self) -> list[tuple[tuple[int, ...], list[int]]]:
        """Games that were played more than once: their moves, and their numbers from 1."""
        numbers: dict[tuple[int, ...], list[int]] = {}
        for number, result in enumerate(self.results, start=1):
            if result.forfeited_by is None or result.resigned:
                numbers.setdefault(result.position.moves, []).append(number)
        return [(moves, played) for moves, played in numbers.items() if len(played) > 1]

    @property
    def forfeits(self) -> list[tuple[int, str, str]]:
        """Games that were forfeited: their number from 1, who did it, and why."""
        return [
            (number, result.black if result.forfeited_by == BLACK else result.white, result.reason)
            for number, result in enumerate(self.results, start=1)
            if result.forfeited_by is not None and not result.resigned
        ]

    @property
    def distinct_games(self) -> int:
        return len({result.position.moves for result in self.results})

    def as_dict(self) -> dict[str, Any]:
        first_seconds, second_seconds = self.seconds_per_move
        return {
            "game": self.game,
            "players": list(self.names),
            "seed": self.seed,
            **self.total.as_dict(),
            "first": self.as_first.as_dict(),
            "second": self.as_second.as_dict(),
            "seconds_per_move": first_seconds,
            "opponent_seconds_per_move": second_seconds,
            "distinct_games": self.distinct_games,
            "repeated_games": [played for _, played in self.repeats],
            "forfeits": [{"game": number, "player": name, "reason": reason} for number, name, reason in self.forfeits],
        }


def play_match(
    game: Game,
    first: str,
    second: str,
    *,
    games: int = 20,
    seed: int = 0,
    opening_plies: int = 0,
    progress: Callable[[GameResult], None] = lambda result: None,
) -> MatchReport:
    """Play `games` games between two players given by their texts."""
    if games < 1:
        raise EightfoldError(f"{games} games are not a match; give at least 1")
    openings = _openings(game, opening_plies, seed)
    results = []
    opening = game.start()
    players: list[Player] = []
    try:
        for side, name in enumerate((first, second)):
            players.append(_seated(name, game, seed=2 * seed + side))
        for number in range(games):
            if number % 2 == 0:
                opening = next(openings)
            result = play_game(opening, (players[0], players[1]), (first, second), first_named_is_black=number % 2 == 0)
            results.append(result)
            progress(result)
    finally:
        for player in players:
            close_player(player)
    return MatchReport(
        game=game.text, names=(first, second), seed=seed, opening_plies=opening_plies, results=tuple(results)
    )


def _seated(name: str, game: Game, *, seed: int) -> Player:
    if name != HUMAN:
        return make_player(name, game, seed=seed)
    from eightfold.arena.human import HumanPlayer  # it shows what it plays by this module

    return HumanPlayer()


def play_game(
    opening: Position, players: tuple[Player, Player], names: tuple[str, str], *, first_named_is_black: bool
) -> GameResult:
    """One game from an opening to its end."""
    seat = (0, 1) if first_named_is_black else (1, 0)  # who sits behind black and behind white
    position, mover = opening, 0
    seconds = [0.0] * len(opening.moves)
    forfeited_by, reason, resigned = None, "", False
    try:
        for mover in (0, 1):
            players[mover].new_game()
        while not position.is_over:
            mover = seat[position.to_move - BLACK]
            start = time.perf_counter()
            result = players[mover].think(position)
            spent = time.perf_counter() - start
            try:
                position = position.play(result.action)
            except EightfoldError as error:
                raise EightfoldError(f"player {names[mover]} at move {position.ply + 1}: {error}") from None
            seconds.append(spent)
    except Forfeit as error:
        forfeited_by, reason, resigned = BLACK + seat.index(mover), str(error), isinstance(error, Resignation)
    return GameResult(
        position=position,
        black=names[seat[0]],
        white=names[seat[1]],
        first_named_is_black=first_named_is_black,
        opening_plies=len(opening.moves),
        seconds=tuple(seconds),
        forfeited_by=forfeited_by,
        reason=reason,
        resigned=resigned,
    )


def _openings(game: Game, plies: int, seed: int) -> Iterator[Position]:
    """Random openings of so many plies that end nothing, different ones as long as there are any."""
    if not 0 <= plies < game.points:
        raise EightfoldError(f"opening plies {plies} do not fit {game.text}; give 0 to {game.points - 1}")
    random = np.random.default_rng([seed, plies])
    seen: set[int] = set()
    tries = OPENING_TRIES
    while plies == 0:
        yield game.start()
    while True:
        opening = None
        for _ in range(tries):
            candidate = _random_position(game, plies, random)
            if candidate is None:
                continue
            opening = candidate
            if candidate.orbit_key not in seen:
                break
        else:
            tries = 1 if opening is not None else tries  # all are used up: repeat them without looking further
        if opening is None:
            raise EightfoldError(f"no opening of {plies} random plies leaves {game.text} undecided; give fewer")
        seen.add(opening.orbit_key)
        yield opening


def _random_position(game: Game, plies: int, random: np.random.Generator) -> Position | None:
    position = game.start()
    for _ in range(plies):
        position = position.play(int(random.choice(position.legal_moves)))
        if position.is_over:
            return None
    return position
