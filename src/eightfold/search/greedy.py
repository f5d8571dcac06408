"""The player `greedy` of Zhao & Zhang, section 3.1: no look-ahead.

It scores every empty point by the lines that a stone there would make, ten times more for each stone in a line, adds
λ times the point's score for the opponent, and plays the highest.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.core.specs import check_spec
from eightfold.games.game import Game, Position
from eightfold.games.state import BLACK
from eightfold.search.kind import PlayerKind
from eightfold.search.move_time import Seconds
from eightfold.search.result import Progress, SearchResult, check_position, check_seed, one_hot


@dataclass(frozen=True, kw_only=True)
class GreedyOptions:
    weight: float = setting(0.5, "weight of what the point is worth to the opponent", least=0, most=100, name="lambda")


class Greedy:
    """Plays the point that scores highest right now."""

    KIND = PlayerKind(
        summary="the point that scores highest right now, for itself and for the opponent; no look-ahead",
        example="greedy:lambda=0.5",
        needs="scores_moves",
    )
    Options = GreedyOptions
    timed, bytes_a_game = False, 0

    def __init__(self, game: Game, options: GreedyOptions = GreedyOptions(), *, seed: int = 0) -> None:  # noqa: B008
        need_heuristic(game, "greedy")
        check_spec(options, "player greedy")
        self._game, self._options, self._weight = game, options, options.weight
        self._random = np.random.default_rng(check_seed(seed))

    def new_game(self) -> None:
        """It remembers nothing."""

    def fork(self, seed: int) -> Greedy:
        return Greedy(self._game, self._options, seed=seed)

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, "greedy")
        game = self._game
        scores = np.zeros((2, game.actions), np.int64)
        game.rules.score_moves(position.state, scores)
        own, other = scores[position.to_move - BLACK], scores[2 - position.to_move]
        total = (own + self._weight * other) * position.legal_mask  # renju: what white wants black may not have
        best = np.flatnonzero(total == total.max())
        action = int(self._random.choice(best))
        # A win at once is certain; anything else is judged by the lead over the opponent's best point.
        lead = (own.max() - other.max()) / game.rules.best_possible_score(position.state)
        value = 1.0 if position.play(action).result == position.to_move else float(lead)
        return SearchResult(action=action, policy=one_hot(game.actions, action), value=value, scores=total)


def need_heuristic(game: Game, player: str) -> None:
    if not game.scores_moves:
        raise EightfoldError(f"player {player} needs a game that scores moves; {game.name} offers no score_moves")
