"""How an ISN chooses a move of Go (Blair, section V): by the worth of the board after each, softly or not.

A move is as likely as exp(β R) for white and exp(-β R) for black, R being the worth to white of the board after it,
captures included; a pass leaves the board as it is. Kernels for one game at a time, given its state row, the
network's `outputs` for the position and its tables.

Read next: `eightfold.learning.td.play` (training games), `eightfold.isn.player` (the player).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random, random_below
from eightfold.games.go.layout import TAKEN
from eightfold.games.go.legal import legal
from eightfold.games.go.rules import play, stones
from eightfold.games.state import SIDE, SIZE
from eightfold.isn.classes import WHITE, classify
from eightfold.isn.fused import evaluate
from eightfold.isn.incremental import evaluate_candidates
from eightfold.isn.tables import USED, IsnTables

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Stones = NDArray[np.int8]

GREEDY = 0.0  # a β that stands for always the best move
FINE = 1 << 30  # steps of a random number between 0 and 1


@kernel
def evaluate_board(board: Stones, tables: IsnTables, classes: Bytes, outputs: Floats) -> None:
    """The outputs for a board, from those for the position before, which they replace. [1, N, N], [1, 7, N, N]."""
    classify(board, outputs, tables.by_count, classes, 0, 1)
    evaluate(
        classes, tables.table, tables.second, tables.kinds, tables.again, tables.recurrent, tables.off_board,
        outputs, 0, 1,
    )  # fmt: skip


@kernel
def board_value(board: Stones, outputs: Floats, tables: IsnTables) -> float:
    """What a board [1, N, N] is worth to white by the outputs for it, captures left out."""
    total = 0.0
    for row in range(board.shape[1]):
        for column in range(board.shape[2]):
            state = int(board[0, row, column])
            total += tables.rewards[state, USED]
            for k in range(USED):
                total += tables.rewards[state, k] * outputs[0, tables.parts[state, k], row, column]
    return total


@kernel
def move_values(
    state: Ints,
    board: Stones,  # [1, N, N]
    outputs: Floats,  # [1, 7, N, N], for this position
    tables: IsnTables,
    moves: Ints,  # [A], to be filled: the legal moves
    values: Doubles,  # [1, A], to be filled: the worth to white after each, not a number where it is not legal
) -> int:
    """How many legal moves there are, and what they are worth."""
    size, count = state[SIZE], legal(state, moves)
    values[:] = np.nan
    if tables.recurrent == 0:
        asked = np.zeros((1, size * size), np.uint8)
        for k in range(count - 1):  # the last is the pass
            asked[0, moves[k]] = 1
        colours = np.empty(1, np.int64)
        colours[0] = state[SIDE]
        evaluate_candidates(board, outputs, colours, asked, tables, values, 0, 1)
    for k in range(count):
        # Whole boards with recurrent links, by which a change is felt further away, and for suicide where it is legal.
        if np.isnan(values[0, moves[k]]):
            values[0, moves[k]] = _whole_value(state, outputs, tables, moves[k])
    return count


@kernel
def _whole_value(state: Ints, outputs: Floats, tables: IsnTables, move: int) -> float:
    size = state[SIZE]
    board, classes = np.zeros((1, size, size), np.int8), np.zeros((1, size, size), np.uint8)
    after, trial = outputs.copy(), state.copy()
    play(trial, move)
    stones(trial, board[0])
    evaluate_board(board, tables, classes, after)
    return board_value(board, after, tables) + captures_value(trial, state, tables.capture)


@kernel
def captures_value(state: Ints, before: Ints, c: float) -> float:
    """What stones taken off since `before` are worth to white."""
    return c * ((state[TAKEN] - before[TAKEN]) - (state[TAKEN + 1] - before[TAKEN + 1]))


@kernel
def draw_move(values: Doubles, colour: int, beta: float, moves: Ints, count: int, random: Random) -> int:
    """One of the moves, as likely as exp(±β R); the best for a β of GREEDY, the first of several."""
    sign = 1.0 if colour == WHITE else -1.0
    best = moves[0]
    for k in range(1, count):
        if sign * values[0, moves[k]] > sign * values[0, best]:
            best = moves[k]
    if beta == GREEDY:
        return best
    most, total = values[0, best], 0.0
    for k in range(count):
        total += np.exp(beta * sign * (values[0, moves[k]] - most))
    left = total * random_below(random, FINE) / FINE
    for k in range(count):
        left -= np.exp(beta * sign * (values[0, moves[k]] - most))
        if left < 0:
            return moves[k]
    return best


@kernel
def evaluate_start(state: Ints, tables: IsnTables, board: Stones, classes: Bytes, outputs: Floats) -> None:
    """The outputs for the start of a game: those for the empty board are looked at with nothing before them.

    With stones on the board at the start, the empty board counts as the position before.
    """
    board[:] = 0
    outputs[:] = 0
    evaluate_board(board, tables, classes, outputs)
    stones(state, board[0])
    if board.any():
        evaluate_board(board, tables, classes, outputs)
