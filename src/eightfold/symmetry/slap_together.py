"""SLAP and SLAP-CC of a position by the lanes of a warp: the same as `slap.py` and `slap_cc.py`, for a GPU.

In tensor operations a batch takes some thirty of them, one after another, and when positions are few a GPU takes longer
to begin each than to do it. Here it is one kernel on the way in and one on the way back, a warp for each position.

Shapes: B batch, C planes, N board size, P points (N * N), A actions, K symmetries of the game.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.bits import bits_set, lowest_bit
from eightfold.core.jit import Ints, kernel
from eightfold.core.lanes import from_lane, lane_of, lanes_where, largest_of


@kernel
def make_canonical(
    position: int,
    lanes: int,
    room: Ints,
    planes: NDArray[np.float32],  # [B, C, P]
    table: Ints,  # [K, P]: from where each point comes
    canonical: NDArray[np.float32],  # [B, C, P]
    frames: Ints,  # [B]: bit k is set if symmetry k leads to the canonical variant
) -> None:
    frame = _frame_of(planes[position], table, lanes)
    chosen = lowest_bit(frame)
    for plane in range(planes.shape[1]):
        for point in range(lane_of(lanes), table.shape[1], lanes):
            canonical[position, plane, point] = planes[position, plane, table[chosen, point]]
    if lane_of(lanes) == 0:
        frames[position] = frame


@kernel
def _frame_of(stack: NDArray[np.float32], table: Ints, lanes: int) -> int:
    """The symmetries whose variants are the largest, first number first; lanes look at a number each."""
    frame, plane = (1 << table.shape[0]) - 1, 0
    while plane < stack.shape[0] and frame & (frame - 1) != 0:
        first = 0
        while first < table.shape[1] and frame & (frame - 1) != 0:
            point, kept = first + lane_of(lanes), frame
            if point < table.shape[1]:
                kept = _largest_at(stack[plane], table, point, frame)
            different = lanes_where(kept != frame, lanes)
            if different == 0:
                first += lanes
            else:  # the first number decides; those behind it are looked at again, by whoever is left
                frame = from_lane(kept, lowest_bit(different), lanes)
        plane += 1
    return frame


@kernel
def _largest_at(values: NDArray[np.float32], table: Ints, point: int, frame: int) -> int:
    """Of the symmetries in a frame those whose variants have the largest number at a point."""
    kept, largest = 0, np.float32(0)
    for k in range(table.shape[0]):
        if frame >> k & 1:
            value = values[table[k, point]]
            if kept == 0 or value > largest:
                kept, largest = 1 << k, value
            elif value == largest:
                kept |= 1 << k
    return kept


@kernel
def bring_back(
    position: int,
    lanes: int,
    room: Ints,
    policies: NDArray[np.float32],  # [B, A], for canonical variants
    frames: Ints,  # [B]
    table: Ints,  # [K, A]: from where each action comes when a policy is turned back
    answers: NDArray[np.float32],  # [B, A], for the board
) -> None:
    """The mean of a policy over the symmetries of its frame, turned back."""
    frame = frames[position]
    members = np.float32(bits_set(frame))
    for action in range(lane_of(lanes), table.shape[1], lanes):
        total = np.float32(0)
        for k in range(table.shape[0]):
            if frame >> k & 1:
                total += policies[position, table[k, action]]
        answers[position, action] = total / members


@kernel
def centre_stones(
    position: int,
    lanes: int,
    room: Ints,
    planes: NDArray[np.float32],  # [B, C, P], the stones first
    size: int,
    centred: NDArray[np.float32],  # [B, 4, P]: both sides' stones in the middle, the row and the column of each point
) -> None:
    last = size - 1
    top, left, bottom, right = -1, -1, -1, -1  # the first two from the other end
    for point in range(lane_of(lanes), size * size, lanes):
        if planes[position, 0, point] != 0 or planes[position, 1, point] != 0:
            row, column = point // size, point % size
            top, bottom = max(top, last - row), max(bottom, row)
            left, right = max(left, last - column), max(right, column)
    top, bottom = largest_of(top, lanes), largest_of(bottom, lanes)
    left, right = largest_of(left, lanes), largest_of(right, lanes)
    down = (top - bottom) // 2 if bottom >= 0 else 0  # an empty board is not shifted
    aside = (left - right) // 2 if right >= 0 else 0
    scale = max(last, 1)
    for point in range(lane_of(lanes), size * size, lanes):
        row, column = (point // size - down) % size, (point % size - aside) % size
        source = row * size + column
        centred[position, 0, point] = planes[position, 0, source]
        centred[position, 1, point] = planes[position, 1, source]
        centred[position, 2, point] = 1.0 - 2.0 * row / scale
        centred[position, 3, point] = 1.0 - 2.0 * column / scale
