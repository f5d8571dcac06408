"""What an ISN says of every candidate move, by computing only what the move changes.

Blair's player looks one move ahead: it evaluates the board after each legal move, with classes made from
the outputs for the board before. A move changes the class of its own point, of stones it captures, and of the groups
around it whose liberties change so much that they are of another class. A changed point is felt by the hidden units
of the 3x3 points around it, and by the outputs of the 5x5: the rest of the board, evaluated once for the candidate
that changes nothing (a pass), stays as it is.

    evaluate the pass -> for each candidate: which classes change -> hidden units near them -> rewards near those

Equal to the full evaluation but for the order of adding. Boards lie as in `eightfold.isn.fused`, but with the
hidden units of a cell side by side. Feed-forward networks only: with recurrent links a change is felt further away.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.core.threads import run_parts, usable_cores
from eightfold.isn.class_changes import find_changes
from eightfold.isn.classes import (
    BLACK,
    EMPTY,
    EMPTY_POINT,
    OFF_BOARD,
    OUTPUT_NAMES,
    WALL,
    WHITE,
    check_stones,
    find_groups,
    load_board,
    name_groups,
)
from eightfold.isn.fused import LANES, UNITS, fast_sigmoid, fast_tanh
from eightfold.isn.tables import USED, playing_tables
from eightfold.isn.weights import HasWeights

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Stones = NDArray[np.int8]

BOARDS_A_THREAD = 2


class CandidateEvaluator:
    """The worth of the boards after candidate moves, to white, by a feed-forward ISN with seven outputs."""

    def __init__(
        self, network: HasWeights, *, c: float = 0.4, s: float = 0.4, by_count: bool = False, threads: int = 0
    ) -> None:
        self._by_count, self._threads = int(by_count), threads or usable_cores()
        self._capture, self._stone = float(c), float(s)
        self.load(network)

    def load(self, network: HasWeights) -> None:
        """Take the weights of another network."""
        config = network.weights().config
        if config.recurrent or config.outputs != len(OUTPUT_NAMES) or config.inputs != 14:
            raise EightfoldError(
                "candidates are evaluated by feed-forward networks of 14 inputs and 7 outputs; this one has"
                f" recurrent={config.recurrent}, {config.inputs} and {config.outputs}"
            )
        self._tables = playing_tables(network, c=self._capture, s=self._stone, by_count=bool(self._by_count))

    def values(
        self, stones: Stones, previous: Floats, colours: NDArray[np.int64], candidates: Bytes
    ) -> NDArray[np.float64]:
        """[B, H*W + 1]: the worth to white after each candidate, with c for each captured stone; the last is a pass.

        Boards [B, H, W], the outputs for them [B, 7, H, W], who moves [B] (1 black, 2 white) and which moves are
        asked for [B, H*W], not zero. Not a number where nothing was asked for, where a stone is, and for suicide.
        """
        if stones.ndim != 3:
            raise EightfoldError(f"stones are {list(stones.shape)}, expected [B, H, W]")
        boards, rows, columns = stones.shape
        for what, found, expected in (
            ("previous outputs", previous.shape, (boards, len(OUTPUT_NAMES), rows, columns)),
            ("colours", colours.shape, (boards,)),
            ("candidates", candidates.shape, (boards, rows * columns)),
        ):
            if found != expected:
                raise EightfoldError(f"{what} are {list(found)}, expected {list(expected)} for these boards")
        check_stones(stones)
        if not np.isin(colours, (BLACK, WHITE)).all():
            raise EightfoldError("colours are 1 for black and 2 for white")
        values = np.empty((boards, rows * columns + 1), np.float64)
        parts = max(1, min(self._threads, boards // BOARDS_A_THREAD))
        boards_given, outputs_given = np.ascontiguousarray(stones, np.int8), np.ascontiguousarray(previous, np.float32)
        movers, asked = np.ascontiguousarray(colours, np.int64), np.ascontiguousarray(candidates, np.uint8)

        tables = self._tables

        def part(number: int) -> None:
            evaluate_candidates(
                boards_given, outputs_given, movers, asked,
                tables.table, tables.kinds, tables.products, tables.parts, tables.rewards, self._capture,
                self._by_count, values, boards * number // parts, boards * (number + 1) // parts,
            )  # fmt: skip

        run_parts(part, parts)
        return values


@kernel
def evaluate_candidates(
    stones: Stones,
    previous: Floats,
    colours: Ints,
    candidates: Bytes,
    table: Floats,
    kinds: Ints,
    products: Floats,
    parts: Ints,
    worth: Floats,
    capture: float,
    by_count: int,
    values: NDArray[np.float64],
    first: int,
    stop: int,
) -> None:
    rows, columns = stones.shape[1], stones.shape[2]
    pitch = columns + 1
    cells = (rows + 2) * pitch + 1
    begin, end = pitch + 1, (rows + 1) * pitch
    points, liberty = np.full(cells, WALL, np.int64), np.zeros((4, cells), np.int64)
    groups, members, seen = np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    about, names, codes = np.zeros((cells, 5), np.int64), np.zeros(cells, np.int64), np.full(cells, OFF_BOARD, np.int64)
    hidden, shortcut = np.zeros((cells, UNITS), np.float32), np.zeros((cells, LANES - UNITS), np.float32)
    hidden_before, shortcut_before = np.zeros_like(hidden), np.zeros_like(shortcut)
    rewards = np.zeros(cells, np.float32)
    line, active = np.zeros((cells, LANES), np.float32), np.zeros((cells, LANES), np.float32)
    changes = np.zeros((cells, 2), np.int64)  # a cell and its class after the move
    gains = np.zeros((cells, 4), np.int64)  # of a group beside captured stones: ΣZ, ΣA, liberties, a stamp
    near, far, touched = np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    marks = np.zeros((2, cells), np.int64)
    stamp = 0
    for board in range(first, stop):
        load_board(stones, previous, board, 1, points, liberty)
        count = find_groups(points, pitch, begin, end, liberty, groups, members, about, seen)
        name_groups(points, members, about, count, by_count, names)
        for cell in range(begin, end):
            if points[cell] != WALL:
                codes[cell] = names[groups[cell]]
        count = 0
        for cell in range(begin, end):
            if points[cell] != WALL:
                near[count] = cell
                count += 1
        hidden_cells(codes, near, count, pitch, table, line, active, hidden, shortcut)
        hidden_before[:] = hidden
        shortcut_before[:] = shortcut
        total = 0.0
        for cell in range(begin, end):
            if points[cell] != WALL:
                rewards[cell] = cell_reward(hidden, shortcut, cell, pitch, points[cell], kinds, products, parts, worth)
                total += rewards[cell]
        values[board, rows * columns] = total
        colour = colours[board]
        sign = 1.0 if colour == WHITE else -1.0
        for action in range(rows * columns):
            values[board, action] = np.nan
            cell = (action // columns + 1) * pitch + action % columns + 1
            if candidates[board, action] == 0 or points[cell] != EMPTY:
                continue
            stamp += 1
            changed, captured = find_changes(
                cell, colour, pitch, points, groups, members, about, names, liberty, by_count,
                changes, gains, touched, marks[0], stamp,
            )  # fmt: skip
            if captured < 0:
                continue
            difference, felt = change_in_rewards(
                changes, changed, pitch, colour, cell, points, codes, table, kinds, products, parts, worth,
                hidden, shortcut, rewards, line, active, near, far, marks, stamp,
            )  # fmt: skip
            values[board, action] = total + difference + sign * capture * captured
            for k in range(changed):
                where = changes[k, 0]
                points[where] = BLACK + WHITE - colour if codes[where] == EMPTY_POINT else points[where]
                codes[where] = names[groups[where]]
            points[cell] = EMPTY
            codes[cell] = EMPTY_POINT
            for k in range(felt):
                _copy(hidden_before[near[k]], hidden[near[k]])
                _copy(shortcut_before[near[k]], shortcut[near[k]])


@kernel
def change_in_rewards(
    changes: Ints,
    changed: int,
    pitch: int,
    colour: int,
    cell: int,
    points: Ints,
    codes: Ints,
    table: Floats,
    kinds: Ints,
    products: Floats,
    parts: Ints,
    worth: Floats,
    hidden: Floats,
    shortcut: Floats,
    rewards: Floats,
    line: Floats,
    active: Floats,
    near: Ints,
    far: Ints,
    marks: Ints,
    stamp: int,
) -> tuple[float, int]:
    """Make the changes, and say by how much the rewards change; so many cells in `near` are to be put back later."""
    for k in range(changed):
        where = changes[k, 0]
        codes[where] = changes[k, 1]
        if changes[k, 1] == EMPTY_POINT:
            points[where] = EMPTY
    points[cell] = colour
    felt = 0
    for k in range(changed):
        felt = _add_around(changes[k, 0], pitch, points, near, felt, marks[0], -stamp)
    hidden_cells(codes, near, felt, pitch, table, line, active, hidden, shortcut)
    reached = 0
    for k in range(felt):
        reached = _add_around(near[k], pitch, points, far, reached, marks[1], -stamp)
    difference = 0.0
    for k in range(reached):
        where = far[k]
        after = cell_reward(hidden, shortcut, where, pitch, points[where], kinds, products, parts, worth)
        difference += after - rewards[where]
    return difference, felt


@kernel
def _copy(given: Floats, to: Floats) -> None:
    """Faster for a few numbers than an assignment, which first looks whether the arrays overlap."""
    for k in range(len(given)):
        to[k] = given[k]


@kernel
def _add_around(cell: int, pitch: int, points: Ints, found: Ints, count: int, marks: Ints, stamp: int) -> int:
    """The 3x3 cells around one, those on the board and not found before."""
    for row in (cell - pitch, cell, cell + pitch):
        for near in (row - 1, row, row + 1):
            if points[near] != WALL and marks[near] != stamp:
                marks[near] = stamp
                found[count] = near
                count += 1
    return count


@kernel
def hidden_cells(
    codes: Ints,
    found: Ints,
    count: int,
    pitch: int,
    table: Floats,
    line: Floats,
    active: Floats,
    hidden: Floats,
    shortcut: Floats,
) -> None:
    """The hidden units of some cells, and what the shortcut adds to their outputs. `line`, `active`: [cells, LANES]."""
    for n in range(count):
        cell = found[n]
        a, b, c = table[0, codes[cell - pitch - 1]], table[1, codes[cell - pitch]], table[2, codes[cell - pitch + 1]]
        d, e, f = table[3, codes[cell - 1]], table[4, codes[cell]], table[5, codes[cell + 1]]
        g, h, i = table[6, codes[cell + pitch - 1]], table[7, codes[cell + pitch]], table[8, codes[cell + pitch + 1]]
        to = line[n]
        for k in range(LANES):
            to[k] = (a[k] + b[k] + c[k]) + (d[k] + e[k] + f[k]) + (g[k] + h[k] + i[k])
    # In one go, of the shortcut's as well: that is faster than to stop at the end of every cell's.
    before, after = line.reshape(-1)[: count * LANES], active.reshape(-1)[: count * LANES]
    for k in range(len(before)):
        after[k] = fast_tanh(before[k])
    for n in range(count):
        units, direct, raw, ready = hidden[found[n]], shortcut[found[n]], line[n], active[n]
        for k in range(UNITS):
            units[k] = ready[k]
        for k in range(LANES - UNITS):
            direct[k] = raw[UNITS + k]


@kernel
def cell_reward(
    hidden: Floats,
    shortcut: Floats,
    cell: int,
    pitch: int,
    state: int,
    kinds: Ints,
    products: Floats,
    parts: Ints,
    worth: Floats,
) -> Any:
    """The reward of one cell, from the hidden units around it: only of those outputs that it is made of.

    The sums over neighbours are those of `fused.neighbour_sums`.
    """
    north, south, west, east = hidden[cell - pitch], hidden[cell + pitch], hidden[cell - 1], hidden[cell + 1]
    north_east, south_west = hidden[cell - pitch + 1], hidden[cell + pitch - 1]
    north_west, south_east = hidden[cell - pitch - 1], hidden[cell + pitch + 1]
    here, direct, used, weights = hidden[cell], shortcut[cell], parts[state], products[state]
    s, t, u = direct[used[0]], direct[used[1]], direct[used[2]]
    row = 0
    for k in range(len(kinds)):
        kind = kinds[k]
        if kind == 0:
            x = here[k]
            y = (east[k] + west[k]) + (north[k] + south[k])
            z = (north_east[k] + south_west[k]) + (north_west[k] + south_east[k])
            s += x * weights[row, 0] + y * weights[row + 1, 0] + z * weights[row + 2, 0]
            t += x * weights[row, 1] + y * weights[row + 1, 1] + z * weights[row + 2, 1]
            u += x * weights[row, 2] + y * weights[row + 1, 2] + z * weights[row + 2, 2]
            row += 3
        elif kind == 1 or kind == 2:
            if kind == 1:
                x = (east[k] + west[k]) - (north[k] + south[k])
            else:
                x = (north_east[k] + south_west[k]) - (north_west[k] + south_east[k])
            s += x * weights[row, 0]
            t += x * weights[row, 1]
            u += x * weights[row, 2]
            row += 1
        elif kind == 4:
            j = k + 1
            x = (east[k] - west[k]) + (north[j] - south[j])
            y = (north_east[k] - south_west[k]) + (south_east[k] - north_west[k])
            y += (north_east[j] - south_west[j]) - (south_east[j] - north_west[j])
            s += x * weights[row, 0] + y * weights[row + 1, 0]
            t += x * weights[row, 1] + y * weights[row + 1, 1]
            u += x * weights[row, 2] + y * weights[row + 1, 2]
            row += 2
    by = worth[state]
    total = by[USED] + by[0] * fast_sigmoid(s) + by[1] * fast_sigmoid(t)
    return total + by[2] * fast_sigmoid(u) if state == EMPTY else total
