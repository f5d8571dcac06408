"""What is asked of a root before and after its search: noise, visits, its value, the edge of a move.

Nothing here is specialised to a game.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import kernel
from eightfold.games.state import BLACK, SIDE
from eightfold.search.kernels.gumbel import improved_policy
from eightfold.search.kernels.tree import DRAWN, GUMBEL, LOST, NONE, ROOT, UNKNOWN, WON, Forest, Roots


@kernel
def add_noise(forest: Forest, game: int, gammas: NDArray[np.float64], share: float) -> None:  # [A]
    """Mix Dirichlet noise into the priors of an expanded root: gamma variates, divided by their sum."""
    first, count = forest.first[game, ROOT], forest.degree[game, ROOT]
    total = 1e-30
    for edge in range(first, first + count):
        total += gammas[forest.move[game, edge]]
    for edge in range(first, first + count):
        noise = gammas[forest.move[game, edge]] / total
        forest.prior[game, edge] = (1 - share) * forest.prior[game, edge] + share * noise


@kernel
def root_visits(forest: Forest, game: int, visits: NDArray[np.float32]) -> None:  # [A]
    """What the search found at the root, as weights: the winning moves if there are any, else the visits.

    Moves that are proven to lose get nothing while anything else is left.
    """
    visits[:] = 0
    first, count = forest.first[game, ROOT], forest.degree[game, ROOT]
    won = forest.proof[game, ROOT] == WON
    total = np.float32(0.0)
    for edge in range(first, first + count):
        child = forest.child[game, edge]
        proof = forest.proof[game, child] if child != NONE else UNKNOWN
        weight = np.float32(forest.edge_visits[game, edge] if proof != WON else 0)
        if won:
            weight = np.float32(proof == LOST)
        visits[forest.move[game, edge]] = weight
        total += weight
    if total == 0:  # everything loses, or the root was never searched: the visits, or all alike
        for edge in range(first, first + count):
            visits[forest.move[game, edge]] = 1 + forest.edge_visits[game, edge]


@kernel
def find_edge(forest: Forest, game: int, move: int) -> int:
    first = forest.first[game, ROOT]
    for edge in range(first, first + forest.degree[game, ROOT]):
        if forest.move[game, edge] == move:
            return edge
    return NONE


@kernel
def root_value(forest: Forest, roots: Roots, game: int, policy: NDArray[np.float32]) -> float:  # [A], used up
    """The mean value of the root for its side to move, exact where it is proven; a draw counts as 0.

    Halving spends most playouts on moves that it drops, so there it is the value of the improved policy.
    """
    proof, first = forest.proof[game, ROOT], forest.first[game, ROOT]
    value = float(forest.value[game, ROOT])
    if proof != UNKNOWN:
        return 0.0 if proof == DRAWN else value
    if first == NONE:
        return value
    if roots.rule[game] == GUMBEL:
        value = improved_policy(forest, roots, game, policy)
    else:
        visits = 1
        for edge in range(first, first + forest.degree[game, ROOT]):
            value += forest.edge_value[game, edge]
            visits += forest.edge_visits[game, edge]
        value /= visits
    return min(max(value - worth_of_draws(forest, game), -1.0), 1.0)


@kernel
def worth_of_draws(forest: Forest, game: int) -> float:
    """What draws were worth in this search to the side to move, in the mean; it is taken off the values again.

    The tree may also hold visits of the search before, whose draws are no longer counted, so the difference may
    leave the range of values.
    """
    draw = np.float64(forest.draw[game]) * (1 if forest.states[game, SIDE] == BLACK else -1)
    return draw * forest.drawn[game, 0] / max(forest.drawn[game, 1], 1.0)
