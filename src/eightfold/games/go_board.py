"""Stones, groups and liberties of Go, kept up to date stone by stone: the part of the rules that must be fast.

After the header a state row holds, for every cell of a board with a wall around it:
- `cells`: what lies there, what its four neighbours hold (three counters), and whether a stone was ever taken there;
- `heads`: for a stone, the cell that stands for its group;
- `following`: for a stone, the next of its group, in a ring;
- `liberties`, `squares`: at a group's head, what is known of its liberties.

Liberties are counted once for every stone that touches them ("pseudo-liberties"), so that a stone changes them with
four additions. Their sum and the sum of their squares are kept beside their number: all are the same cell
exactly if number * squares = sum^2, and then the group is in atari, on the cell sum / number.

Cells are numbered row by row with a wall before each row, which the last point of the row above sees on its
right. `go.py` has the rules on top of this, `go_layout.py` the places in a row.
"""

from __future__ import annotations

from typing import NamedTuple

from eightfold.games.go_layout import (
    BLACK_TAKEN,
    CELLS,
    COLOUR,
    EMPTIES,
    EMPTY,
    LIBERTY_BITS,
    NEIGHBOUR,
    ONE_LIBERTY,
    ONE_STONE,
    STONE_BITS,
    WALL,
    cell_count,
)
from eightfold.games.state import BLACK, SIZE, WHITE
from eightfold.jit import Ints, kernel


class Board(NamedTuple):
    """The five arrays of a state row, as views into it; C cells."""

    stride: int  # from a cell to the one below
    cells: Ints  # [C]
    heads: Ints  # [C]
    following: Ints  # [C]
    liberties: Ints  # [C] at heads: ONE_LIBERTY for each, and their sum
    squares: Ints  # [C] at heads: ONE_STONE for each stone, and the sum of the liberties' squares


@kernel
def board_of(state: Ints) -> Board:
    size = state[SIZE]
    count = cell_count(size)
    return Board(
        size + 1,
        state[CELLS : CELLS + count],
        state[CELLS + count : CELLS + 2 * count],
        state[CELLS + 2 * count : CELLS + 3 * count],
        state[CELLS + 3 * count : CELLS + 4 * count],
        state[CELLS + 4 * count : CELLS + 5 * count],
    )


@kernel
def clear_board(board: Board, size: int) -> None:
    """An empty board; walls count as neighbours of both colours."""
    stride = board.stride
    board.cells[:] = WALL
    for row in range(size):
        for column in range(size):
            walls = (row == 0) + (row == size - 1) + (column == 0) + (column == size - 1)
            both = NEIGHBOUR[BLACK] + NEIGHBOUR[WHITE]  # each takes an empty neighbour away: one comes back
            board.cells[(row + 1) * stride + column + 1] = 4 * EMPTIES + walls * (both + EMPTIES)
    board.heads[:] = 0
    board.following[:] = 0
    board.liberties[:] = 0
    board.squares[:] = 0


# ---- groups -----------------------------------------------------------------------------------------


@kernel
def in_atari(board: Board, head: int) -> bool:
    """Whether a group has one liberty left."""
    word = board.liberties[head]
    number, total = word >> LIBERTY_BITS, word & (ONE_LIBERTY - 1)
    return number * (board.squares[head] & (ONE_STONE - 1)) == total * total


@kernel
def last_liberty(board: Board, head: int) -> int:
    """The one liberty of a group in atari."""
    word = board.liberties[head]
    return (word & (ONE_LIBERTY - 1)) // (word >> LIBERTY_BITS)


@kernel
def stone_count(board: Board, head: int) -> int:
    return board.squares[head] >> STONE_BITS


@kernel
def put_stone(board: Board, cell: int, colour: int, taken: Ints, count: int) -> int:
    """Put a stone on an empty cell and take off what has no liberty left: the opponent's groups, else its own.

    The cells that became empty are written to `taken` from place `count` on; the place after the last of them.
    """
    cells, heads, liberties, squares = board.cells, board.heads, board.liberties, board.squares
    stride = board.stride
    change = NEIGHBOUR[colour]
    square = cell * cell
    own_liberties, own_squares = 0, ONE_STONE
    cells[cell] += colour
    heads[cell] = cell
    board.following[cell] = cell
    for step in (-stride, -1, 1, stride):
        beside = cell + step
        cells[beside] += change
        kind = cells[beside] & COLOUR
        if kind == EMPTY:
            own_liberties += ONE_LIBERTY + beside
            own_squares += beside * beside
        elif kind != WALL:
            head = heads[beside]
            liberties[head] -= ONE_LIBERTY + cell
            squares[head] -= square
    liberties[cell] = own_liberties
    squares[cell] = own_squares
    first = count
    for step in (-stride, -1, 1, stride):
        beside = cell + step
        kind = cells[beside] & COLOUR
        if kind == colour:
            if heads[beside] != heads[cell]:
                _join(board, heads[beside], heads[cell])
        elif kind == BLACK + WHITE - colour and liberties[heads[beside]] == 0:
            count = _take_off(board, beside, kind, taken, count)
    if count == first and liberties[heads[cell]] == 0:
        count = _take_off(board, cell, colour, taken, count)
    return count


