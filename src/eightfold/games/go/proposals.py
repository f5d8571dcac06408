"""What a tree of Go knows of moves before it has tried them: which are worth a look, and how they may turn out.

A prior is a number of games that are taken as played, and their sum of results (1 won, -1 lost), as in Gelly & Silver
2007. Every move begins with an even score; captures, escapes from atari, known shapes and moves close to the last
one are taken to be better, self-ataris and the first two lines of an empty region worse. What fills an own eye is left
out, unless it saves stones beside it from atari; a pass is always there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.games.go.board import cell_at, head_of, in_atari, is_eye, stone_count
from eightfold.games.go.layout import COLOUR, EMPTY
from eightfold.games.go.legal import may_play
from eightfold.games.go.playouts import PATTERNS, Knowledge, shape_weight
from eightfold.games.go.tactics import CAPTURE, SEVERAL, liberties_after
from eightfold.games.state import BLACK, LAST, ONGOING, RESULT, SIDE, SIZE, WHITE

Floats = NDArray[np.float32]

# Games taken as played.
EVEN = 10.0
CAPTURED_ONE, CAPTURED_MORE = 15.0, 30.0
ESCAPED = 15.0
IN_SELF_ATARI = 10.0
SHAPE, MOST_FOR_SHAPE = 0.9, 20.0  # times the weight of a shape: how many times as often it is played as others
NEAR = (7.0, 6.5, 2.5)  # at distances 2, 3 and 4 of the last move, |dx| + |dy| + max(|dx|, |dy|)
EMPTY_REGION = 10.0
SIGHT = 3  # a region is empty if there is no stone within so many points along the lines
PASSED = 10.0


@kernel
def propose(state: Ints, knowledge: Knowledge, moves: Ints, games: Floats, results: Floats) -> int:
    """Write the moves worth a look to the front of `moves` [A], with their priors beside them; how many they are."""
    count = 0
    if state[RESULT] != ONGOING:
        return count
    size, colour = state[SIZE], state[SIDE]
    stride = state[SIZE] + 1
    for point in range(size * size):
        cell = cell_at(point, size)
        if state[cell] & COLOUR != EMPTY or not may_play(state, stride, cell, colour):
            continue
        if is_eye(state, stride, cell, colour) and not _touches_own_atari(state, stride, cell, colour):
            continue
        good = bad = 0.0
        after = liberties_after(state, stride, cell, colour)
        if after == CAPTURE:
            good += CAPTURED_MORE if _stones_taken(state, stride, cell, colour) > 1 else CAPTURED_ONE
        elif after != SEVERAL:
            bad += IN_SELF_ATARI
        if after == SEVERAL and _touches_own_atari(state, stride, cell, colour):
            good += ESCAPED
        if knowledge.table[PATTERNS]:
            weight = shape_weight(state, cell, colour, knowledge.table, knowledge.weights)
            good += min(SHAPE * weight, MOST_FOR_SHAPE)
        near = _distance(state[LAST], point, size)
        if near >= 2 and near <= 4:
            good += NEAR[near - 2]
        line = _line(point, size)
        if line <= 2 and _in_empty_region(state, point, size):
            if line < 2:
                bad += EMPTY_REGION
            else:
                good += EMPTY_REGION
        moves[count] = point
        games[count] = EVEN + good + bad
        results[count] = good - bad
        count += 1
    moves[count] = size * size
    games[count] = PASSED
    results[count] = -PASSED
    return count + 1


@kernel
def _stones_taken(state: Ints, stride: int, cell: int, colour: int) -> int:
    """The stones that a capture takes; a group that touches the cell twice counts twice."""
    taken = 0
    for step in (-stride, -1, 1, stride):
        if state[cell + step] & COLOUR == BLACK + WHITE - colour:
            head = head_of(state, stride, cell + step)
            if in_atari(state, stride, head):
                taken += stone_count(state, stride, head)
    return taken


@kernel
def _touches_own_atari(state: Ints, stride: int, cell: int, colour: int) -> bool:
    for step in (-stride, -1, 1, stride):
        if state[cell + step] & COLOUR == colour and in_atari(state, stride, head_of(state, stride, cell + step)):
            return True
    return False


@kernel
def _distance(last: int, point: int, size: int) -> int:
    """Coulom 2007: |dx| + |dy| + max(|dx|, |dy|), or 0 if there is no last point."""
    if last < 0 or last >= size * size:
        return 0
    rows = abs(last // size - point // size)
    columns = abs(last % size - point % size)
    return rows + columns + max(rows, columns)


@kernel
def _line(point: int, size: int) -> int:
    """The line of a point from the nearest edge, 0 on the edge."""
    row, column = point // size, point % size
    return min(min(row, size - 1 - row), min(column, size - 1 - column))


@kernel
def _in_empty_region(state: Ints, point: int, size: int) -> bool:
    row, column = point // size, point % size
    for r in range(max(0, row - SIGHT), min(size, row + SIGHT + 1)):
        for c in range(max(0, column - SIGHT), min(size, column + SIGHT + 1)):
            if abs(r - row) + abs(c - column) <= SIGHT and state[cell_at(r * size + c, size)] & COLOUR != EMPTY:
                return False
    return True
