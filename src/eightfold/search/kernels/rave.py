"""The tree of the full Monte Carlo search: UCT with rapid action value estimation (Gelly & Silver 2007, 2011).

One playout, from the root to the back-up:
1. `select_leaves` goes down from the root, at every node to the child that looks best, and notes the path. What was
   visited `expand_at` times gets children, with the priors that the game proposes.
2. `play_out` plays a game with knowledge from the leaf to the end and notes who was first on every point.
3. `back_up` adds the result to every node of the path, and, for each of them, to all children whose move its side
   was the first to play later on: all moves as first (AMAF).

A child is judged by the mean result of its own games, priors among them, mixed with that of its AMAF games:

    Q = (1 - beta) Q_own + beta Q_amaf,   beta = n_amaf / (n_amaf + n_own + n_amaf n_own / equivalence)
    U = Q + C P sqrt(N) / (1 + n),        P in proportion to the games that the prior takes as won

Leaves are taken in batches: a path on its way counts as lost, so that the next one looks elsewhere (virtual loss).
Every slot of a batch has a random generator of its own, so that threads may share the playouts in any way.

Nothing here knows a game: `eightfold.core.specialise` binds it to one. Read next: `eightfold.search.rave`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.rng import Random
from eightfold.games.contract import Knowledge, play, playout, propose
from eightfold.games.state import BLACK, DRAW, NO_MOVE, ONGOING, RESULT, WHITE, copy_state

ROOT = 0
NOT_EXPANDED = -1

Floats = NDArray[np.float32]


class Tree(NamedTuple):
    """N places; sums of results are for the player who moved there."""

    move: NDArray[np.int16]  # [N] the move that leads here
    visits: NDArray[np.int32]  # [N]
    value: NDArray[np.float64]  # [N] the sum of results
    prior_visits: Floats  # [N] games taken as played before the first
    prior_value: Floats  # [N]
    chance: Floats  # [N] P
    amaf_visits: Floats  # [N]
    amaf_value: Floats  # [N]
    first: NDArray[np.int32]  # [N] where its block of children starts, or NOT_EXPANDED
    children: NDArray[np.int16]  # [N] the length of that block
    used: NDArray[np.int32]  # [1] places taken so far


class Batch(NamedTuple):
    """K slots for playouts under way. L length of a state, A actions, D longest path."""

    states: Ints  # [K, L]
    paths: Ints  # [K, D] the nodes from the root to the leaf
    depths: Ints  # [K]
    randoms: Random  # [K]
    firsts: NDArray[np.int8]  # [K, A] who was first to play a move
    results: Ints  # [K]
    scratch: Ints  # [K, L]


class Weights(NamedTuple):
    """How a child is judged."""

    equivalence: float  # own games that count as much as any number of AMAF games
    exploration: float  # C
    prior_games: float  # by how much the games that priors take as played are multiplied
    informed: bool  # whether P is from priors, or the same for all
    virtual_loss: float
    expand_at: int  # visits


@kernel
def clear(tree: Tree) -> None:
    """Leave a single node that nobody has visited."""
    _make_node(tree, int(ROOT), int(NO_MOVE))
    tree.used[0] = 1


@kernel
def _make_node(tree: Tree, node: int, move: int) -> None:
    tree.move[node] = move
    tree.visits[node] = 0
    tree.value[node] = 0
    tree.prior_visits[node] = 0
    tree.prior_value[node] = 0
    tree.chance[node] = 0
    tree.amaf_visits[node] = 0
    tree.amaf_value[node] = 0
    tree.first[node] = NOT_EXPANDED
    tree.children[node] = 0


# ---- down -------------------------------------------------------------------------------------------


@kernel
def select_leaves(
    tree: Tree,
    root_state: Ints,  # [L]
    count: int,
    weights: Weights,
    knowledge: Knowledge,
    batch: Batch,
    moves: Ints,  # [A] scratch
    games: Floats,  # [A] scratch
    results: Floats,  # [A] scratch
    last_first: int,
) -> None:
    """Take `count` leaves into the batch. With `last_first` the first of them begins with the root's last child."""
    for slot in range(count):
        state = batch.states[slot]
        copy_state(root_state, state)
        path = batch.paths[slot]
        path[0] = ROOT
        depth = 0
        node = int(ROOT)
        tree.visits[ROOT] += 1
        while state[RESULT] == ONGOING and depth + 1 < path.shape[0]:
            if tree.first[node] == NOT_EXPANDED:
                if node != ROOT and tree.visits[node] <= weights.expand_at:
                    break
                if not _expand(tree, node, state, weights, knowledge, moves, games, results):
                    break
            if last_first and slot == 0 and depth == 0:
                node = Int(tree.first[ROOT] + tree.children[ROOT] - 1)
            else:
                node = Int(_select(tree, node, weights))
            tree.visits[node] += 1
            tree.value[node] -= weights.virtual_loss
            play(state, Int(tree.move[node]))
            depth += 1
            path[depth] = node
        batch.depths[slot] = depth


