"""The forest on a GPU: one warp a tree, and every tree goes on by itself.

The rules of the search are those of `forest.py`, whose kernels do what one lane can do; what looks at all edges of a
node is in `gpu_edges.py`, for 32 lanes. A tree has at most one leaf with the network, so there is no virtual loss. One
step:

    walk      absorb the network's answer to the last leaf, then go down to the next
    settle    play the move that leads to a leaf that is new; a leaf that is settled by the rules asks nobody, and one
              whose proof takes long goes on with it in the next step, so that the others need not wait
    ask       take a row of the network's batch and write the leaf's planes there

They are kernels of their own because the rules take many registers and the walk takes few. Every node keeps its
position: a walk plays one move, not one for every node on its way.

There are more trees than rows: while some wait for a move, or were settled, others fill the batch. What a move needs
(a proof of every child of the root, noise, the tree below the move) takes longer than a step, so it is not done here
but by `gpu_moves.py`, beside the steps, for the trees that wait. Every so many steps the two sides hand trees over
(`hand_over`); in between neither touches a tree of the other.

With `lanes` 1 the same text runs on a CPU, tree after tree: the tests compare it with `forest.py` visit by visit.
Shapes: G trees, R rows of a batch, N nodes and E edges a tree, D depth, A actions, L state row, S scratch, H waiting.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import (
    count_up,
    from_first_lane,
    lane_of,
    wait_for_lanes,
)
from eightfold.games.contract import encode_together, find_win_in_parts, is_dead_together, legal_together, play_together
from eightfold.games.state import DRAW, NO_MOVE, ONGOING, PAUSED, RESULT, SIDE
from eightfold.search.kernels.forest import choose, draw_value, new_node
from eightfold.search.kernels.gpu_edges import expand, prove, select
from eightfold.search.kernels.tree import (
    DRAWN,
    LOST,
    NONE,
    PUCT,
    ROOT,
    UNKNOWN,
    WON,
    Constants,
    Forest,
    Leaves,
    Roots,
)

# What a tree does next. Steps: it walks; its leaf is new; its leaf wants a row; the network was asked for its leaf.
WALKS, FRESH, HOLDS, ASKS = 0, 1, 2, 3
# Beside the steps: its root was just expanded; its search is done; its game is to begin. Or it is over, and nobody's.
RIPENS, DONE, BEGINS, OVER = 4, 5, 6, 7
PROVES = 8  # and a step: whether its leaf is won is still being looked at
NOTHING = -1
WALKS_A_STEP = 4  # at most, while they end in positions that are settled
NODES_A_STEP = 16  # of a proof: some 60 microseconds on an H200, where the network takes 300 for a batch


class Plan(NamedTuple):
    """Where every tree stands."""

    phase: NDArray[np.int8]  # [G] what the steps know
    due: NDArray[np.int8]  # [G] what is done beside them in this period, then what came of it; or NOTHING
    waiting: NDArray[np.int32]  # [H] the trees for which something is due
    waiters: NDArray[np.int32]  # [1] how many would be, if there were room
    ended: NDArray[np.int32]  # [G] games of a tree that are over
    collected: NDArray[np.int32]  # [G] and that somebody has taken: then the next may begin
    states: Ints  # [G, N, L] the positions of all nodes
    place: NDArray[np.int32]  # [G, N] which of them a node's is; a node to come has its place already
    row: NDArray[np.int32]  # [G] of the batch, where its leaf is
    rows: NDArray[np.int32]  # [1] taken in this step
    moves: NDArray[np.int16]  # [G, A] what is legal at its leaf
    listed: NDArray[np.int16]  # [G] and how many they are
    draw: NDArray[np.float32]  # [G] what a draw is worth to the side to move there
    asked: NDArray[np.int64]  # [G] leaves that the network was asked for


@kernel
def hand_over(tree: int, lanes: int, room: Ints, plan: Plan) -> None:
    """Between two periods: what was done beside the steps becomes known to them, and what waits is to be done."""
    if lane_of(lanes) != 0:
        return
    if plan.due[tree] != NOTHING:
        plan.phase[tree] = plan.due[tree]
    if plan.phase[tree] == OVER and plan.collected[tree] == plan.ended[tree]:
        plan.phase[tree] = BEGINS
    phase = plan.phase[tree]
    plan.due[tree] = NOTHING
    if phase in (RIPENS, DONE, BEGINS):
        place = count_up(plan.waiters, 0)
        if place < plan.waiting.shape[0]:  # else the next time
            plan.waiting[place] = tree
            plan.due[tree] = phase


# ---- walk --------------------------------------------------------------------------------------------


@kernel
def walk_tree(
    tree: int,
    lanes: int,
    room: Ints,
    forest: Forest,
    roots: Roots,
    leaves: Leaves,
    plan: Plan,
    constants: Constants,
    logits: NDArray[np.float32],  # [R, A]
    values: NDArray[np.float32],  # [R, 2]
) -> None:
    """Absorb an answer, and walk to the next leaf."""
    _go_on(tree, lanes, forest, roots, leaves, plan, constants, logits, values, False)


@kernel
def walk_tree_by_puct(
    tree: int,
    lanes: int,
    room: Ints,
    forest: Forest,
    roots: Roots,
    leaves: Leaves,
    plan: Plan,
    constants: Constants,
    logits: NDArray[np.float32],  # [R, A]
    values: NDArray[np.float32],  # [R, 2]
) -> None:
    """The same where no root has another rule: without the others there are half as many instructions."""
    _go_on(tree, lanes, forest, roots, leaves, plan, constants, logits, values, True)


@kernel
def _go_on(
    tree: int,
    lanes: int,
    forest: Forest,
    roots: Roots,
    leaves: Leaves,
    plan: Plan,
    constants: Constants,
    logits: NDArray[np.float32],
    values: NDArray[np.float32],
    by_puct: bool,
) -> None:
    phase, row, depth = Int(plan.phase[tree]), Int(plan.row[tree]), Int(leaves.depth[tree])
    if phase != ASKS and phase != WALKS:
        return
    if phase == ASKS:
        phase = _absorb(forest, leaves, plan, tree, depth, logits[row], values[row], lanes)
    walks = 0
    while phase == WALKS and walks < WALKS_A_STEP:
        walks += 1
        if forest.left[tree] <= 0 or forest.proof[tree, ROOT] != UNKNOWN:
            phase = DONE
        else:
            phase = _walk(forest, roots, leaves, tree, constants, by_puct, lanes)
    if lane_of(lanes) == 0:
        plan.phase[tree] = phase


@kernel
def _walk(
    forest: Forest, roots: Roots, leaves: Leaves, tree: int, constants: Constants, by_puct: bool, lanes: int
) -> int:
    """One simulation down the tree; what the tree does next. A leaf whose value is known is backed up at once."""
    first_lane = lane_of(lanes) == 0
    wait_for_lanes(lanes)  # all have read how many are left
    if first_lane:
        forest.left[tree] -= 1
    wait_for_lanes(lanes)
    node, edge, depth, fresh = Int(ROOT), Int(NONE), 0, False
    while not fresh and depth + 1 < leaves.nodes.shape[1]:
        first, proof = Int(forest.first[tree, node]), forest.proof[tree, node]
        count, value = Int(forest.degree[tree, node]), forest.value[tree, node]
        if (first == NONE) | (proof != UNKNOWN):  # all is read before any of it is looked at
            break
        edge = Int(NONE)
        if not by_puct and roots.rule[tree] != PUCT:
            if first_lane:
                edge = Int(choose(forest, roots, tree, node))
            wait_for_lanes(lanes)
            edge = from_first_lane(edge, lanes)
        if edge == NONE:
            edge = select(forest, tree, node, first, count, value, constants, lanes)
        child = Int(forest.child[tree, edge])
        fresh = child == NONE
        if fresh and forest.used[tree, 0] == forest.first.shape[1]:
            fresh = False
            break  # the tree is full
        if first_lane:
            leaves.nodes[tree, depth] = node
            leaves.edges[tree, depth] = edge
        node = child
        depth += 1
    wait_for_lanes(lanes)
    if first_lane:
        if fresh:
            node = Int(new_node(forest, tree))
            forest.child[tree, edge] = node
        leaves.game[tree] = tree
        leaves.depth[tree] = depth
        leaves.nodes[tree, depth] = node
    wait_for_lanes(lanes)
    if fresh:
        return FRESH
    known = forest.proof[tree, node] != UNKNOWN or forest.first[tree, node] != NONE
    if forest.visits[tree, node] > 0 and forest.used[tree, 1] + roots.before.shape[1] > forest.move.shape[1]:
        known = True  # no room for its edges: what the network said of it must do
    if not known:
        return HOLDS
    _back_up(forest, leaves, tree, node, forest.value[tree, node], lanes)
    return WALKS


@kernel
def _back_up(forest: Forest, leaves: Leaves, tree: int, leaf: int, value: float, lanes: int) -> None:
    """As `back_up` of `forest.py`: proofs go up step by step, as far as they hold; what is above them, at once."""
    first_lane, depth, proof = lane_of(lanes) == 0, Int(leaves.depth[tree]), forest.proof[tree, leaf]
    wait_for_lanes(lanes)
    if first_lane:
        forest.visits[tree, leaf] += 1
        if proof != UNKNOWN:
            forest.drawn[tree, 0] += proof == DRAWN
            forest.drawn[tree, 1] += 1
    while proof != UNKNOWN and depth > 0:
        depth -= 1
        node, edge, value = Int(leaves.nodes[tree, depth]), leaves.edges[tree, depth], -value
        prove(forest, tree, node, lanes)
        if first_lane:
            forest.edge_visits[tree, edge] += 1
            forest.edge_value[tree, edge] += value
            forest.visits[tree, node] += 1
        proof = forest.proof[tree, node]
        if proof != UNKNOWN:
            value = np.float64(forest.value[tree, node])
    for step in range(lane_of(lanes), depth, lanes):  # all is read before anything is written
        edge, node = leaves.edges[tree, step], leaves.nodes[tree, step]
        visits, total = forest.edge_visits[tree, edge], forest.edge_value[tree, edge]
        above = forest.visits[tree, node]
        forest.edge_visits[tree, edge] = visits + 1
        forest.edge_value[tree, edge] = total + (-value if (depth - step) % 2 else value)
        forest.visits[tree, node] = above + 1
    wait_for_lanes(lanes)


@kernel
def _absorb(
    forest: Forest,
    leaves: Leaves,
    plan: Plan,
    tree: int,
    depth: int,
    logits: NDArray[np.float32],  # [A]
    answer: NDArray[np.float32],  # [2] for the side to move, and the chance of a draw
    lanes: int,
) -> int:
    """Expand the leaf with the network's answer and back its value up; what the tree does next."""
    node = Int(leaves.nodes[tree, depth])
    value = answer[0] + answer[1] * plan.draw[tree]
    fresh = forest.first[tree, node] == NONE
    if fresh:
        expand(forest, tree, node, plan.moves[tree], Int(plan.listed[tree]), logits, lanes)
    if lane_of(lanes) == 0:
        forest.drawn[tree, 0] += answer[1]
        forest.drawn[tree, 1] += 1
        if fresh:
            forest.value[tree, node] = value
    _back_up(forest, leaves, tree, node, value, lanes)
    return RIPENS if fresh and node == ROOT else WALKS


