"""What there is to say of a move besides its patterns (Coulom 2007, section 4.2), as features with levels.

A feature has one level for every candidate: 0 if it does not apply, which neither helps nor harms, or one of 1 to
`levels`, each with a strength of its own. Distances are Coulom's: |dx| + |dy| + max(|dx|, |dy|), so 2 is beside a
stone and 3 diagonal to it. Ladders are not read. What a move does to groups is known of games that say so
(`eightfold.games.effects`); of others only distances and lines are.

Read next: `teams.py`, patterns and features of a candidate together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eightfold.core.errors import EightfoldError, unknown
from eightfold.games.game import Game

FAR = 17  # all distances from here on are one level
HIGH = 10  # all lines from here on are one level


@dataclass(frozen=True, kw_only=True)
class Feature:
    name: str
    levels: int
    summary: str
    takes_stones: bool = False  # only games in which stones are taken have it


FEATURES = {
    feature.name: feature
    for feature in (  # their order is known to `team_kernels.py`
        Feature(name="distance", levels=FAR, summary="distance to the last move"),
        Feature(name="distance-before", levels=FAR, summary="distance to the move before that"),
        Feature(name="edge", levels=HIGH, summary="line of the point, 1 at the edge"),
        Feature(
            name="capture",
            levels=2,
            summary="1: takes a group; 2: takes one that touches an own group in atari",
            takes_stones=True,
        ),
        Feature(name="atari", levels=1, summary="puts a group in atari", takes_stones=True),
        Feature(name="extension", levels=1, summary="saves an own group in atari by liberties", takes_stones=True),
        Feature(name="self-atari", levels=1, summary="leaves the own group one liberty", takes_stones=True),
    )
}


def features_of(game: Game) -> tuple[str, ...]:
    """The features that a game has."""
    return tuple(name for name, feature in FEATURES.items() if game.takes_stones or not feature.takes_stones)


def check_features(names: Iterable[str], game: Game) -> tuple[str, ...]:
    """Features by name, in their own order; `all` stands for those that the game has."""
    wanted = list(names)
    if wanted == ["all"]:
        return features_of(game)
    for name in wanted:
        if name not in FEATURES:
            raise unknown("feature", name, [*FEATURES, "all"])
        if name not in features_of(game):
            raise EightfoldError(f"{game.name} has no feature {name}; it has {', '.join(features_of(game))}")
    return tuple(name for name in FEATURES if name in wanted)