@kernel
def _expand(
    tree: Tree,
    node: int,
    state: Ints,
    weights: Weights,
    knowledge: Knowledge,
    moves: Ints,
    games: Floats,
    results: Floats,
) -> bool:
    """Make a block of places for the moves of `node`; False if the tree is full."""
    count = propose(state, knowledge, moves, games, results)
    first = tree.used[0]
    if count == 0 or first + count > tree.move.shape[0]:
        return False
    total = 0.0
    for k in range(count):
        child = Int(first + k)
        _make_node(tree, child, Int(moves[k]))
        tree.prior_visits[child] = weights.prior_games * games[k]
        tree.prior_value[child] = weights.prior_games * results[k]
        won = 0.5 * (games[k] + results[k]) if weights.informed else 1.0
        tree.chance[child] = won
        total += won
    for child in range(first, first + count):
        tree.chance[child] /= total
    tree.first[node] = first
    tree.children[node] = count
    tree.used[0] = first + count
    return True


@kernel
def _select(tree: Tree, node: int, weights: Weights) -> int:
    """The child with the largest U."""
    first = tree.first[node]
    exploration = weights.exploration * math.sqrt(tree.visits[node])
    best = first
    best_u = -np.inf
    for child in range(first, first + tree.children[node]):
        visits = tree.visits[child] + tree.prior_visits[child]
        u = (tree.value[child] + tree.prior_value[child]) / visits if visits > 0 else 0.0
        amaf = tree.amaf_visits[child]
        if amaf > 0 and weights.equivalence > 0:
            beta = amaf / (amaf + visits + amaf * visits / weights.equivalence)
            u += beta * (tree.amaf_value[child] / amaf - u)
        u += exploration * tree.chance[child] / (1 + tree.visits[child])
        if u > best_u:
            best, best_u = child, u
    return best


# ---- to the end, and back ---------------------------------------------------------------------------


@kernel
def play_out(batch: Batch, knowledge: Knowledge, begin: int, end: int) -> None:
    """The games of slots `begin` to `end` - 1."""
    for slot in range(begin, end):
        state = batch.states[slot]
        if state[RESULT] == ONGOING:
            random = batch.randoms[slot : slot + 1]
            batch.results[slot] = playout(state, random, knowledge, batch.firsts[slot], batch.scratch[slot])
        else:
            batch.results[slot] = state[RESULT]
            batch.firsts[slot, :] = 0


@kernel
def back_up(tree: Tree, root_side: int, count: int, weights: Weights, batch: Batch) -> None:
    """Add the results of a batch to the nodes on its paths, and to the AMAF games of their children."""
    for slot in range(count):
        first = batch.firsts[slot]
        result = batch.results[slot]
        for step in range(batch.depths[slot], -1, -1):
            node = batch.paths[slot, step]
            side = root_side if step % 2 == 0 else BLACK + WHITE - root_side
            value = 0.0 if result == DRAW else (1.0 if result == side else -1.0)
            if tree.first[node] != NOT_EXPANDED:
                for child in range(tree.first[node], tree.first[node] + tree.children[node]):
                    if first[tree.move[child]] == side:
                        tree.amaf_visits[child] += 1
                        tree.amaf_value[child] += value
            if step > 0:  # the root was reached by nobody's move
                tree.value[node] += weights.virtual_loss - value
                first[tree.move[node]] = BLACK + WHITE - side
            else:
                tree.value[node] -= value


@kernel
def keep_subtree(old: Tree, node: int, new: Tree) -> None:
    """Copy what hangs below `node` of `old` into `new`, as its root."""
    new.used[0] = 1
    _copy_node(old, node, new, int(ROOT))
    origin = np.empty(new.move.shape[0], np.int32)  # where in the old tree a new node comes from
    origin[ROOT] = node
    reached = 0
    while reached < new.used[0]:
        old_first, first = old.first[origin[reached]], new.used[0]
        if old_first != NOT_EXPANDED:
            count = old.children[origin[reached]]
            if first + count <= new.move.shape[0]:  # else it starts over with its children
                for k in range(count):
                    _copy_node(old, Int(old_first + k), new, Int(first + k))
                    origin[first + k] = old_first + k
                new.first[reached] = first
                new.children[reached] = count
                new.used[0] = first + count
        reached += 1


@kernel
def _copy_node(old: Tree, node: int, new: Tree, place: int) -> None:
    new.move[place] = old.move[node]
    new.visits[place] = old.visits[node]
    new.value[place] = old.value[node]
    new.prior_visits[place] = old.prior_visits[node]
    new.prior_value[place] = old.prior_value[node]
    new.chance[place] = old.chance[node]
    new.amaf_visits[place] = old.amaf_visits[node]
    new.amaf_value[place] = old.amaf_value[node]
    new.first[place] = NOT_EXPANDED
    new.children[place] = 0
