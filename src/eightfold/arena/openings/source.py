"""Where the openings of a match come from, by a short text:

    random                 random moves anywhere, as many as asked for (`random_moves.py`)
    balanced               of random moves those after which neither side is lost, by the shipped network of the
                           nearest board or, where the game has none, by short searches of `mcts` (`balanced.py`)
    balanced:NETWORK       the same by a network of one's own: a run, a checkpoint, an exported file
    openings.txt, games/   a list of one's own (`lists.py`)

Equal seeds give equal openings. Every opening is played from both sides, whoever asks (`match.py`, `tournaments/`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from eightfold.arena.openings.balanced import LIMIT, USUAL_PLIES, balanced_openings, find_judge
from eightfold.arena.openings.lists import listed_openings, read_openings
from eightfold.arena.openings.random_moves import random_openings
from eightfold.core.errors import EightfoldError
from eightfold.core.words import number_of
from eightfold.games.game import Game, Position

RANDOM, BALANCED = "random", "balanced"
HELP = f"{RANDOM}, {BALANCED}, {BALANCED}:NETWORK, or a file or folder of openings"


@dataclass(frozen=True, kw_only=True)
class OpeningSource:
    """Openings without end, and what reports call them."""

    openings: Iterator[Position]
    name: str

    def take(self, count: int) -> list[Position]:
        return list(itertools.islice(self.openings, count))


def opening_source(game: Game, text: str = RANDOM, *, plies: int = 0, seed: int = 0) -> OpeningSource:
    """The openings that a text names; an error now if there are none.

    `plies`: how many moves random and balanced ones have; balanced ones of 0 moves are of as many as usual.
    """
    kind, _, place = text.partition(":")
    if not text:
        raise EightfoldError(f"openings '' name nothing; give {HELP}")
    if text == RANDOM:
        name = number_of(plies, "random move") if plies else "none"
        return OpeningSource(openings=random_openings(game, plies, seed), name=name)
    if kind == BALANCED:
        plies, judge = plies or USUAL_PLIES, find_judge(game, place, seed=seed)
        name = f"{number_of(plies, 'move')}, balanced by {judge.name} (values from {-LIMIT:g} to {LIMIT:g})"
        return OpeningSource(openings=balanced_openings(game, plies, seed, judge), name=name)
    found = read_openings(text, game)
    name = f"{number_of(len(found), 'opening')} of {text}"
    return OpeningSource(openings=listed_openings(found, seed), name=name)
