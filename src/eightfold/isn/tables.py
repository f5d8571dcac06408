"""An ISN for Go as the kernels that play with it read it: the fused weights, and what outputs are worth.

`IsnTables` is one value for a kernel, so that two networks can sit on either side of a game. Networks with seven
outputs are Blair's; one with a single output is his first attempt, in which the output is a reward, scaled
from [-(1 + c), 1 + c] to [0, 1]. Read next: `eightfold.isn.move_selection`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints
from eightfold.isn.classes import BLACK, EMPTY, OUTPUT_NAMES, WHITE
from eightfold.isn.fused import CLASSES, OUTPUTS, UNITS, FusedWeights, fuse
from eightfold.isn.reward import reward_weights
from eightfold.isn.weights import HasWeights

Floats = NDArray[np.float32]

USED = 3  # outputs that a point's reward is made of: three if it is empty, two if there is a stone
USED_OUTPUTS = {EMPTY: (0, 3, 4), BLACK: (2, 6), WHITE: (1, 5)}
GO_INPUTS = 14
FEW_UNITS = 12  # hidden channels of Blair's network


class IsnTables(NamedTuple):
    """See `eightfold.isn.fused.FusedWeights` for the first six."""

    table: Floats
    second: Floats
    kinds: Ints
    again: Floats
    recurrent: int
    off_board: int
    products: Floats  # [3, K, USED]: by the state of a point, the columns of `second` that its reward needs
    parts: Ints  # [3, USED]: which outputs these are
    rewards: Floats  # [3, USED + 1]: their weights in the reward, and a constant
    # From a cell to the nine around it, in the order in which these lie in memory, three in a row:
    class_to_units: Floats  # [CLASSES, 3, 3 * UNITS]
    class_to_outputs: Floats  # [CLASSES, 3, 3 * OUTPUTS], by the shortcut
    unit_to_outputs: Floats  # [3, units * 3 * OUTPUTS]; FEW_UNITS or UNITS
    worths: Floats  # [3, OUTPUTS]: by the state of a point, the weights of all outputs in its reward
    capture: float  # c
    by_count: int  # classes by the number of liberties
    single: int  # one output


def playing_tables(network: HasWeights, *, c: float = 0.4, s: float = 0.4, by_count: bool = False) -> IsnTables:
    """The tables of a network with 14 inputs and 7 outputs or 1."""
    plain = network.weights()
    inputs, outputs = plain.config.inputs, plain.config.outputs
    if inputs != GO_INPUTS or outputs not in (1, len(OUTPUT_NAMES)):
        raise EightfoldError(f"an ISN for Go has 14 inputs and 7 outputs, or 1; this one has {inputs} and {outputs}")
    if outputs == 1 and not by_count:
        raise EightfoldError("a single output says nothing of eyes: such an ISN needs classes by_count")
    weights = fuse(plain)
    products = np.zeros((3, len(weights.second), USED), np.float32)
    parts, rewards = np.zeros((3, USED), np.int64), np.zeros((3, USED + 1), np.float32)
    every = reward_weights(c, s)
    for state, used in USED_OUTPUTS.items():
        if outputs == 1:
            products[state, :, 0] = weights.second[:, 0]
            rewards[state, 0], rewards[state, USED] = 2 + 2 * c, -(1 + c)
            continue
        products[state, :, : len(used)] = weights.second[:, list(used)]
        parts[state, : len(used)] = used
        rewards[state, : len(used)] = every[state, list(used)]
        rewards[state, USED] = every[state, len(OUTPUT_NAMES)]
    worths = np.zeros((3, OUTPUTS), np.float32)
    np.add.at(worths, (np.arange(3)[:, None], parts), rewards[:, :USED])
    return IsnTables(
        *weights.arrays, products, parts, rewards, *_outward(weights, plain.kernel("output")), worths,
        float(c), int(by_count), int(outputs == 1),
    )  # fmt: skip


def _outward(weights: FusedWeights, second: Floats) -> tuple[Floats, Floats, Floats]:
    """The tables from a cell to those around it; `second` is the last layer's kernel, [outputs, units, 3, 3].

    A kernel says what a cell has from its neighbour in the north-west and so on. From there it is the one in the
    south-east.
    """
    around = weights.table[::-1].transpose(1, 0, 2)  # [CLASSES, 9, LANES]
    first, shortcut = (np.ascontiguousarray(each) for each in (around[:, :, :UNITS], around[:, :, UNITS:]))
    outputs, units = second.shape[:2]
    last = np.zeros((3, FEW_UNITS if units <= FEW_UNITS else UNITS, 3, OUTPUTS), np.float32)
    last[:, :units, :, :outputs] = second[:, :, ::-1, ::-1].transpose(2, 1, 3, 0)
    return first.reshape(CLASSES, 3, -1), shortcut.reshape(CLASSES, 3, -1), last.reshape(3, -1)
