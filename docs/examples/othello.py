"""Othello: enclose the other side's discs and they turn to your colour; whoever has more at the end wins.

A game with passes and points, explained in docs/new-game.md. Only a side that can turn nothing passes. Try it with

    cd docs/examples && eightfold play mcts:playouts=2000 --game python:othello
"""

from dataclasses import dataclass

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import kernel
from eightfold.core.settings import setting
from eightfold.games import GameSpec
from eightfold.games.state import BLACK, DRAW, HASHES, HEADER, LAST, NO_MOVE, ONGOING, PLY, RESULT, SIDE, SIZE, WHITE
from eightfold.symmetry.orbit import toggle, toggle_side

DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


@dataclass(frozen=True, kw_only=True)
class OthelloOptions:
    size: int = setting(8, "rows and columns, an even number", least=4, most=24)


def complete(values):
    if values["size"] % 2:
        raise EightfoldError(f"othello: size={values['size']} is odd; four discs begin in the middle of an even board")
    return 0, 0, 0


GAME = GameSpec(
    name="othello",
    summary="enclose discs to turn them; the most discs win",
    options=OthelloOptions,
    state_length=lambda size: HEADER + size * size,
    encoders={"last-move": 4},
    complete=complete,
    has_pass=True,
    board="cells",
    marks_legal=True,
    sgf=2,
)


@kernel
def reset(state, size, options):
    for k in range(state.shape[0]):
        state[k] = 0
    state[SIZE] = size
    state[SIDE] = BLACK
    state[LAST] = NO_MOVE
    for k in range(4):  # two of each colour in the middle, diagonally
        row, column = size // 2 - k // 2, size // 2 - k % 2
        put(state, row * size + column, WHITE if row == column else BLACK)


@kernel
def put(state, point, colour):
    """Lay a disc on a point, or turn the one that lies there."""
    size, before = state[SIZE], state[HEADER + point]
    if before != 0:
        toggle(state[HASHES:], before - BLACK, point // size, point % size, size)
    toggle(state[HASHES:], colour - BLACK, point // size, point % size, size)
    state[HEADER + point] = colour


@kernel
def enclosed(state, point, colour, down, right):
    """How many discs of the other colour a disc on a point would enclose in one direction."""
    size, count = state[SIZE], 0
    row, column = point // size + down, point % size + right
    while 0 <= row < size and 0 <= column < size and state[HEADER + row * size + column] != 0:
        if state[HEADER + row * size + column] == colour:
            return count
        row, column, count = row + down, column + right, count + 1
    return 0


@kernel
def can_play(state, point, colour):
    if state[HEADER + point] == 0:
        for down, right in DIRECTIONS:
            if enclosed(state, point, colour, down, right) > 0:
                return True
    return False


@kernel
def can_anybody_play(state):
    for point in range(state[SIZE] ** 2):
        for colour in (BLACK, WHITE):
            if can_play(state, point, colour):
                return True
    return False


@kernel
def legal(state, moves):
    points, count = state[SIZE] ** 2, 0
    if state[RESULT] == ONGOING:
        for point in range(points):
            if can_play(state, point, state[SIDE]):
                moves[count] = point
                count += 1
        if count == 0:  # the other side can move, or the game would be over
            moves[0], count = points, 1
    return count


@kernel
def play(state, move):
    size, colour = state[SIZE], state[SIDE]
    if move < size * size:
        for down, right in DIRECTIONS:
            for step in range(enclosed(state, move, colour, down, right)):
                put(state, move + (step + 1) * (down * size + right), colour)
        put(state, move, colour)
    state[SIDE] = BLACK + WHITE - colour
    state[PLY] += 1
    state[LAST] = move
    toggle_side(state[HASHES:])
    if not can_anybody_play(state):
        lead = margin_of(state)
        state[RESULT] = DRAW if lead == 0 else BLACK if lead > 0 else WHITE


@kernel
def margin_of(state):
    lead = 0
    for point in range(state[SIZE] ** 2):
        lead += (0, 1, -1)[state[HEADER + point]]
    return lead


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
        planes[3, row, column] = can_play(state, point, own)
