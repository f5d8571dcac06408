"""A forest of search trees in flat arrays: many games, one batch for the network (PUCT, Suen & Alonso).

    U(s, a) = Q(s, a) + C * P(s, a) * sqrt(sum_b N(s, b)) / (1 + N(s, a))

`descend` walks every game's tree to leaves and writes their planes straight into the network's input; the
network answers the whole batch; `absorb` expands the leaves and backs the values up. Python runs once for
a batch, never once for a simulation. Several leaves of one game are kept apart by a virtual loss.

What the rules settle is never asked of the network: a position that is over, or in which the side to move
wins by force (`find_win`, at once or by a chain that is proven), has its exact value, and a proof travels up
the tree as far as it holds. At the root every move is looked at in this way before the search begins, so a
win in one is never missed, and a move that is proven to lose is not chosen while anything else is left.

Shapes: G games, N nodes and E edges a game, B leaves a batch, D depth, A actions, L state row, S scratch.
Nothing here knows a game: `eightfold.core.specialise` binds it to one. The arrays are in `tree.py`; other ways to spend
the playouts at a root are in `gumbel.py` and `forced.py`. Read next: `eightfold.search.forest`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.games.contract import encode, find_win, is_dead, legal, play
from eightfold.games.state import BLACK, DRAW, NO_MOVE, ONGOING, RESULT, SIDE, copy_state
from eightfold.search.kernels.forced import forced_edge
from eightfold.search.kernels.gumbel import following_edge, halves_next, halving_edge
from eightfold.search.kernels.roots import find_edge
from eightfold.search.kernels.tree import (
    DRAWN,
    GUMBEL,
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
    clear_node,
)

ONLY = 0  # the game of a spare forest
ROOT_PROOF = 16  # a root, searched once a move, may be looked at so much longer than a leaf for a forced win


@kernel
def plant(forest: Forest, game: int) -> None:
    """A tree of one node that nobody has visited."""
    forest.used[game, 0] = 0
    forest.used[game, 1] = 0
    new_node(forest, game)


@kernel
def new_node(forest: Forest, game: int) -> int:
    node = forest.used[game, 0]
    forest.used[game, 0] += 1
    clear_node(forest, game, Int(node))
    return node


@kernel
def descend(
    forest: Forest,
    roots: Roots,
    leaves: Leaves,
    first_game: int,
    stop_game: int,
    leaves_a_game: int,
    constants: Constants,
    encoder: int,
    planes: NDArray[np.float32],  # [B, C, N, N]
    scratch: Ints,  # [S]
) -> int:
    """Find up to `leaves_a_game` leaves a game that need the network; how many there are in all.

    They are written from where those of `first_game` would begin if every game before it had found all of its own,
    so that several threads can each walk the trees of some games.
    """
    filled = first_game * leaves_a_game
    for game in range(first_game, stop_game):
        for leaf in range(leaves_a_game if forest.first[game, ROOT] != NONE else 1):  # an unexpanded root is asked once
            found = False
            while not found and forest.left[game] > 0 and forest.proof[game, ROOT] == UNKNOWN:
                if leaf > 0 and roots.rule[game] == GUMBEL and halves_next(forest, roots, game):
                    break  # the answers that are still out may decide who is dropped
                forest.left[game] -= 1
                found = _walk(forest, roots, leaves, filled, game, constants, leaves_a_game > 1, scratch)
            if not found:
                break
            encode(leaves.states[filled], encoder, planes[filled])
            filled += 1
    return filled - first_game * leaves_a_game


@kernel
def move_leaves(leaves: Leaves, planes: NDArray[np.float32], source: int, target: int, count: int) -> None:
    """Move some leaves further to the front, where another thread has left a gap."""
    for k in range(count):
        old, new = source + k, target + k
        depth = leaves.depth[old]
        leaves.game[new] = leaves.game[old]
        leaves.depth[new] = depth
        leaves.nodes[new, : depth + 1] = leaves.nodes[old, : depth + 1]
        leaves.edges[new, :depth] = leaves.edges[old, :depth]
        leaves.states[new] = leaves.states[old]
        planes[new] = planes[old]


@kernel
def _walk(
    forest: Forest,
    roots: Roots,
    leaves: Leaves,
    leaf: int,
    game: int,
    constants: Constants,
    several: bool,
    scratch: Ints,
) -> bool:
    """One simulation down the tree. True if its leaf needs the network; otherwise it is backed up at once."""
    state = leaves.states[leaf]
    copy_state(forest.states[game], state)
    node, depth = int(ROOT), 0
    leaves.nodes[leaf, 0] = ROOT
    while forest.first[game, node] != NONE and forest.proof[game, node] == UNKNOWN:
        if depth + 1 >= leaves.nodes.shape[1]:
            break
        edge = NONE
        if roots.rule[game] != PUCT:
            edge = choose(forest, roots, game, node)
        if edge == NONE:
            edge = _select(forest, game, node, constants)
        fresh = forest.child[game, edge] == NONE
        if fresh and forest.used[game, 0] == forest.first.shape[1]:
            break  # the tree is full
        play(state, Int(forest.move[game, edge]))
        if fresh:
            forest.child[game, edge] = new_node(forest, game)
        leaves.edges[leaf, depth] = edge
        node = forest.child[game, edge]
        depth += 1
        leaves.nodes[leaf, depth] = node
        if fresh:
            _settle(forest, game, Int(node), state, constants.proof_nodes, scratch)
    if depth == 0 and forest.visits[game, ROOT] == 0:
        _settle(forest, game, int(ROOT), state, constants.proof_nodes, scratch)
    leaves.game[leaf] = game
    leaves.depth[leaf] = depth
    known = forest.proof[game, node] != UNKNOWN or forest.first[game, node] != NONE
    if forest.visits[game, node] > 0 and forest.used[game, 1] + roots.before.shape[1] > forest.move.shape[1]:
        known = True  # no room for its edges: what the network said of it must do
    if known:
        back_up(forest, leaves, leaf, forest.value[game, node], not known)  # a literal False would compile it again
        if forest.proof[game, node] != UNKNOWN:
            forest.drawn[game, 0] += forest.proof[game, node] == DRAWN
            forest.drawn[game, 1] += 1
        return False
    if several:
        _apply_virtual_loss(forest, leaves, leaf)
    return True


@kernel
def _settle(forest: Forest, game: int, node: int, state: Ints, proof_nodes: int, scratch: Ints) -> None:
    """What the rules say of a new node: it is over, the side to move wins by force, or nobody can win any more."""
    if state[RESULT] != ONGOING:
        drawn, won = state[RESULT] == DRAW, state[RESULT] == state[SIDE]  # who passes last in Go may have lost
        forest.proof[game, node] = DRAWN if drawn else WON if won else LOST
        forest.value[game, node] = draw_value(forest, game, state) if drawn else 1 if won else -1
    elif node != ROOT and find_win(state, proof_nodes, scratch) != NO_MOVE:  # the root must give a move, not a value
        forest.proof[game, node] = WON
        forest.value[game, node] = 1
    elif node != ROOT and proof_nodes > 0 and is_dead(state):
        forest.proof[game, node] = DRAWN
        forest.value[game, node] = draw_value(forest, game, state)


@kernel
def choose(forest: Forest, roots: Roots, game: int, node: int) -> int:
    """The edge that another rule than PUCT takes; NONE where it leaves the choice to PUCT."""
    if roots.rule[game] == GUMBEL:
        return halving_edge(forest, roots, game) if node == ROOT else following_edge(forest, roots, game, node)
    return forced_edge(forest, roots, game) if node == ROOT else NONE


@kernel
def draw_value(forest: Forest, game: int, state: Ints) -> float:
    """What a draw is worth to the side to move."""
    return forest.draw[game] if state[SIDE] == BLACK else -forest.draw[game]


@kernel
def _select(forest: Forest, game: int, node: int, constants: Constants) -> int:
    """The edge with the largest U. An edge whose end is proven counts with its exact value."""
    first, count = forest.first[game, node], forest.degree[game, node]
    total = 0
    for edge in range(first, first + count):
        total += forest.edge_visits[game, edge]
    weight = constants.exploration * math.sqrt(max(total, 1))
    default = forest.value[game, node] - constants.fpu_reduction if constants.fpu_reduction >= 0 else 0.0
    best, best_u = first, -np.inf
    for edge in range(first, first + count):
        visits = forest.edge_visits[game, edge]
        if visits == 0 and node != ROOT:  # nothing hangs there; most edges are so, and memory is what costs here
            u = default + weight * forest.prior[game, edge]
        else:
            child = forest.child[game, edge]
            q = forest.edge_value[game, edge] / visits if visits > 0 else default
            if child != NONE and forest.proof[game, child] != UNKNOWN:
                if forest.proof[game, child] == WON:
                    continue  # it loses: only if everything does, and then the node itself is proven
                q = -forest.value[game, child]
            u = q + weight * forest.prior[game, edge] / (1 + visits)
        if u > best_u:
            best, best_u = edge, u
    return best


@kernel
def _apply_virtual_loss(forest: Forest, leaves: Leaves, leaf: int) -> None:
    game = leaves.game[leaf]
    for step in range(leaves.depth[leaf]):
        forest.edge_visits[game, leaves.edges[leaf, step]] += 1
        forest.edge_value[game, leaves.edges[leaf, step]] -= 1


@kernel
def back_up(forest: Forest, leaves: Leaves, leaf: int, value: float, virtual: bool) -> None:
    """Add a value, seen from the leaf's side to move, along the path; proofs go up as far as they hold."""
    game, depth = leaves.game[leaf], leaves.depth[leaf]
    forest.visits[game, leaves.nodes[leaf, depth]] += 1
    for step in range(depth - 1, -1, -1):
        node, edge = leaves.nodes[leaf, step], leaves.edges[leaf, step]
        below = leaves.nodes[leaf, step + 1]
        value = -value
        if forest.proof[game, below] != UNKNOWN and forest.proof[game, node] == UNKNOWN:
            prove(forest, Int(game), Int(node))
        if virtual:
            forest.edge_value[game, edge] += 1
        else:
            forest.edge_visits[game, edge] += 1
        forest.edge_value[game, edge] += value
        forest.visits[game, node] += 1
        if forest.proof[game, node] != UNKNOWN:
            value = forest.value[game, node]


