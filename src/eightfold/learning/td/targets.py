"""What the outputs of an ISN should have said (Blair, sections IV.A and V): TD(λ) with points that change.

A point is empty, white or black, and only the outputs of its state are trained: Z+ A°+ A•+, Z° A°, or Z• A•. At the end
of a game they are known (table IV). Going back a move, what is aimed at is (1 - λ) of what the network said after the
move and λ of what it should have said then; where the move changed the state of the point, both are first told in
the outputs of the state before. A stone that is played takes over who will own its point; a capture leaves the
reward as it is but for the c that it was worth:

    was empty, is white        Z+ ← Z°                    A°+ ← 0     A•+ ← A°
    was empty, is black        Z+ ← Z•                    A°+ ← A•    A•+ ← 0
    was white, is empty        Z° ← 2 Z+ / (2 + c)        A° ← c (Z° - 1) - (A°+ - A•+ - c)
    was black, is empty        Z• ← (c + 2 Z+) / (2 + c)  A• ← (A°+ - A•+ + c) - c Z•

all between 0 and 1. Weights do not change during a game, so this is TD(λ) with eligibility traces, read from the
other end.

A single output (Blair's first attempt) is the reward itself, from [-(1 + c), 1 + c] to [0, 1].
Read next: `eightfold.learning.td.gradient`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import kernel
from eightfold.games.go.score import Owners
from eightfold.games.state import BLACK, WHITE
from eightfold.isn.classes import EMPTY

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Stones = NDArray[np.int8]

Z_EMPTY, Z_WHITE, Z_BLACK, WHITE_EYE, BLACK_EYE, A_WHITE, A_BLACK = range(7)  # places of the outputs


@kernel
def final_targets(board: Stones, owners: Owners, c: float, s: float, single: int, targets: Doubles) -> None:
    """What the outputs [7, P] should say of the last position [P]; those of other states are left alone."""
    for point in range(board.shape[0]):
        state, owner = int(board[point]), int(owners[point])
        if single:
            sign = int(owner == WHITE) - int(owner == BLACK)
            targets[0, point] = scaled(sign * (1.0 if state == EMPTY else s), c)
        elif state == EMPTY:
            white, black = int(owner == WHITE), int(owner == BLACK)
            targets[Z_EMPTY, point] = 0.5 + (white - black) / 2
            targets[WHITE_EYE, point] = white
            targets[BLACK_EYE, point] = black
        elif state == WHITE:
            targets[Z_WHITE, point] = 1.0
            targets[A_WHITE, point] = 0.0
        else:
            targets[Z_BLACK, point] = 0.0
            targets[A_BLACK, point] = 0.0


@kernel
def step_back(
    before: Stones, after: Stones, said: Floats, rate: float, c: float, single: int, targets: Doubles
) -> None:
    """From the targets [7, P] after a move to those before it; `said` [7, P] are the outputs after it, `rate` is λ."""
    for point in range(before.shape[0]):
        if single:
            aim = _mixed(targets, said, 0, point, rate)
            gone = int(after[point] == EMPTY) * (int(before[point] == BLACK) - int(before[point] == WHITE))
            targets[0, point] = _clipped(aim + gone * c / (2 + 2 * c))
        elif after[point] == EMPTY:
            territory = _mixed(targets, said, Z_EMPTY, point, rate)
            white_eye, black_eye = (
                _mixed(targets, said, WHITE_EYE, point, rate),
                _mixed(targets, said, BLACK_EYE, point, rate),
            )
            if before[point] == EMPTY:
                targets[Z_EMPTY, point], targets[WHITE_EYE, point] = territory, white_eye
                targets[BLACK_EYE, point] = black_eye
            elif before[point] == WHITE:
                alive = 2 * territory / (2 + c)
                targets[Z_WHITE, point] = _clipped(alive)
                targets[A_WHITE, point] = _clipped(c * (alive - 1) - (white_eye - black_eye - c))
            else:
                taken = (c + 2 * territory) / (2 + c)
                targets[Z_BLACK, point] = _clipped(taken)
                targets[A_BLACK, point] = _clipped(white_eye - black_eye + c - c * taken)
        elif after[point] == WHITE:
            alive, eye = _mixed(targets, said, Z_WHITE, point, rate), _mixed(targets, said, A_WHITE, point, rate)
            if before[point] == WHITE:
                targets[Z_WHITE, point], targets[A_WHITE, point] = alive, eye
            else:
                targets[Z_EMPTY, point], targets[WHITE_EYE, point], targets[BLACK_EYE, point] = alive, 0.0, eye
        else:
            taken, eye = _mixed(targets, said, Z_BLACK, point, rate), _mixed(targets, said, A_BLACK, point, rate)
            if before[point] == BLACK:
                targets[Z_BLACK, point], targets[A_BLACK, point] = taken, eye
            else:
                targets[Z_EMPTY, point], targets[WHITE_EYE, point], targets[BLACK_EYE, point] = taken, eye, 0.0


@kernel
def scaled(reward: float, c: float) -> float:
    """A reward as a single output."""
    return (reward + 1 + c) / (2 + 2 * c)


@kernel
def _mixed(targets: Doubles, said: Floats, output: int, point: int, rate: float) -> Any:
    return rate * targets[output, point] + (1 - rate) * said[output, point]


@kernel
def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))
