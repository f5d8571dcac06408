"""What came of games: one game, a match of two players, a round robin of many. `match.py` plays them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eightfold.arena.bradley_terry import Rating, Score, fit_ratings
from eightfold.arena.ratings import score_interval
from eightfold.games.game import Position
from eightfold.games.records.record import GameRecord
from eightfold.games.state import BLACK, WHITE


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

    @property
    def margin(self) -> float:
        """By how many points the first-named player is ahead at the end, in a game that counts them; else 0."""
        return (self.position.margin or 0.0) * (1 if self.first_named_is_black else -1)

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
    """Wins, draws and losses of a player."""

    games: int
    wins: int
    draws: int
    losses: int

    @classmethod
    def of(cls, results: Sequence[GameResult]) -> Tally:
        points = Counter(result.points for result in results)
        return cls(games=len(results), wins=points[1.0], draws=points[0.5], losses=points[0.0])

    @property
    def swapped(self) -> Tally:
        """The same games for the other player."""
        return Tally(games=self.games, wins=self.losses, draws=self.draws, losses=self.wins)

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return score_interval(self.wins, self.draws, self.losses)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            games=self.games + other.games,
            wins=self.wins + other.wins,
            draws=self.draws + other.draws,
            losses=self.losses + other.losses,
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.score,
            "ci95": list(self.interval),
        }


def scores_of(one: int, two: int, as_first: Tally, as_second: Tally) -> list[Score]:
    """The games of two players as a rating takes them, from two tallies of player `one`: moving first, and second."""
    swapped = as_second.swapped
    return [
        Score(one, two, as_first.wins, as_first.draws, as_first.losses),
        Score(two, one, swapped.wins, swapped.draws, swapped.losses),
    ]


@dataclass(frozen=True, kw_only=True)
class MatchReport:
    """All of a match; counts and scores are the first-named player's."""

    game: str
    names: tuple[str, str]
    seed: int
    opening_plies: int  # of the longest opening
    results: tuple[GameResult, ...]
    openings: str = ""  # how games begin, in words

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
        """Mean thinking time of either player; without its first move, in which kernels are loaded or compiled.

        A player that thinks about several games at once has a share of that time for each of them.
        """
        spent: tuple[list[float], list[float]] = ([], [])
        for result in self.results:
            black_first = result.position.game.start().to_move == BLACK  # with a handicap, white begins
            for ply in range(result.opening_plies, len(result.seconds)):
                first_named = ((ply % 2 == 0) == black_first) == result.first_named_is_black
                spent[0 if first_named else 1].append(result.seconds[ply])
        first, second = (float(np.mean(times[1:] or times)) if times else 0.0 for times in spent)
        return first, second

    @property
    def moves_a_game(self) -> float:
        return float(np.mean([len(result.position.moves) for result in self.results]))

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
            "openings": self.openings,
            **self.total.as_dict(),
            "first": self.as_first.as_dict(),
            "second": self.as_second.as_dict(),
            "seconds_per_move": first_seconds,
            "opponent_seconds_per_move": second_seconds,
            "distinct_games": self.distinct_games,
            "repeated_games": [played for _, played in self.repeats],
            "forfeits": [{"game": number, "player": name, "reason": reason} for number, name, reason in self.forfeits],
        }


@dataclass(frozen=True, kw_only=True)
class RoundRobin:
    """Everybody against everybody."""

    names: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]  # places in `names`
    matches: tuple[MatchReport, ...]  # one for each pair

    def tally(self, player: int) -> Tally:
        """All games of a player, by its place in `names`."""
        total = Tally(games=0, wins=0, draws=0, losses=0)
        for pair, match in zip(self.pairs, self.matches, strict=True):
            if player in pair:
                total += match.total if player == pair[0] else match.total.swapped
        return total

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return tuple(self.tally(player) for player in range(len(self.names)))

    @property
    def ratings(self) -> tuple[Rating, ...]:
        """Elo ratings, with draws and the advantage of moving first; their mean is 0."""
        scores = []
        for (one, two), match in zip(self.pairs, self.matches, strict=True):
            scores += scores_of(one, two, match.as_first, match.as_second)
        return fit_ratings(len(self.names), scores).ratings

    @property
    def moves_a_game(self) -> float:
        return float(np.mean([len(result.position.moves) for match in self.matches for result in match.results]))

    def as_dict(self) -> dict[str, Any]:
        return {
            "players": [
                {"name": name, **tally.as_dict(), "elo": rating.elo, "elo_error": rating.error}
                for name, tally, rating in zip(self.names, self.tallies, self.ratings, strict=True)
            ],
            "matches": [match.as_dict() for match in self.matches],
        }
