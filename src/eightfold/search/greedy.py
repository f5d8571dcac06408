"""Players that do not look ahead: `random`, and `greedy` of document 004, section 3.1.

Greedy gives every empty point the worth of the lines that a stone there would make, ten times more for
each stone in a line, adds λ times what the point is worth to the opponent, and takes the largest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eightfold.errors import EightfoldError
from eightfold.games.game import Game, Position
from eightfold.games.state import BLACK
from eightfold.search.result import SearchResult, one_hot
from eightfold.texts import Option


class RandomMover:
    """Any legal move, each as likely as the others."""

    OPTIONS: tuple[Option, ...] = ()

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)

    def new_game(self) -> None:
        """It remembers nothing."""

    def think(self, position: Position) -> SearchResult:
        policy = (position.legal_mask / len(position.legal_moves)).astype(np.float32)
        return SearchResult(action=int(self._random.choice(position.legal_moves)), policy=policy, value=0.0)


class Greedy:
    """The point that is worth most right now."""

    OPTIONS = (
        Option(name="lambda", default=0.5, least=0, most=100, help="weight of what the point is worth to the opponent"),
    )

    def __init__(self, game: Game, *, seed: int = 0, **options: Any) -> None:
        need_heuristic(game, "greedy")
        self._weight = float(options.get("lambda", 0.5))
        self._random = np.random.default_rng(seed)

    def new_game(self) -> None:
        """It remembers nothing."""

    def think(self, position: Position) -> SearchResult:
        game = position.game
        scores = np.zeros((2, game.actions), np.int64)
        game.rules.score_moves(position.state, scores)
        own, other = scores[position.to_move - BLACK], scores[2 - position.to_move]
        total = own + self._weight * other
        best = np.flatnonzero(total == total.max())
        action = int(self._random.choice(best))
        # A line that wins at once is certain; anything else is the lead over the opponent's best point.
        lead = (own.max() - other.max()) / game.rules.best_possible_score(position.state)
        return SearchResult(action=action, policy=one_hot(game.actions, action), value=float(lead), scores=total)


def need_heuristic(game: Game, player: str) -> None:
    if not hasattr(game.rules, "score_moves"):
        raise EightfoldError(f"player {player} needs a game that scores moves; {game.name} offers no score_moves")
