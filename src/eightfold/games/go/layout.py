"""How a Go state is laid out in its row of integers, and what the bits of a cell mean.

After the common header: a few numbers, the five arrays of `board.py`, the last boards in bits (for networks that
look back), and the hashes of all positions so far (for superko). A row so holds everything that the rules need
to know of the past, and copying it is all there is to copying a game. It has room for `longest_game` moves,
more than people or programs play; a game that comes so far ends there and is counted as it stands.
"""

from __future__ import annotations

import numpy as np

from eightfold.core.jit import Ints, kernel
from eightfold.games.state import HEADER, OPTIONS
from eightfold.symmetry.orbit import LARGEST_BOARD

DOUBLE_KOMI = OPTIONS  # half points are whole numbers here
RULES = OPTIONS + 1  # SCORING, KO_RULE and SUICIDE in one
HANDICAP = OPTIONS + 2

KO = HEADER  # the cell that may not be retaken at once, 0: none
TAKEN = HEADER + 1  # black stones taken off so far, and white ones
POSITION = HEADER + 3  # a hash of the stones alone, in the board's own frame
SEEN = HEADER + 4  # how many positions there were
CELLS = HEADER + 5

# The parts of RULES.
TERRITORY = 1
SUICIDE = 2
KO_RULES = 4  # times one of the following
SIMPLE_KO, POSITIONAL, SITUATIONAL = 0, 1, 2

# A cell: colour, then the number of black, white and empty neighbours, then what was ever taken off there.
EMPTY, WALL, COLOUR = 0, 3, 3  # BLACK and WHITE lie between
BLACK_BESIDE, WHITE_BESIDE, EMPTIES = 1 << 2, 1 << 5, 1 << 8
BLACK_TAKEN, WHITE_TAKEN = 1 << 12, 1 << 13
NEIGHBOUR: Ints = np.array([0, BLACK_BESIDE - EMPTIES, WHITE_BESIDE - EMPTIES, 0], np.int64)

# A group: liberties with the sum of their cells below, stones with the sum of the liberties' squares below.
LIBERTY_BITS, STONE_BITS = 32, 36
ONE_LIBERTY, ONE_STONE = 1 << LIBERTY_BITS, 1 << STONE_BITS

KO_MARK = 3  # of a point, for hashing: the stones are 0 and 1
FILTER_WORDS = 128  # of WORD bits: which hashes may be among those of the past
BOARDS = 8  # boards that are remembered, the present one among them
WORD_SHIFT = 5
WORD = 1 << WORD_SHIFT  # bits used of a word


@kernel
def cell_count(size: int) -> int:
    return (size + 2) * (size + 1) + 1


@kernel
def cells_end(size: int) -> int:
    """The length of an array that has a place for every cell."""
    return CELLS + cell_count(size)


@kernel
def words(size: int) -> int:
    """The words of one colour of a remembered board."""
    return (size * size + WORD - 1) // WORD


@kernel
def boards_at(size: int) -> int:
    """Where the remembered boards begin: BOARDS times black's words and white's."""
    return CELLS + 5 * cell_count(size)


@kernel
def filter_at(size: int) -> int:
    """Where the filter of hashes begins: a bit for every place that a hash points to."""
    return boards_at(size) + 2 * BOARDS * words(size)


@kernel
def history_at(size: int) -> int:
    """Where the hashes of all positions begin."""
    return filter_at(size) + FILTER_WORDS


@kernel
def longest_game(size: int) -> int:
    """How many moves a game may have."""
    return 3 * size * size + 100


CELL_ROOM = CELLS + (LARGEST_BOARD + 2) * (LARGEST_BOARD + 1) + 1  # `cells_end` of the largest board
POINT_ROOM = LARGEST_BOARD * LARGEST_BOARD + 1  # and its points, with one more
ROW_ROOM = LARGEST_BOARD + 2  # and its rows, with one beyond each end


def state_length(size: int) -> int:
    return history_at(size) + longest_game(size) + 1