# ---- settle ------------------------------------------------------------------------------------------


@kernel
def settle_leaf(
    tree: int,
    lanes: int,
    state: Ints,  # [L] room
    forest: Forest,
    leaves: Leaves,
    plan: Plan,
    constants: Constants,
    scratch: Ints,  # [G, S]
) -> None:
    """Play the move that leads to a leaf that is new, and look at what the rules say of it."""
    begun = plan.phase[tree] == PROVES
    if plan.phase[tree] != FRESH and not begun:
        return
    depth = leaves.depth[tree]
    node = Int(leaves.nodes[tree, depth])
    if begun:
        copy_row(plan.states[tree, plan.place[tree, node]], state, lanes)
    else:
        move = Int(forest.move[tree, leaves.edges[tree, depth - 1]])
        make_child(plan, tree, Int(leaves.nodes[tree, depth - 1]), move, node, state, lanes)
    over = settle(forest, tree, node, state, constants.proof_nodes, NODES_A_STEP, begun, scratch[tree], lanes)
    phase = HOLDS if over else PROVES
    if forest.proof[tree, node] != UNKNOWN:
        _back_up(forest, leaves, tree, node, forest.value[tree, node], lanes)
        phase = WALKS
    if lane_of(lanes) == 0:
        plan.phase[tree] = phase


