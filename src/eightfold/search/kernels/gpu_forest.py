"""The forest on a GPU: one warp a tree, and every tree goes on by itself.

The rules of the search are those of `forest.py`, whose kernels do what one lane can do; what looks at all edges of a
node is here, for 32 lanes. A tree has at most one leaf with the network, so there is no virtual loss. One step:

    absorb    the network's answer to the leaf that was asked: expand it, back its value up
    descend   walk to the next leaf, again where a walk ends in a position that is settled
    ask       take a row of the network's batch and write the leaf's planes there

There may be more trees than rows: while some wait for a move, others fill the batch. What a move needs (a proof of
every child of the root, noise, the tree below the move) takes longer than a step, so it is not done here but by
`gpu_moves.py`, beside the steps, for the trees that wait. Every so many steps the two sides hand trees over
(`hand_over`); in between neither touches a tree of the other.

With `lanes` 1 the same text runs on a CPU, tree after tree: the tests compare it with `forest.py` visit by visit.
Shapes: G trees, R rows of a batch, N nodes and E edges a tree, D depth, A actions, L state row, S scratch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import (
    added_up,
    count_up,
    from_first_lane,
    index_of_largest,
    lane_of,
    largest_of,
    wait_for_lanes,
)
from eightfold.games.contract import encode_together, find_win_together, is_dead, legal_together, play
from eightfold.games.state import DRAW, NO_MOVE, ONGOING, RESULT, SIDE
from eightfold.search.kernels.forest import ROOT_PROOF, back_up, choose, draw_value, new_node, prove
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

# What a tree does next. Steps: it walks; it holds a leaf and has no row; the network was asked for its leaf.
WALKS, HOLDS, ASKS = 0, 1, 2
# Beside the steps: its root was just expanded; its search is done; its game is to begin. Or it is over, and nobody's.
RIPENS, DONE, BEGINS, OVER = 3, 4, 5, 6
NOTHING = -1
WALKS_A_STEP = 4  # at most, while they end in settled positions


class Plan(NamedTuple):
    """Where every tree stands."""

    phase: NDArray[np.int8]  # [G] what the steps know
    due: NDArray[np.int8]  # [G] what is done beside them in this period, then what came of it; or NOTHING
    collected: NDArray[np.int8]  # [G] whether a game that is over may make room for another
    row: NDArray[np.int32]  # [G] of the batch, where its leaf is
    rows: NDArray[np.int32]  # [1] taken in this step
    moves: NDArray[np.int16]  # [G, A] what is legal at its leaf
    listed: NDArray[np.int16]  # [G] and how many they are
    draw: NDArray[np.float32]  # [G] what a draw is worth to the side to move there
    asked: NDArray[np.int64]  # [G] leaves that the network was asked for


@kernel
def hand_over(tree: int, lanes: int, state: Ints, plan: Plan) -> None:
    """Between two periods: what was done beside the steps becomes known to them, and what waits is to be done."""
    if lane_of(lanes) != 0:
        return
    if plan.due[tree] != NOTHING:
        plan.phase[tree] = plan.due[tree]
    if plan.phase[tree] == OVER and plan.collected[tree]:
        plan.collected[tree] = 0
        plan.phase[tree] = BEGINS
    phase = plan.phase[tree]
    plan.due[tree] = phase if phase in (RIPENS, DONE, BEGINS) else NOTHING


@kernel
def step_tree(
    tree: int,
    lanes: int,
    state: Ints,  # [L] room
    forest: Forest,
    roots: Roots,
    leaves: Leaves,
    plan: Plan,
    constants: Constants,
    encoder: int,
    planes: NDArray[np.float32],  # [R, C, N, N]
    logits: NDArray[np.float32],  # [R, A]
    values: NDArray[np.float32],  # [R, 2]
    rooms: Ints,  # [G, S]
) -> None:
    """Absorb an answer, walk to the next leaf, ask."""
    phase, scratch = Int(plan.phase[tree]), rooms[tree]
    if phase == ASKS:
        row = plan.row[tree]
        phase = _absorb(forest, leaves, plan, tree, logits[row], values[row], lanes)
    walks = 0
    while phase == WALKS and walks < WALKS_A_STEP:
        walks += 1
        if forest.left[tree] <= 0 or forest.proof[tree, ROOT] != UNKNOWN:
            phase = DONE
        elif _walk(forest, roots, leaves, tree, state, constants, scratch, lanes):
            phase = HOLDS
            copy_row(state, leaves.states[tree], lanes)  # in case that there is no row for it now
    if phase == HOLDS:
        row = Int(0)
        if lane_of(lanes) == 0:
            row = Int(count_up(plan.rows, 0))
        row = from_first_lane(row, lanes)
        if row < planes.shape[0]:
            phase = ASKS
            if walks == 0:
                copy_row(leaves.states[tree], state, lanes)
            _ask(forest, plan, tree, state, encoder, planes[row], scratch, lanes)
            if lane_of(lanes) == 0:
                plan.row[tree] = row
    if lane_of(lanes) == 0:
        plan.phase[tree] = phase
    wait_for_lanes(lanes)


@kernel
def _ask(
    forest: Forest,
    plan: Plan,
    tree: int,
    state: Ints,
    encoder: int,
    planes: NDArray[np.float32],  # [C, N, N]
    scratch: Ints,
    lanes: int,
) -> None:
    """Show a leaf to the network, and note what is needed of it when the answer comes."""
    encode_together(state, encoder, planes, lanes)
    count = legal_together(state, scratch, lanes)
    for k in range(lane_of(lanes), count, lanes):
        plan.moves[tree, k] = scratch[k]
    if lane_of(lanes) == 0:
        plan.listed[tree] = count
        plan.draw[tree] = draw_value(forest, tree, state)
        plan.asked[tree] += 1


@kernel
def _walk(
    forest: Forest,
    roots: Roots,
    leaves: Leaves,
    tree: int,
    state: Ints,
    constants: Constants,
    scratch: Ints,
    lanes: int,
) -> bool:
    """One simulation down the tree. True if its leaf needs the network; otherwise it is backed up at once."""
    first_lane = lane_of(lanes) == 0
    copy_row(forest.states[tree], state, lanes)
    if first_lane:
        forest.left[tree] -= 1
        leaves.nodes[tree, 0] = ROOT
    wait_for_lanes(lanes)
    node, depth = int(ROOT), 0
    while forest.first[tree, node] != NONE and forest.proof[tree, node] == UNKNOWN:
        if depth + 1 >= leaves.nodes.shape[1]:
            break
        edge = Int(NONE)
        if roots.rule[tree] != PUCT:
            if first_lane:
                edge = Int(choose(forest, roots, tree, node))
            wait_for_lanes(lanes)
            edge = from_first_lane(edge, lanes)
        if edge == NONE:
            edge = _select(forest, tree, node, constants, lanes)
        child = Int(forest.child[tree, edge])
        fresh = child == NONE
        if fresh and forest.used[tree, 0] == forest.first.shape[1]:
            break  # the tree is full
        wait_for_lanes(lanes)
        if first_lane:
            play(state, Int(forest.move[tree, edge]))
            if fresh:
                child = Int(new_node(forest, tree))
                forest.child[tree, edge] = child
            leaves.edges[tree, depth] = edge
            leaves.nodes[tree, depth + 1] = child
        wait_for_lanes(lanes)
        node = from_first_lane(child, lanes)
        depth += 1
        if fresh:
            _settle(forest, tree, node, state, constants.proof_nodes, scratch, lanes)
    proof = forest.proof[tree, node]
    known = proof != UNKNOWN or forest.first[tree, node] != NONE
    if forest.visits[tree, node] > 0 and forest.used[tree, 1] + roots.before.shape[1] > forest.move.shape[1]:
        known = True  # no room for its edges: what the network said of it must do
    wait_for_lanes(lanes)
    if first_lane:
        leaves.game[tree] = tree
        leaves.depth[tree] = depth
        if known:
            back_up(forest, leaves, tree, forest.value[tree, node], not known)
            if proof != UNKNOWN:
                forest.drawn[tree, 0] += proof == DRAWN
                forest.drawn[tree, 1] += 1
    wait_for_lanes(lanes)
    return not known


@kernel
def copy_row(source: Ints, target: Ints, lanes: int) -> None:
    for k in range(lane_of(lanes), target.shape[0], lanes):
        target[k] = source[k]
    wait_for_lanes(lanes)


@kernel
def _select(forest: Forest, tree: int, node: int, constants: Constants, lanes: int) -> int:
    """The edge with the largest U, as `select` of `forest.py` has it."""
    first, count = forest.first[tree, node], forest.degree[tree, node]
    total = Int(0)
    for edge in range(first + lane_of(lanes), first + count, lanes):
        total += forest.edge_visits[tree, edge]
    weight = constants.exploration * math.sqrt(max(added_up(total, lanes), 1))
    default = forest.value[tree, node] - constants.fpu_reduction if constants.fpu_reduction >= 0 else 0.0
    best, best_u = Int(first), -np.inf
    for edge in range(first + lane_of(lanes), first + count, lanes):
        visits = forest.edge_visits[tree, edge]
        if visits == 0 and node != ROOT:  # nothing hangs there
            u = default + weight * forest.prior[tree, edge]
        else:
            child = forest.child[tree, edge]
            q = forest.edge_value[tree, edge] / visits if visits > 0 else default
            if child != NONE and forest.proof[tree, child] != UNKNOWN:
                if forest.proof[tree, child] == WON:
                    continue  # it loses: only if everything does, and then the node itself is proven
                q = -forest.value[tree, child]
            u = q + weight * forest.prior[tree, edge] / (1 + visits)
        if u > best_u:
            best, best_u = Int(edge), u
    return index_of_largest(best_u, best, lanes)


@kernel
def _settle(forest: Forest, tree: int, node: int, state: Ints, proof_nodes: int, scratch: Ints, lanes: int) -> None:
    """What the rules say of a new node: it is over, the side to move wins by force, or nobody can win any more.

    Roots are not among them: a game that goes on is not over, and its root must give a move, not a value.
    """
    proof = UNKNOWN
    if state[RESULT] != ONGOING:
        proof = DRAWN if state[RESULT] == DRAW else WON if state[RESULT] == state[SIDE] else LOST
    elif find_win_together(state, proof_nodes, scratch, lanes) != NO_MOVE:
        proof = WON
    elif proof_nodes > 0 and is_dead(state):
        proof = DRAWN
    if lane_of(lanes) == 0 and proof != UNKNOWN:
        forest.proof[tree, node] = proof
        forest.value[tree, node] = 1 if proof == WON else -1 if proof == LOST else draw_value(forest, tree, state)
    wait_for_lanes(lanes)


@kernel
def _absorb(
    forest: Forest,
    leaves: Leaves,
    plan: Plan,
    tree: int,
    logits: NDArray[np.float32],  # [A]
    answer: NDArray[np.float32],  # [2] for the side to move, and the chance of a draw
    lanes: int,
) -> int:
    """Expand the leaf with the network's answer and back its value up; what the tree does next."""
    node = Int(leaves.nodes[tree, leaves.depth[tree]])
    value = answer[0] + answer[1] * plan.draw[tree]
    fresh = forest.first[tree, node] == NONE
    if fresh:
        _expand(forest, tree, node, plan.moves[tree], Int(plan.listed[tree]), logits, lanes)
    if lane_of(lanes) == 0:
        forest.drawn[tree, 0] += answer[1]
        forest.drawn[tree, 1] += 1
        if fresh:
            forest.value[tree, node] = value
        back_up(forest, leaves, tree, value, False)
    wait_for_lanes(lanes)
    return RIPENS if fresh and node == ROOT else WALKS