@kernel
def prove(forest: Forest, game: int, node: int) -> None:
    """A node is won if a child is lost, and lost or drawn if all children are settled and none is lost."""
    settled, drawn, value = True, False, np.float32(-1)
    first = forest.first[game, node]
    for edge in range(first, first + forest.degree[game, node]):
        child = forest.child[game, edge]
        proof = forest.proof[game, child] if child != NONE else UNKNOWN
        if proof == LOST:
            forest.proof[game, node] = WON
            forest.value[game, node] = 1
            return
        settled &= proof != UNKNOWN
        if proof == DRAWN:
            drawn, value = True, -forest.value[game, child]
    if settled:
        forest.proof[game, node] = DRAWN if drawn else LOST
        forest.value[game, node] = value


@kernel
def absorb(
    forest: Forest,
    leaves: Leaves,
    first_leaf: int,
    stop_leaf: int,
    leaves_a_game: int,
    proof_nodes: int,
    logits: NDArray[np.float32],  # [B, A]
    values: NDArray[np.float32],  # [B, 2] for the side to move, and the chance of a draw
    scratch: Ints,  # [S]
) -> None:
    """Expand some leaves with the network's answers and back its values up."""
    for leaf in range(first_leaf, stop_leaf):
        game, node = Int(leaves.game[leaf]), Int(leaves.nodes[leaf, leaves.depth[leaf]])
        value = values[leaf, 0] + values[leaf, 1] * draw_value(forest, game, leaves.states[leaf])
        forest.drawn[game, 0] += values[leaf, 1]
        forest.drawn[game, 1] += 1
        if forest.first[game, node] == NONE:
            forest.value[game, node] = value
            _expand(forest, game, node, leaves.states[leaf], logits[leaf], scratch)
            if node == ROOT:
                prove_around_root(forest, game, proof_nodes, scratch)
        back_up(forest, leaves, leaf, value, leaves_a_game > 1)


