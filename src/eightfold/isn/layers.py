"""A board on its way through an ISN, layer by layer, and what a few changed classes make of it.

First the whole board. Then, for each candidate move, only differences, which go outward from the cells that change:

    class of a cell  --class_to_units-->   what enters the hidden units of the nine cells around it
    hidden units     --unit_to_outputs-->  what enters the outputs of the nine cells around
    outputs          --worths-->           rewards

Boards lie as in `eightfold.isn.fused`, but with the units of a cell side by side. So three cells in a row are one
stretch of memory, and a cell adds to the nine around it in three such stretches, with vectors. What changes lies in a
box of rows and columns; what is done there is undone for the next candidate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.isn.classes import BLACK, EMPTY, EMPTY_POINT, WALL, WHITE
from eightfold.isn.fused import OUTPUTS, UNITS, fast_sigmoid, fast_tanh
from eightfold.isn.tables import FEW_UNITS, USED, IsnTables

Floats = NDArray[np.float32]
Box = tuple[int, int, int, int]  # of the cells that change: the first and the last row, the first and the last column

SIDE = 3 * OUTPUTS  # the outputs of three cells side by side


class Layers(NamedTuple):
    """A board on its way through the network, cell by cell: after a pass, and what a candidate changes."""

    entering: Floats  # [cells * UNITS]: what enters the hidden units
    hidden: Floats  # [cells * UNITS]
    sums: Floats  # [cells * OUTPUTS]: what enters the outputs
    worths: Floats  # [cells * OUTPUTS]: what an output is multiplied by in the reward of its cell, with the candidate
    parts: Floats  # [cells * OUTPUTS]: outputs times worths after a pass, of which rewards are sums
    entering_now: Floats  # with a candidate's changes, elsewhere as `entering`
    hidden_more: Floats  # by how much a candidate changes the units of the cells that are being looked at
    sums_more: Floats  # by how much it changes the sums, elsewhere zero
    parts_more: Floats  # likewise, of the cells that are being looked at


@kernel
def empty_layers(cells: int) -> Layers:
    return Layers(
        np.zeros(cells * UNITS, np.float32),
        np.zeros(cells * UNITS, np.float32),
        np.zeros(cells * OUTPUTS, np.float32),
        np.zeros(cells * OUTPUTS, np.float32),
        np.zeros(cells * OUTPUTS, np.float32),
        np.zeros(cells * UNITS, np.float32),
        np.zeros(cells * UNITS, np.float32),
        np.zeros(cells * OUTPUTS, np.float32),
        np.zeros(cells * OUTPUTS, np.float32),
    )


@kernel
def fill_layers(
    points: Ints, codes: Ints, pitch: int, begin: int, end: int, tables: IsnTables, layers: Layers
) -> float:
    """Fill the layers for the board as it is; what it is worth to white."""
    entering, hidden, sums = layers.entering, layers.hidden, layers.sums
    table = tables.table
    for cell in range(begin, end):
        a, b, c = table[0, codes[cell - pitch - 1]], table[1, codes[cell - pitch]], table[2, codes[cell - pitch + 1]]
        d, e, f = table[3, codes[cell - 1]], table[4, codes[cell]], table[5, codes[cell + 1]]
        g, h, i = table[6, codes[cell + pitch - 1]], table[7, codes[cell + pitch]], table[8, codes[cell + pitch + 1]]
        units, outputs = entering[cell * UNITS : (cell + 1) * UNITS], sums[cell * OUTPUTS : (cell + 1) * OUTPUTS]
        for k in range(UNITS):
            units[k] = (a[k] + b[k] + c[k]) + (d[k] + e[k] + f[k]) + (g[k] + h[k] + i[k])
        for j in range(OUTPUTS):
            k = UNITS + j
            outputs[j] = (a[k] + b[k] + c[k]) + (d[k] + e[k] + f[k]) + (g[k] + h[k] + i[k])
    given = entering[begin * UNITS : end * UNITS]
    to = hidden[begin * UNITS : end * UNITS]
    copy = layers.entering_now[begin * UNITS : end * UNITS]
    for k in range(len(given)):
        to[k] = fast_tanh(given[k])
        copy[k] = given[k]
    total = 0.0
    for cell in range(begin, end):
        if points[cell] != WALL:
            _push_units(hidden, cell, pitch, tables.unit_to_outputs, sums)
            _set_worths(cell, points[cell], tables, layers)
            total += tables.rewards[points[cell], USED]
    given = sums[begin * OUTPUTS : end * OUTPUTS]
    by = layers.worths[begin * OUTPUTS : end * OUTPUTS]
    parts = layers.parts[begin * OUTPUTS : end * OUTPUTS]
    for k in range(len(given)):
        parts[k] = by[k] * fast_sigmoid(given[k])
    for k in range(len(parts)):
        total += parts[k]
    return total


@kernel
def _set_worths(cell: int, state: int, tables: IsnTables, layers: Layers) -> None:
    given, to = tables.worths[state], layers.worths[cell * OUTPUTS : (cell + 1) * OUTPUTS]
    for k in range(OUTPUTS):
        to[k] = given[k]


@kernel
def change_classes(
    changes: Ints,
    changed: int,
    pitch: int,
    colour: int,
    codes: Ints,
    tables: IsnTables,
    layers: Layers,
    felt: Ints,
    stamp: int,
) -> float:
    """Change what enters hidden units and, by the shortcut, outputs; the cells that feel it get the stamp.

    Also what the outputs of the stone and of captured ones are worth; the difference that these alone make to rewards.
    """
    constants = tables.rewards[:, USED]
    _set_worths(changes[0, 0], colour, tables, layers)
    difference = constants[colour] - constants[EMPTY]
    for change in range(changed):
        cell, after = changes[change, 0], changes[change, 1]
        before = codes[cell]
        if after == EMPTY_POINT:
            _set_worths(cell, EMPTY, tables, layers)
            difference += constants[EMPTY] - constants[BLACK + WHITE - colour]
        for row in range(3):
            start = cell + (row - 1) * pitch - 1
            felt[start], felt[start + 1], felt[start + 2] = stamp, stamp, stamp
            come, gone = tables.class_to_units[after, row], tables.class_to_units[before, row]
            units = layers.entering_now[start * UNITS : (start + 3) * UNITS]
            for k in range(3 * UNITS):
                units[k] += come[k] - gone[k]
            come, gone = tables.class_to_outputs[after, row], tables.class_to_outputs[before, row]
            sums = layers.sums_more[start * OUTPUTS : (start + 3) * OUTPUTS]
            for k in range(3 * OUTPUTS):
                sums[k] += come[k] - gone[k]
    return difference


@kernel
def take_back_worths(changes: Ints, changed: int, colour: int, tables: IsnTables, layers: Layers) -> None:
    _set_worths(changes[0, 0], EMPTY, tables, layers)
    for change in range(1, changed):
        if changes[change, 1] == EMPTY_POINT:
            _set_worths(changes[change, 0], BLACK + WHITE - colour, tables, layers)


@kernel
def change_units(box: Box, rows: int, columns: int, tables: IsnTables, layers: Layers, felt: Ints, stamp: int) -> None:
    """Change what enters the outputs by what hidden units around the box change; `entering_now` is put back."""
    top, bottom, left, right = box
    pitch = columns + 1
    for row in range(top - 1, bottom + 2):
        start, stop = row * pitch + left - 1, row * pitch + right + 2  # between the rows too, for nobody
        now = layers.entering_now[start * UNITS : stop * UNITS]
        before = layers.entering[start * UNITS : stop * UNITS]
        if 1 <= row <= rows:
            said = layers.hidden[start * UNITS : stop * UNITS]
            more = layers.hidden_more[start * UNITS : stop * UNITS]
            for k in range(len(now)):
                more[k] = fast_tanh(now[k]) - said[k]
            for cell in range(row * pitch + max(1, left - 1), row * pitch + min(columns, right + 1) + 1):
                if felt[cell] == stamp:
                    _push_units(layers.hidden_more, cell, pitch, tables.unit_to_outputs, layers.sums_more)
        for k in range(len(now)):
            now[k] = before[k]


@kernel
def change_in_rewards(box: Box, rows: int, columns: int, layers: Layers) -> float:
    """By how much outputs change the rewards of the points two steps around the box; `sums_more` is zero again."""
    top, bottom, left, right = box
    pitch = columns + 1
    a = b = c = d = np.float32(0)  # four sums, since none has to wait for the others
    for row in range(max(0, top - 2), min(rows + 1, bottom + 2) + 1):
        start, stop = row * pitch + max(0, left - 2), row * pitch + min(pitch, right + 2) + 1
        sums = layers.sums[start * OUTPUTS : stop * OUTPUTS]
        more = layers.sums_more[start * OUTPUTS : stop * OUTPUTS]
        by = layers.worths[start * OUTPUTS : stop * OUTPUTS]
        parts = layers.parts[start * OUTPUTS : stop * OUTPUTS]
        change = layers.parts_more[start * OUTPUTS : stop * OUTPUTS]
        for k in range(len(sums)):
            change[k] = by[k] * fast_sigmoid(sums[k] + more[k]) - parts[k]
            more[k] = 0
        for k in range(0, len(change), 8):
            a += change[k] + change[k + 1]
            b += change[k + 2] + change[k + 3]
            c += change[k + 4] + change[k + 5]
            d += change[k + 6] + change[k + 7]
    return float((a + b) + (c + d))


@kernel
def _push_units(units: Floats, cell: int, pitch: int, unit_to_outputs: Floats, sums: Floats) -> None:
    """Add what the hidden units of a cell say to what enters the outputs of the nine cells around it.

    In one expression for twelve units: then it is written to memory once, and not after every unit.
    """
    own = units[cell * UNITS : (cell + 1) * UNITS]
    a, b, c, d, e, f = own[0], own[1], own[2], own[3], own[4], own[5]
    g, h, i, j, m, n = own[6], own[7], own[8], own[9], own[10], own[11]
    for row in range(3):
        start = (cell + (row - 1) * pitch - 1) * OUTPUTS
        to, by = sums[start : start + SIDE], unit_to_outputs[row]
        for k in range(SIDE):
            to[k] += (
                ((a * by[k] + b * by[SIDE + k]) + (c * by[2 * SIDE + k] + d * by[3 * SIDE + k]))
                + ((e * by[4 * SIDE + k] + f * by[5 * SIDE + k]) + (g * by[6 * SIDE + k] + h * by[7 * SIDE + k]))
                + ((i * by[8 * SIDE + k] + j * by[9 * SIDE + k]) + (m * by[10 * SIDE + k] + n * by[11 * SIDE + k]))
            )
    if unit_to_outputs.shape[1] > FEW_UNITS * SIDE:
        a, b, c, d = own[12], own[13], own[14], own[15]
        for row in range(3):
            start = (cell + (row - 1) * pitch - 1) * OUTPUTS
            to, by = sums[start : start + SIDE], unit_to_outputs[row, FEW_UNITS * SIDE :]
            for k in range(SIDE):
                to[k] += (a * by[k] + b * by[SIDE + k]) + (c * by[2 * SIDE + k] + d * by[3 * SIDE + k])
