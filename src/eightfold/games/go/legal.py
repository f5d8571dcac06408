"""Which moves of Go are legal: a liberty, no ko, no repetition; and the words for those that are not."""

from __future__ import annotations

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import how_many, how_many_before, lane_of, share_rows, wait_for_lanes
from eightfold.games.go.board import cell_at, has_liberty, touches_own
from eightfold.games.go.layout import CELLS, COLOUR, EMPTIES, EMPTY, KO, KO_RULES, RULES, SUICIDE
from eightfold.games.go.memory import NEVER, repeated, repeats
from eightfold.games.state import ONGOING, RESULT, SIDE, SIZE


@kernel
def legal(state: Ints, moves: Ints) -> int:
    return legal_together(state, moves, 1)


@kernel
def legal_together(state: Ints, moves: Ints, lanes: int) -> int:
    if state[RESULT] != ONGOING:
        return 0
    size, colour, count = state[SIZE], state[SIDE], Int(0)
    stride = state[SIZE] + 1
    rows, top, left = share_rows(size, lanes)
    row = top
    while row - top < size:  # all lanes come round equally often
        for first in range(0, size, lanes):
            column, listed = first + left, False
            if row < size and column < size:
                cell = CELLS + (row + 1) * stride + column + 1
                listed = state[cell] & COLOUR == EMPTY and may_play(state, stride, cell, colour)
            place = count + how_many_before(listed, lanes)
            if listed:
                moves[place] = row * size + column
            count += how_many(listed, lanes)
        row += rows
    if lane_of(lanes) == 0:
        moves[count] = size * size
    wait_for_lanes(lanes)
    return count + 1


@kernel
def may_play(state: Ints, stride: int, cell: int, colour: int) -> bool:
    """Whether the rules allow a stone on an empty cell."""
    if cell == state[KO] and colour == state[SIDE]:
        return False
    return not is_suicide(state, stride, cell, colour) and not repeats(state, stride, cell, colour)


@kernel
def is_suicide(state: Ints, stride: int, cell: int, colour: int) -> bool:
    """Whether a stone on an empty cell takes itself off where the rules forbid it: alone they always do."""
    if has_liberty(state, stride, cell, colour):
        return False
    return state[RULES] & SUICIDE == 0 or not touches_own(state, stride, cell, colour)


@kernel
def is_legal(state: Ints, move: int) -> bool:
    """Whether any number at all is a legal move."""
    size = state[SIZE]
    if state[RESULT] != ONGOING or move < 0 or move > size * size:
        return False
    if move == size * size:
        return True
    stride, cell = size + 1, cell_at(move, size)
    return state[cell] & COLOUR == EMPTY and may_play(state, stride, cell, state[SIDE])


@kernel
def forbidden(state: Ints, points: Ints) -> int:
    """Write the empty points that the side to move may not play to the front of `points` [A]; how many they are."""
    count = 0
    if state[RESULT] == ONGOING:
        size, stride, colour = state[SIZE], state[SIZE] + 1, state[SIDE]
        # Where only a ko may not be retaken, a point with an empty neighbour is never forbidden.
        mask = COLOUR if state[RULES] >= KO_RULES else COLOUR | (7 * EMPTIES)
        for row in range(size):
            cell = cell_at(row * size, size)
            for column in range(size):
                if state[cell + column] & mask == 0 and not may_play(state, stride, cell + column, colour):
                    points[count] = row * size + column
                    count += 1
    return count


def ko_points(state: Ints, points: Ints) -> int:
    """Those that may not be taken back now. What is suicide goes without saying, and is said when it is tried."""
    stride, side = int(state[SIZE]) + 1, int(state[SIDE])
    count = forbidden(state, points)
    kept = [p for p in points[:count].tolist() if not is_suicide(state, stride, cell_at(p, stride - 1), side)]
    points[: len(kept)] = kept
    return len(kept)


def why_forbidden(state: Ints, move: int) -> str:
    """Why it may not, in words; no kernel."""
    size, colour = int(state[SIZE]), int(state[SIDE])
    stride, cell = size + 1, cell_at(move, size)
    if cell == state[KO]:
        return "it retakes a ko at once"
    if is_suicide(state, stride, cell, colour):
        return "it is suicide"
    number = repeated(state, stride, cell, colour)
    return "the rules forbid it here" if number == NEVER else f"it repeats position {number} of the game (superko)"
