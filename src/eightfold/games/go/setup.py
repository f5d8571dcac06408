"""Games of Go that do not begin with the empty board: handicap stones, and positions from records and problems.

`eightfold.games.setup` has the functions for people.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.games.go.board import cell_at, point_at, put_stone
from eightfold.games.go.layout import KO, KO_MARK
from eightfold.games.go.memory import flip_stone, remember
from eightfold.games.state import BLACK, HASHES, SIDE, SIZE, WHITE
from eightfold.symmetry.orbit import toggle, toggle_side

# Handicap stones as GTP fixes them: row and column near the lower left (0), in the middle (1) or opposite (2).
_CORNERS = [(0, 0), (2, 2), (2, 0), (0, 2)]
_SIDES = [(1, 0), (1, 2), (0, 1), (2, 1)]
_MIDDLE = [(1, 1)]
_PLACES = {
    2: _CORNERS[:2],
    3: _CORNERS[:3],
    4: _CORNERS,
    5: _CORNERS + _MIDDLE,
    6: _CORNERS + _SIDES[:2],
    7: _CORNERS + _SIDES[:2] + _MIDDLE,
    8: _CORNERS + _SIDES,
    9: _CORNERS + _SIDES + _MIDDLE,
}
PLACES: Ints = np.zeros((10, 9, 2), np.int64)
for _number, _places in _PLACES.items():
    PLACES[_number, :_number] = _places


def most_handicap(size: int) -> int:
    """How many handicap stones have fixed places: boards of an even size have no middle."""
    if size < 7:
        return 0
    return 4 if size == 7 or size % 2 == 0 else 9


def check_handicap(size: int, handicap: int) -> None:
    most = most_handicap(size)
    if handicap == 1 or handicap > most:
        allowed = f"0, or 2 to {most}" if most else "0"
        raise EightfoldError(f"go: handicap={handicap} has no fixed places on a {size}x{size} board; {allowed} has")


@kernel
def handicap_point(size: int, handicap: int, number: int) -> int:
    """The point of one of the handicap stones."""
    line = 2 if size < 12 else 3
    low, column = PLACES[handicap, number, 0], PLACES[handicap, number, 1]
    up = line if low == 0 else (size // 2 if low == 1 else size - 1 - line)
    right = line if column == 0 else (size // 2 if column == 1 else size - 1 - line)
    return (size - 1 - up) * size + right


def handicap_points(size: int, handicap: int) -> list[int]:
    """The fixed places of handicap stones.

    >>> handicap_points(9, 2)
    [56, 24]
    """
    return [int(handicap_point(size, handicap, number)) for number in range(handicap)]


@kernel
def place_handicap(state: Ints, handicap: int) -> None:
    """Black's stones on an empty board; white is to move."""
    size = state[SIZE]
    stride = state[SIZE] + 1
    taken = np.empty(size * size, np.int64)
    for number in range(handicap):
        point = handicap_point(size, handicap, number)
        put_stone(state, stride, cell_at(point, size), BLACK, taken, 0)
        flip_stone(state, point, BLACK)
    state[SIDE] = WHITE
    toggle_side(state[HASHES : HASHES + 8])


@kernel
def put_stones(state: Ints, stones: NDArray[np.int8], side: int) -> bool:  # [N * N]
    """Put stones on the empty board of a game that has just begun; False if a group has no liberty.

    A part of a position in which every group has a liberty is such a position too: taking stones away gives
    the others liberties. So the order does not matter, and something is taken off only where it must be.
    """
    size = state[SIZE]
    stride = state[SIZE] + 1
    taken = np.empty(size * size, np.int64)
    for point in range(size * size):
        if stones[point] != 0:
            if put_stone(state, stride, cell_at(point, size), stones[point], taken, 0) > 0:
                return False
            flip_stone(state, point, stones[point])
    if state[SIDE] != side:
        state[SIDE] = side
        toggle_side(state[HASHES : HASHES + 8])
    remember(state)
    return True


def change_side(state: Ints, side: int) -> None:
    """A ko that the other side may not retake is forgotten: the ban was meant for its very next move."""
    size, hashes = int(state[SIZE]), state[HASHES : HASHES + 8]
    if state[KO]:
        point = int(point_at(state[KO], size))
        toggle(hashes, KO_MARK, point // size, point % size, size)
        state[KO] = 0
    state[SIDE] = side
    toggle_side(hashes)
