"""Gomoku: stones in turn on a square board, a row of five wins (document 000, section 1.3).

The rules as kernels over one row of integers, and the heuristic of document 004, section 3.1, which the
greedy and the alpha-beta player share. `freestyle`: five or more in a row win; `standard`: exactly five.
Any board from 3x3 to 25x25, any winning length.

`lines.py` says how a state is laid out; `fours.py` finds the wins that follow by force.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.errors import EightfoldError
from eightfold.games.family import Family
from eightfold.games.fours import find_win as find_win  # what is imported so is offered to the searches
from eightfold.games.fours import is_dead as is_dead
from eightfold.games.lines import (
    EMPTIES,
    FREESTYLE,
    HALF,
    ONE_COLOUR,
    RULE,
    WIN,
    cell_of,
    first_line,
    lines_through,
    state_length,
)
from eightfold.games.state import (
    BLACK,
    DRAW,
    HASHES,
    HEADER,
    LAST,
    NO_MOVE,
    ONGOING,
    PLY,
    RESULT,
    SIDE,
    SIZE,
    WHITE,
)
from eightfold.jit import Ints, kernel
from eightfold.rng import Random, random_below
from eightfold.symmetry.orbit import LARGEST_BOARD, toggle, toggle_side
from eightfold.texts import Option, Value

EMPTY, WALL = 0, 3  # BLACK and WHITE lie between
RULES = ("freestyle", "standard")

LAST_MOVE, THREAT, HISTORY = 0, 1, 2  # encoders, in the order of GAME.encoders

DIGITS = 15  # a score of 10^15 still leaves room for sums in 64 bits
POWERS: Ints = 10 ** np.arange(DIGITS + 1, dtype=np.int64)


def _complete(values: dict[str, Value]) -> tuple[int, int, int]:
    size = int(values["size"])
    win = int(values["win"] or min(5, size))
    values["win"] = win
    if win > size:
        raise EightfoldError(f"gomoku: win={win} does not fit on a {size}x{size} board; give win={size} or less")
    return win, RULES.index(str(values["rule"])), 0


GAME = Family(
    name="gomoku",
    summary="stones in turn, a row of five wins",
    options=(
        Option(name="size", default=15, least=3, most=LARGEST_BOARD, help="points on a side"),
        Option(
            name="win",
            default=0,
            least=0,
            most=LARGEST_BOARD,
            help="stones in a row that win (0: five, or less on a tiny board)",
        ),
        Option(
            name="rule", default="freestyle", choices=RULES, help="freestyle: five or more win; standard: exactly five"
        ),
    ),
    state_length=state_length,
    complete=_complete,
    encoders={"last-move": 4, "threat": 5, "history": 4},
)

# ---- rules ------------------------------------------------------------------------------------------


@kernel
def reset(state: Ints, size: int, options: Ints) -> None:
    state[:] = 0
    state[SIZE] = size
    state[SIDE] = BLACK
    state[LAST] = NO_MOVE
    state[WIN] = options[0]
    state[RULE] = options[1]
    state[EMPTIES] = size * size
    state[HEADER : first_line(size)] = WALL
    for row in range(size):
        first = cell_of(row, 0, size)
        state[first : first + size] = EMPTY


@kernel
def legal(state: Ints, moves: Ints) -> int:
    count = 0
    if state[RESULT] == ONGOING:
        size = state[SIZE]
        for row in range(size):
            first = cell_of(row, 0, size)
            for column in range(size):
                moves[count] = row * size + column  # overwritten by the next unless it counts
                count += state[first + column] == EMPTY
    return count


@kernel
def play(state: Ints, move: int) -> None:
    size, colour = state[SIZE], state[SIDE]
    row, column = move // size, move % size
    state[cell_of(row, column, size)] = colour
    state[EMPTIES] -= 1
    state[PLY] += 1
    state[LAST] = move
    state[SIDE] = BLACK + WHITE - colour
    hashes = state[HASHES : HASHES + 8]
    toggle(hashes, colour - BLACK, row, column, size)
    toggle_side(hashes)
    if enter_stone(state, size, state[WIN], state[RULE] == FREESTYLE, row, column, colour):
        state[RESULT] = colour
    elif state[EMPTIES] == 0:
        state[RESULT] = DRAW


@kernel
def stones(state: Ints, board: NDArray[np.int8]) -> None:  # [N, N]
    size = state[SIZE]
    for row in range(size):
        for column in range(size):
            board[row, column] = state[cell_of(row, column, size)]


@kernel
def enter_stone(state: Ints, size: int, win: int, freestyle: bool, row: int, column: int, colour: int) -> bool:
    """Enter a stone in the four lines through its point; whether one of them now holds a winning run.

    The options come as arguments: read from the state they would be loaded again after every stone.
    """
    half, first = HALF * (colour - BLACK), first_line(size)
    a, b, c, d = lines_through(row, column, size)
    on_row, on_column, on_diagonal, on_antidiagonal = first + a, first + b, first + c, first + d
    state[on_row] |= 1 << (column + half)
    state[on_column] |= 1 << (row + half)
    state[on_diagonal] |= 1 << (column + half)
    state[on_antidiagonal] |= 1 << (column + half)
    a = (state[on_row] >> half) & ONE_COLOUR
    b = (state[on_column] >> half) & ONE_COLOUR
    c = (state[on_diagonal] >> half) & ONE_COLOUR
    d = (state[on_antidiagonal] >> half) & ONE_COLOUR
    # A bit survives if a run of `length` starts at it; every AND makes the runs up to twice as long.
    runs_a, runs_b, runs_c, runs_d, length = a, b, c, d, 1
    while length < win:
        step = min(length, win - length)
        runs_a &= runs_a >> step
        runs_b &= runs_b >> step
        runs_c &= runs_c >> step
        runs_d &= runs_d >> step
        length += step
    if not freestyle:  # exactly `win`: no stone of the colour before or after
        runs_a &= ~(a << 1) & ~(a >> win)
        runs_b &= ~(b << 1) & ~(b >> win)
        runs_c &= ~(c << 1) & ~(c >> win)
        runs_d &= ~(d << 1) & ~(d >> win)
    return (runs_a | runs_b | runs_c | runs_d) != 0


@kernel
def rollout(state: Ints, random: Random, scratch: Ints) -> int:
    """Random moves to the end, drawn from a shrinking list of the empty points."""
    size, win, freestyle, colour = state[SIZE], state[WIN], state[RULE] == FREESTYLE, state[SIDE]
    count = 0
    for row in range(size):
        first = cell_of(row, 0, size)
        for column in range(size):
            scratch[count] = row * HALF + column  # row and column apart again by shifts, not by a division
            count += state[first + column] == EMPTY
    while count > 0:
        pick = random_below(random, count)
        point = scratch[pick]
        count -= 1
        scratch[pick] = scratch[count]
        if enter_stone(state, size, win, freestyle, point // HALF, point % HALF, colour):
            return colour
        colour = BLACK + WHITE - colour
    return DRAW


# ---- the heuristic of document 004 ------------------------------------------------------------------


@kernel
def run_length(state: Ints, cell: int, step: int, colour: int) -> int:
    """Stones of `colour` in an unbroken line through `cell`, `cell` itself counted as one of them."""
    length = 1
    beyond = cell + step
    while state[beyond] == colour:
        length += 1
        beyond += step
    beyond = cell - step
    while state[beyond] == colour:
        length += 1
        beyond -= step
    return length


@kernel
def run_score(length: int, win: int, rule: int) -> int:
    """What a run is worth: ten times more for every stone, up to the winning length (maxScore = 10^win)."""
    if length > win:
        if rule != FREESTYLE:
            return 1  # an overline wins nothing
        length = win
    return POWERS[max(length - max(win - DIGITS, 0), 0)]


@kernel
def score_cell(state: Ints, cell: int, colour: int) -> int:
    """The worth of an empty cell to a colour: its runs in the four directions, added up."""
    stride = state[SIZE] + 1
    total = 0
    for step in (1, stride - 1, stride, stride + 1):
        total += run_score(run_length(state, cell, step, colour), state[WIN], state[RULE])
    return total


@kernel
def score_moves(state: Ints, scores: Ints) -> None:  # [2, A]
    size = state[SIZE]
    for move in range(size * size):
        cell = cell_of(move // size, move % size, size)
        for colour in (BLACK, WHITE):
            scores[colour - BLACK, move] = score_cell(state, cell, colour) if state[cell] == EMPTY else 0


@kernel
def rescore_moves(state: Ints, move: int, scores: Ints) -> None:  # [2, A]
    """A stone changes its own point and, for its own colour, the empty ends of the lines it joins: at most eight."""
    size = state[SIZE]
    stride = size + 1
    cell = cell_of(move // size, move % size, size)
    colour = state[cell]
    mine = scores[colour - BLACK]
    scores[0, move] = 0
    scores[1, move] = 0
    row, column = move // size, move % size
    for down, right in ((0, 1), (1, -1), (1, 0), (1, 1)):
        step = down * stride + right
        forward = 1
        while state[cell + forward * step] == colour:
            forward += 1
        backward = 1
        while state[cell - backward * step] == colour:
            backward += 1
        # `forward` and `backward` are the distances to the first cells that are not of this colour.
        for side in (1, -1):
            distance = forward if side == 1 else backward
            end = cell + side * distance * step
            if state[end] == EMPTY:
                beyond = 0
                while state[end + side * (beyond + 1) * step] == colour:
                    beyond += 1
                now = forward + backward - 1 + 1 + beyond
                before = distance + beyond
                point = (row + side * distance * down) * size + column + side * distance * right
                mine[point] += run_score(now, state[WIN], state[RULE]) - run_score(before, state[WIN], state[RULE])


@kernel
def best_possible_score(state: Ints) -> int:
    return 4 * POWERS[min(state[WIN], DIGITS)]


# ---- network inputs ---------------------------------------------------------------------------------


@kernel
def encode(state: Ints, encoder: int, planes: NDArray[np.float32]) -> None:  # [C, N, N]
    """From the side to move: own stones, opponent's stones, then

    last-move (document 000): the last move; all ones if black is to move;
    threat (document 002): the same two, and for every empty point how long a run a stone there would
    make for either colour, from 0 (a lone stone) to 1 (a winning line);
    history (document 004): own and opponent's stones one move earlier.
    """
    size, own = state[SIZE], state[SIDE]
    for row in range(size):
        for column in range(size):
            stone = state[cell_of(row, column, size)]
            planes[0, row, column] = stone == own
            planes[1, row, column] = stone == BLACK + WHITE - own
    last = state[LAST]
    if encoder == HISTORY:
        planes[2:4] = planes[0:2]
        if last != NO_MOVE:
            planes[3, last // size, last % size] = 0
        return
    planes[2] = 0
    if last != NO_MOVE:
        planes[2, last // size, last % size] = 1
    planes[3] = own == BLACK
    if encoder == THREAT:
        for move in range(size * size):
            planes[4, move // size, move % size] = _threat(state, cell_of(move // size, move % size, size))


@kernel
def _threat(state: Ints, cell: int) -> float:
    if state[cell] != EMPTY:
        return 0.0
    stride = state[SIZE] + 1
    longest = 1
    for colour in (BLACK, WHITE):
        for step in (1, stride - 1, stride, stride + 1):
            length = run_length(state, cell, step, colour)
            if length > state[WIN]:  # an overline: as good as a winning line, or worth nothing
                length = state[WIN] if state[RULE] == FREESTYLE else 1
            longest = max(longest, length)
    return (longest - 1) / max(state[WIN] - 1, 1)
