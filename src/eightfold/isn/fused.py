"""Internal Symmetry Networks on a CPU: one kernel from the classes of the points to the seven outputs.

A general convolution would multiply 14 inputs, of which 13 are zero, and ignore that weights are shared. Here

- the first layer, hidden units and shortcut together, is nine rows of a table, added: one for each neighbour's class
  (Blair: "this kind of encoding facilitates rapid computation");
- the second adds up the neighbours that share a weight before it multiplies: for an output, which is trivial, a
  trivial unit has three sums over its neighbourhood (centre, edges, corners), a symmetrical or diagonal one has one,
  a chiral one none, an arrow two: 20 products for an output instead of 108.

Boards lie in memory row by row with one cell between rows, which is the ring of both: `pitch` = W + 1, and the cell
(row, column) is at (row + 1) * pitch + column + 1. Kernels split a batch by [first, stop), for several threads.
Read next: `eightfold.isn.incremental`, which computes only what a move changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.core.threads import run_parts, usable_cores
from eightfold.isn.classes import WORTH_A_THREAD
from eightfold.isn.weights import HasWeights
from eightfold.symmetry.representations import channels

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

UNITS, OUTPUTS = 16, 8  # room in the tables; a vector register holds 8 or 16
LANES = UNITS + OUTPUTS
CLASSES = 16

ZERO, HALF = np.float32(0), np.float32(0.5)
# tanh x as x P(x²) / Q(x²), fitted between ±LARGEST for the least largest error, which is 1.2e-8; the rounding of
# single precision makes it 3e-7. Beyond LARGEST it is one.
LARGEST = np.float32(8.6)
P0, P1, P2 = np.float32(1.69999990e00), np.float32(2.27794633e-01), np.float32(5.98066723e-03)
P3, P4 = np.float32(3.56852801e-05), np.float32(2.36508871e-08)
Q0, Q1, Q2 = np.float32(1.70000000e00), np.float32(7.94460886e-01), np.float32(4.41347797e-02)
Q3, Q4 = np.float32(5.64890398e-04), np.float32(1.35976608e-06)


@dataclass(frozen=True, kw_only=True)
class FusedWeights:
    """An ISN's weights as the kernels read them."""

    table: Floats  # [9, CLASSES, LANES]: neighbour, its class; hidden units, then outputs; biases at the centre
    second: Floats  # [K, OUTPUTS]: what the sums of `neighbour_sums` are multiplied by; K is filled up to fours
    kinds: Ints  # [units]: what kind of unit a hidden channel belongs to, see KINDS
    again: Floats  # [5, units, units]: recurrent weights: centre, north, west, east, south; from, to
    recurrent: int
    off_board: int  # the class of the ring
    outputs: int

    @property
    def arrays(self) -> tuple[Floats, Floats, Ints, Floats, int, int]:
        return self.table, self.second, self.kinds, self.again, self.recurrent, self.off_board


KINDS = {"trivial": 0, "symmetrical": 1, "diagonal": 2, "chiral": 3, "faithful": 4}
SECOND_HALF = 5  # the other component of an arrow, done together with the first


