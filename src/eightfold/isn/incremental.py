"""What an ISN says of every candidate move, by computing only what the move changes.

Blair's player looks one move ahead: it evaluates the board after each legal move, with classes made from
the outputs for the board before. A move changes the class of its own point, of stones it captures, and of the groups
around it whose liberties change so much that they are of another class. A changed point is felt by the hidden units
of the 3x3 points around it, and by the outputs of the 5x5: the rest of the board, evaluated once for the candidate
that changes nothing (a pass), stays as it is.

    evaluate the pass -> for each candidate: which classes change -> hidden units near them -> rewards near those

Equal to the full evaluation but for the order of adding. Feed-forward networks only: with recurrent links a change is
felt further away. Read next: `eightfold.isn.layers`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.core.threads import run_parts, usable_cores
from eightfold.isn.class_changes import find_changes
from eightfold.isn.classes import (
    BLACK,
    EMPTY,
    OFF_BOARD,
    OUTPUT_NAMES,
    WALL,
    WHITE,
    check_stones,
    find_groups,
    load_board,
    name_groups,
)
from eightfold.isn.layers import (
    change_classes,
    change_in_rewards,
    change_units,
    empty_layers,
    fill_layers,
    take_back_worths,
)
from eightfold.isn.tables import IsnTables, playing_tables
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
                boards_given, outputs_given, movers, asked, tables, values,
                boards * number // parts, boards * (number + 1) // parts,
            )  # fmt: skip

        run_parts(part, parts)
        return values


@kernel
def evaluate_candidates(
    stones: Stones,  # [B, H, W]
    previous: Floats,  # [B, 7, H, W]
    colours: Ints,  # [B]
    candidates: Bytes,  # [B, H * W]
    tables: IsnTables,
    values: NDArray[np.float64],  # [B, H * W + 1], to be filled
    first: int,
    stop: int,
) -> None:
    """What `CandidateEvaluator.values` says, of the boards from `first` to `stop`."""
    rows, columns = stones.shape[1], stones.shape[2]
    pitch = columns + 1
    cells = (rows + 2) * pitch + 1
    begin, end = pitch + 1, (rows + 1) * pitch
    points, liberty = np.full(cells, WALL, np.int64), np.zeros((4, cells), np.int64)
    groups, members, seen = np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    about, names, codes = np.zeros((cells, 5), np.int64), np.zeros(cells, np.int64), np.full(cells, OFF_BOARD, np.int64)
    changes = np.zeros((cells, 2), np.int64)  # a cell and its class after the move
    gains = np.zeros((cells, 4), np.int64)  # of a group beside captured stones: ΣZ, ΣA, liberties, a stamp
    touched, marks, felt = np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    layers = empty_layers(cells)
    stamp = 0
    for board in range(first, stop):
        load_board(stones, previous, board, 1, points, liberty)
        count = find_groups(points, pitch, begin, end, liberty, groups, members, about, seen)
        name_groups(points, members, about, count, tables.by_count, names)
        for cell in range(begin, end):
            if points[cell] != WALL:
                codes[cell] = names[groups[cell]]
        total = fill_layers(points, codes, pitch, begin, end, tables, layers)
        values[board, rows * columns] = total
        colour = colours[board]
        sign = 1.0 if colour == WHITE else -1.0
        for action in range(rows * columns):
            values[board, action] = np.nan
            row, column = action // columns + 1, action % columns + 1
            cell = row * pitch + column
            if candidates[board, action] == 0 or points[cell] != EMPTY:
                continue
            stamp += 1
            changed, captured = find_changes(
                cell, colour, pitch, points, groups, members, about, names, liberty, tables.by_count,
                changes, gains, touched, marks, stamp,
            )  # fmt: skip
            if captured < 0:
                continue
            top, bottom, left, right = row, row, column, column
            for k in range(1, changed):
                there, beside = changes[k, 0] // pitch, changes[k, 0] % pitch
                top, bottom, left, right = min(top, there), max(bottom, there), min(left, beside), max(right, beside)
            box = (top, bottom, left, right)
            difference = change_classes(changes, changed, pitch, colour, codes, tables, layers, felt, stamp)
            change_units(box, rows, columns, tables, layers, felt, stamp)
            difference += change_in_rewards(box, rows, columns, layers)
            take_back_worths(changes, changed, colour, tables, layers)
            values[board, action] = total + difference + sign * tables.capture * captured
