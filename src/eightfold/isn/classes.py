"""The inputs of an ISN for Go (Blair, section IV.B): what each point is, and how safe its group looked.

A point has one of 14 classes, numbered from 0: 0 to 5 a white stone whose group is of class C1 to C6, 6 to 11 a
black one, 12 empty, 13 off the board. The class of a group says how many eyes and openings it has, judged by the
network itself one move earlier: with the sums over its liberties

    ΣZ of Z+ for white, of 1 - Z+ for black        ΣA of A°+ for white, of A•+ for black

    C1: ΣA < .75, ΣZ < .75          C3: ΣA < .75, ΣZ ≥ 1.5              C5: .75 ≤ ΣA < 1.5, ΣZ ≥ 1.5
    C2: ΣA < .75, .75 ≤ ΣZ < 1.5    C4: .75 ≤ ΣA < 1.5, ΣZ < 1.5        C6: ΣA ≥ 1.5

Sums are of whole numbers, in units of 2⁻²⁴: the order of adding makes no difference then, so that turned boards, and
sums that were kept up to date move by move, fall on the same side of a limit. Blair's first attempt, classes
by the number of liberties (1 to 6 and more), is `by_count`.

Stones are 0 empty, 1 black, 2 white, as everywhere. Read next: `eightfold.isn.reward`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.core.threads import run_parts, usable_cores

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Stones = NDArray[np.int8]

OUTPUT_NAMES = ("Z+", "Z°", "Z•", "A°+", "A•+", "A°", "A•")  # of an ISN for Go: Blair, table III
EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3
FIRST_BLACK, EMPTY_POINT, OFF_BOARD = 6, 12, 13
ONE = 1 << 24
THREE_QUARTERS, THREE_HALVES = 3 * ONE // 4, 3 * ONE // 2
WORTH_A_THREAD = 64 * 361  # points in a batch, below which a second thread costs more than it does


def liberty_classes(
    stones: Stones, previous: Floats, *, by_count: bool = False, out: Bytes | None = None, threads: int = 0
) -> Bytes:
    """Boards [B, H, W] and the outputs [B, 7, H, W] for the positions before, to classes [B, H, W].

    On a board without stones `previous` is not looked at.

    >>> stones = np.zeros((1, 3, 3), np.int8)
    >>> stones[0, 1, 1] = WHITE
    >>> liberty_classes(stones, np.full((1, 7, 3, 3), 0.3, np.float32))[0].tolist()
    [[12, 12, 12], [12, 3, 12], [12, 12, 12]]
    """
    if stones.ndim != 3 or stones.dtype != np.int8:
        raise EightfoldError(f"stones are {stones.dtype} {list(stones.shape)}, expected int8 [B, H, W]")
    check_stones(stones)
    expected = (len(stones), len(OUTPUT_NAMES), *stones.shape[1:])
    if previous.shape != expected or previous.dtype != np.float32:
        raise EightfoldError(
            f"previous outputs are {previous.dtype} {list(previous.shape)}, expected float32 {list(expected)}"
        )
    boards = len(stones)
    classes = np.empty(stones.shape, np.uint8) if out is None else out
    parts = min(threads or usable_cores(), boards) if stones.size >= WORTH_A_THREAD else 1
    stones, previous = np.ascontiguousarray(stones), np.ascontiguousarray(previous)

    def part(number: int) -> None:
        first, stop = boards * number // parts, boards * (number + 1) // parts
        classify(stones, previous, int(by_count), classes, first, stop)

    run_parts(part, parts)
    return classes


def check_stones(stones: Stones) -> None:
    """An error if there is anything but 0, 1 and 2."""
    if stones.min(initial=0) < EMPTY or stones.max(initial=0) > WHITE:
        raise EightfoldError(f"stones from {stones.min()} to {stones.max()}; there are 0 empty, 1 black and 2 white")


@kernel
def group_class(eyes: int, territory: int, liberties: int, by_count: int) -> int:
    """0 to 5, from ΣA and ΣZ in units of 2⁻²⁴."""
    if by_count:
        return min(liberties, 6) - 1 if liberties > 0 else 0
    if eyes >= THREE_HALVES:
        return 5
    if eyes >= THREE_QUARTERS:
        return 4 if territory >= THREE_HALVES else 3
    return 2 if territory >= THREE_HALVES else 1 if territory >= THREE_QUARTERS else 0


@kernel
def in_units(value: Any) -> int:
    """An output between 0 and 1 in units of 2⁻²⁴."""
    return int(np.float64(value) * ONE + 0.5)


@kernel
def find_groups(
    points: Ints,  # [cells], stones with walls around
    pitch: int,
    begin: int,
    end: int,
    worth: Ints,  # [4, cells]: what a liberty adds: ΣZ and ΣA of black, then of white
    groups: Ints,  # [cells], to be filled: the group's number from 1, 0 where there is none
    members: Ints,  # [cells], to be filled: the stones, those of a group one after the other
    about: Ints,  # [cells, 5], to be filled for each group: first and last + 1 in `members`, ΣZ, ΣA, liberties
    seen: Ints,  # [cells], scratch
) -> int:
    """All groups with their sums over liberties; how many there are, 0 being none of them."""
    for cell in range(begin, end):
        groups[cell] = 0
        seen[cell] = 0
    count, used = 0, 0
    for start in range(begin, end):
        colour = points[start]
        if (colour != BLACK and colour != WHITE) or groups[start]:
            continue
        count += 1
        row = 2 * (colour - BLACK)
        first, waiting = used, used
        members[used] = start
        groups[start] = count
        used += 1
        territory, eyes, liberties = 0, 0, 0
        while waiting < used:
            cell = members[waiting]
            waiting += 1
            for near in (cell - pitch, cell - 1, cell + 1, cell + pitch):
                there = points[near]
                if there == colour:
                    if groups[near] == 0:
                        groups[near] = count
                        members[used] = near
                        used += 1
                elif there == EMPTY and seen[near] != count:
                    seen[near] = count
                    liberties += 1
                    territory += worth[row, near]
                    eyes += worth[row + 1, near]
        about[count, 0], about[count, 1] = first, used
        about[count, 2], about[count, 3], about[count, 4] = territory, eyes, liberties
    return count


@kernel
def load_board(stones: Stones, previous: Floats, board: int, everywhere: int, points: Ints, worth: Ints) -> None:
    """One board with walls around, and what its empty points are worth to a group of either colour.

    `everywhere`: also what the other points would be, were they empty.
    """
    rows, columns = stones.shape[1], stones.shape[2]
    for row in range(rows):
        start = (row + 1) * (columns + 1) + 1
        for column in range(columns):
            cell = start + column
            there = int(stones[board, row, column])
            points[cell] = there
            if there == EMPTY or everywhere:
                territory = in_units(previous[board, 0, row, column])
                worth[0, cell], worth[1, cell] = ONE - territory, in_units(previous[board, 4, row, column])
                worth[2, cell], worth[3, cell] = territory, in_units(previous[board, 3, row, column])


@kernel
def name_groups(points: Ints, members: Ints, about: Ints, count: int, by_count: int, names: Ints) -> None:
    """The class of each group's stones; that of group 0, which is none, is an empty point's."""
    names[0] = EMPTY_POINT
    for group in range(1, count + 1):
        number = group_class(about[group, 3], about[group, 2], about[group, 4], by_count)
        names[group] = number + FIRST_BLACK if points[members[about[group, 0]]] == BLACK else number


@kernel
def classify(stones: Stones, previous: Floats, by_count: int, classes: Bytes, first: int, stop: int) -> None:
    """The classes of the boards from `first` to `stop`."""
    rows, columns = stones.shape[1], stones.shape[2]
    pitch = columns + 1
    cells = (rows + 2) * pitch + 1
    points, worth = np.full(cells, WALL, np.int64), np.zeros((4, cells), np.int64)
    groups, members, seen = np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    about = np.zeros((cells, 5), np.int64)
    names = np.zeros(cells, np.int64)
    for board in range(first, stop):
        load_board(stones, previous, board, 0, points, worth)
        count = find_groups(points, pitch, pitch + 1, (rows + 1) * pitch, worth, groups, members, about, seen)
        name_groups(points, members, about, count, by_count, names)
        for row in range(rows):
            start = (row + 1) * pitch + 1
            for column in range(columns):
                classes[board, row, column] = names[groups[start + column]]
