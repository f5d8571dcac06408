"""Named strengths of a network, from a beginner's to its full one: `net:gomoku-8,level=casual`.

A weak level is to play like a weak person, not like a strong one who now and then throws a game away. So it does not
look ahead (one playout: the bare network), wavers between the moves that come to its mind (a temperature on their
shares, in all of the game), and sees no long forced wins (no proofs). What every person sees it sees too: a win on the
spot, and the opponent's. Stronger levels look ahead, and only vary their first moves.

How strong each of them is depends on the network: `eightfold levels NETWORK --rate FOLDER` measures it in a tournament
(`eightfold.arena.level_tournament`) and writes it beside the network, from where `read_level_ratings` takes it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.nets.store.places import find_network
from eightfold.nets.store.policy_value import PolicyValueNetwork, weights_digest

RATINGS = "levels.json"
WHOLE_GAME = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Level:
    """What a level says of the options of `net`."""

    playouts: int
    temperature: float = 0.0
    temperature_plies: int = WHOLE_GAME
    proof_nodes: int | None = None  # as the network says
    threat_nodes: int | None = None  # likewise
    leaf_threat_nodes: int | None = None


WITHOUT_PROOFS: dict[str, Any] = {"proof_nodes": 0, "threat_nodes": 0, "leaf_threat_nodes": 0}
LEVELS = {
    "beginner": Level(playouts=1, temperature=6.0, **WITHOUT_PROOFS),
    "novice": Level(playouts=1, temperature=3.0, **WITHOUT_PROOFS),
    "casual": Level(playouts=1, temperature=1.5, **WITHOUT_PROOFS),
    "skilled": Level(playouts=1, temperature=0.8, **WITHOUT_PROOFS),
    "expert": Level(playouts=16, temperature=0.5, temperature_plies=16, **WITHOUT_PROOFS),
    "master": Level(playouts=1600),
}
USUAL = "master"


@dataclass(frozen=True, kw_only=True)
class LevelRating:
    elo: float
    error: float  # half the 95 % interval


@dataclass(frozen=True, kw_only=True)
class LevelRatings:
    """What a tournament of the levels of a network found."""

    zero: str  # the player whose rating is 0
    game: str
    games: int  # of each player
    ratings: dict[str, LevelRating]  # by the names of levels
    others: dict[str, LevelRating]  # by the texts of the other players

    def name_of(self, level: str) -> str:
        """A level as people read it.

        >>> rating = LevelRating(elo=-310.4, error=40)
        >>> LevelRatings(zero="greedy", game="", games=9, ratings={"novice": rating}, others={}).name_of("novice")
        'Novice (Elo -310)'
        """
        rating = self.ratings.get(level)
        return level.capitalize() + ("" if rating is None else f" (Elo {round(rating.elo):+d})")

    def as_dict(self) -> dict[str, Any]:
        rated = {name: self.ratings.get(name) for name in LEVELS}
        return {
            "zero": self.zero,
            "games": self.games,
            "levels": [
                {
                    "name": name,
                    **asdict(LEVELS[name]),
                    "elo": None if found is None else found.elo,
                    "elo_error": None if found is None else found.error,
                }
                for name, found in rated.items()
            ],
            "others": [
                {"name": name, "elo": found.elo, "elo_error": found.error} for name, found in self.others.items()
            ],
        }


NOT_RATED = LevelRatings(zero="", game="", games=0, ratings={}, others={})


def ratings_file(place: str | Path) -> tuple[Path, str]:
    """Where the ratings of the levels of a network lie, and the digest of its weights."""
    _, file = find_network(place, PolicyValueNetwork)
    return file.parent / RATINGS, weights_digest(file)


def read_level_ratings(place: str | Path) -> LevelRatings:
    """The ratings of the levels of the network at a place: those of these very weights, and of levels as they are."""
    try:
        path, digest = ratings_file(place)
        told: Any = json.loads(path.read_text(encoding="utf-8"))
        if told["network"] != digest:
            return NOT_RATED
        return LevelRatings(
            zero=str(told["zero"]),
            game=str(told["game"]),
            games=int(told["games"]),
            ratings={
                name: _rating(told["levels"][name])
                for name, level in LEVELS.items()
                if name in told["levels"] and told["levels"][name]["options"] == asdict(level)
            },
            others={str(name): _rating(rating) for name, rating in told["others"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, EightfoldError):
        return NOT_RATED  # a file from elsewhere may hold anything


def _rating(told: Any) -> LevelRating:
    return LevelRating(elo=float(told["elo"]), error=float(told["elo_error"]))
