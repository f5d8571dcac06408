"""Internal Symmetry Networks in plain Python: groups as sets of points, classes and rewards as Blair says."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

EMPTY, BLACK, WHITE = 0, 1, 2
UNIT = 2**-24  # sums over liberties are of whole numbers of these

Point = tuple[int, int]
Board = dict[Point, int]  # every point of the board, also the empty ones


def as_board(stones: NDArray[Any]) -> Board:
    return {(row, column): int(stones[row, column]) for row, column in np.ndindex(*stones.shape)}


def neighbours(board: Board, point: Point) -> list[Point]:
    row, column = point
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [near for near in around if near in board]


def group_of(board: Board, point: Point) -> set[Point]:
    group, waiting = {point}, [point]
    while waiting:
        fresh = {near for near in neighbours(board, waiting.pop()) if board[near] == board[point]} - group
        group |= fresh
        waiting += fresh
    return group


def liberties_of(board: Board, group: set[Point]) -> set[Point]:
    return {near for point in group for near in neighbours(board, point) if board[near] == EMPTY}


def plain_classes(stones: NDArray[Any], previous: NDArray[Any], *, by_count: bool = False) -> NDArray[np.uint8]:
    """[H, W]: the class of every point, for a board [H, W] and the outputs [7, H, W] before."""
    board = as_board(stones)
    classes = np.full(stones.shape, 12, np.uint8)
    for point, colour in board.items():
        if colour == EMPTY:
            continue
        liberties = liberties_of(board, group_of(board, point))
        if by_count:
            number = max(1, min(len(liberties), 6))
        else:
            territory = [float(previous[0][each]) for each in liberties]
            eyes = [float(previous[3 if colour == WHITE else 4][each]) for each in liberties]
            sum_a = sum(int(value / UNIT + 0.5) for value in eyes) * UNIT
            sum_z = sum(int(value / UNIT + 0.5) for value in territory) * UNIT
            number = plain_class(sum_a, sum_z if colour == WHITE else len(liberties) - sum_z)
        classes[point] = number - 1 + (0 if colour == WHITE else 6)
    return classes


def plain_class(sum_a: float, sum_z: float) -> int:
    """1 to 6, the list of section IV.B."""
    if sum_a < 0.75 and sum_z < 0.75:
        return 1
    if sum_a < 0.75 and 0.75 <= sum_z < 1.5:
        return 2
    if sum_a < 0.75 and sum_z >= 1.5:
        return 3
    if 0.75 <= sum_a < 1.5 and sum_z < 1.5:
        return 4
    if 0.75 <= sum_a < 1.5 and sum_z >= 1.5:
        return 5
    return 6


def plain_reward(state: int, outputs: NDArray[Any], c: float, s: float) -> float:
    """Of one point, from table III."""
    z, z_white, z_black, a_white_eye, a_black_eye, a_white, a_black = (float(value) for value in outputs)
    if state == EMPTY:
        one, zero = 2 * z - 1, a_white_eye - a_black_eye
    elif state == WHITE:
        one, zero = (2 + c) * z_white - (1 + c), c * (z_white - 1) - a_white
    else:
        one, zero = (2 + c) * z_black - 1, c * z_black + a_black
    return s * one + (1 - s) * zero


def plain_play(stones: NDArray[Any], point: Point, colour: int) -> tuple[NDArray[Any], int]:
    """The board after a move, and how many stones it captured; -1 if it would be suicide."""
    board = as_board(stones)
    board[point] = colour
    captured: set[Point] = set()
    for near in neighbours(board, point):
        if board[near] == BLACK + WHITE - colour:
            group = group_of(board, near)
            if not liberties_of(board, group):
                captured |= group
    for gone in captured:
        board[gone] = EMPTY
    if not liberties_of(board, group_of(board, point)):
        return stones, -1
    after = np.array([board[each] for each in sorted(board)], stones.dtype).reshape(stones.shape)
    return after, len(captured)


def plain_outputs(network: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """[7, H, W]: a feed-forward network cell by cell, from its whole kernels, for classes [H, W]."""
    hidden, shortcut, output = (
        layer.kernel().detach().double().numpy() for layer in (network.hidden, network.shortcut, network.output)
    )
    hidden_bias, output_bias = (
        layer.whole_bias().detach().double().numpy() for layer in (network.hidden, network.shortcut)
    )
    rows, columns = classes.shape
    wide = np.pad(classes, 1, constant_values=network.config.inputs - 1)
    units = np.zeros((len(hidden), rows + 2, columns + 2))
    answers = np.zeros((len(output), rows, columns))
    for row, column in np.ndindex(rows, columns):
        near = wide[row : row + 3, column : column + 3]
        total = sum(hidden[:, near[y, x], y, x] for y in range(3) for x in range(3))
        units[:, row + 1, column + 1] = np.tanh(hidden_bias + total)
    for row, column in np.ndindex(rows, columns):
        near = wide[row : row + 3, column : column + 3]
        total = sum(shortcut[:, near[y, x], y, x] for y in range(3) for x in range(3))
        total = total + np.einsum("oiyx,iyx->o", output, units[:, row : row + 3, column : column + 3])
        answers[:, row, column] = 1 / (1 + np.exp(-(output_bias + total)))
    return answers
