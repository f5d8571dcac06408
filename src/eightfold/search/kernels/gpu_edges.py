"""What a warp does with the edges of a node.

It chooses the one to walk along, makes those of a node that is new, and sees what follows from proofs at their ends.

The rules are those of `forest.py`; each lane has every 32nd edge, and together they know the best or the sum.
Shapes: G trees, N nodes and E edges a tree, A actions.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eightfold.core.bits import lowest_bit
from eightfold.core.jit import At, Int, kernel
from eightfold.core.lanes import (
    added_up,
    from_lane,
    how_many,
    how_many_before,
    index_of_largest,
    lane_of,
    lanes_where,
    largest_of,
    wait_for_lanes,
)
from eightfold.search.kernels.tree import DRAWN, LOST, NONE, ROOT, UNKNOWN, WON, Constants, Forest, clear_node


@kernel
def select(
    forest: Forest, tree: int, node: int, first: int, count: int, value: float, constants: Constants, lanes: int
) -> int:
    """The edge that PUCT walks along, as `select` of `forest.py` has it; of several that are as good, the first.

    `first`, `count` and `value` are what the forest has for the node. A GPU waits as long for eight numbers as for one:
    a lane takes two edges at a time, and asks for all that they have before it looks at any of it; with at most 64
    edges, for each of them once. Beyond its last edge a lane reads that one again, and does not look.
    """
    edge_visits, edge_values = forest.edge_visits[tree], forest.edge_value[tree]
    priors, children, proofs = forest.prior[tree], forest.child[tree], forest.proof[tree]
    end, last = first + count, first + count - 1
    edge = first + lane_of(lanes)
    near, far = At(min(edge, last)), At(min(edge + lanes, last))
    visits, more, child, other = edge_visits[near], edge_visits[far], children[near], children[far]
    q, other_q, prior, other_prior = edge_values[near], edge_values[far], priors[near], priors[far]
    total = Int(visits) * (edge < end) + Int(more) * (edge + lanes < end)
    for later in range(edge + 2 * lanes, end, lanes):
        total += Int(edge_visits[At(later)])
    proof, other_proof = proofs[At(max(child, ROOT))], proofs[At(max(other, ROOT))]
    weight = constants.exploration * math.sqrt(max(added_up(total, lanes), 1))
    default = np.float64(value - constants.fpu_reduction) if constants.fpu_reduction >= 0 else 0.0
    best, best_u = first, -np.inf
    while edge < end:
        u = weight * prior / (1 + visits) + _worth(forest, tree, node, child, visits, q, default, proof)
        if u > best_u:
            best, best_u = edge, u
        if edge + lanes < end:
            u = weight * other_prior / (1 + more)
            u += _worth(forest, tree, node, other, more, other_q, default, other_proof)
            if u > best_u:
                best, best_u = edge + lanes, u
        edge += 2 * lanes
        if edge < end:
            near, far = At(edge), At(min(edge + lanes, last))
            visits, more, child, other = edge_visits[near], edge_visits[far], children[near], children[far]
            q, other_q, prior, other_prior = edge_values[near], edge_values[far], priors[near], priors[far]
            proof, other_proof = proofs[At(max(child, ROOT))], proofs[At(max(other, ROOT))]
    return index_of_largest(best_u, best, lanes)


@kernel
def _worth(
    forest: Forest, tree: int, node: int, child: int, visits: int, total: float, default: float, proof: int
) -> float:
    """What an edge has brought on average, or what is proven of its end."""
    if proof != UNKNOWN and child != NONE and (visits > 0 or node == ROOT):
        if proof == WON:
            return -np.inf  # it loses: only if everything does, and then the node itself is proven
        return np.float64(-forest.value[tree, child])
    return default if visits == 0 else total / visits


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
        total += math.exp(np.float64(logits[moves[k]]) - largest)
    total = added_up(total, lanes)
    for k in range(lane_of(lanes), count, lanes):
        edge, weight = first + k, np.float32(math.exp(np.float64(logits[moves[k]]) - largest))
        forest.move[tree, edge] = moves[k]
        forest.prior[tree, edge] = weight / total  # all is written once: to read it again takes longer than to exp
        forest.edge_visits[tree, edge] = 0
        forest.edge_value[tree, edge] = 0
        forest.child[tree, edge] = NONE
    wait_for_lanes(lanes)
    if lane_of(lanes) == 0:
        forest.first[tree, node] = first
        forest.degree[tree, node] = count
        forest.used[tree, 1] = first + count
    wait_for_lanes(lanes)


@kernel
def prove(forest: Forest, tree: int, node: int, lanes: int) -> None:
    """What the proofs of its children prove of a node, as `prove` of `forest.py` has it."""
    first, count = Int(forest.first[tree, node]), Int(forest.degree[tree, node])
    won, settled, drawn, value = False, True, False, np.float32(-1)
    for start in range(0, count, lanes):  # all lanes come round equally often
        k, child, proof = start + lane_of(lanes), Int(NONE), LOST
        if k < count:
            child = Int(forest.child[tree, first + k])
            proof = Int(forest.proof[tree, child]) if child != NONE else UNKNOWN
        won |= lanes_where(k < count and proof == LOST, lanes) != 0
        settled &= lanes_where(proof == UNKNOWN, lanes) == 0
        drawing = lanes_where(proof == DRAWN, lanes)
        if drawing != 0:  # for one side to move all draws are worth the same
            drawn, value = True, from_lane(-forest.value[tree, max(child, ROOT)], lowest_bit(drawing), lanes)
    if lane_of(lanes) == 0:
        if won:
            forest.proof[tree, node] = WON
            forest.value[tree, node] = 1
        elif settled:
            forest.proof[tree, node] = DRAWN if drawn else LOST
            forest.value[tree, node] = value
    wait_for_lanes(lanes)


@kernel
def add_children(forest: Forest, tree: int, node: int, lanes: int) -> None:
    """A node for every child that has none, as far as there is room."""
    first, count = Int(forest.first[tree, node]), Int(forest.degree[tree, node])
    nodes = Int(forest.used[tree, 0])
    wait_for_lanes(lanes)  # all have read how many there are
    for start in range(0, count, lanes):
        k = start + lane_of(lanes)
        wanted = k < count and forest.child[tree, first + min(k, count - 1)] == NONE
        number = nodes + how_many_before(wanted, lanes)
        nodes += how_many(wanted, lanes)
        if wanted and number < forest.first.shape[1]:
            clear_node(forest, tree, number)
            forest.child[tree, first + k] = number
    if lane_of(lanes) == 0:
        forest.used[tree, 0] = min(nodes, forest.first.shape[1])
    wait_for_lanes(lanes)
