"""What the games of a tournament say: scores of players and pairs, and ratings (`eightfold.arena.bradley_terry`)."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eightfold.arena.bradley_terry import RatingFit, Score, fit_ratings
from eightfold.arena.results import Tally, scores_of
from eightfold.arena.tournaments.played import TournamentGame
from eightfold.arena.tournaments.settings import TournamentSettings

NOTHING = Tally(games=0, wins=0, draws=0, losses=0)


@dataclass(frozen=True, kw_only=True)
class Standings:
    """Players by their places in `names`, which are sorted by rating: the strongest is 0."""

    settings: TournamentSettings
    names: tuple[str, ...]
    games: tuple[TournamentGame, ...]
    missing: int  # games that the last command has not played, because it was stopped
    fit: RatingFit
    as_black: tuple[tuple[Tally, ...], ...]  # [P, P]: of the player of a row against that of a column, moving first
    black_begins: bool  # with a handicap, white does

    @classmethod
    def of(
        cls,
        games: Sequence[TournamentGame],
        settings: TournamentSettings,
        *,
        missing: int = 0,
        black_begins: bool = True,
    ) -> Standings:
        joined = list(dict.fromkeys(name for game in games for name in game.pair))
        place = {name: number for number, name in enumerate(joined)}
        points = Counter((place[game.record.black], place[game.record.white], game.black_points) for game in games)
        table = [[_tally(points, one, two) for two in range(len(joined))] for one in range(len(joined))]
        fit = fit_ratings(len(joined), _scores(table), anchor=place.get(settings.anchor))
        order = np.argsort(-fit.elo, kind="stable")
        return cls(
            settings=settings,
            names=tuple(joined[at] for at in order),
            games=tuple(games),
            missing=missing,
            fit=fit.reordered(order),
            as_black=tuple(tuple(table[one][two] for two in order) for one in order),
            black_begins=black_begins,
        )

    @property
    def zero(self) -> str:
        """What has the rating 0: the anchor, as soon as it has played, else the mean."""
        return self.settings.anchor if self.settings.anchor in self.names else "the mean"

    @property
    def scores(self) -> list[Score]:
        """The games as the ratings take them."""
        return _scores(self.as_black)

    def first(self, one: int, two: int) -> Tally:
        """Games of a player against another in which it was black, who moves first."""
        return self.as_black[one][two]

    def pair(self, one: int, two: int) -> Tally:
        """All games of a player against another."""
        return self.as_black[one][two] + self.as_black[two][one].swapped

    @functools.cached_property
    def tallies(self) -> tuple[Tally, ...]:
        everybody = range(len(self.names))
        return tuple(sum((self.pair(one, two) for two in everybody), NOTHING) for one in everybody)

    @functools.cached_property
    def seconds_a_move(self) -> tuple[float, ...]:
        """Mean thinking time; a player that thinks about several games at once has a share of that time for each."""
        spent: dict[str, list[float]] = {name: [] for name in self.names}
        for game in self.games:
            movers = (game.record.black, game.record.white)
            for ply in range(game.opening_plies, len(game.record.seconds)):
                spent[movers[(ply % 2 == 0) != self.black_begins]].append(game.record.seconds[ply])
        return tuple(float(np.mean(times)) if times else 0.0 for times in spent.values())

    @property
    def forfeits(self) -> list[TournamentGame]:
        return [game for game in self.games if game.is_forfeit]

    @property
    def distinct_games(self) -> int:
        return len({(game.pair, game.record.moves) for game in self.games})

    def as_dict(self) -> dict[str, Any]:
        fit, everybody = self.fit, range(len(self.names))
        settings = self.settings
        return {
            "game": settings.game,
            "seed": settings.seed,
            "opening_plies": settings.opening_plies,
            "openings": settings.openings,
            "games": len(self.games),
            "missing_games": self.missing,
            "distinct_games": self.distinct_games,
            "zero": self.zero,
            "first_move": {"elo": fit.first_move.elo, "elo_error": fit.first_move.error},
            "draws": {"parameter": fit.draw_parameter, "equal_players": fit.draws.share, "ci95": list(fit.draws[1:])},
            "players": [
                {
                    "rank": one + 1,
                    "name": self.names[one],
                    "elo": fit.ratings[one].elo,
                    "elo_error": fit.ratings[one].error,
                    **self.tallies[one].as_dict(),
                    "seconds_a_move": self.seconds_a_move[one],
                    "superiority": [float(each) for each in fit.superiority[one]],
                }
                for one in everybody
            ],
            "pairs": [
                {
                    "players": [self.names[one], self.names[two]],
                    **self.pair(one, two).as_dict(),
                    "first": self.first(one, two).as_dict(),
                    "second": self.first(two, one).swapped.as_dict(),
                }
                for one in everybody
                for two in everybody
                if one < two and self.pair(one, two).games
            ],
            "forfeits": [
                {"players": list(game.pair), "number": game.number + 1, "reason": game.record.comment}
                for game in self.forfeits
            ],
        }


def _scores(as_black: Sequence[Sequence[Tally]]) -> list[Score]:
    scores = []
    for one in range(len(as_black)):
        for two in range(one):
            scores += scores_of(one, two, as_black[one][two], as_black[two][one].swapped)
    return [score for score in scores if sum(score[2:])]


def _tally(points: Counter[tuple[int, int, float]], black: int, white: int) -> Tally:
    wins, draws, losses = (points[black, white, worth] for worth in (1.0, 0.5, 0.0))
    return Tally(games=wins + draws + losses, wins=wins, draws=draws, losses=losses)
