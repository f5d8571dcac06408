"""Who plays whom, with which colours, openings and random numbers.

A game depends on the seed, the names of its two players and its number among their games, and on nothing else. So a
pair plays the same games whoever else takes part, and what has been played stays valid when players or games are added.
All pairs play the same openings.

Numbers come before pairs: all pairs play an opening before any plays the next, so that a tournament which is stopped
early has about equally many games of each, and fast games are played beside slow ones to the end.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from eightfold.arena.tournaments.settings import GAUNTLET

SIDES = 2  # an opening is played from


def pairs_of(names: Sequence[str], style: str) -> list[tuple[str, str]]:
    """The pairs that meet, each in the order of names, whoever was named first.

    >>> pairs_of(["new", "old", "best"], "gauntlet")
    [('new', 'old'), ('best', 'new')]
    """
    first = names[:1] if style == GAUNTLET else names
    met = [(one, two) for one, two in itertools.combinations(names, 2) if one in first]
    return [(min(pair), max(pair)) for pair in met]


def missing_games(
    pairs: Sequence[tuple[str, str]], games: int, played: Collection[tuple[tuple[str, str], int]]
) -> Iterator[tuple[tuple[str, str], int]]:
    """The games that have yet to be played, as pairs and numbers, in their order."""
    for opening in range(-(-games // SIDES)):
        for pair in pairs:
            for number in range(SIDES * opening, min(games, SIDES * (opening + 1))):
                if (pair, number) not in played:
                    yield pair, number


def player_seed(seed: int, name: str) -> int:
    return _number(seed, name)


def game_seeds(seed: int, pair: tuple[str, str], number: int) -> tuple[int, int]:
    """Of either player in one game."""
    return _number(seed, *pair, number, 0), _number(seed, *pair, number, 1)


def _number(*parts: int | str) -> int:
    words = [part if isinstance(part, int) else _digest(part) for part in parts]
    return int(np.random.SeedSequence(words).generate_state(1)[0])


def _digest(name: str) -> int:
    """A number for a name, the same in every process."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
