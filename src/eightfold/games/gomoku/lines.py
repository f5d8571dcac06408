"""How a Gomoku state is laid out: the board point by point, and line by line in bits.

After the header the row holds the board twice:
- point by point with a wall around it: rows of size + 1 cells, the last of each a wall, which the next
  row's first point sees on its left; a row of walls above and below. So a line can be followed in
  any direction until something else comes, without asking where the edge is;
- line by line, in bits: a word for every row, column, diagonal and anti-diagonal, black's stones in
  its low half and white's in its high half. A stone sets a bit in four words, and a few shifts tell
  without a branch whether one of them holds a winning run, or nearly one.

`rules.py` has the rules on top of this, `renju.py` what black may not play under renju, `caro.py` the rows that
win under caro, `forced_wins.py` the wins that follow by force.
"""

from __future__ import annotations

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import how_many, how_many_before, share_rows, wait_for_lanes
from eightfold.games.state import BLACK, HEADER, OPTIONS, SIZE, WHITE

WIN = OPTIONS  # how many in a row win
RULE = OPTIONS + 1
EMPTIES = OPTIONS + 2  # points still empty
BOARD = HEADER + 1  # the cell before the first row is a wall too

EMPTY, WALL = 0, 3  # what a cell holds besides BLACK and WHITE

# The rules by number. Code that is written for the first two alone asks for `rule > STANDARD` once, before its loops.
FREESTYLE, STANDARD, RENJU, CARO, CARO_EXACT = 0, 1, 2, 3, 4
# Their names, in that order, with the numbers that Gomocup and files of records know them by.
RULES = {"freestyle": 0, "standard": 1, "renju": 4, "caro": 8, "caro-exact": 9}

HALF = 32  # a line has at most 25 points: black's bits start at 0, white's at 32
ONE_COLOUR = (1 << HALF) - 1


def state_length(size: int) -> int:
    return BOARD + (size + 2) * (size + 1) + 6 * size - 2


@kernel
def cell_of(row: int, column: int, size: int) -> int:
    return BOARD + (row + 1) * (size + 1) + column


@kernel
def first_line(size: int) -> int:
    """Rows come first, then columns, diagonals by row - column, anti-diagonals by row + column.

    They are the last of a state: `state[first_line(size) :]` are all 6 * size - 2 of them.
    """
    return BOARD + (size + 2) * (size + 1)


@kernel
def lines_through(row: int, column: int, size: int) -> tuple[int, int, int, int]:
    """The four lines of a point, counted from the first. Its bit is its column, but its row in the second."""
    return row, size + column, 3 * size - 1 + row - column, 4 * size - 1 + row + column


@kernel
def place_on_line(row: int, column: int, direction: int, size: int) -> tuple[int, int]:
    """One of the four lines of a point, from 0, and the point's bit in it."""
    if direction == 0:
        return row, column
    if direction == 1:
        return size + column, row
    if direction == 2:
        return 3 * size - 1 + row - column, column
    return 4 * size - 1 + row + column, column


@kernel
def line_span(line: int, size: int) -> tuple[int, int]:
    """How many points a line has, and the bit of the first: diagonals are counted by column."""
    shift = 0  # of the first bit, if it is not cut off at the other end
    if line >= 4 * size - 1:
        shift = line - (5 * size - 2)  # row + column - (size - 1)
    elif line >= 2 * size:
        shift = 3 * size - 1 - line  # column - row
    return size - abs(shift), max(shift, 0)


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


@kernel
def is_empty(lines: Ints, row: int, column: int) -> bool:
    """Whether a point is empty by its row's word: random games leave the board by points behind."""
    return (lines[row] >> column) & (1 | 1 << HALF) == 0


@kernel
def list_empties(state: Ints, points: Ints) -> int:
    """Write the empty points to the front of `points` [A] and return how many they are."""
    size, count = state[SIZE], 0
    for row in range(size):
        for column in range(size):
            points[count] = row * size + column  # overwritten by the next unless it counts
            count += state[cell_of(row, column, size)] == EMPTY
    return count