@kernel
def _expand(forest: Forest, game: int, node: int, state: Ints, logits: NDArray[np.float32], scratch: Ints) -> None:
    """An edge for every legal move; the priors are the softmax of the logits over them."""
    count = legal(state, scratch)
    first = forest.used[game, 1]
    if first + count > forest.move.shape[1]:
        return  # the tree is full; the node stays a leaf
    largest = -np.inf
    for k in range(count):
        largest = max(largest, np.float64(logits[scratch[k]]))
    total = 0.0  # in 64 bits: rounded to 32 it does not depend on the order, so all forests have the same priors
    for k in range(count):
        weight = math.exp(np.float64(logits[scratch[k]]) - largest)
        total += weight
        edge = first + k
        forest.move[game, edge] = scratch[k]
        forest.prior[game, edge] = weight
        forest.edge_visits[game, edge] = 0
        forest.edge_value[game, edge] = 0
        forest.child[game, edge] = NONE
    for edge in range(first, first + count):
        forest.prior[game, edge] /= total
    forest.first[game, node] = first
    forest.degree[game, node] = count
    forest.used[game, 1] = first + count


@kernel
def prove_around_root(forest: Forest, game: int, proof_nodes: int, scratch: Ints) -> None:
    """Settle the children of an expanded root by the rules, those that nobody has visited too."""
    state = forest.states[game].copy()
    winner = find_win(state, ROOT_PROOF * proof_nodes, scratch)
    first = forest.first[game, ROOT]
    for edge in range(first, first + forest.degree[game, ROOT]):
        if forest.child[game, edge] == NONE and forest.used[game, 0] < forest.first.shape[1]:
            copy_state(forest.states[game], state)
            play(state, Int(forest.move[game, edge]))
            child = new_node(forest, game)
            forest.child[game, edge] = child
            _settle(forest, game, Int(child), state, proof_nodes, scratch)
        child = forest.child[game, edge]
        if forest.move[game, edge] == winner and child != NONE and forest.proof[game, child] == UNKNOWN:
            forest.proof[game, child] = LOST
            forest.value[game, child] = -1
    prove(forest, game, int(ROOT))


