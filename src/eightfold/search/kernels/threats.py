"""Wins by threats in the trees of a forest: what a game's `find_threats` proves, at roots and at leaves.

It looks further than `find_win`, by moves that leave a choice of replies (for Gomoku threes and fours), and takes
longer; so it is asked beside the search and not in it, and a search that does not want it compiles nothing of this.

At a root a win that is found is played. If there is none, would the other side win if we passed? Then every move is
tried in the order of the network's priors, and those after which the other side still wins are proven to lose.
Nothing is assumed of a move that the nodes did not suffice for.

Read next: `eightfold.search.forest`, which calls these; `eightfold.games.gomoku.threats`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.games.contract import find_threats, play
from eightfold.games.state import BLACK, NO_MOVE, ONGOING, RESULT, SIDE, WHITE, copy_state
from eightfold.search.kernels.forest import new_node, prove
from eightfold.search.kernels.roots import find_edge
from eightfold.search.kernels.tree import LOST, NONE, ROOT, UNKNOWN, WON, Forest, Leaves

SPENT = 0  # where `find_threats` leaves how many nodes it used
EASY = 100  # nodes that a move is tried with, and twice as many as the threat itself took


@kernel
def threats_at_root(forest: Forest, game: int, nodes: int, state: Ints, room: Ints) -> int:
    """Prove what can be proven of an expanded root; how many nodes were used in all.

    As many as `nodes` go into our own win, as many into the other side's, and as many into moves against it. `state`
    [L] is used up.
    """
    if forest.proof[game, ROOT] != UNKNOWN:
        return 0
    copy_state(forest.states[game], state)
    move = find_threats(state, nodes, room)
    spent = room[SPENT]
    if move != NO_MOVE:
        _settle_child(forest, game, find_edge(forest, game, move), int(LOST))
        prove(forest, game, int(ROOT))
        return spent
    state[SIDE] = BLACK + WHITE - state[SIDE]  # as if we passed
    move = find_threats(state, nodes, room)
    spent += room[SPENT]
    if move == NO_MOVE:
        return spent
    enough, most = 2 * room[SPENT] + EASY, spent + nodes
    first, count = forest.first[game, ROOT], forest.degree[game, ROOT]
    below = np.float32(np.inf)  # the moves come by their priors, equal ones in their order
    last = Int(NONE)
    while spent < most:
        edge = Int(NONE)
        for k in range(first, first + count):
            prior = forest.prior[game, k]
            if (prior < below or (prior == below and k > last)) and (edge == NONE or prior > forest.prior[game, edge]):
                edge = Int(k)
        if edge == NONE:
            break
        below, last = forest.prior[game, edge], edge
        child = forest.child[game, edge]
        if child != NONE and forest.proof[game, child] != UNKNOWN:
            continue
        copy_state(forest.states[game], state)
        play(state, Int(forest.move[game, edge]))
        if state[RESULT] == ONGOING:
            lost = find_threats(state, min(enough, most - spent), room) != NO_MOVE
            spent += room[SPENT]
            if lost:
                _settle_child(forest, game, edge, int(WON))
    prove(forest, game, int(ROOT))
    return spent


@kernel
def _settle_child(forest: Forest, game: int, edge: int, proof: int) -> None:
    """Note what is proven of the position after a move; without room for its node nothing is."""
    if edge == NONE:
        return
    if forest.child[game, edge] == NONE:
        if forest.used[game, 0] == forest.first.shape[1]:
            return
        forest.child[game, edge] = new_node(forest, game)
    child = forest.child[game, edge]
    forest.proof[game, child] = proof
    forest.value[game, child] = 1 if proof == WON else -1


@kernel
def threats_at_leaves(
    forest: Forest, leaves: Leaves, first: int, stop: int, nodes: int, won: NDArray[np.bool_], room: Ints
) -> None:
    """Look for wins of the side to move in some leaves; `won` [B] says where there is one. A root is left alone."""
    for leaf in range(first, stop):
        game, node = leaves.game[leaf], leaves.nodes[leaf, leaves.depth[leaf]]
        won[leaf] = node != ROOT and find_threats(leaves.states[leaf], nodes, room) != NO_MOVE
        if won[leaf]:
            forest.proof[game, node] = WON
            forest.value[game, node] = 1
