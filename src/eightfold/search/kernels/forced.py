"""Forced playouts at a noisy root, and a policy target without them.

Wu 2019, "Accelerating self-play learning in Go", section 3.2. Noise proposes moves; to find out whether one is
good takes more than a visit. So each move of the root that was tried gets at least

    n_forced(c) = sqrt(k * P(c) * sum_b N(b))

playouts. The target must not teach what was forced: those playouts are taken off again as long as PUCT would not
then have preferred the move to the most visited one, and moves that this leaves with one visit go altogether.
Moves that are proven need no playouts to be understood, so none are forced on them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import kernel
from eightfold.search.kernels.tree import NONE, ROOT, UNKNOWN, WON, Forest, Roots


@kernel
def forced_edge(forest: Forest, roots: Roots, game: int) -> int:
    """An edge at the root that has been tried less often than it must; NONE if there is none."""
    first, count = forest.first[game, ROOT], forest.degree[game, ROOT]
    total = _total(forest, game)
    for edge in range(first, first + count):
        visits = forest.edge_visits[game, edge]
        due = math.sqrt(roots.forced * forest.prior[game, edge] * total)
        if 0 < visits < due and _proof(forest, game, edge) == UNKNOWN:
            return edge
    return NONE


@kernel
def prune_target(forest: Forest, roots: Roots, game: int, exploration: float, visits: NDArray[np.float32]) -> None:
    """Take the forced playouts off the root's visits, [A], as long as nothing is proven of the root."""
    if forest.proof[game, ROOT] != UNKNOWN:
        return
    first, count = forest.first[game, ROOT], forest.degree[game, ROOT]
    best = int(NONE)  # not a literal, for which Numba would compile once more what it is passed to
    for edge in range(first, first + count):
        tried = forest.edge_visits[game, edge] > 0 and _proof(forest, game, edge) != WON
        if tried and (best == NONE or forest.edge_visits[game, edge] > forest.edge_visits[game, best]):
            best = edge
    if best == NONE:
        return
    total = _total(forest, game)
    weight = exploration * math.sqrt(total)
    best_urgency = _value(forest, game, best) + weight * forest.prior[game, best] / (1 + forest.edge_visits[game, best])
    for edge in range(first, first + count):
        kept = forest.edge_visits[game, edge]
        if edge == best or kept == 0 or _proof(forest, game, edge) == WON:
            continue
        q, pull = _value(forest, game, edge), weight * forest.prior[game, edge]
        forced = int(math.sqrt(roots.forced * forest.prior[game, edge] * total))
        while forced > 0 and kept > 0 and q + pull / kept < best_urgency:  # U with one visit less: 1 + N - 1
            kept -= 1
            forced -= 1
        visits[forest.move[game, edge]] = kept if kept > 1 else 0


@kernel
def _total(forest: Forest, game: int) -> int:
    first = forest.first[game, ROOT]
    total = 0
    for edge in range(first, first + forest.degree[game, ROOT]):
        total += forest.edge_visits[game, edge]
    return total


@kernel
def _value(forest: Forest, game: int, edge: int) -> float:
    """The mean value of a move that was tried. A proven one is drawn: a win proves the root, losses are left out."""
    if _proof(forest, game, edge) != UNKNOWN:
        return 0.0
    return forest.edge_value[game, edge] / forest.edge_visits[game, edge]


@kernel
def _proof(forest: Forest, game: int, edge: int) -> int:
    """What is proven of the position after a move, for the side to move there."""
    child = forest.child[game, edge]
    return forest.proof[game, child] if child != NONE else UNKNOWN
