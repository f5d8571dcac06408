"""Drop four: stones fall to the bottom of a column; four in a row win.

Gravity leaves two of the eight symmetries, the identity and the mirror of left and right, and the game says so: no
search, cache or training mode then takes a turned board for the same position. See docs/new-game.md; try it with

    cd docs/examples && eightfold match alphabeta:depth=6 mcts:playouts=2000 --game python:drop_four,size=7
"""

from dataclasses import dataclass

from eightfold.core.jit import kernel
from eightfold.core.settings import setting
from eightfold.games import GameSpec
from eightfold.games.state import BLACK, DRAW, HASHES, HEADER, LAST, NO_MOVE, ONGOING, PLY, RESULT, SIDE, SIZE, WHITE
from eightfold.symmetry.orbit import toggle, toggle_side

WIN = 4


@dataclass(frozen=True, kw_only=True)
class DropFourOptions:
    size: int = setting(7, "rows and columns", least=4, most=25)


GAME = GameSpec(
    name="drop-four",
    summary="stones fall to the bottom of a column; four in a row win",
    options=DropFourOptions,
    state_length=lambda size: HEADER + size * size,
    encoders={"last-move": 4},
    symmetries="mirror left and right",
    sgf=4,  # written as Gomoku is, with the game's text beside it
)


@kernel
def reset(state, size, options):
    state[:] = 0
    state[SIZE] = size
    state[SIDE] = BLACK
    state[LAST] = NO_MOVE


@kernel
def can_land(state, move):
    """Whether a stone comes to rest on a point: it is empty, and what is below is not."""
    size = state[SIZE]
    return state[HEADER + move] == 0 and (move >= size * (size - 1) or state[HEADER + move + size] != 0)


@kernel
def legal(state, moves):
    count = 0
    if state[RESULT] == ONGOING:
        for move in range(state[SIZE] ** 2):
            if can_land(state, move):
                moves[count] = move
                count += 1
    return count


@kernel
def play(state, move):
    size, colour = state[SIZE], state[SIDE]
    won = longest_run(state, move, colour) >= WIN
    state[HEADER + move] = colour
    state[SIDE] = BLACK + WHITE - colour
    state[PLY] += 1
    state[LAST] = move
    toggle(state[HASHES:], colour - BLACK, move // size, move % size, size)
    toggle_side(state[HASHES:])
    if won:
        state[RESULT] = colour
    elif state[PLY] == size * size:
        state[RESULT] = DRAW


@kernel
def longest_run(state, move, colour):
    """The longest row that a stone on a point makes with those that lie there."""
    size = state[SIZE]
    longest = 1
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = 1
        for way in (1, -1):
            row, column = move // size + way * down, move % size + way * right
            while 0 <= row < size and 0 <= column < size and state[HEADER + row * size + column] == colour:
                run += 1
                row += way * down
                column += way * right
        longest = max(longest, run)
    return longest


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


# ---- the move heuristic, with which greedy and alphabeta play ----------------------------------------------


@kernel
def score_moves(state, scores):
    for move in range(state[SIZE] ** 2):
        for colour in (BLACK, WHITE):
            run = longest_run(state, move, colour) if can_land(state, move) else 0
            scores[colour - BLACK, move] = run * run * run


@kernel
def rescore_moves(state, move, scores):
    score_moves(state, scores)


@kernel
def best_possible_score(state):
    return state[SIZE] ** 3
