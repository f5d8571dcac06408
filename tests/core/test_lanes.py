"""Helpers of kernels that also run on a GPU, in their form for one lane: compiled, and as plain Python."""

from __future__ import annotations

import numpy as np

from eightfold.core.jit import Ints, kernel
from eightfold.core.lanes import (
    added_up,
    count_up,
    from_first_lane,
    index_of_largest,
    lane_of,
    largest_of,
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
    return counters[1, 2]


def test_one_lane_is_alone():
    for function in (gather, getattr(gather, "py_func", gather)):
        out = np.zeros(6, np.int64)
        assert function(np.array([3, 1, 4, 1, 5, 9, 2]), out) == 6
        assert out.tolist() == [5, 9, 3, 0, 1, 5]


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
