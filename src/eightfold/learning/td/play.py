"""Self-play games of an ISN, and what they teach: one kernel from the empty board to the gradient.

A game is played to two passes or a number of moves, every position kept; then it is walked back from its end, from
targets to targets (`targets.py`), and the gradient of each position added (`gradient.py`). Games are independent of
each other and have random numbers of their own, so that threads share nothing, and their number changes nothing but the
order in which gradients are added.

Read next: `eightfold.learning.td.loop`, where weights change.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random
from eightfold.games.go.rules import play, reset, stones
from eightfold.games.go.score import double_margin, ownership
from eightfold.games.state import ONGOING, RESULT, SIDE
from eightfold.isn.classes import OUTPUT_NAMES
from eightfold.isn.move_selection import draw_move, evaluate_board, evaluate_start, move_values
from eightfold.isn.tables import IsnTables
from eightfold.learning.td.gradient import Gradient, add_gradient
from eightfold.learning.td.targets import final_targets, step_back

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

OUTPUTS = len(OUTPUT_NAMES)
FACTS = 4  # that are kept of a game: moves, candidates looked at, twice black's lead, whether two passes ended it
MOVES, CANDIDATES, MARGIN, ENDED = range(FACTS)


@kernel
def teach_games(
    rules: Ints,  # [4]: size and the three options of the game
    state_length: int,
    tables: IsnTables,
    beta: float,
    rate: float,  # λ
    c: float,
    s: float,
    longest: int,
    linear: int,
    randoms: Random,  # [B], one for each game
    gradient: Gradient,  # of this part of the games
    facts: Ints,  # [B, FACTS], to be filled
    losses: Doubles,  # [B], to be filled: a position's cross entropy, on average
    first: int,
    stop: int,
) -> None:
    """Play the games from `first` to `stop` and add up what they teach."""
    size = int(rules[0])
    points = size * size
    state = np.zeros(state_length, np.int64)
    boards = np.zeros((longest + 1, points), np.int8)
    classes = np.zeros((longest + 1, size, size), np.uint8)
    outputs = np.zeros((longest + 1, OUTPUTS, points), np.float32)
    targets, owners = np.zeros((OUTPUTS, points), np.float64), np.zeros(points, np.int8)
    moves = np.zeros(points + 1, np.int64)
    for game in range(first, stop):
        reset(state, size, rules[1:])
        facts[game, CANDIDATES] = play_game(
            state, tables, beta, longest, randoms[game : game + 1], boards, classes, outputs, moves
        )
        played = moves[points]
        facts[game, MOVES], facts[game, MARGIN] = played, double_margin(state)
        facts[game, ENDED] = state[RESULT] != ONGOING
        ownership(state, owners)
        final_targets(boards[played], owners, c, s, tables.single, targets)
        losses[game] = 0.0
        for ply in range(played, -1, -1):
            losses[game] += add_gradient(boards[ply], classes[ply], outputs[ply], targets, tables, linear, gradient) / (
                played + 1
            )
            if ply > 0:
                step_back(boards[ply - 1], boards[ply], outputs[ply], rate, c, tables.single, targets)


@kernel
def play_game(
    state: Ints,
    tables: IsnTables,
    beta: float,
    longest: int,
    random: Random,
    boards: NDArray[np.int8],  # [longest + 1, P], to be filled
    classes: NDArray[np.uint8],  # [longest + 1, N, N]
    outputs: Floats,  # [longest + 1, 7, P]
    moves: Ints,  # [P + 1], scratch; its last entry becomes the number of moves
) -> int:
    """One game from the start; how many candidates were looked at."""
    size = classes.shape[1]
    board, seen = np.zeros((1, size, size), np.int8), np.zeros((1, size, size), np.uint8)
    said = np.zeros((1, OUTPUTS, size, size), np.float32)
    values = np.zeros((1, size * size + 1), np.float64)
    evaluate_start(state, tables, board, seen, said)
    candidates, ply = 0, 0
    while True:
        boards[ply] = board[0].reshape(-1)
        classes[ply] = seen[0]
        outputs[ply] = said[0].reshape(OUTPUTS, -1)
        if state[RESULT] != ONGOING or ply == longest:
            break
        count = move_values(state, board, said, tables, moves, values)
        candidates += count
        play(state, draw_move(values, state[SIDE], beta, moves, count, random))
        stones(state, board[0])
        evaluate_board(board, tables, seen, said)
        ply += 1
    moves[size * size] = ply
    return candidates
