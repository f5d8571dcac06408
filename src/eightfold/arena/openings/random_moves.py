"""Openings of random moves anywhere that end nothing, different ones up to turning the board."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position

OPENING_TRIES = 1000


def random_openings(game: Game, plies: int, seed: int) -> Iterator[Position]:
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