@kernel
def advance(forest: Forest, game: int, move: int, spare: Forest) -> None:
    """Play a move at the root; the tree below it is kept. `spare` is a forest of one game to copy through."""
    edge = find_edge(forest, game, move) if forest.first[game, ROOT] != NONE else NONE
    node = forest.child[game, edge] if edge != NONE else NONE
    play(forest.states[game], move)
    if node == NONE or forest.first[game, node] == NONE:
        plant(forest, game)
        return
    _copy_tree(forest, game, node, spare)
    nodes, edges = spare.used[0, 0], spare.used[0, 1]
    forest.used[game, 0], forest.used[game, 1] = nodes, edges
    for k in range(nodes):
        forest.first[game, k] = spare.first[0, k]
        forest.degree[game, k] = spare.degree[0, k]
        forest.visits[game, k] = spare.visits[0, k]
        forest.value[game, k] = spare.value[0, k]
        forest.proof[game, k] = spare.proof[0, k]
    for k in range(edges):
        forest.move[game, k] = spare.move[0, k]
        forest.prior[game, k] = spare.prior[0, k]
        forest.edge_visits[game, k] = spare.edge_visits[0, k]
        forest.edge_value[game, k] = spare.edge_value[0, k]
        forest.child[game, k] = spare.child[0, k]


@kernel
def _copy_tree(old: Forest, game: int, node: int, new: Forest) -> None:
    """Copy what hangs below `node`, breadth first, into the only game of `new`."""
    plant(new, int(ONLY))
    origin = np.empty(new.first.shape[1], np.int32)  # where in the old tree a new node comes from
    origin[ROOT] = node
    reached = 0
    while reached < new.used[0, 0]:
        source = origin[reached]
        new.visits[0, reached] = old.visits[game, source]
        new.value[0, reached] = old.value[game, source]
        new.proof[0, reached] = old.proof[game, source]
        if old.first[game, source] != NONE:
            first, old_first, count = new.used[0, 1], old.first[game, source], old.degree[game, source]
            new.first[0, reached] = first
            new.degree[0, reached] = count
            new.used[0, 1] += count
            for k in range(count):
                new.move[0, first + k] = old.move[game, old_first + k]
                new.prior[0, first + k] = old.prior[game, old_first + k]
                new.edge_visits[0, first + k] = old.edge_visits[game, old_first + k]
                new.edge_value[0, first + k] = old.edge_value[game, old_first + k]
                child = old.child[game, old_first + k]
                if child != NONE:
                    made = new_node(new, int(ONLY))
                    origin[made] = child
                    child = made
                new.child[0, first + k] = child
        reached += 1