@kernel
def _join(board: Board, one: int, other: int) -> None:
    """Make two groups one: the smaller takes the head of the larger."""
    if board.squares[one] < board.squares[other]:  # the number of stones is the upper part
        one, other = other, one
    heads, following = board.heads, board.following
    cell = other
    while True:
        heads[cell] = one
        cell = following[cell]
        if cell == other:
            break
    following[one], following[other] = following[other], following[one]
    board.liberties[one] += board.liberties[other]
    board.squares[one] += board.squares[other]


@kernel
def _take_off(board: Board, start: int, colour: int, taken: Ints, count: int) -> int:
    """Take a group off the board. Its cells are listed in `taken`; groups around it get their liberties back."""
    cells, heads, liberties, squares = board.cells, board.heads, board.liberties, board.squares
    stride = board.stride
    change = NEIGHBOUR[colour]
    mark = BLACK_TAKEN * colour  # WHITE_TAKEN is the next bit
    cell = start
    while True:
        cells[cell] = (cells[cell] - colour) | mark
        square = cell * cell
        for step in (-stride, -1, 1, stride):
            beside = cell + step
            cells[beside] -= change
            kind = cells[beside] & COLOUR
            if kind != EMPTY and kind != WALL:  # of the group itself too: nobody will ask it again
                liberties[heads[beside]] += ONE_LIBERTY + cell
                squares[heads[beside]] += square
        taken[count] = cell
        count += 1
        cell = board.following[cell]
        if cell == start:
            return count


# ---- what may be played, repetition aside -----------------------------------------------------------


@kernel
def has_liberty(board: Board, cell: int, colour: int) -> bool:
    """Whether a stone on an empty cell would have a liberty, once what it captures is gone."""
    if board.cells[cell] & (7 * EMPTIES):
        return True
    stride = board.stride
    for step in (-stride, -1, 1, stride):
        kind = board.cells[cell + step] & COLOUR
        if kind != WALL and in_atari(board, board.heads[cell + step]) == (kind != colour):
            return True  # an own group with another liberty, or a group of the opponent's without one
    return False


@kernel
def touches_own(board: Board, cell: int, colour: int) -> bool:
    stride = board.stride
    found = False
    for step in (-stride, -1, 1, stride):
        found |= board.cells[cell + step] & COLOUR == colour
    return found


@kernel
def is_eye(board: Board, cell: int, colour: int) -> bool:
    """Whether an empty cell looks like an eye of a colour: only its stones beside it, and diagonals that hold.

    The opponent may have one diagonal point of an eye in the middle, and none of one at the edge.
    """
    cells, stride = board.cells, board.stride
    if (cells[cell] >> (3 * colour - 1)) & 7 != 4:  # BLACK_BESIDE or WHITE_BESIDE
        return False
    other = BLACK + WHITE - colour
    lost = edge = 0
    for step in (-stride - 1, -stride + 1, stride - 1, stride + 1):
        kind = cells[cell + step] & COLOUR
        lost += kind == other
        edge |= kind == WALL
    return lost + edge < 2


# ---- for those who look at groups one by one --------------------------------------------------------


@kernel
def count_liberties(board: Board, head: int, most: int, seen: Ints, stamp: int) -> int:
    """The liberties of a group, each once, up to `most`; `seen` [C] gets `stamp` (a new one each time) at them."""
    cells, stride = board.cells, board.stride
    found = 0
    cell = head
    while True:
        for step in (-stride, -1, 1, stride):
            beside = cell + step
            if cells[beside] & COLOUR == EMPTY and seen[beside] != stamp:
                seen[beside] = stamp
                found += 1
                if found == most:
                    return found
        cell = board.following[cell]
        if cell == head:
            return found


@kernel
def cell_at(point: int, size: int) -> int:
    """The cell of a point, row * size + column."""
    return (point // size + 1) * (size + 1) + point % size + 1


@kernel
def point_at(cell: int, size: int) -> int:
    row, column = cell // (size + 1) - 1, cell % (size + 1) - 1
    return row * size + column
