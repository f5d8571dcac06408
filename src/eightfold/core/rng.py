"""Random numbers inside kernels: xorshift64* (Vigna, 2016), one 64-bit word of state in an array.

All arithmetic is unsigned and leaves as a signed integer: Numba turns a mixture of the two into a float.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import kernel

Random = NDArray[np.uint64]  # [1]

_TWELVE, _TWENTY_FIVE, _TWENTY_SEVEN, _HALF = np.uint64(12), np.uint64(25), np.uint64(27), np.uint64(32)
_SCRAMBLE = np.uint64(0x2545F4914F6CDD1D)


def make_random(*seed: int) -> Random:
    """A generator for kernels; equal numbers give equal sequences."""
    state = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    return np.maximum(state, np.uint64(1))  # zero is the one state that xorshift never leaves


@kernel
def random_below(random: Random, bound: int) -> np.int64:
    """A number from 0 to bound - 1, each as likely as the others (to one part in 2^32 / bound)."""
    word = random[0]
    word ^= word >> _TWELVE
    word ^= word << _TWENTY_FIVE
    word ^= word >> _TWENTY_SEVEN
    random[0] = word
    return np.int64(((word * _SCRAMBLE) >> _HALF) * np.uint64(bound) >> _HALF)


@kernel
def random_unit(random: Random) -> float:
    """A number between 0 and 1, neither of them itself."""
    return (np.float64(random_below(random, 1 << 32)) + 0.5) / 4294967296.0


@kernel
def random_normal(random: Random) -> float:
    """A number of the standard normal distribution (Box & Muller)."""
    return math.sqrt(-2 * math.log(random_unit(random))) * math.cos(2 * math.pi * random_unit(random))


@kernel
def random_word(random: Random) -> np.uint64:
    """A state for another generator."""
    random_below(random, 1)
    word = random[0] * _SCRAMBLE
    return word ^ (word >> _HALF) | np.uint64(1)