@kernel
def _expand(
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


@kernel
def prove_around_root(forest: Forest, tree: int, state: Ints, proof_nodes: int, scratch: Ints, lanes: int) -> None:
    """Settle the children of an expanded root by the rules, those that nobody has visited too."""
    first_lane = lane_of(lanes) == 0
    copy_row(forest.states[tree], state, lanes)
    winner = find_win_together(state, ROOT_PROOF * proof_nodes, scratch, lanes)
    first = forest.first[tree, ROOT]
    for edge in range(first, first + forest.degree[tree, ROOT]):
        child = Int(forest.child[tree, edge])
        if child == NONE and forest.used[tree, 0] < forest.first.shape[1]:
            copy_row(forest.states[tree], state, lanes)
            if first_lane:
                play(state, Int(forest.move[tree, edge]))
                child = Int(new_node(forest, tree))
                forest.child[tree, edge] = child
            wait_for_lanes(lanes)
            child = from_first_lane(child, lanes)
            _settle(forest, tree, child, state, proof_nodes, scratch, lanes)
        if first_lane and forest.move[tree, edge] == winner and child != NONE and forest.proof[tree, child] == UNKNOWN:
            forest.proof[tree, child] = LOST
            forest.value[tree, child] = -1
        wait_for_lanes(lanes)
    if first_lane:
        prove(forest, tree, int(ROOT))
    wait_for_lanes(lanes)
