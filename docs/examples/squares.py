"""Squares: stones in turn; whoever first owns the four corners of an upright square wins.

A whole game for Eightfold in one file, explained step by step in docs/new-game.md. Try it with

    cd docs/examples && eightfold match mcts:playouts=2000 random --game python:squares,size=5
"""

from dataclasses import dataclass

from eightfold.core.jit import kernel
from eightfold.core.settings import setting
from eightfold.games import GameSpec
from eightfold.games.state import BLACK, DRAW, HASHES, HEADER, LAST, NO_MOVE, ONGOING, PLY, RESULT, SIDE, SIZE, WHITE
from eightfold.symmetry.orbit import toggle, toggle_side


@dataclass(frozen=True, kw_only=True)
class SquaresOptions:
    size: int = setting(5, "points on a side", least=2, most=25)


GAME = GameSpec(
    name="squares",
    summary="own the four corners of an upright square",
    options=SquaresOptions,
    state_length=lambda size: HEADER + size * size,  # the board follows the header, point by point
    encoders={"last-move": 4},
)


@kernel
def reset(state, size, options):
    state[:] = 0
    state[SIZE] = size
    state[SIDE] = BLACK
    state[LAST] = NO_MOVE


@kernel
def legal(state, moves):
    count = 0
    if state[RESULT] == ONGOING:
        for move in range(state[SIZE] ** 2):
            if state[HEADER + move] == 0:
                moves[count] = move
                count += 1
    return count


@kernel
def play(state, move):
    size, colour = state[SIZE], state[SIDE]
    row, column = move // size, move % size
    state[HEADER + move] = colour
    state[SIDE] = BLACK + WHITE - colour
    state[PLY] += 1
    state[LAST] = move
    toggle(state[HASHES:], colour - BLACK, row, column, size)
    toggle_side(state[HASHES:])
    if owns_square(state, row, column, colour):
        state[RESULT] = colour
    elif state[PLY] == size * size:
        state[RESULT] = DRAW


@kernel
def owns_square(state, row, column, colour):
    """Whether the stone on (row, column) completes a square: the opposite corner may lie in four directions."""
    size = state[SIZE]
    for side in range(1, size):
        for down in (-side, side):
            for right in (-side, side):
                if 0 <= row + down < size and 0 <= column + right < size:
                    across = state[HEADER + row * size + column + right]
                    below = state[HEADER + (row + down) * size + column]
                    opposite = state[HEADER + (row + down) * size + column + right]
                    if across == colour and below == colour and opposite == colour:
                        return True
    return False


@kernel
def stones(state, board):
    for move in range(state[SIZE] ** 2):
        board[move // state[SIZE], move % state[SIZE]] = state[HEADER + move]


@kernel
def encode(state, encoder, planes):
    own = state[SIDE]
    planes[:] = 0
    for move in range(state[SIZE] ** 2):
        row, column = move // state[SIZE], move % state[SIZE]
        planes[0, row, column] = state[HEADER + move] == own
        planes[1, row, column] = state[HEADER + move] == BLACK + WHITE - own
        planes[2, row, column] = move == state[LAST]
        planes[3, row, column] = own == BLACK