@kernel
def make_child(plan: Plan, tree: int, parent: int, move: int, child: int, state: Ints, lanes: int) -> None:
    """Play a move at a node; the position is that of the child, and in `state`."""
    copy_row(plan.states[tree, plan.place[tree, parent]], state, lanes)
    play_together(state, move, lanes)
    copy_row(state, plan.states[tree, plan.place[tree, child]], lanes)


@kernel
def settle(
    forest: Forest,
    tree: int,
    node: int,
    state: Ints,
    proof_nodes: int,
    part: int,
    begun: bool,
    scratch: Ints,
    lanes: int,
) -> bool:
    """What the rules say of a new node: it is over, the side to move wins by force, or nobody can win any more.

    False if a proof is not over after a `part` of its nodes: it goes on where it `begun`. Roots are not among them: a
    game that goes on is not over, and its root must give a move, not a value.
    """
    proof, over = UNKNOWN, True
    if state[RESULT] != ONGOING:
        proof = DRAWN if state[RESULT] == DRAW else WON if state[RESULT] == state[SIDE] else LOST
    else:
        winner = find_win_in_parts(state, proof_nodes, part, begun, scratch, lanes)
        over = winner != PAUSED
        if over and winner != NO_MOVE:
            proof = WON
        elif over and proof_nodes > 0 and is_dead_together(state, lanes):
            proof = DRAWN
    if lane_of(lanes) == 0 and proof != UNKNOWN:
        forest.proof[tree, node] = proof
        forest.value[tree, node] = 1 if proof == WON else -1 if proof == LOST else draw_value(forest, tree, state)
    wait_for_lanes(lanes)
    return over


