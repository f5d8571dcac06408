"""The layout of a game's state: one row of 64-bit integers.

The first HEADER numbers mean the same in every game, so a search can read them without asking; what
follows is the game's own business (see `eightfold.games.gomoku.rules`). Copying a state is copying a row, and a
batch of games is an array of rows.
"""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel

SIZE = 0  # the board is SIZE x SIZE
SIDE = 1  # whose turn it is: BLACK or WHITE
PLY = 2  # moves played so far
LAST = 3  # the last move, NO_MOVE at the start
RESULT = 4  # ONGOING, or how the game ended
OPTIONS = 5  # three numbers for the options of the game (5, 6 and 7)
HASHES = 8  # eight Zobrist hashes, see `eightfold.symmetry.orbit`
HEADER = 16

NO_MOVE = -1
PAUSED = -3  # in the place of a move: a search for it is not over
NOT_JUDGED = -(2**63)  # no judgement of a position is as low

ONGOING = 0
BLACK = 1  # the colour, and the result "black wins"
WHITE = 2
DRAW = 3


@kernel
def copy_state(source: Ints, target: Ints) -> None:
    """In a loop: for slices, Numba also compiles what it would say if they were not of one size, for five seconds."""
    for k in range(target.shape[0]):
        target[k] = source[k]
