"""What the kernels of the forest share: the arrays of the trees, of a batch of leaves, and of the roots' plans.

Nothing here is specialised to a game, so a kernel over these records compiles once for all games.

Shapes: G games, N nodes and E edges a game, B leaves a batch, D depth, A actions, L state row.
Read next: `forest.py`; `gumbel.py` and `forced.py` for other ways to spend the playouts at a root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.symmetry.orbit import LARGEST_BOARD

ROOT = 0
NONE = -1
MOST_ACTIONS = LARGEST_BOARD * LARGEST_BOARD + 1

# What is proven of a node, for its side to move.
UNKNOWN, WON, LOST, DRAWN = 0, 1, 2, 3

# How the search under way at a root chooses its moves.
PUCT, FORCED, GUMBEL = 0, 1, 2


class Forest(NamedTuple):
    states: Ints  # [G, L] the positions at the roots
    first: NDArray[np.int32]  # [G, N] a node's first edge, NONE until it is expanded
    degree: NDArray[np.int32]  # [G, N] and how many it has
    visits: NDArray[np.int32]  # [G, N]
    value: NDArray[np.float32]  # [G, N] what the network, or a proof, said of it
    proof: NDArray[np.int8]  # [G, N]
    move: NDArray[np.int16]  # [G, E]
    prior: NDArray[np.float32]  # [G, E]
    edge_visits: NDArray[np.int32]  # [G, E]
    edge_value: NDArray[np.float32]  # [G, E] the sum of values for the side that chooses the edge
    child: NDArray[np.int32]  # [G, E] the node it leads to, NONE until it is visited
    used: NDArray[np.int32]  # [G, 2] nodes and edges taken
    draw: NDArray[np.float32]  # [G] what a draw is worth to black, between -1 and 1
    drawn: NDArray[np.float64]  # [G, 2] chances of a draw at the leaves of this search, added up, and how many
    left: NDArray[np.int32]  # [G] simulations still to do for the move at the root


class Leaves(NamedTuple):
    game: NDArray[np.int32]  # [B]
    depth: NDArray[np.int32]  # [B]
    nodes: NDArray[np.int32]  # [B, D] from the root to the leaf
    edges: NDArray[np.int32]  # [B, D] the edge out of each of them but the last
    states: Ints  # [B, L]


class Constants(NamedTuple):
    """How a search weighs what it knows; see `eightfold.search.settings`."""

    exploration: float
    fpu_reduction: float
    proof_nodes: int


class Roots(NamedTuple):
    rule: NDArray[np.int8]  # [G] PUCT, FORCED or GUMBEL
    forced: float  # k of forced playouts
    candidates: int  # m, the moves that sequential halving begins with where so many are left
    visit_constant: float  # c_visit
    value_constant: float  # c_scale
    # Of a search by sequential halving:
    begun: Ints  # [G] moves it began with, 0 until its first choice at the root
    budget: Ints  # [G] simulations it had then
    noise: NDArray[np.float64]  # [G, A] Gumbel noise, 0 where there is none
    before: NDArray[np.int32]  # [G, A] visits that were kept from the last move


@kernel
def clear_node(forest: Forest, game: int, node: int) -> None:
    """A node that nobody has visited, and of which nothing is known."""
    forest.first[game, node] = NONE
    forest.degree[game, node] = 0
    forest.visits[game, node] = 0
    forest.value[game, node] = 0
    forest.proof[game, node] = UNKNOWN
