"""Openings as kernels: random stones that end nothing, a row of a book, and which positions are won already.

A GPU opens its games with these (`gpu_moves.py`), and the host draws many at once (`eightfold.search.openings`).

Shapes: B openings, S stones of the longest, L state row, A actions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.rng import Random, random_below
from eightfold.games.contract import find_win, legal, play
from eightfold.games.state import NO_MOVE, ONGOING, RESULT, copy_state
from eightfold.search.kernels.tree import NONE

TRIES = 100  # random openings, before a game begins on the empty board; and random points for a stone


@kernel
def random_opening(
    state: Ints,  # [L]
    moves: NDArray[np.int16],  # [S]
    start: Ints,  # [L]
    least: int,
    most: int,
    points: Ints,  # [points] where stones may lie; none: any legal move
    random: Random,
    scratch: Ints,  # [A]
) -> int:
    """From `least` to `most` random moves that end nothing; how many, and the start of the game if there are none."""
    for _ in range(TRIES):
        copy_state(start, state)
        wanted, made = least + random_below(random, most - least + 1), 0
        while made < wanted and state[RESULT] == ONGOING:
            move = _random_move(state, points, random, scratch)
            if move == NONE:
                break
            moves[made] = move
            play(state, Int(move))
            made += 1
        if made == wanted and state[RESULT] == ONGOING:
            return made
    copy_state(start, state)
    return 0


@kernel
def _random_move(state: Ints, points: Ints, random: Random, scratch: Ints) -> int:
    """A legal move, on one of the points if there are any given; NONE if none is found there."""
    count = legal(state, scratch)
    if points.shape[0] == 0:
        return scratch[random_below(random, count)]
    for _ in range(TRIES):  # a point that has a stone says nothing against the opening
        point = points[random_below(random, points.shape[0])]
        for k in range(count):
            if scratch[k] == point:
                return point
    return NONE


@kernel
def opening_of_book(
    state: Ints,  # [L]
    moves: NDArray[np.int16],  # [S]
    start: Ints,  # [L]
    book: NDArray[np.int16],  # [B, S]
    stones: int,  # of this row
    row: int,
) -> int:
    """Play a row of a book; how many moves it has."""
    copy_state(start, state)
    for k in range(stones):
        moves[k] = book[row, k]
        play(state, Int(book[row, k]))
    return stones


@kernel
def draw_openings(
    states: Ints,  # [B, L]
    moves: NDArray[np.int16],  # [B, S]
    lengths: NDArray[np.int16],  # [B]
    start: Ints,
    least: int,
    most: int,
    points: Ints,
    random: Random,
    scratch: Ints,
) -> None:
    """As many random openings as there are rows."""
    for row in range(states.shape[0]):
        lengths[row] = random_opening(states[row], moves[row], start, least, most, points, random, scratch)


@kernel
def find_wins(states: Ints, nodes: int, scratch: Ints, won: NDArray[np.bool_]) -> None:
    """Write to `won` [B] where the side to move wins by force, as far as so many nodes prove it."""
    for row in range(states.shape[0]):
        won[row] = find_win(states[row], nodes, scratch) != NO_MOVE
