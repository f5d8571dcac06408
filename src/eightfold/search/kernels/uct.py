"""The tree of the pure Monte Carlo search: select, expand, roll out, back up (Suen & Alonso, section 2.3).

    U(s, a) = Q(s, a) + C * P(s, a) * sqrt(sum_b N(s, b)) / (1 + N(s, a)),   P uniform over the legal moves

All untried moves of a node have the same U, so only the tried ones have to be looked at; which untried
one comes next is drawn at random. The tree lies in flat arrays, a node is a place in them. The children
of a node are a block of places, one for each legal move, made when the node is entered a second time;
the first `tried` of them have been visited.

Nothing here knows a game: `eightfold.core.specialise` binds it to one. Read next: `eightfold.search.uct`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.rng import Random, random_below
from eightfold.games.contract import legal, play, rollout
from eightfold.games.state import DRAW, NO_MOVE, ONGOING, RESULT, SIDE, copy_state

ROOT = 0
NOT_EXPANDED = -1


class Tree(NamedTuple):
    """N places; a node's value is the sum of results for the player who moved there."""

    move: NDArray[np.int16]  # [N] the move that leads here
    visits: NDArray[np.int32]  # [N]
    value: NDArray[np.float64]  # [N]
    first: NDArray[np.int32]  # [N] where its block of children starts, or NOT_EXPANDED
    children: NDArray[np.int16]  # [N] the length of that block
    tried: NDArray[np.int16]  # [N] how many of them have been visited
    used: NDArray[np.int32]  # [1] places taken so far


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
    tree.first[node] = NOT_EXPANDED
    tree.children[node] = 0
    tree.tried[node] = 0


@kernel
def run_playouts(
    tree: Tree,
    root_state: Ints,  # [L]
    playouts: int,
    exploration: float,
    random: Random,
    state: Ints,  # [L] scratch
    scratch: Ints,  # [A] scratch
    path: Ints,  # [deepest path + 1] scratch
) -> None:
    """Grow the tree by `playouts` visits to the root."""
    for _ in range(playouts):
        copy_state(root_state, state)
        path[0] = ROOT
        depth = 0
        node = int(ROOT)
        while state[RESULT] == ONGOING and tree.visits[node] > 0 and depth + 1 < path.shape[0]:
            if tree.first[node] == NOT_EXPANDED and not _expand(tree, node, state, scratch):
                break
            node = Int(_select(tree, node, exploration, random))
            play(state, Int(tree.move[node]))
            depth += 1
            path[depth] = node
        # Results count for the player who moved into a node, and that is the one who is not to move there.
        waiting = 3 - state[SIDE]
        result = state[RESULT] if state[RESULT] != ONGOING else rollout(state, random, scratch)
        value = 0.0 if result == DRAW else (1.0 if result == waiting else -1.0)
        for step in range(depth, -1, -1):
            tree.visits[path[step]] += 1
            tree.value[path[step]] += value
            value = -value


@kernel
def _expand(tree: Tree, node: int, state: Ints, scratch: Ints) -> bool:
    """Make a block of places for the moves of `node`; False if the tree is full."""
    count = legal(state, scratch)
    first = tree.used[0]
    if first + count > tree.move.shape[0]:
        return False
    for k in range(count):
        tree.move[first + k] = scratch[k]
    tree.first[node] = first
    tree.children[node] = count
    tree.used[0] = first + count
    return True


@kernel
def _select(tree: Tree, node: int, exploration: float, random: Random) -> int:
    """The child with the largest U; an untried one is made when its turn has come."""
    first, tried, count = tree.first[node], tree.tried[node], tree.children[node]
    visited = tree.visits[node] - 1  # the first visit of a node goes to none of its children
    weight = exploration * np.sqrt(visited) / count
    untried = first + tried
    best = untried
    best_u = weight if tried < count else -np.inf
    for child in range(first, untried):
        u = tree.value[child] / tree.visits[child] + weight / (1 + tree.visits[child])
        if u > best_u:
            best, best_u = child, u
    if best == untried:
        pick = untried + random_below(random, count - tried)
        move = tree.move[pick]
        tree.move[pick] = tree.move[untried]
        _make_node(tree, Int(untried), Int(move))
        tree.tried[node] = tried + 1
    return best


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
        if new.visits[reached] > 0 and old_first != NOT_EXPANDED:
            count = old.children[origin[reached]]
            if first + count > new.move.shape[0]:
                new.tried[reached] = 0  # no room: this node starts over with its children
            else:
                for k in range(count):
                    _copy_node(old, Int(old_first + k), new, Int(first + k))
                    if k >= old.tried[origin[reached]]:
                        new.visits[first + k] = 0  # an untried place holds a move and nothing else yet
                    origin[first + k] = old_first + k
                new.first[reached] = first
                new.used[0] = first + count
        reached += 1


@kernel
def _copy_node(old: Tree, source: int, new: Tree, target: int) -> None:
    new.move[target] = old.move[source]
    new.visits[target] = old.visits[source]
    new.value[target] = old.value[source]
    new.first[target] = NOT_EXPANDED
    new.children[target] = old.children[source]
    new.tried[target] = old.tried[source]
