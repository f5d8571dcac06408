"""Helpers of kernels that also run on a GPU, in their form for one lane, compiled and as plain Python, and for 32."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.core.bits import bits_set, lowest_bit
from eightfold.core.jit import Ints, kernel
from eightfold.core.lanes import (
    WARP,
    added_up,
    count_up,
    from_first_lane,
    from_lane,
    how_many,
    how_many_before,
    index_of_largest,
    lane_of,
    lanes_where,
    largest_of,
    share_rows,
    sum_before,
    wait_for_lanes,
)
from eightfold.core.scratch import scratch_bytes, scratch_floats, scratch_ints

ROOM = 7


@kernel
def gather(values: Ints, out: Ints) -> int:
    """What a warp would do with the values, each lane with every 32nd."""
    kept, best, counters = scratch_ints(ROOM), 0, scratch_ints((2, 3))
    counters[1, 2] = 5
    for k in range(lane_of(1), len(values), 1):
        kept[k] = values[k]
        if kept[k] > kept[best]:
            best = k
    wait_for_lanes(1)
    out[0] = index_of_largest(float(kept[best]), best, 1)
    out[1] = largest_of(kept[best], 1)
    out[2] = added_up(kept[0], 1)
    out[3] = sum_before(kept[0], 1)
    out[4] = from_first_lane(kept[1], 1)
    out[5] = count_up(counters[1], 2)
    out[6] = from_lane(kept[2], 0, 1)
    out[7] = lanes_where(kept[3] == 1, 1) + 10 * lanes_where(kept[3] == 2, 1)
    out[8] = how_many(kept[3] == 1, 1) + 10 * how_many_before(kept[3] == 1, 1)
    out[9], out[10], out[11] = share_rows(5, 1)
    return counters[1, 2]


def test_one_lane_is_alone():
    for function in (gather, getattr(gather, "py_func", gather)):
        out = np.zeros(12, np.int64)
        assert function(np.array([3, 1, 4, 1, 5, 9, 2]), out) == 6
        assert out.tolist() == [5, 9, 3, 0, 1, 5, 4, 1, 1, 1, 0, 0]


@kernel
def halve() -> float:
    small, fractions = scratch_bytes(ROOM), scratch_floats(ROOM)
    small[3] = 127
    fractions[0] = small[3] / 2
    return fractions[0]


def test_scratch_arrays_hold_their_kind_of_number():
    assert halve() == 63.5
    assert scratch_ints((2, 3)).shape == (2, 3)
    assert scratch_bytes(4).dtype == np.int8
    assert scratch_floats(4).dtype == np.float64


FOUND = 14  # numbers that `compare` writes down


@kernel
def compare(row: int, lanes: int, room: Ints, values: Ints, fractions, counters: Ints, found: Ints) -> None:
    """What every lane of a warp learns from the others: all in one row [lanes] of values, each lane its own."""
    lane = lane_of(lanes)
    mine, share = values[row, lane], fractions[row, lane]
    room[lane] = mine
    wait_for_lanes(lanes)
    out = found[row]
    out[0, lane] = room[lanes - 1 - lane]  # which another lane has written
    out[1, lane] = from_first_lane(mine, lanes)
    out[2, lane] = from_lane(mine, 5, lanes)
    out[3, lane] = added_up(mine, lanes)
    out[4, lane] = sum_before(mine, lanes)
    out[5, lane] = largest_of(mine, lanes)
    out[6, lane] = index_of_largest(share, lane, lanes)
    out[7, lane] = lanes_where(mine > 0, lanes)
    out[8, lane] = how_many(mine > 0, lanes)
    out[9, lane] = how_many_before(mine > 0, lanes)
    out[10, lane] = round(8 * added_up(share, lanes))
    out[11, lane] = lowest_bit(abs(mine))
    out[12, lane] = bits_set(abs(mine))
    out[13, lane] = count_up(counters, row)


@pytest.mark.gpu(kernels=True)
def test_on_a_gpu_the_lanes_of_a_warp_learn_from_each_other():
    from eightfold.core.cuda_machine import CudaMachine

    rows, random, machine = 7, np.random.default_rng(1), CudaMachine()
    values = random.integers(-(2**40), 2**40, (rows, WARP))
    values[3] = 1 + np.arange(WARP) % 2  # the largest in several lanes
    fractions = random.integers(0, 6, (rows, WARP)) / 8  # the largest in several lanes, and sums are exact
    given = [machine.zeros(each.shape, each.dtype) for each in (values, fractions)]
    for array, content in zip(given, (values, fractions), strict=True):
        machine.write(array, content)
    counters, found = machine.zeros((rows,), np.int64), machine.zeros((rows, FOUND, WARP), np.int64)
    machine.run(compare, rows, WARP, *given, counters, found)
    out, positive = machine.read(found), values > 0
    every = np.ones(WARP, np.int64)
    bits = (positive * (1 << np.arange(WARP))).sum(axis=1)
    expected = [
        values[:, ::-1],
        values[:, :1] * every,
        values[:, 5:6] * every,
        values.sum(axis=1)[:, None] * every,
        np.cumsum(values, axis=1) - values,
        values.max(axis=1)[:, None] * every,
        fractions.argmax(axis=1)[:, None] * every,
        bits[:, None] * every,
        positive.sum(axis=1)[:, None] * every,
        np.cumsum(positive, axis=1) - positive,
        np.rint(8 * fractions.sum(axis=1))[:, None] * every,
        [[(value & -value).bit_length() - 1 for value in row] for row in values.tolist()],
        [[abs(value).bit_count() for value in row] for row in values.tolist()],
    ]
    for number, wanted in enumerate(expected):
        np.testing.assert_array_equal(out[:, number], wanted, str(number))
    np.testing.assert_array_equal(np.sort(out[:, FOUND - 1], axis=1), np.tile(np.arange(WARP), (rows, 1)))
    np.testing.assert_array_equal(machine.read(counters), WARP)


@kernel
def look_at(word: int, out: Ints) -> None:
    out[0], out[1] = lowest_bit(word), bits_set(word)


def test_bits_of_a_word():
    random, out = np.random.default_rng(4), np.zeros(2, np.int64)
    for word in [
        1,
        1 << 62,
        *(int(each) for each in random.integers(1, 1 << 62, 50) << random.integers(0, 30, 50) >> 8),
    ]:
        if word > 0:
            expected = [len(bin(word)) - len(bin(word).rstrip("0")), bin(word).count("1")]
            for function in (look_at, getattr(look_at, "py_func", look_at)):
                function(word, out)
                assert out.tolist() == expected