@kernel
def copy_row(source: Ints, target: Ints, lanes: int) -> None:
    for k in range(lane_of(lanes), target.shape[0], lanes):
        target[k] = source[k]
    wait_for_lanes(lanes)


# ---- ask ---------------------------------------------------------------------------------------------


@kernel
def ask_leaf(
    tree: int,
    lanes: int,
    room: Ints,
    forest: Forest,
    leaves: Leaves,
    plan: Plan,
    encoder: int,
    planes: NDArray[np.float32],  # [R, C, N, N]
    scratch: Ints,  # [G, S]
) -> None:
    """Show a leaf to the network, if there is a row for it, and note what is needed of it when the answer comes."""
    if plan.phase[tree] != HOLDS:
        return
    row = Int(0)
    if lane_of(lanes) == 0:
        row = Int(count_up(plan.rows, 0))
    row = from_first_lane(row, lanes)
    if row >= planes.shape[0]:
        return
    state = plan.states[tree, plan.place[tree, leaves.nodes[tree, leaves.depth[tree]]]]
    encode_together(state, encoder, planes[row], lanes)
    count = legal_together(state, scratch[tree], lanes)
    for k in range(lane_of(lanes), count, lanes):
        plan.moves[tree, k] = scratch[tree, k]
    if lane_of(lanes) == 0:
        plan.row[tree] = row
        plan.listed[tree] = count
        plan.draw[tree] = draw_value(forest, tree, state)
        plan.asked[tree] += 1
        plan.phase[tree] = ASKS
