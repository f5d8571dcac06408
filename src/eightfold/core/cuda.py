"""Kernels on a GPU: what `numba-cuda` must be told of Eightfold's helpers, and whether it is there.

A kernel is written once. Numba compiles it for the CPU; called from a function that numba-cuda compiles, the same
Python text becomes GPU code. Three things differ there and hide behind helpers: arrays for the time of a call
(`core/scratch.py`), bits of words (`core/bits.py`) and what the lanes of a warp do together (`core/lanes.py`). Here are
their forms for the GPU.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from eightfold.core import lanes as one_lane
from eightfold.core.bits import bits_set, lowest_bit
from eightfold.core.extras import is_installed
from eightfold.core.lanes import WARP, give_form
from eightfold.core.scratch import TYPES

EVERYONE = 0xFFFFFFFF  # the lanes that take part: all


def why_no_cuda() -> str:
    """Why kernels cannot run on a GPU here, in words; empty if they can."""
    if not is_installed("numba_cuda"):
        return "numba-cuda is not installed (the extra eightfold[cuda])"
    try:
        cuda: Any = importlib.import_module("numba.cuda")
        if cuda.is_available():
            return ""
    except Exception as trouble:  # whatever a driver may raise, or a NumPy that it does not know
        return f"numba-cuda finds no GPU: {str(trouble).strip().splitlines()[0]}"
    return "numba-cuda finds no GPU"


@functools.cache
def teach_cuda() -> Any:
    """The module `numba.cuda`, which from now on knows the helpers that kernels use."""
    cuda: Any = importlib.import_module("numba.cuda")
    _teach_scratch(cuda)
    _teach_bits(cuda)
    _teach_lanes(cuda)
    return cuda


def _teach_scratch(cuda: Any) -> None:
    types: Any = importlib.import_module("numba.cuda.types")
    overload: Any = importlib.import_module("numba.cuda.extending").overload

    def teach(function: Any, number: Any) -> None:
        def local(shape):  # type: ignore[no-untyped-def]
            sides = shape if isinstance(shape, types.BaseTuple) else (shape,)
            if not all(isinstance(side, types.IntegerLiteral) for side in sides):
                raise TypeError(f"{function.__name__} needs a constant shape on a GPU")
            sizes = tuple(side.literal_value for side in sides)
            return lambda shape: cuda.local.array(sizes, number)

        overload(function, prefer_literal=True, inline="always")(local)

    for function, number in TYPES.items():
        teach(function, number)


def _teach_bits(cuda: Any) -> None:
    overload: Any = importlib.import_module("numba.cuda.extending").overload
    overload(lowest_bit)(lambda word: lambda word: np.int64(cuda.ffs(word)) - 1)
    overload(bits_set)(lambda word: lambda word: np.int64(cuda.popc(word)))


def _lane_id() -> Any:
    """Reads the number of the lane where it is asked for, so that what follows from it is not kept in registers."""
    types: Any = importlib.import_module("numba.cuda.types")
    ir: Any = importlib.import_module("llvmlite.ir")

    @importlib.import_module("numba.cuda.extending").intrinsic
    def lane_id(typing):  # type: ignore[no-untyped-def]
        def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            asm = ir.InlineAsm(ir.FunctionType(ir.IntType(32), []), "mov.u32 $0, %laneid;", "=r", side_effect=True)
            return builder.call(asm, [])

        return types.int32(), code

    return lane_id


def _teach_lanes(cuda: Any) -> None:
    overload: Any = importlib.import_module("numba.cuda.extending").overload

    lane_id = _lane_id()

    def lane_of(lanes):  # type: ignore[no-untyped-def]
        return np.int64(0) if lanes == 1 else np.int64(lane_id())

    def wait_for_lanes(lanes):  # type: ignore[no-untyped-def]
        if lanes != 1:
            cuda.syncwarp()

    def from_first_lane(value, lanes):  # type: ignore[no-untyped-def]
        return value if lanes == 1 else cuda.shfl_sync(EVERYONE, value, 0)

    def from_lane(value, index, lanes):  # type: ignore[no-untyped-def]
        return value if lanes == 1 else cuda.shfl_sync(EVERYONE, value, index)

    def lanes_where(value, lanes):  # type: ignore[no-untyped-def]
        return np.int64(value) if lanes == 1 else np.int64(cuda.ballot_sync(EVERYONE, value)) & EVERYONE

    def how_many(value, lanes):  # type: ignore[no-untyped-def]
        return np.int64(value) if lanes == 1 else np.int64(cuda.popc(cuda.ballot_sync(EVERYONE, value)))

    def how_many_before(value, lanes):  # type: ignore[no-untyped-def]
        if lanes == 1:
            return np.int64(0)
        return np.int64(cuda.popc(np.int32(cuda.ballot_sync(EVERYONE, value) & cuda.lanemask_lt())))

    def added_up(value, lanes):  # type: ignore[no-untyped-def]
        if lanes != 1:
            step = WARP // 2
            while step > 0:
                value += cuda.shfl_xor_sync(EVERYONE, value, step)
                step //= 2
        return value

    def sum_before(value, lanes):  # type: ignore[no-untyped-def]
        if lanes == 1:
            return value - value  # 0, of its type
        lane, step, total = cuda.laneid, 1, value
        while step < WARP:
            other = cuda.shfl_up_sync(EVERYONE, total, step)
            if lane >= step:
                total += other
            step *= 2
        return total - value

    def largest_of(value, lanes):  # type: ignore[no-untyped-def]
        if lanes != 1:
            step = WARP // 2
            while step > 0:
                value = max(value, cuda.shfl_xor_sync(EVERYONE, value, step))
                step //= 2
        return value

    def index_of_largest(value, index, lanes):  # type: ignore[no-untyped-def]
        if lanes != 1:
            largest, step = value, WARP // 2
            while step > 0:
                largest = max(largest, cuda.shfl_xor_sync(EVERYONE, largest, step))
                step //= 2
            having = np.int64(cuda.ballot_sync(EVERYONE, value == largest)) & EVERYONE
            mine, index = index, cuda.shfl_sync(EVERYONE, index, np.int64(cuda.ffs(having)) - 1)
            having &= having - 1
            while having != 0:  # several are the largest, which is rare
                index = min(index, cuda.shfl_sync(EVERYONE, mine, np.int64(cuda.ffs(having)) - 1))
                having &= having - 1
        return index

    def count_up(counters, place):  # type: ignore[no-untyped-def]
        return cuda.atomic.add(counters, place, 1)

    forms = (count_up, lane_of, wait_for_lanes, from_first_lane, from_lane, lanes_where, how_many, how_many_before)
    for form in (*forms, added_up, sum_before, largest_of, index_of_largest):
        give_form(getattr(one_lane, form.__name__), form, overload)