@kernel
def list_empties_together(state: Ints, points: Ints, lanes: int) -> int:
    """The same by all lanes of a warp."""
    size, count = state[SIZE], Int(0)
    rows, top, left = share_rows(size, lanes)
    row = top
    while row - top < size:  # all lanes come round equally often
        for first in range(0, size, lanes):
            column = first + left
            empty = row < size and column < size and state[cell_of(row, column, size)] == EMPTY
            place = count + how_many_before(empty, lanes)
            if empty:
                points[place] = row * size + column
            count += how_many(empty, lanes)
        row += rows
    wait_for_lanes(lanes)
    return count


@kernel
def toggle_stone(lines: Ints, size: int, point: int, colour: int) -> None:
    """Put a stone into the lines, or take it out again."""
    half = HALF * (colour - BLACK)
    row, column = point // size, point % size
    a, b, c, d = lines_through(row, column, size)
    lines[a] ^= 1 << (column + half)
    lines[b] ^= 1 << (row + half)
    lines[c] ^= 1 << (column + half)
    lines[d] ^= 1 << (column + half)


@kernel
def overline_wins(rule: int, colour: int) -> bool:
    """Whether more stones in a row than the winning length win too."""
    return rule == FREESTYLE or rule == CARO or (rule == RENJU and colour == WHITE)  # a tuple would be looped over


@kernel
def enter_stone(state: Ints, size: int, win: int, freestyle: bool, row: int, column: int, colour: int) -> bool:
    """Enter a stone in the four lines through its point; whether one of them now holds a winning run.

    The options come as arguments: read from the state they would be loaded again after every stone.
    """
    half, first = HALF * (colour - BLACK), first_line(size)
    a, b, c, d = lines_through(row, column, size)
    on_row, on_column, on_diagonal, on_antidiagonal = first + a, first + b, first + c, first + d
    state[on_row] |= 1 << (column + half)
    state[on_column] |= 1 << (row + half)
    state[on_diagonal] |= 1 << (column + half)
    state[on_antidiagonal] |= 1 << (column + half)
    a = (state[on_row] >> half) & ONE_COLOUR
    b = (state[on_column] >> half) & ONE_COLOUR
    c = (state[on_diagonal] >> half) & ONE_COLOUR
    d = (state[on_antidiagonal] >> half) & ONE_COLOUR
    # A bit survives if a run of `length` starts at it; every AND makes the runs up to twice as long.
    runs_a, runs_b, runs_c, runs_d, length = a, b, c, d, 1
    while length < win:
        step = min(length, win - length)
        runs_a &= runs_a >> step
        runs_b &= runs_b >> step
        runs_c &= runs_c >> step
        runs_d &= runs_d >> step
        length += step
    if not freestyle:  # exactly `win`: no stone of the colour before or after
        runs_a &= ~(a << 1) & ~(a >> win)
        runs_b &= ~(b << 1) & ~(b >> win)
        runs_c &= ~(c << 1) & ~(c >> win)
        runs_d &= ~(d << 1) & ~(d >> win)
    return (runs_a | runs_b | runs_c | runs_d) != 0


@kernel
def holds_win(word: int, win: int, rule: int, colour: int) -> bool:
    """Whether the word of a line holds a row of the colour that wins, by any rule."""
    own = (word >> (HALF * (colour - BLACK))) & ONE_COLOUR
    runs, length = own, 1  # as above
    while length < win:
        step = min(length, win - length)
        runs &= runs >> step
        length += step
    if not overline_wins(rule, colour):
        runs &= ~(own << 1) & ~(own >> win)
    if rule >= CARO:
        other = (word >> (HALF * (WHITE - colour))) & ONE_COLOUR
        runs &= ~((other << 1) & (other >> win))  # not closed at both ends
    return runs != 0
