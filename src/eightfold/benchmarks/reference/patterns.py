"""Counting patterns the plain way: every legal point is coded anew at every move, for every template."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.games.contract import legal, play, reset, stones
from eightfold.games.state import SIDE


@kernel
def count_plainly(
    state: Ints,
    size: int,
    options: Ints,
    moves: Ints,
    starts: Ints,
    ends: Ints,
    points: NDArray[np.int32],  # [T, N * N, digits] of every template round every point; -1 where there is none
    base: Ints,  # [T] where the counts of a template begin
    matches: Ints,
    plays: Ints,
) -> None:
    """Add to matches and plays [all codes of all templates] what games show."""
    board = np.empty((size, size), np.int8)
    candidates = np.empty(size * size + 1, np.int64)
    for game in range(starts.shape[0]):
        reset(state, size, options)
        for ply in range(starts[game], ends[game]):
            move = moves[ply]
            if move < size * size:
                stones(state, board)
                for k in range(legal(state, candidates)):
                    if candidates[k] < size * size:
                        _count_point(
                            board, size, candidates[k], state[SIDE], candidates[k] == move, points, base, matches, plays
                        )
            play(state, move)


@kernel
def _count_point(
    board: NDArray[np.int8],
    size: int,
    point: int,
    side: int,
    played: bool,
    points: NDArray[np.int32],
    base: Ints,
    matches: Ints,
    plays: Ints,
) -> None:
    for template in range(points.shape[0]):
        if points[template, point, 0] >= 0:
            code, weight = Int(0), Int(1)
            for digit in range(points.shape[2]):
                other = points[template, point, digit]
                if other < 0:
                    break  # a smaller block than the largest
                stone = Int(board[other // size, other % size])
                if stone != 0:
                    code += weight if stone == side else 2 * weight
                weight *= 3
            matches[base[template] + code] += 1
            plays[base[template] + code] += Int(played)
