"""The plain style of the player `mcts`: pure Monte Carlo tree search, by which Suen & Alonso measure networks.

Uniform priors, C = 5, one random game for every playout, the most visited move; the tree below the moves
that were played is kept. The tree itself is in `eightfold.search.kernels.uct`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eightfold.core.specialise import specialise
from eightfold.games.game import Game, Position
from eightfold.search.mcts_options import PLAIN_EXPLORATION, MctsOptions
from eightfold.search.tree_player import TreePlayer

LARGEST_TREE = 1 << 23  # places; memory is taken only as the tree grows into them
PLACE = 48  # bytes of a place: in the tree, in the other one that a part of it is copied to, and while copying


class Uct(TreePlayer):
    """Plays random games from promising positions and takes the most visited move."""

    def __init__(self, game: Game, options: MctsOptions = MctsOptions(), *, seed: int = 0) -> None:  # noqa: B008
        super().__init__(game, options, seed)
        playouts, memory = options.playouts, options.memory
        self._kernels = specialise("eightfold.search.kernels.uct", game.rules)
        self._exploration = PLAIN_EXPLORATION if options.exploration is None else options.exploration
        self._state = np.zeros(game.spec.state_length(game.size), np.int64)
        self._scratch = np.zeros(game.actions, np.int64)
        self._path = np.zeros(4 * game.actions, np.int64)  # deeper than that no playout goes in the tree
        self._largest = min(LARGEST_TREE, memory * 1_000_000 // PLACE) if memory else LARGEST_TREE
        needed = self._largest if options.seconds else min(2 * playouts * game.actions + 1, self._largest)
        self._tree, self._spare = self._make_tree(needed), self._make_tree(needed)
        self.bytes_a_game = needed * PLACE

    def _make_tree(self, places: int) -> Any:
        return self._kernels.Tree(
            move=np.zeros(places, np.int16),
            visits=np.zeros(places, np.int32),
            value=np.zeros(places, np.float64),
            first=np.zeros(places, np.int32),
            children=np.zeros(places, np.int16),
            tried=np.zeros(places, np.int16),
            used=np.zeros(1, np.int32),
        )

    def _run(self, position: Position, playouts: int) -> None:
        self._kernels.run_playouts(
            self._tree,
            position.state,
            playouts,
            self._exploration,
            self._random,
            self._state,
            self._scratch,
            self._path,
        )

    def _visited(self, node: int) -> slice:
        first = int(self._tree.first[node])
        return slice(first, first + int(self._tree.tried[node])) if first >= 0 else slice(0, 0)
