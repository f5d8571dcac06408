"""Bits of a word, inside kernels that run on a CPU and on a GPU: one instruction each.

A word is a 64-bit number that is not negative. Without Numba the bodies below are what runs; Numba's compiler for the
CPU gets LLVM's own operations for them here, that for the GPU gets its forms in `eightfold.core.cuda`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import extending, types


def lowest_bit(word: int) -> int:
    """The place of the lowest bit that is set; there must be one."""
    return (int(word) & -int(word)).bit_length() - 1


def bits_set(word: int) -> int:
    """How many bits are set."""
    return int(word).bit_count()


def _trailing(context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))  # it is never asked for 0

    return types.int64(types.int64), generate


def _population(context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


_trailing_zeros: Any = extending.intrinsic(_trailing)
_population_count: Any = extending.intrinsic(_population)


@extending.overload(lowest_bit, target="cpu")
def _lowest_bit(word):  # type: ignore[no-untyped-def]
    return lambda word: _trailing_zeros(np.int64(word))


@extending.overload(bits_set, target="cpu")
def _bits_set(word):  # type: ignore[no-untyped-def]
    return lambda word: _population_count(np.int64(word))
