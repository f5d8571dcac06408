"""What the seven outputs of an ISN are worth (Blair, tables I to IV), for any value of stones and captures.

With `c` for a captured stone and `s` for a stone that stands at the end, a point of territory being one, the reward
of a point is R = s·R¹ + (1 - s)·R⁰, where by the state of the point now

    empty   R¹ = 2 Z+ - 1                    R⁰ = A°+ - A•+
    white   R¹ = (2 + c) Z° - (1 + c)        R⁰ = c (Z° - 1) - A°
    black   R¹ = (2 + c) Z• - 1              R⁰ = c Z• + A•

All from white's view. A board is worth the sum over its points; stones that a move captures add c each, which the
network does not see. Outputs are in the order Z+ Z° Z• A°+ A•+ A° A•.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, shown
from eightfold.core.jit import kernel
from eightfold.isn.classes import BLACK, EMPTY, OUTPUT_NAMES, WHITE, check_stones

Floats = NDArray[np.float32]
Stones = NDArray[np.int8]


def reward_weights(c: float = 0.4, s: float = 0.4) -> Floats:
    """[3, 8]: for a point that is empty, black or white, the weights of its outputs and a constant."""
    for name, value in (("c", c), ("s", s)):
        if not np.isfinite(value):
            raise EightfoldError(f"{name}={shown(value)} is not a number that a stone could be worth")
    weights = np.zeros((3, len(OUTPUT_NAMES) + 1), np.float32)
    weights[EMPTY, [0, 3, 4, 7]] = 2 * s, 1 - s, s - 1, -s
    weights[WHITE, [1, 5, 7]] = s * (2 + c) + (1 - s) * c, s - 1, -s * (1 + c) - (1 - s) * c
    weights[BLACK, [2, 6, 7]] = s * (2 + c) + (1 - s) * c, 1 - s, -s
    return weights


def board_rewards(stones: Stones, outputs: Floats, *, c: float = 0.4, s: float = 0.4) -> Floats:
    """Boards [B, H, W] and outputs [B, 7, H, W] to rewards [B, H, W]; their sum is what a board is worth to white."""
    expected = (len(stones), len(OUTPUT_NAMES), *stones.shape[1:])
    if stones.ndim != 3 or outputs.shape != expected:
        raise EightfoldError(f"outputs are {list(outputs.shape)}, expected {list(expected)} for these boards")
    check_stones(stones)
    rewards = np.empty(stones.shape, np.float32)
    fill_rewards(
        np.ascontiguousarray(stones, np.int8),
        np.ascontiguousarray(outputs, np.float32),
        reward_weights(c, s),
        rewards,
    )
    return rewards


def board_values(stones: Stones, outputs: Floats, *, c: float = 0.4, s: float = 0.4) -> NDArray[np.float64]:
    """[B]: what boards are worth to white, captures left out."""
    return board_rewards(stones, outputs, c=c, s=s).sum(axis=(1, 2), dtype=np.float64)


@kernel
def fill_rewards(stones: Stones, outputs: Floats, weights: Floats, rewards: Floats) -> None:
    for board in range(stones.shape[0]):
        for row in range(stones.shape[1]):
            for column in range(stones.shape[2]):
                rewards[board, row, column] = point_reward(
                    int(stones[board, row, column]), outputs[board, :, row, column], weights
                )


@kernel
def point_reward(state: int, outputs: Floats, weights: Floats) -> float:
    """The reward of one point by its state and its outputs."""
    if state == EMPTY:
        total = weights[0, 0] * outputs[0] + weights[0, 3] * outputs[3] + weights[0, 4] * outputs[4]
        return total + weights[0, 7]
    if state == WHITE:
        return weights[2, 1] * outputs[1] + weights[2, 5] * outputs[5] + weights[2, 7]
    return weights[1, 2] * outputs[2] + weights[1, 6] * outputs[6] + weights[1, 7]
