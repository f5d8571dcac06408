"""Balanced openings: of many random ones those after which neither side is lost, as somebody judges.

A network judges by its value, without a search, and a short proof sees wins by force (`eightfold.search.openings`).
Where no network comes with the game, `mcts` thinks about each opening for a moment. Stones lie in the middle of the
board, as in self-play: far apart they would leave whoever moves next the advantage of the first move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.arena.players import make_player
from eightfold.core.errors import EightfoldError
from eightfold.core.rng import make_random
from eightfold.games.game import Game, Position
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork, best_shipped
from eightfold.search.openings import Openings, balanced, draw_openings, opening_points, values_of, won_by_force

LIMIT = 0.1  # values from -LIMIT to LIMIT are balanced: chances from 45 to 55 % where a draw is half a win
USUAL_PLIES = 4
DRAWN_FOR_NETWORK, DRAWN_FOR_SEARCH = 256, 16  # openings that are judged at once
SEARCH = "mcts:playouts=2000"
PATIENCE = 8  # times that openings are drawn before those that were there begin again


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Who says what positions are worth to the side to move; infinity where that side wins by force."""

    name: str
    values: Callable[[Openings], NDArray[np.float64]]  # [B]
    at_once: int


def find_judge(game: Game, place: str = "", *, seed: int = 0) -> Judge:
    """The network at a place, or without one the shipped network for the game, or else a search."""
    shipped = best_shipped(game) if not place else None
    if shipped is None and not place:
        return _search(game, seed)
    name = place if shipped is None else shipped.parent.name
    network = open_network(name if shipped is None else shipped, game, kind=PolicyValueNetwork)
    evaluator = network.evaluator(random=np.random.default_rng(seed))
    return Judge(
        name=name,
        values=lambda openings: values_of(game, evaluator, openings.states),
        at_once=DRAWN_FOR_NETWORK,
    )


def _search(game: Game, seed: int) -> Judge:
    player = make_player(SEARCH, game, seed=seed)

    def values(openings: Openings) -> NDArray[np.float64]:
        won = won_by_force(game, openings.states)
        found = np.full(len(won), np.inf)
        for row in np.flatnonzero(~won):
            player.new_game()
            found[row] = player.think(game.after(openings.moves_of(int(row)))).value
        return found

    return Judge(name=SEARCH, values=values, at_once=DRAWN_FOR_SEARCH)


def balanced_openings(game: Game, plies: int, seed: int, judge: Judge) -> Iterator[Position]:
    """Balanced openings of so many plies, different ones up to turning the board as long as there are any.

    Of a batch in which no opening is within the limit the most balanced one is taken.
    """
    everywhere = plies > len(opening_points(game.size, False)) // 2
    if not 0 < plies <= len(opening_points(game.size, everywhere)) // 2:
        raise EightfoldError(f"balanced openings of {plies} plies do not fit {game.text}; give 1 to {game.points // 2}")
    return _stream(game, plies, make_random(seed, plies), judge, everywhere)


def _stream(game: Game, plies: int, random: NDArray[np.uint64], judge: Judge, everywhere: bool) -> Iterator[Position]:
    seen: set[int] = set()
    vain = 0
    while True:
        drawn = draw_openings(game, judge.at_once, least=plies, most=plies, random=random, everywhere=everywhere)
        drawn = drawn.rows(np.flatnonzero(drawn.lengths == plies))
        vain += 1
        for row in balanced(judge.values(drawn), LIMIT):
            position = game.after(drawn.moves_of(int(row)))
            if position.orbit_key not in seen:
                seen.add(position.orbit_key)
                vain = 0
                yield position
        if vain == PATIENCE:
            if not seen:
                raise EightfoldError(f"no opening of {plies} random plies leaves {game.text} undecided; give fewer")
            seen.clear()
