"""The arrays of a forest of search trees, made in one place for the forest of the CPU and for that of a GPU.

`zeros` makes an array of zeros of a shape and a type: NumPy's, or a machine's own. Shapes are in `kernels/tree.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eightfold.games.game import Game
from eightfold.search.kernels.tree import Constants, Forest, Leaves, Roots
from eightfold.search.settings import SearchSettings

Zeros = Callable[[tuple[int, ...], Any], Any]


def nodes_needed(game: Game, playouts: int, leaves_a_game: int = 1) -> int:
    """What is kept of the last tree, what is added, and the children of the root, which are all looked at."""
    return 3 * playouts + 2 * leaves_a_game + 2 * game.actions + 2


def edges_needed(game: Game, nodes: int) -> int:
    """Only nodes that the network was asked for have edges, and those are not the children that roots are given."""
    return (nodes - 2 * game.actions) * game.actions


def make_forest(game: Game, trees: int, nodes: int, zeros: Zeros = np.zeros) -> Forest:
    edges = edges_needed(game, nodes)
    return Forest(
        states=zeros((trees, game.spec.state_length(game.size)), np.int64),
        first=zeros((trees, nodes), np.int32),
        degree=zeros((trees, nodes), np.int32),
        visits=zeros((trees, nodes), np.int32),
        value=zeros((trees, nodes), np.float32),
        proof=zeros((trees, nodes), np.int8),
        move=zeros((trees, edges), np.int16),
        prior=zeros((trees, edges), np.float32),
        edge_visits=zeros((trees, edges), np.int32),
        edge_value=zeros((trees, edges), np.float32),
        child=zeros((trees, edges), np.int32),
        used=zeros((trees, 2), np.int32),
        draw=zeros((trees,), np.float32),
        drawn=zeros((trees, 2), np.float64),
        left=zeros((trees,), np.int32),
    )


def make_roots(game: Game, settings: SearchSettings, trees: int, zeros: Zeros = np.zeros) -> Roots:
    """Every root begins with the rule PUCT, which is 0."""
    return Roots(
        rule=zeros((trees,), np.int8),
        forced=float(settings.forced_playouts),
        candidates=int(settings.gumbel_moves),
        visit_constant=float(settings.gumbel_visits),
        value_constant=float(settings.gumbel_scale),
        begun=zeros((trees,), np.int64),
        budget=zeros((trees,), np.int64),
        noise=zeros((trees, game.actions), np.float64),
        before=zeros((trees, game.actions), np.int32),
    )


def make_leaves(game: Game, batch: int, nodes: int, zeros: Zeros = np.zeros) -> Leaves:
    depth = min(4 * game.actions, nodes) + 1
    return Leaves(
        game=zeros((batch,), np.int32),
        depth=zeros((batch,), np.int32),
        nodes=zeros((batch, depth), np.int32),
        edges=zeros((batch, depth), np.int32),
        states=zeros((batch, game.spec.state_length(game.size)), np.int64),
    )


def constants_of(settings: SearchSettings) -> Constants:
    return Constants(
        exploration=float(settings.exploration),
        fpu_reduction=float(settings.fpu_reduction),
        proof_nodes=int(settings.proof_nodes),
    )
