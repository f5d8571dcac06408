"""What the lanes of a GPU's warp do together, with a form for one lane.

On a GPU 32 lanes may work on one tree: each takes every 32nd edge, and then they compare. A kernel that can do so takes
`lanes`, how many of them there are: WARP, or 1 for a lane that works alone. With one lane every function here is
trivial, and that is all there is on a CPU, where the same kernels run in tests and in games of their own.

    for edge in range(first + lane_of(lanes), first + count, lanes):
        ...
    best = index_of_largest(urgency, best, lanes)

Conditions are counted by one instruction, sums of numbers take five rounds. All lanes of a warp must come to such a
call together. `eightfold.core.cuda` has the form for 32 lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba.extending import overload

from eightfold.core.jit import kernel

WARP = 32


def lane_of(lanes: int) -> int:
    """The number of this lane, from 0."""
    return 0


def wait_for_lanes(lanes: int) -> None:
    """Go on when all lanes are here; then each sees what the others have written."""


def from_first_lane(value: Any, lanes: int) -> Any:
    """What the first lane has for a value, a 64-bit number."""
    return value


def from_lane(value: Any, index: int, lanes: int) -> Any:
    """What the lane of that number has for a value."""
    return value


def lanes_where(value: bool, lanes: int) -> int:
    """The lanes in which a condition holds, as bits."""
    return int(value)


def how_many(value: bool, lanes: int) -> int:
    """In how many lanes a condition holds."""
    return int(value)


def how_many_before(value: bool, lanes: int) -> int:
    """In how many of the lanes before this one it does."""
    return 0


def added_up(value: Any, lanes: int) -> Any:
    """The sum of the values of all lanes, in an order that is always the same."""
    return value


def sum_before(value: int, lanes: int) -> int:
    """The sum of the values of the lanes before this one."""
    return 0


def largest_of(value: Any, lanes: int) -> Any:
    """The largest of the values."""
    return value


def index_of_largest(value: float, index: int, lanes: int) -> int:
    """The index that comes with the largest value; of equal values the smallest index."""
    return index


def count_up(counters: Any, place: int) -> Any:
    """Add 1 to one of some counters, though others may do so at the same time; what it was before."""
    before = counters[place]
    counters[place] += 1
    return before


@kernel
def share_rows(size: int, lanes: int) -> tuple[int, int, int]:
    """How lanes share a board: how many rows they take at once, and this lane's first row and its column.

        rows, top, left = share_rows(size, lanes)
        row = top
        while row < size:
            for column in range(left, size, lanes):
                ...
            row += rows

    (A range whose step is no constant begins with a division, which takes a GPU long.) Lanes that are left over get a
    row beyond the board. The points of a round are in the order of the lanes.
    """
    rows, lane = max(lanes // size, 1), lane_of(lanes)
    return rows, lane // size if lane < rows * size else size, lane % size


def give_form(function: Callable[..., Any], form: Callable[..., Any], overload: Callable[..., Any]) -> None:
    """Tell a compiler, through its `overload`, what one of the functions above is to it."""
    arguments = function.__code__.co_argcount
    if function is count_up:
        overload(function)(lambda counters, place: form)
    elif arguments == 1:
        overload(function)(lambda lanes: form)
    elif arguments == 2:
        overload(function)(lambda value, lanes: form)
    else:
        overload(function)(lambda value, index, lanes: form)


def _count_up(counters, place):  # type: ignore[no-untyped-def]
    before = counters[place]
    counters[place] += 1
    return before


_FORMS: dict[Callable[..., Any], Callable[..., Any]] = {  # the bodies above, as Numba wants them
    lane_of: lambda lanes: 0,
    wait_for_lanes: lambda lanes: None,
    from_first_lane: lambda value, lanes: value,
    from_lane: lambda value, index, lanes: value,
    lanes_where: lambda value, lanes: np.int64(value),
    how_many: lambda value, lanes: np.int64(value),
    how_many_before: lambda value, lanes: 0,
    added_up: lambda value, lanes: value,
    sum_before: lambda value, lanes: 0,
    largest_of: lambda value, lanes: value,
    index_of_largest: lambda value, index, lanes: index,
    count_up: _count_up,
}
for _function, _form in _FORMS.items():
    give_form(_function, _form, partial(overload, target="cpu"))
