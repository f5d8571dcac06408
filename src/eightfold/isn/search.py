"""Alpha-beta over an ISN's evaluation, pruned by the network itself, as Blair hoped (section V).

The network's worth of the board after a move decides twice: which few moves of a position are looked into at all, and
in what order. At the last ply it is the value itself, so a search of depth d looks at whole boards d - 1 plies deep and
at every move from there. Captures on the way count c each; two passes end the game, and then points are counted.

An explicit stack instead of recursion, one frame a ply. Values are the side to move's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.games.go.rules import play, stones
from eightfold.games.go.score import ownership
from eightfold.games.state import BLACK, ONGOING, RESULT, SIDE, SIZE, WHITE
from eightfold.isn.classes import OUTPUT_NAMES
from eightfold.isn.move_selection import captures_value, evaluate_board, move_values
from eightfold.isn.tables import IsnTables

Doubles = NDArray[np.float64]

OUTPUTS = len(OUTPUT_NAMES)


@kernel
def final_value(state: Ints, s: float) -> float:
    """What the points of a finished game are worth to white: 1 for territory, s for a stone; captures left out."""
    size = state[SIZE]
    owners, board = np.zeros(size * size, np.int8), np.zeros((size, size), np.int8)
    ownership(state, owners)
    stones(state, board)
    total = 0.0
    for point in range(size * size):
        sign = int(owners[point] == WHITE) - int(owners[point] == BLACK)
        total += sign * (1.0 if board[point // size, point % size] == 0 else s)
    return total


@kernel
def search(
    root: Ints,
    root_outputs: NDArray[np.float32],  # [1, 7, N, N], for the root
    tables: IsnTables,
    s: float,
    depth: int,
    width: int,
    stop: Ints,  # [1]: set from outside when time is up
    scores: Doubles,  # [A], to be filled: the values of the root's moves; the best is exact, others bounds
    facts: Ints,  # [1], to be filled: boards looked at
) -> int:
    """The best move, or -1 if time was up before the end."""
    size = root[SIZE]
    actions = size * size + 1
    states = np.zeros((depth + 1, len(root)), np.int64)
    boards = np.zeros((depth + 1, 1, size, size), np.int8)
    outputs = np.zeros((depth + 1, 1, OUTPUTS, size, size), np.float32)
    order, count, at = (
        np.zeros((depth + 1, width), np.int64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int64),
    )
    ranked = np.zeros((depth + 1, width), np.float64)
    low, high, best = np.zeros(depth + 1), np.zeros(depth + 1), np.zeros(depth + 1)
    classes, moves, values = np.zeros((1, size, size), np.uint8), np.zeros(actions, np.int64), np.zeros((1, actions))
    states[0] = root
    outputs[0] = root_outputs
    stones(root, boards[0, 0])
    low[0], high[0] = -np.inf, np.inf
    choice, looked, ply = -1, 0, 0
    fresh = True  # whether the position at `ply` was not yet looked into
    scores[:] = np.nan
    while True:
        if stop[0]:
            return -1
        state = states[ply]
        if fresh:
            fresh = False
            at[ply], best[ply] = 0, -np.inf
            if state[RESULT] != ONGOING:
                sign = 1.0 if state[SIDE] == WHITE else -1.0
                best[ply] = sign * (final_value(state, s) + captures_value(state, root, tables.capture))
                count[ply] = 0
            else:
                looked += 1
                found = move_values(state, boards[ply], outputs[ply], tables, moves, values)
                count[ply] = _keep_best(state, root, tables, s, moves, found, values, order[ply], ranked[ply])
        if at[ply] == count[ply] or low[ply] >= high[ply]:  # done with this position
            if ply == 0:
                facts[0] = looked
                return choice
            value = -best[ply]
            ply -= 1
        elif ply == depth - 1:  # the network's own values
            value = ranked[ply, at[ply]]
        else:
            states[ply + 1] = state
            play(states[ply + 1], order[ply, at[ply]])
            stones(states[ply + 1], boards[ply + 1, 0])
            outputs[ply + 1] = outputs[ply]
            evaluate_board(boards[ply + 1], tables, classes, outputs[ply + 1])
            low[ply + 1], high[ply + 1] = -high[ply], -low[ply]
            ply += 1
            fresh = True
            continue
        if ply == 0:
            scores[order[0, at[0]]] = value
        if value > best[ply]:
            best[ply] = value
            if ply == 0:
                choice = order[0, at[0]]
        low[ply] = max(low[ply], value)
        at[ply] += 1


@kernel
def _keep_best(
    state: Ints,
    root: Ints,
    tables: IsnTables,
    s: float,
    moves: Ints,
    found: int,
    values: Doubles,
    order: Ints,
    ranked: Doubles,
) -> int:
    """The moves that the network likes best, in that order, into `order`; their values for the side to move."""
    sign = 1.0 if state[SIDE] == WHITE else -1.0
    banked = captures_value(state, root, tables.capture)
    passed, kept = moves[found - 1], 0
    for k in range(found):
        value = sign * (values[0, moves[k]] + banked)
        if moves[k] == passed:
            trial = state.copy()
            play(trial, passed)
            if trial[RESULT] != ONGOING:
                value = sign * (final_value(trial, s) + banked)
        place = kept
        while place > 0 and ranked[place - 1] < value:
            place -= 1
        if place < len(order):
            last = min(kept, len(order) - 1)
            for k2 in range(last, place, -1):
                order[k2], ranked[k2] = order[k2 - 1], ranked[k2 - 1]
            order[place], ranked[place] = moves[k], value
            kept = min(kept + 1, len(order))
    return kept
