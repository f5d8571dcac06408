"""The gradient of an ISN's cross entropy, by hand, for the positions of a game: kernels, and the way to free weights.

For sigmoid outputs and cross entropy the error of an output is target - output, at what enters the sigmoid. From there

    shortcut      one row of the table for each neighbour of the point: its class is the input that is set
    second layer  errors times the sums over neighbours that `fused.neighbour_sums` takes, and back through these
    hidden units  times 1 - tanh², then rows of the table again; recurrent links first, step by step

Errors add up over points, outputs, positions and games into arrays of the shape of the fused weights; `gradient_of`
then adds up the connections that share a free weight. Everything points uphill: add it times a learning rate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.isn.classes import EMPTY
from eightfold.isn.fused import (
    LANES,
    UNITS,
    activate,
    along,
    first_layer,
    neighbour_sums,
    once_more,
)
from eightfold.isn.network import ISN
from eightfold.isn.tables import IsnTables
from eightfold.nets.equivariant import EquivariantConvolution

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Stones = NDArray[np.int8]


class Gradient(NamedTuple):
    """Of the arrays of the same names in `FusedWeights`, added up."""

    table: Doubles  # [9, CLASSES, LANES]
    second: Doubles  # [K, OUTPUTS]
    again: Doubles  # [5, units, units]

    @classmethod
    def zeros_for(cls, tables: IsnTables) -> Gradient:
        return cls(
            np.zeros(tables.table.shape, np.float64),
            np.zeros(tables.second.shape, np.float64),
            np.zeros(tables.again.shape, np.float64),
        )


@kernel
def add_gradient(
    board: Stones,  # [P]
    classes: Bytes,  # [N, N]
    outputs: Floats,  # [7, P], what the network said
    targets: Doubles,  # [7, P], what it should have said; only the outputs of a point's state are looked at
    tables: IsnTables,
    linear: int,  # only the shortcut is trained
    gradient: Gradient,
) -> float:
    """Add the gradient of one position; its cross entropy, above what the targets leave at best."""
    rows, columns = classes.shape
    pitch = columns + 1
    cells = (rows + 2) * pitch + 1
    codes, states = np.full(cells, tables.off_board, np.uint8), np.zeros(cells, np.int64)
    errors = np.zeros((cells, LANES), np.float64)  # at what enters the hidden units of a cell, then its outputs
    loss = 0.0
    for row in range(rows):
        for column in range(columns):
            cell, point = (row + 1) * pitch + column + 1, row * columns + column
            codes[cell] = classes[row, column]
            state = int(board[point])
            states[cell] = state
            for k in range(1 if tables.single else 3 if state == EMPTY else 2):
                output = tables.parts[state, k]
                aim, said = targets[output, point], outputs[output, point]
                errors[cell, UNITS + output] = aim - said
                loss += divergence(aim, said)
    if linear == 0:
        _hidden_errors(codes, states, errors, tables, rows, columns, gradient)
    _add_to_table(codes, errors, rows, columns, gradient)
    return loss


@kernel
def divergence(aim: float, said: float) -> float:
    """Cross entropy of an output, less that of saying exactly what was aimed at."""
    said = min(max(said, 1e-7), 1 - 1e-7)
    total = 0.0
    if aim > 0:
        total += aim * np.log(aim / said)
    if aim < 1:
        total += (1 - aim) * np.log((1 - aim) / (1 - said))
    return total


@kernel
def _add_to_table(codes: Bytes, errors: Doubles, rows: int, columns: int, gradient: Gradient) -> None:
    """What enters a cell is one row of the table for each neighbour, the biases in that of the centre."""
    pitch = columns + 1
    steps = (-pitch - 1, -pitch, -pitch + 1, -1, 0, 1, pitch - 1, pitch, pitch + 1)
    for row in range(rows):
        for column in range(columns):
            cell = (row + 1) * pitch + column + 1
            error = errors[cell]
            for neighbour in range(9):
                to = gradient.table[neighbour, codes[cell + steps[neighbour]]]
                for k in range(LANES):
                    to[k] += error[k]


@kernel
def _hidden_errors(
    codes: Bytes, states: Ints, errors: Doubles, tables: IsnTables, rows: int, columns: int, gradient: Gradient
) -> None:
    """The second layer, recurrent links, and the errors at what enters the hidden units, into `errors`."""
    pitch = columns + 1
    cells = len(codes)
    units, kinds, sums = len(tables.kinds), tables.kinds, len(tables.second)
    given, hidden = np.zeros((units, cells), np.float32), np.zeros((tables.recurrent + 1, units, cells), np.float32)
    found, direct = np.zeros((sums, cells), np.float32), np.zeros((LANES - UNITS, cells), np.float32)
    first_layer(codes, rows, columns, tables.table, given, direct, np.zeros((columns, LANES), np.float32))  # type: ignore[arg-type]
    activate(given, hidden[0], rows, columns)
    for step in range(tables.recurrent):
        hidden[step + 1] = hidden[step]
        once_more(tables.again, given, hidden[step + 1], rows, columns)
    neighbour_sums(hidden[tables.recurrent], kinds, rows, pitch, found)
    weighted = np.zeros((sums, cells), np.float64)  # what each sum should have been more
    for row in range(rows):
        for column in range(columns):
            cell = (row + 1) * pitch + column + 1
            used, products = tables.parts[states[cell]], tables.products[states[cell]]
            error = errors[cell, UNITS:]
            one, two, three = error[used[0]], error[used[1]], error[used[2]]
            for k in range(sums):
                weighted[k, cell] = one * products[k, 0] + two * products[k, 1] + three * products[k, 2]
                to, value = gradient.second[k], found[k, cell]
                for output in range(LANES - UNITS):
                    to[output] += value * error[output]
    back = np.zeros((units, cells), np.float64)  # what the last hidden units should have been more
    _spread(weighted, kinds, rows, pitch, back)
    into = np.zeros((units, cells), np.float64)  # at what enters the hidden units from the board, of all steps
    for step in range(tables.recurrent, -1, -1):
        _through_tanh(back, hidden[step], rows, pitch)
        into += back
        if step > 0:
            back = _through_links(back, hidden[step - 1], tables.again, rows, columns, gradient)
    for unit in range(units):
        for cell in range(pitch + 1, (rows + 1) * pitch):
            errors[cell, unit] = into[unit, cell]


@kernel
def _spread(weighted: Doubles, kinds: Ints, rows: int, pitch: int, back: Doubles) -> None:
    """`fused.neighbour_sums` the other way, from the sums to the units around them: all cells of a unit in one go."""
    begin, end = pitch + 1, (rows + 1) * pitch
    row = 0
    for unit in range(len(kinds)):
        kind, to = kinds[unit], back[unit, begin:end]
        if kind == 0:
            here = weighted[row, begin:end]
            east, west, north, south = along(weighted[row + 1], begin, end, 1, pitch)
            one, two, three, four = along(weighted[row + 2], begin, end, 1 - pitch, 1 + pitch)  # NE, SW, NW, SE
            for k in range(end - begin):
                to[k] = here[k] + ((east[k] + west[k]) + (north[k] + south[k]))
            for k in range(end - begin):
                to[k] += (one[k] + two[k]) + (three[k] + four[k])
            row += 3
        elif kind == 1 or kind == 2:
            step, other = (1, pitch) if kind == 1 else (1 - pitch, 1 + pitch)
            east, west, north, south = along(weighted[row], begin, end, step, other)
            for k in range(end - begin):
                to[k] = (east[k] + west[k]) - (north[k] + south[k])
            row += 1
        elif kind == 4:  # whoever looks at a cell from its west sees it in the east
            east, west, north, south = along(weighted[row], begin, end, 1, pitch)
            one, two, three, four = along(weighted[row + 1], begin, end, 1 - pitch, 1 + pitch)  # NE, SW, NW, SE
            beside = back[unit + 1, begin:end]
            for k in range(end - begin):
                to[k] = (west[k] - east[k]) + ((two[k] - one[k]) + (three[k] - four[k]))
            for k in range(end - begin):
                beside[k] = (south[k] - north[k]) + ((two[k] - one[k]) - (three[k] - four[k]))
            row += 2


@kernel
def _through_tanh(back: Doubles, hidden: Floats, rows: int, pitch: int) -> None:
    """Times 1 - h²; nothing between the rows of the board, where hidden units do not change."""
    begin, end = pitch + 1, (rows + 1) * pitch
    for unit in range(len(back)):
        to, said = back[unit, begin:end], hidden[unit, begin:end]
        for k in range(end - begin):
            to[k] *= 1 - said[k] * said[k]
        for row in range(rows):
            back[unit, (row + 1) * pitch] = 0.0


@kernel
def _through_links(
    back: Doubles, before: Floats, again: Floats, rows: int, columns: int, gradient: Gradient
) -> Doubles:
    """Through one step of the recurrent links: their gradient, and what the units one step earlier should have been."""
    pitch = columns + 1
    steps = (0, -pitch, -1, 1, pitch)
    earlier = np.zeros_like(back)
    for neighbour in range(5):
        step = steps[neighbour]
        for given in range(back.shape[0]):
            for to in range(back.shape[0]):
                weight, total = again[neighbour, given, to], 0.0
                for cell in range(pitch + 1, (rows + 1) * pitch):
                    total += back[to, cell] * before[given, cell + step]
                    earlier[given, cell + step] += weight * back[to, cell]
                gradient.again[neighbour, given, to] += total
    return earlier


# ---- from the arrays of the kernels to free weights -------------------------------------------------------


def gradient_of(network: ISN, gradient: Gradient) -> dict[str, NDArray[np.float64]]:
    """By the name of a parameter of the network: what its free weights should be more."""
    units, inputs, outputs = len(gradient.again[0]), network.config.inputs, network.config.outputs
    hidden = gradient.table[:, :inputs, :units]  # [9, inputs, units]
    shortcut = gradient.table[:, :inputs, UNITS : UNITS + outputs]
    found = {
        "hidden.weight": _shared(network.hidden, hidden),
        "shortcut.weight": _shared(network.shortcut, shortcut),
        "output.weight": _second_layer(network, gradient.second),
    }
    for name, layer, whole in (("hidden", network.hidden, hidden), ("shortcut", network.shortcut, shortcut)):
        if layer.bias is not None:
            found[f"{name}.bias"] = whole[4].sum(axis=0)[layer.get_buffer("places").numpy()]
    if network.recurrence is not None:
        whole = np.zeros((9, units, units))
        whole[[4, 1, 3, 5, 7]] = gradient.again
        found["recurrence.weight"] = _shared(network.recurrence, whole)
    return found


def _shared(layer: EquivariantConvolution, whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """From the gradient of every connection [9, from, to] to that of the weights they share."""
    index, sign = layer.get_buffer("index").numpy(), layer.get_buffer("sign").numpy()  # [to, from, 3, 3]
    each = whole.transpose(2, 1, 0).reshape(index.shape) * sign
    return np.bincount(index.reshape(-1), each.reshape(-1), layer.weight.numel()).astype(np.float64)


def _second_layer(network: ISN, second: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of `neighbour_sums` have one weight each, that of the neighbour whose sign in them is plus."""
    index, sign = (network.output.get_buffer(name).numpy() for name in ("index", "sign"))  # [outputs, units, 3, 3]
    total = np.zeros(network.output.weight.numel())
    row = unit = 0
    for kind in network.hidden_field:
        places = {"trivial": [(1, 1), (1, 2), (0, 2)], "symmetrical": [(1, 2)], "diagonal": [(0, 2)]}
        for y, x in places.get(kind.name, [(1, 2), (0, 2)] if kind.dimension == 2 else []):
            np.add.at(total, index[:, unit, y, x], sign[:, unit, y, x] * second[row, : len(index)])
            row += 1
        unit += kind.dimension
    return total


def add_to(network: ISN, changes: dict[str, NDArray[np.float64]], rate: float, decay: float) -> None:
    """Weights ← decay · weights + rate · changes; parameters that are not named stay as they are."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name in changes:
                parameter.mul_(decay).add_(torch.from_numpy(changes[name]).to(parameter.dtype), alpha=rate)
