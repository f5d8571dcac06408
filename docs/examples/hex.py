"""Hex: stones in turn; black joins top and bottom, white joins left and right, and somebody always does.

A game that has two of the eight symmetries, explained in docs/new-game.md. A point has six neighbours: those beside it
along the lines, and those along one of the two diagonals. Try it with

    cd docs/examples && eightfold match mcts:playouts=2000 random --game python:hex,size=7
"""

from dataclasses import dataclass

from eightfold.core.jit import kernel
from eightfold.core.rng import random_below
from eightfold.core.settings import setting
from eightfold.games import GameSpec
from eightfold.games.state import BLACK, HASHES, HEADER, LAST, NO_MOVE, ONGOING, PLY, RESULT, SIDE, SIZE, WHITE
from eightfold.symmetry.orbit import toggle, toggle_side

NEIGHBOURS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
FIRST, SECOND, BOTH = 1, 2, 3  # the sides that a stone is joined to: top and bottom for black, left and right for white


@dataclass(frozen=True, kw_only=True)
class HexOptions:
    size: int = setting(11, "points on a side", least=2, most=19)


GAME = GameSpec(
    name="hex",
    summary="black joins top and bottom, white left and right",
    options=HexOptions,
    state_length=lambda size: HEADER + 2 * size * size,  # the stones, and which sides each is joined to
    encoders={"last-move": 4},
    symmetries="half turn",  # the others swap the sides, or lay the neighbours along the other diagonal
    has_draws=False,
    board="diagonals",
    edges={"top": BLACK, "bottom": BLACK, "left": WHITE, "right": WHITE},
    sgf=11,
)


@kernel
def reset(state, size, options):
    for k in range(state.shape[0]):
        state[k] = 0
    state[SIZE] = size
    state[SIDE] = BLACK
    state[LAST] = NO_MOVE


@kernel
def legal(state, moves):
    count = 0
    if state[RESULT] == ONGOING:
        for point in range(state[SIZE] ** 2):
            if state[HEADER + point] == 0:
                moves[count] = point
                count += 1
    return count


@kernel
def joined(state, point, colour):
    """The sides that a stone of a colour on a point is joined to, by itself and by its neighbours."""
    size = state[SIZE]
    row, column = point // size, point % size
    place = row if colour == BLACK else column
    sides = FIRST * (place == 0) | SECOND * (place == size - 1)
    for down, right in NEIGHBOURS:
        if 0 <= row + down < size and 0 <= column + right < size:
            near = HEADER + (row + down) * size + column + right
            if state[near] == colour:
                sides |= state[near + size * size]
    return sides


@kernel
def spread(state, colour):
    """Pass on along the chains of a colour what they are joined to; a stone learns of a side once in a game."""
    points = state[SIZE] ** 2
    changed = True
    while changed:
        changed = False
        for k in range(2 * points):
            point = k if k < points else 2 * points - 1 - k  # down the board, then up again
            if state[HEADER + point] == colour:
                sides = joined(state, point, colour)
                if sides != state[HEADER + points + point]:
                    state[HEADER + points + point] = sides
                    changed = True


@kernel
def play(state, move):
    size, colour = state[SIZE], state[SIDE]
    sides = joined(state, move, colour)
    state[HEADER + move] = colour
    state[HEADER + size * size + move] = sides
    state[SIDE] = BLACK + WHITE - colour
    state[PLY] += 1
    state[LAST] = move
    toggle(state[HASHES:], colour - BLACK, move // size, move % size, size)
    toggle_side(state[HASHES:])
    if sides == BOTH:
        state[RESULT] = colour
    elif sides != 0:
        spread(state, colour)


@kernel
def rollout(state, random, scratch):
    """Fill the board at random and look once: on a full board exactly one side is joined."""
    if state[RESULT] == ONGOING:
        size = state[SIZE]
        for empty in range(legal(state, scratch), 0, -1):
            pick = random_below(random, empty)
            state[HEADER + scratch[pick]] = state[SIDE]
            state[SIDE] = BLACK + WHITE - state[SIDE]
            scratch[pick] = scratch[empty - 1]
        spread(state, BLACK)
        state[RESULT] = WHITE
        for column in range(size):
            if state[HEADER + 2 * size * size - size + column] == BOTH:
                state[RESULT] = BLACK
    return state[RESULT]


@kernel
def find_win(state, nodes, scratch):
    for k in range(legal(state, scratch)):
        if joined(state, scratch[k], state[SIDE]) == BOTH:
            return scratch[k]
    return NO_MOVE


@kernel
def stones(state, board):
    for point in range(state[SIZE] ** 2):
        board[point // state[SIZE], point % state[SIZE]] = state[HEADER + point]


@kernel
def encode(state, encoder, planes):
    own = state[SIDE]
    for point in range(state[SIZE] ** 2):
        row, column = point // state[SIZE], point % state[SIZE]
        planes[0, row, column] = state[HEADER + point] == own
        planes[1, row, column] = state[HEADER + point] == BLACK + WHITE - own
        planes[2, row, column] = point == state[LAST]
        planes[3, row, column] = own == BLACK
