"""Playouts of Go with knowledge: captures and escapes first, then shapes round the last move, then anything sensible.

Every move is sought in this order (Gelly et al. 2006; the patterns as Wei et al., section 2.2):
1. `captures`: what the last move put in atari is answered, by a capture or an escape (`tactics.py`);
2. `nakade`: the middle of three points that it left in an eye is taken;
3. `patterns`: an empty point among the eight round the last move, drawn by the weight of its 3x3 shape;
4. any empty point, each as likely as the others, that fills no own eye and, with `self_atari`, does not put a group
   of more than that many stones in atari.
With `mercy` a game ends as soon as one side has so many stones more than the other.

A playout also says who was first on every point, which is what all-moves-as-first statistics are made of.
Read next: `tactics.py`; `proposals.py`, which rates the moves of a position for the tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random, random_below
from eightfold.games.go.board import cell_at, head_of, in_atari, is_eye, put_stone, stone_count
from eightfold.games.go.layout import (
    CELLS,
    COLOUR,
    DOUBLE_KOMI,
    EMPTIES,
    EMPTY,
    KO,
    RULES,
    SUICIDE,
    cell_count,
    cells_end,
)
from eightfold.games.go.tactics import (
    NO_LIBERTY,
    NOWHERE,
    ONE,
    answer_to_atari,
    liberties_after,
    stones_after,
    vital_point,
)
from eightfold.games.state import BLACK, DRAW, LAST, SIDE, SIZE, WHITE

CODES = 3**8  # of the eight points of a 3x3 shape
KINDS = 3  # of shapes: centre, edge, corner
FINE = 1 << 24  # steps in which a weight is drawn

# The places in `Knowledge.table`: what is switched, then a row for every cell.
CAPTURES, SELF_ATARI, PATTERNS, MERCY, NAKADE, ROWS = 0, 1, 2, 3, 4, 5
# A row: the eight cells of the cell's 3x3 shape by digit, where the codes of its kind begin, the point.
KIND, POINT, ROW = 8, 9, 10

Floats = NDArray[np.float32]


class Knowledge(NamedTuple):
    """What playouts and proposals know of one board size; few arrays, because each costs time in every call."""

    table: Ints  # [ROWS + ROW * cells]
    weights: Floats  # [2 * KINDS * CODES] of shapes: black to move, then white; 0: not a move to play


def know(
    size: int,
    *,
    captures: bool,
    nakade: bool,
    self_atari: int,
    mercy: float,
    kinds: NDArray[np.integer],  # [N * N]
    points: NDArray[np.integer],  # [N * N, 8]
    weights: Floats | None,  # [KINDS, CODES] for the side to move
) -> Knowledge:
    """`self_atari`: stones that may be put in atari at most, -1: any number. `mercy`: a share of the board, 0: never.

    `kinds` and `points` are those of `eightfold.patterns.templates.small_neighbourhoods`; no `weights`: no patterns.
    """
    table = np.zeros(ROWS + ROW * cells_end(size), np.int64)
    table[CAPTURES], table[NAKADE] = captures, nakade
    table[SELF_ATARI] = self_atari if self_atari >= 0 else size * size
    table[PATTERNS] = weights is not None and size >= 3
    table[MERCY] = int(mercy * size * size) if mercy else size * size
    rows = table[ROWS:].reshape(-1, ROW)
    for point in range(size * size):
        cell = cell_at(point, size)
        rows[cell, :KIND] = [cell_at(int(other), size) for other in points[point]]
        rows[cell, KIND], rows[cell, POINT] = CODES * int(kinds[point]), point
    both = np.zeros((2, KINDS, CODES), np.float32)
    if weights is not None:
        both[0], both[1] = weights, weights[:, _swapped_codes()]
    return Knowledge(table, both.reshape(-1))


def _swapped_codes() -> Ints:
    """By code, the code in which the two colours are exchanged."""
    codes = np.arange(CODES)
    digits = codes[:, None] // 3 ** np.arange(8) % 3  # [CODES, 8]
    return np.asarray((np.array([0, 2, 1])[digits] * 3 ** np.arange(8)).sum(axis=1), np.int64)


# ---- a playout --------------------------------------------------------------------------------------


@kernel
def playout(
    state: Ints,
    random: Random,
    knowledge: Knowledge,
    first: NDArray[np.int8],  # [A] out: who played first on a point, 0: nobody
    scratch: Ints,  # [L]
) -> int:
    """Play to the end with knowledge and return the result; the state and `scratch` are used up.

    The empty cells lie in a list at the front of `scratch`, and behind it for every cell where it is in the list.
    As in `rollout` simple ko and a number of moves limit repetition.
    """
    size, colour, ko = state[SIZE], state[SIDE], state[KO]
    stride = state[SIZE] + 1
    table, weights = knowledge.table, knowledge.weights
    mercy = max(table[MERCY], abs(state[DOUBLE_KOMI]) // 2)  # a lead that komi outweighs is none
    first[:] = 0
    place = cell_count(size)  # of the second part of `scratch`, less the cell
    count = lead = 0
    for row in range(size):
        for column in range(size):
            cell = CELLS + (row + 1) * (size + 1) + column + 1
            kind = state[cell] & COLOUR
            scratch[count] = cell
            scratch[place + cell] = count
            count += kind == EMPTY
            lead += (kind == BLACK) - int(kind == WHITE)
    last = NOWHERE
    if state[LAST] >= 0 and state[LAST] < size * size:
        last = cell_at(state[LAST], size)
        if state[last] & COLOUR == EMPTY:  # a suicide
            last = NOWHERE
    passes = int(state[LAST] == size * size)
    moves = 3 * size * size
    while passes < 2 and moves > 0 and abs(lead) <= mercy:
        moves -= 1
        cell = next_move(state, stride, last, colour, ko, table, weights, random, scratch, count)
        ko = 0
        last = cell
        if cell == NOWHERE:
            passes += 1
        else:
            passes = 0
            count = _take_from_list(scratch, place, cell, count)
            before = count
            count = put_stone(state, stride, cell, colour, scratch, count)
            for k in range(before, count):
                scratch[place + scratch[k]] = k
            gain = 1 + count - before
            if state[cell] & COLOUR == EMPTY:  # a suicide
                last = NOWHERE
                gain = 1 + before - count
            elif (
                count == before + 1
                and stone_count(state, stride, head_of(state, stride, cell)) == 1
                and in_atari(state, stride, cell)
            ):
                ko = scratch[before]
            lead += gain if colour == BLACK else -gain
            point = table[ROWS + ROW * cell + POINT]
            if first[point] == 0:
                first[point] = colour
        colour = BLACK + WHITE - colour
    if abs(lead) > mercy:
        return BLACK if lead > 0 else WHITE
    return winner_of_filled_board(state)


@kernel
def _take_from_list(scratch: Ints, place: int, cell: int, count: int) -> int:
    """Let the last of the list take the place of a cell; the new length."""
    at = scratch[place + cell]
    moved = scratch[count - 1]
    scratch[at] = moved
    scratch[place + moved] = at
    return count - 1


@kernel
def next_move(
    state: Ints,
    stride: int,
    last: int,
    colour: int,
    ko: int,
    table: Ints,
    weights: Floats,
    random: Random,
    scratch: Ints,
    count: int,
) -> int:
    """The cell that a playout plays next, or NOWHERE for a pass; `scratch` as in `playout`."""
    if last != NOWHERE:
        if table[CAPTURES]:
            cell = answer_to_atari(state, stride, last, colour, ko, random)
            if cell != NOWHERE:
                return cell
        if table[NAKADE]:
            cell = vital_point(state, stride, last)
            if cell != NOWHERE and cell != ko and liberties_after(state, stride, cell, colour) != NO_LIBERTY:
                return cell
        if table[PATTERNS]:
            cell = _shape_move(state, stride, last, colour, ko, table, weights, random)
            if cell != NOWHERE:
                return cell
    return _any_move(state, stride, colour, ko, table[SELF_ATARI], random, scratch, count)


@kernel
def shape_weight(state: Ints, cell: int, colour: int, table: Ints, weights: Floats) -> float:
    """The weight of the 3x3 shape round an empty cell for a colour to move."""
    row = ROWS + ROW * cell
    low = high = 0  # two chains, which a processor follows side by side
    for digit in range(3, -1, -1):
        low = 3 * low + (state[table[row + digit]] & COLOUR)
        high = 3 * high + (state[table[row + digit + 4]] & COLOUR)
    return weights[(colour - BLACK) * KINDS * CODES + table[row + KIND] + 81 * high + low]


@kernel
def _shape_move(
    state: Ints, stride: int, last: int, colour: int, ko: int, table: Ints, weights: Floats, random: Random
) -> int:
    """One of the eight points round the last move, drawn by its weight; NOWHERE if none has any or may be played."""
    chosen = NOWHERE
    total = 0.0
    for step in (-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1):
        cell = last + step
        if state[cell] & COLOUR != EMPTY:
            continue
        weight = shape_weight(state, cell, colour, table, weights)
        if weight > 0 and is_sensible(state, stride, cell, colour, ko, table[SELF_ATARI]):
            total += weight
            # The k-th takes the place of the one before with probability weight / total: so each has its share.
            if chosen == NOWHERE or random_below(random, FINE) * total < weight * FINE:
                chosen = cell
    return chosen


@kernel
def is_sensible(state: Ints, stride: int, cell: int, colour: int, ko: int, most: int) -> bool:
    """Whether a stone on an empty cell is legal, fills no eye of its own and puts at most so many stones in atari."""
    if cell == ko:
        return False
    if state[cell] & (6 * EMPTIES):  # two empty neighbours and more: the usual case
        return True
    if is_eye(state, stride, cell, colour):
        return False
    after = liberties_after(state, stride, cell, colour)
    if after == NO_LIBERTY:
        # Where the rules allow it, several stones of one's own may go; alone they never may.
        stones = stones_after(state, stride, cell, colour) if state[RULES] & SUICIDE else 0
        return stones > 1 and stones <= most
    return after != ONE or stones_after(state, stride, cell, colour) <= most


@kernel
def _any_move(
    state: Ints, stride: int, colour: int, ko: int, most: int, random: Random, scratch: Ints, count: int
) -> int:
    """A sensible move drawn from the list of empty cells, or NOWHERE."""
    place = cell_count(state[SIZE])
    left = count  # the first `left` of the list were not yet refused
    while left > 0:
        pick = random_below(random, left)
        cell = scratch[pick]
        if is_sensible(state, stride, cell, colour, ko, most):
            return cell
        left -= 1
        moved = scratch[left]
        scratch[pick], scratch[place + moved] = moved, pick
        scratch[left], scratch[place + cell] = cell, left
    return NOWHERE


@kernel
def winner_of_filled_board(state: Ints) -> int:
    """By area, where the only empty points left are eyes and what nobody could fill."""
    size, lead = state[SIZE], 0
    for row in range(size):
        for column in range(size):
            word = state[CELLS + (row + 1) * (size + 1) + column + 1]
            kind = word & COLOUR
            if kind == EMPTY and word & (7 * EMPTIES) == 0:
                kind = BLACK * ((word >> 2) & 7 == 4) + WHITE * ((word >> 5) & 7 == 4)
            lead += 1 if kind == BLACK else (-1 if kind == WHITE else 0)
    double = 2 * lead - state[DOUBLE_KOMI]
    return BLACK if double > 0 else WHITE if double < 0 else DRAW
