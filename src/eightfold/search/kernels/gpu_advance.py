"""The tree below a move, on a GPU: what is still of use after it has been played, copied by a warp.

Through a spare tree, node by node from the root down, so that what is kept lies without gaps again. `gpu_moves.py`
plays the moves. Shapes as there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, kernel
from eightfold.core.lanes import how_many, how_many_before, lane_of, wait_for_lanes
from eightfold.games.contract import play_together
from eightfold.search.kernels.forest import plant
from eightfold.search.kernels.gpu_forest import Plan
from eightfold.search.kernels.roots import find_edge
from eightfold.search.kernels.tree import NONE, ROOT, Forest


@kernel
def advance(
    forest: Forest,
    plan: Plan,
    tree: int,
    move: int,
    spare: Forest,
    lists: NDArray[np.int32],  # [2, N]
    slot: int,
    lanes: int,
) -> None:
    """Play a move at the root; the tree below it is kept, copied through a spare one."""
    edge = find_edge(forest, tree, move) if forest.first[tree, ROOT] != NONE else NONE
    node = Int(forest.child[tree, edge]) if edge != NONE else Int(NONE)
    wait_for_lanes(lanes)
    kept = node != NONE
    if kept:
        kept = forest.first[tree, node] != NONE
    play_together(forest.states[tree], move, lanes)
    if lane_of(lanes) == 0 and not kept:
        plant(forest, tree)
    wait_for_lanes(lanes)
    if not kept:
        return
    _copy_tree(forest, tree, node, spare, slot, lists[0], lanes)
    _copy_back(spare, slot, forest, tree, lanes)
    _keep_places(plan.place[tree], Int(forest.used[tree, 0]), lists[0], lists[1], lanes)


@kernel
def _keep_places(
    place: NDArray[np.int32],  # [N]
    nodes: int,
    origin: NDArray[np.int32],  # [N] which node each of the `nodes` was; then whether a place is taken
    kept: NDArray[np.int32],  # [N]
    lanes: int,
) -> None:
    """Positions stay where they are: nodes take their places along, and the other places are for nodes to come."""
    for node in range(lane_of(lanes), nodes, lanes):
        kept[node] = place[origin[node]]
    wait_for_lanes(lanes)
    for k in range(lane_of(lanes), place.shape[0], lanes):
        origin[k] = 0
    wait_for_lanes(lanes)
    for node in range(lane_of(lanes), nodes, lanes):
        origin[kept[node]] = 1
    wait_for_lanes(lanes)
    for start in range(0, place.shape[0], lanes):  # all lanes come round equally often
        k = start + lane_of(lanes)
        free = k < place.shape[0] and origin[k] == 0
        number = nodes + how_many_before(free, lanes)
        nodes += how_many(free, lanes)
        if free:
            kept[number] = k
    wait_for_lanes(lanes)
    for k in range(lane_of(lanes), place.shape[0], lanes):
        place[k] = kept[k]
    wait_for_lanes(lanes)


@kernel
def _copy_tree(
    old: Forest, tree: int, node: int, new: Forest, slot: int, origin: NDArray[np.int32], lanes: int
) -> None:
    """Copy what hangs below `node`, breadth first."""
    first_lane = lane_of(lanes) == 0
    if first_lane:
        plant(new, slot)
        origin[ROOT] = node
    wait_for_lanes(lanes)
    reached, nodes, edges = 0, 1, 0
    while reached < nodes:
        source = origin[reached]
        first, count = old.first[tree, source], old.degree[tree, source]
        if first_lane:
            new.visits[slot, reached] = old.visits[tree, source]
            new.value[slot, reached] = old.value[tree, source]
            new.proof[slot, reached] = old.proof[tree, source]
            new.first[slot, reached] = edges if first != NONE else NONE
            new.degree[slot, reached] = count
        if first != NONE:
            for start in range(0, count, lanes):  # all lanes come round equally often
                k = start + lane_of(lanes)
                child = Int(NONE)
                if k < count:
                    child = Int(old.child[tree, first + k])
                number = nodes + how_many_before(child != NONE, lanes)
                nodes += how_many(child != NONE, lanes)
                if k < count:
                    new.move[slot, edges + k] = old.move[tree, first + k]
                    new.prior[slot, edges + k] = old.prior[tree, first + k]
                    new.edge_visits[slot, edges + k] = old.edge_visits[tree, first + k]
                    new.edge_value[slot, edges + k] = old.edge_value[tree, first + k]
                    new.child[slot, edges + k] = number if child != NONE else NONE
                    if child != NONE:
                        origin[number] = child
            edges += count
        reached += 1
        wait_for_lanes(lanes)
    if first_lane:
        new.used[slot, 0] = nodes
        new.used[slot, 1] = edges
    wait_for_lanes(lanes)


@kernel
def _copy_back(new: Forest, slot: int, forest: Forest, tree: int, lanes: int) -> None:
    nodes, edges = new.used[slot, 0], new.used[slot, 1]
    for k in range(lane_of(lanes), nodes, lanes):
        forest.first[tree, k] = new.first[slot, k]
        forest.degree[tree, k] = new.degree[slot, k]
        forest.visits[tree, k] = new.visits[slot, k]
        forest.value[tree, k] = new.value[slot, k]
        forest.proof[tree, k] = new.proof[slot, k]
    for k in range(lane_of(lanes), edges, lanes):
        forest.move[tree, k] = new.move[slot, k]
        forest.prior[tree, k] = new.prior[slot, k]
        forest.edge_visits[tree, k] = new.edge_visits[slot, k]
        forest.edge_value[tree, k] = new.edge_value[slot, k]
        forest.child[tree, k] = new.child[slot, k]
    if lane_of(lanes) == 0:
        forest.used[tree, 0] = nodes
        forest.used[tree, 1] = edges
    wait_for_lanes(lanes)
