"""Stones, groups and liberties of Go, kept up to date stone by stone: the part of the rules that must be fast.

After the header a state row holds five arrays over the cells of a board with a wall around it, one after the other:
- what lies on a cell, what its four neighbours hold (three counters), and whether a stone was ever taken off there;
- for a stone, the cell that stands for its group, its head;
- for a stone, the next of its group, in a ring;
- at a head, the liberties of the group: their number and the sum of their cells;
- at a head, the number of stones and the sum of the squares of the liberties' cells.

A cell is its place in the row, so `state[cell]` is what lies there, and the other arrays are `span(stride)` apart.
Cells are numbered row by row with a wall before each row, which the last point of the row above sees on its
right; `stride` leads from a cell to the one below. (Views of the row would read better, but Numba counts
references to each of them, and listing the legal moves took three times as long.)

Liberties are counted once for every stone that touches them ("pseudo-liberties"), so that a stone changes them with
four additions. All of them are the same cell exactly if number * squares = sum^2, and then the group is in atari.

`rules.py` has the rules on top of this, `layout.py` the places in a row.
"""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.games.go.layout import (
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
from eightfold.games.state import BLACK, WHITE


@kernel
def span(stride: int) -> int:
    """From one of the arrays to the next: the number of cells."""
    return (stride + 1) * stride + 1


@kernel
def head_of(state: Ints, stride: int, cell: int) -> int:
    """The cell that stands for the group of a stone."""
    return state[cell + span(stride)]


@kernel
def next_of(state: Ints, stride: int, cell: int) -> int:
    """The next stone of a group; after the last comes the first."""
    return state[cell + 2 * span(stride)]


@kernel
def clear_board(state: Ints, size: int) -> None:
    """An empty board; walls count as neighbours of both colours."""
    state[CELLS : CELLS + cell_count(size)] = WALL
    state[CELLS + cell_count(size) : CELLS + 5 * cell_count(size)] = 0
    for row in range(size):
        for column in range(size):
            walls = int(row == 0) + int(row == size - 1) + int(column == 0) + int(column == size - 1)
            both = NEIGHBOUR[BLACK] + NEIGHBOUR[WHITE]  # each takes an empty neighbour away: one comes back
            state[CELLS + (row + 1) * (size + 1) + column + 1] = 4 * EMPTIES + walls * (both + EMPTIES)


# ---- groups -----------------------------------------------------------------------------------------


@kernel
def in_atari(state: Ints, stride: int, head: int) -> bool:
    """Whether a group has one liberty left."""
    word = state[head + 3 * span(stride)]
    number, total = word >> LIBERTY_BITS, word & (ONE_LIBERTY - 1)
    return number * (state[head + 4 * span(stride)] & (ONE_STONE - 1)) == total * total


@kernel
def stone_count(state: Ints, stride: int, head: int) -> int:
    return state[head + 4 * span(stride)] >> STONE_BITS


@kernel
def put_stone(state: Ints, stride: int, cell: int, colour: int, taken: Ints, count: int) -> int:
    """Put a stone on an empty cell and take off what has no liberty left: the opponent's groups, else its own.

    The cells that became empty are written to `taken` from place `count` on; the place after the last of them.
    """
    heads = span(stride)
    following, liberties, squares = 2 * heads, 3 * heads, 4 * heads
    change = NEIGHBOUR[colour]
    square = cell * cell
    own_liberties, own_squares = 0, ONE_STONE
    state[cell] += colour
    state[cell + heads] = cell
    state[cell + following] = cell
    for step in (-stride, -1, 1, stride):
        beside = cell + step
        state[beside] += change
        kind = state[beside] & COLOUR
        if kind == EMPTY:
            own_liberties += ONE_LIBERTY + beside
            own_squares += beside * beside
        elif kind != WALL:
            head = state[beside + heads]
            state[head + liberties] -= ONE_LIBERTY + cell
            state[head + squares] -= square
    state[cell + liberties] = own_liberties
    state[cell + squares] = own_squares
    first = count
    for step in (-stride, -1, 1, stride):
        beside = cell + step
        kind = state[beside] & COLOUR
        if kind == colour:
            if state[beside + heads] != state[cell + heads]:
                _join(state, heads, state[beside + heads], state[cell + heads])
        elif kind == BLACK + WHITE - colour and state[state[beside + heads] + liberties] == 0:
            count = _take_off(state, stride, beside, kind, taken, count)
    if count == first and state[state[cell + heads] + liberties] == 0:
        count = _take_off(state, stride, cell, colour, taken, count)
    return count


@kernel
def _join(state: Ints, heads: int, one: int, other: int) -> None:
    """Make two groups one: the smaller takes the head of the larger."""
    following, liberties, squares = 2 * heads, 3 * heads, 4 * heads
    # By stones alone: what lies below them depends on where cells are, and random games must not.
    if state[one + squares] >> STONE_BITS < state[other + squares] >> STONE_BITS:
        one, other = other, one
    cell = other
    while True:
        state[cell + heads] = one
        cell = state[cell + following]
        if cell == other:
            break
    state[one + following], state[other + following] = state[other + following], state[one + following]
    state[one + liberties] += state[other + liberties]
    state[one + squares] += state[other + squares]


@kernel
def _take_off(state: Ints, stride: int, start: int, colour: int, taken: Ints, count: int) -> int:
    """Take a group off the board. Its cells are listed in `taken`; groups around it get their liberties back."""
    heads = span(stride)
    following, liberties, squares = 2 * heads, 3 * heads, 4 * heads
    change = NEIGHBOUR[colour]
    mark = BLACK_TAKEN * colour  # WHITE_TAKEN is the next bit
    cell = start
    while True:
        state[cell] = (state[cell] - colour) | mark
        square = cell * cell
        for step in (-stride, -1, 1, stride):
            beside = cell + step
            state[beside] -= change
            kind = state[beside] & COLOUR
            if kind != EMPTY and kind != WALL:  # of the group itself too: nobody will ask it again
                head = state[beside + heads]
                state[head + liberties] += ONE_LIBERTY + cell
                state[head + squares] += square
        taken[count] = cell
        count += 1
        cell = state[cell + following]
        if cell == start:
            return count


# ---- what may be played, repetition aside -----------------------------------------------------------


@kernel
def has_liberty(state: Ints, stride: int, cell: int, colour: int) -> bool:
    """Whether a stone on an empty cell would have a liberty, once what it captures is gone."""
    if state[cell] & (7 * EMPTIES):
        return True
    for step in (-stride, -1, 1, stride):
        kind = state[cell + step] & COLOUR
        if kind != WALL and in_atari(state, stride, head_of(state, stride, cell + step)) == (kind != colour):
            return True  # an own group with another liberty, or a group of the opponent's without one
    return False


@kernel
def touches_own(state: Ints, stride: int, cell: int, colour: int) -> bool:
    found = False
    for step in (-stride, -1, 1, stride):
        found |= state[cell + step] & COLOUR == colour
    return found


@kernel
def is_eye(state: Ints, stride: int, cell: int, colour: int) -> bool:
    """Whether an empty cell looks like an eye of a colour: only its stones beside it, and diagonals that hold.

    The opponent may have one diagonal point of an eye in the middle, and none of one at the edge.
    """
    if (state[cell] >> (3 * colour - 1)) & 7 != 4:  # BLACK_BESIDE or WHITE_BESIDE
        return False
    other = BLACK + WHITE - colour
    lost = edge = 0
    for step in (-stride - 1, -stride + 1, stride - 1, stride + 1):
        kind = state[cell + step] & COLOUR
        lost += kind == other
        edge |= kind == WALL
    return lost + edge < 2


# ---- for those who look at groups one by one --------------------------------------------------------


@kernel
def count_liberties(state: Ints, stride: int, head: int, most: int, seen: Ints, stamp: int) -> int:
    """The liberties of a group, each once, up to `most`; `seen` gets a new `stamp` at them, a place for each cell."""
    found = 0
    cell = head
    while True:
        for step in (-stride, -1, 1, stride):
            beside = cell + step
            if state[beside] & COLOUR == EMPTY and seen[beside] != stamp:
                seen[beside] = stamp
                found += 1
                if found == most:
                    return found
        cell = next_of(state, stride, cell)
        if cell == head:
            return found


@kernel
def liberties_up_to_four(state: Ints, stride: int, head: int) -> int:
    """The same up to four, with nothing to remember them in."""
    found = one = other = third = 0
    cell = head
    while True:
        for step in (-stride, -1, 1, stride):
            beside = cell + step
            if state[beside] & COLOUR == EMPTY and beside != one and beside != other and beside != third:
                found += 1
                if found == 4:
                    return found
                one, other, third = beside, one, other
        cell = next_of(state, stride, cell)
        if cell == head:
            return found


@kernel
def cell_at(point: int, size: int) -> int:
    """The cell of a point, row * size + column."""
    return CELLS + (point // size + 1) * (size + 1) + point % size + 1


@kernel
def point_at(cell: int, size: int) -> int:
    row, column = (cell - CELLS) // (size + 1) - 1, (cell - CELLS) % (size + 1) - 1
    return row * size + column
