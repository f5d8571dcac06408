"""What a warp does with the edges of a node: choose the one to walk along, and make those of a node that is new.

The rules are those of `forest.py`; each lane has every 32nd edge, and together they know the best or the sum.
Shapes: G trees, N nodes and E edges a tree, A actions.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, kernel
from eightfold.core.lanes import added_up, index_of_largest, lane_of, largest_of, wait_for_lanes
from eightfold.search.kernels.tree import NONE, ROOT, UNKNOWN, WON, Constants, Forest


@kernel
def select(forest: Forest, tree: int, node: int, constants: Constants, lanes: int) -> int:
    """The edge with the largest U, as `select` of `forest.py` has it.

    All that an edge has is read before any of it is looked at: a GPU waits as long for four numbers as for one.
    """
    first, count = Int(forest.first[tree, node]), Int(forest.degree[tree, node])
    total = Int(0)
    for edge in range(first + lane_of(lanes), first + count, lanes):
        total += forest.edge_visits[tree, edge]
    weight = constants.exploration * math.sqrt(max(added_up(total, lanes), 1))
    default = forest.value[tree, node] - constants.fpu_reduction if constants.fpu_reduction >= 0 else 0.0
    best, best_u = first, -np.inf
    for edge in range(first + lane_of(lanes), first + count, lanes):
        visits, child = Int(forest.edge_visits[tree, edge]), Int(forest.child[tree, edge])
        q, prior = forest.edge_value[tree, edge] / max(visits, 1), forest.prior[tree, edge]
        proof = forest.proof[tree, max(child, ROOT)]
        if visits == 0:
            q = np.float64(default)
        if child != NONE and proof != UNKNOWN and (visits > 0 or node == ROOT):
            if proof == WON:
                continue  # it loses: only if everything does, and then the node itself is proven
            q = np.float64(-forest.value[tree, child])
        u = q + weight * prior / (1 + visits)
        if u > best_u:
            best, best_u = edge, u
    return index_of_largest(best_u, best, lanes)


@kernel
def expand(
    forest: Forest,
    tree: int,
    node: int,
    moves: NDArray[np.int16],  # [A], of which `count` are legal
    count: int,
    logits: NDArray[np.float32],
    lanes: int,
) -> None:
    """An edge for every legal move; the priors are the softmax of the logits over them."""
    first = Int(forest.used[tree, 1])
    if first + count > forest.move.shape[1]:
        return  # the tree is full; the node stays a leaf
    largest = -np.inf
    for k in range(lane_of(lanes), count, lanes):
        largest = max(largest, np.float64(logits[moves[k]]))
    largest = largest_of(largest, lanes)
    total = 0.0
    for k in range(lane_of(lanes), count, lanes):
        weight = math.exp(np.float64(logits[moves[k]]) - largest)
        total += weight
        edge = first + k
        forest.move[tree, edge] = moves[k]
        forest.prior[tree, edge] = weight
        forest.edge_visits[tree, edge] = 0
        forest.edge_value[tree, edge] = 0
        forest.child[tree, edge] = NONE
    total = added_up(total, lanes)
    for k in range(lane_of(lanes), count, lanes):
        forest.prior[tree, first + k] /= total
    wait_for_lanes(lanes)
    if lane_of(lanes) == 0:
        forest.first[tree, node] = first
        forest.degree[tree, node] = count
        forest.used[tree, 1] = first + count
    wait_for_lanes(lanes)
