"""How a Gomoku state is laid out: the board point by point, and line by line in bits.

After the header the row holds the board twice:
- point by point with a wall around it: rows of size + 1 cells, the last of each a wall, which the next
  row's first point sees on its left; a row of walls above and below. So a line can be followed in
  any direction until something else comes, without asking where the edge is;
- line by line, in bits: a word for every row, column, diagonal and anti-diagonal, black's stones in
  its low half and white's in its high half. A stone sets a bit in four words, and a few shifts tell
  without a branch whether one of them holds a winning run, or nearly one.

`gomoku.py` has the rules on top of this, `fours.py` the wins that follow by force.
"""

from __future__ import annotations

from eightfold.games.state import HEADER, OPTIONS
from eightfold.jit import kernel

WIN = OPTIONS  # how many in a row win
RULE = OPTIONS + 1
EMPTIES = OPTIONS + 2  # points still empty
BOARD = HEADER + 1  # the cell before the first row is a wall too

FREESTYLE, STANDARD = 0, 1

HALF = 32  # a line has at most 25 points: black's bits start at 0, white's at 32
ONE_COLOUR = (1 << HALF) - 1


def state_length(size: int) -> int:
    return BOARD + (size + 2) * (size + 1) + 6 * size - 2


@kernel
def cell_of(row: int, column: int, size: int) -> int:
    return BOARD + (row + 1) * (size + 1) + column


@kernel
def first_line(size: int) -> int:
    """Rows come first, then columns, diagonals by row - column, anti-diagonals by row + column."""
    return BOARD + (size + 2) * (size + 1)


@kernel
def lines_through(row: int, column: int, size: int) -> tuple[int, int, int, int]:
    """The four lines of a point, counted from the first. Its bit is its column, but its row in the second."""
    return row, size + column, 3 * size - 1 + row - column, 4 * size - 1 + row + column


@kernel
def line_span(line: int, size: int) -> tuple[int, int]:
    """How many points a line has, and the bit of the first: diagonals are counted by column."""
    if line < 2 * size:
        return size, 0
    if line < 4 * size - 1:
        shift = line - 2 * size - (size - 1)  # row - column
        return size - abs(shift), max(0, -shift)
    total = line - (4 * size - 1)  # row + column
    return min(total, 2 * size - 2 - total) + 1, max(0, total - size + 1)


@kernel
def point_of(line: int, bit: int, size: int) -> int:
    """The point, row * size + column, that a bit of a line stands for."""
    if line < size:
        return line * size + bit
    if line < 2 * size:
        return bit * size + line - size
    if line < 4 * size - 1:
        return (line - (3 * size - 1) + bit) * size + bit
    return (line - (4 * size - 1) - bit) * size + bit