def fuse(network: HasWeights) -> FusedWeights:
    """The tables of a network with up to 16 hidden channels, 8 outputs and 16 inputs."""
    weights = network.weights()
    config = weights.config
    units, inputs, outputs = channels(config.hidden_field), config.inputs, config.outputs
    if units > UNITS or outputs > OUTPUTS or inputs > CLASSES:
        raise EightfoldError(
            f"the fused kernel has room for {UNITS} hidden channels, {OUTPUTS} outputs and {CLASSES} inputs;"
            f" this network has {units}, {outputs} and {inputs}: run it with torch"
        )
    hidden, shortcut, output = (weights.kernel(layer) for layer in ("hidden", "shortcut", "output"))
    table = np.zeros((9, CLASSES, LANES), np.float32)
    table[:, :inputs, :units] = hidden.reshape(units, inputs, 9).transpose(2, 1, 0)
    table[:, :inputs, UNITS : UNITS + outputs] = shortcut.reshape(outputs, inputs, 9).transpose(2, 1, 0)
    table[4, :, :units] += weights.bias("hidden")
    table[4, :, UNITS : UNITS + outputs] += weights.bias("shortcut")
    kinds: list[int] = []
    for kind in config.hidden_field:
        kinds += [KINDS[kind.name], SECOND_HALF][: kind.dimension]
    products: list[NDArray[np.float32]] = []
    for unit, number in enumerate(kinds):
        # The weights of the neighbours in the north-east and in the east; all others follow from these.
        corners, edges, centre = output[:, unit, 0, 2], output[:, unit, 1, 2], output[:, unit, 1, 1]
        products += {0: [centre, edges, corners], 1: [edges], 2: [corners], 4: [edges, corners]}.get(number, [])
    second = np.zeros((-(-len(products) // 4) * 4, OUTPUTS), np.float32)
    for row, column in enumerate(products):
        second[row, :outputs] = column
    again = np.zeros((5, units, units), np.float32)
    if config.recurrent:
        whole = weights.kernel("recurrence").reshape(units, units, 9)
        again[:] = whole[:, :, [4, 1, 3, 5, 7]].transpose(2, 1, 0)
    return FusedWeights(
        table=table,
        second=second,
        kinds=np.array(kinds, np.int64),
        again=again,
        recurrent=config.recurrent,
        off_board=inputs - 1,
        outputs=outputs,
    )


class FusedEvaluator:
    """Classes [B, H, W] in, outputs [B, 7, H, W] out, on as many threads as there are cores."""

    def __init__(self, network: HasWeights, *, threads: int = 0) -> None:
        self.weights = fuse(network)
        self._threads = threads or usable_cores()

    def load(self, network: HasWeights) -> None:
        """Take the weights of another network."""
        self.weights = fuse(network)

    def run(self, classes: Bytes, outputs: Floats | None = None) -> Floats:
        """`outputs`, if given, is filled and given back."""
        if classes.ndim != 3 or classes.dtype != np.uint8 or classes.max(initial=0) > self.weights.off_board:
            raise EightfoldError(
                f"classes are {classes.dtype} {list(classes.shape)} up to {classes.max(initial=0)},"
                f" expected uint8 [B, H, W] up to {self.weights.off_board}"
            )
        boards, rows, columns = classes.shape
        expected = (boards, self.weights.outputs, rows, columns)
        if outputs is None:
            outputs = np.empty(expected, np.float32)
        elif outputs.shape != expected or outputs.dtype != np.float32 or not outputs.flags.c_contiguous:
            raise EightfoldError(
                f"outputs are {outputs.dtype} {list(outputs.shape)}, expected float32 {list(expected)}"
            )
        classes = np.ascontiguousarray(classes)
        parts = min(self._threads, boards) if classes.size >= WORTH_A_THREAD else 1

        def part(number: int) -> None:
            evaluate(classes, *self.weights.arrays, outputs, boards * number // parts, boards * (number + 1) // parts)

        run_parts(part, parts)
        return outputs


@kernel
def fast_tanh(x: Any) -> Any:
    """tanh of a float32."""
    x = x if x < LARGEST else LARGEST
    x = x if x > -LARGEST else -LARGEST
    y = x * x
    over = x * (P0 + y * (P1 + y * (P2 + y * (P3 + y * P4))))
    return over / (Q0 + y * (Q1 + y * (Q2 + y * (Q3 + y * Q4))))


@kernel
def fast_sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)) of a float32."""
    return HALF + HALF * fast_tanh(HALF * x)


@kernel
def evaluate(
    classes: Bytes,  # [B, H, W]
    table: Floats,
    second: Floats,
    kinds: Ints,
    again: Floats,
    recurrent: int,
    off_board: int,
    outputs: Floats,  # [B, O, H, W], to be filled
    first: int,
    stop: int,
) -> None:
    """The outputs of the boards from `first` to `stop`."""
    rows, columns = classes.shape[1], classes.shape[2]
    pitch = columns + 1
    cells = (rows + 2) * pitch + 1
    codes = np.full(cells, off_board, np.uint8)
    given = np.zeros((len(kinds), cells), np.float32)
    hidden = np.zeros((len(kinds), cells), np.float32)
    found = np.zeros((len(second), cells), np.float32)
    sums = np.zeros((outputs.shape[1], cells), np.float32)
    line = np.zeros((columns, LANES), np.float32)
    for board in range(first, stop):
        for row in range(rows):
            start = (row + 1) * pitch + 1
            for column in range(columns):
                codes[start + column] = classes[board, row, column]
        first_layer(codes, rows, columns, table, given, sums, line)
        activate(given, hidden, rows, columns)
        for _ in range(recurrent):
            once_more(again, given, hidden, rows, columns)
        neighbour_sums(hidden, kinds, rows, pitch, found)
        add_products(found, second, sums, rows, pitch)
        for output in range(outputs.shape[1]):
            to = sums[output, pitch + 1 : (rows + 1) * pitch]
            for cell in range(len(to)):
                to[cell] = fast_sigmoid(to[cell])
            for row in range(rows):
                start = (row + 1) * pitch + 1
                outputs[board, output, row] = sums[output, start : start + columns]


@kernel
def first_layer(codes: Ints, rows: int, columns: int, table: Floats, given: Floats, sums: Floats, line: Floats) -> None:
    """The sums that reach the hidden units, and the shortcut's that reach the outputs. `line` is [W, LANES]."""
    pitch = columns + 1
    for row in range(rows):
        start = (row + 1) * pitch + 1
        # Views, here and below: an index into one counts from 0, which spares a look for negative ones and lets the
        # compiler use vectors.
        above = codes[start - pitch - 1 : start - pitch + columns + 1]
        beside = codes[start - 1 : start + columns + 1]
        below = codes[start + pitch - 1 : start + pitch + columns + 1]
        for column in range(columns):
            a, b, c = table[0, above[column]], table[1, above[column + 1]], table[2, above[column + 2]]
            d, e, f = table[3, beside[column]], table[4, beside[column + 1]], table[5, beside[column + 2]]
            g, h, i = table[6, below[column]], table[7, below[column + 1]], table[8, below[column + 2]]
            to = line[column]
            for k in range(LANES):
                to[k] = (a[k] + b[k] + c[k]) + (d[k] + e[k] + f[k]) + (g[k] + h[k] + i[k])
        # From the units of a cell side by side to the cells of a unit side by side, as the second layer reads them.
        for unit in range(len(given)):
            to = given[unit, start : start + columns]
            for column in range(columns):
                to[column] = line[column, unit]
        for output in range(len(sums)):
            to = sums[output, start : start + columns]
            for column in range(columns):
                to[column] = line[column, UNITS + output]


@kernel
def activate(given: Floats, hidden: Floats, rows: int, columns: int) -> None:
    """tanh on the board, in one go from its first cell to its last; the cells between the rows are zero again."""
    pitch = columns + 1
    begin, end = pitch + 1, (rows + 1) * pitch
    for unit in range(len(given)):
        inward, outward = given[unit, begin:end], hidden[unit, begin:end]
        for cell in range(end - begin):
            outward[cell] = fast_tanh(inward[cell])
        for row in range(1, rows):
            hidden[unit, (row + 1) * pitch] = ZERO


@kernel
def once_more(again: Floats, given: Floats, hidden: Floats, rows: int, columns: int) -> None:
    """One step of the recurrent links."""
    pitch = columns + 1
    begin, end = pitch + 1, (rows + 1) * pitch
    steps = (0, -pitch, -1, 1, pitch)
    fresh = given.copy()
    for neighbour in range(5):
        step = steps[neighbour]
        for unit in range(len(given)):
            near = hidden[unit, begin + step : end + step]
            for to in range(len(given)):
                weight, total = again[neighbour, unit, to], fresh[to, begin:end]
                if weight != ZERO:
                    for cell in range(end - begin):
                        total[cell] += weight * near[cell]
    activate(fresh, hidden, rows, columns)


@kernel
def neighbour_sums(hidden: Floats, kinds: Ints, rows: int, pitch: int, found: Floats) -> None:
    """All sums over neighbourhoods that the outputs look at; those between the rows are computed along, for nobody.

    The rows of `found` behind the last sum stay as they are.
    """
    begin, end = pitch + 1, (rows + 1) * pitch
    row = 0
    for unit in range(len(kinds)):
        own, kind = hidden[unit], kinds[unit]
        east, west, north, south = along(own, begin, end, 1, pitch)
        one, two, three, four = along(own, begin, end, 1 - pitch, 1 + pitch)  # NE, SW, NW, SE
        if kind == 0:  # trivial: the centre, the edges, the corners
            here = own[begin:end]
            centre, edges, corners = found[row, begin:end], found[row + 1, begin:end], found[row + 2, begin:end]
            for k in range(end - begin):
                centre[k] = here[k]
            for k in range(end - begin):
                edges[k] = (east[k] + west[k]) + (north[k] + south[k])
            for k in range(end - begin):
                corners[k] = (one[k] + two[k]) + (three[k] + four[k])
            row += 3
        elif kind == 1:  # symmetrical: along the row against along the column
            across = found[row, begin:end]
            for k in range(end - begin):
                across[k] = (east[k] + west[k]) - (north[k] + south[k])
            row += 1
        elif kind == 2:  # diagonal: one diagonal against the other
            across = found[row, begin:end]
            for k in range(end - begin):
                across[k] = (one[k] + two[k]) - (three[k] + four[k])
            row += 1
        elif kind == 4:  # faithful: how far the arrows around point away, along the lines and diagonally
            other = hidden[unit + 1]
            _, _, above, below = along(other, begin, end, 1, pitch)
            five, six, seven, eight = along(other, begin, end, 1 - pitch, 1 + pitch)
            straight, slanted = found[row, begin:end], found[row + 1, begin:end]
            for k in range(end - begin):
                straight[k] = (east[k] - west[k]) + (above[k] - below[k])
            for k in range(end - begin):
                slanted[k] = (one[k] - two[k]) + (four[k] - three[k]) + (five[k] - six[k]) - (eight[k] - seven[k])
            row += 2


@kernel
def along(plane: Floats, begin: int, end: int, first: int, second: int) -> tuple[Floats, Floats, Floats, Floats]:
    """The neighbours of all cells along two lines: a step on and back by `first`, back and on by `second`."""
    return (
        plane[begin + first : end + first],
        plane[begin - first : end - first],
        plane[begin - second : end - second],
        plane[begin + second : end + second],
    )


@kernel
def add_products(found: Floats, second: Floats, sums: Floats, rows: int, pitch: int) -> None:
    """sums[o] += second[k, o] * found[k], four k at a time."""
    begin, end = pitch + 1, (rows + 1) * pitch
    for output in range(len(sums)):
        to = sums[output, begin:end]
        for k in range(0, len(second), 4):
            a, b = found[k, begin:end], found[k + 1, begin:end]
            c, d = found[k + 2, begin:end], found[k + 3, begin:end]
            u, v, w, x = second[k, output], second[k + 1, output], second[k + 2, output], second[k + 3, output]
            for cell in range(end - begin):
                to[cell] += (u * a[cell] + v * b[cell]) + (w * c[cell] + x * d[cell])
