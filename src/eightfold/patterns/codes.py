"""A pattern as a number (Wei et al., equation 1): the sum of digit * 3^place, each digit 0 empty, 1 own, 2 opponent.

"Own" is the side to move, so a shape has one code whichever colour plays it. A symmetry permutes digits, and a digit
adds to a code by itself whatever the others are: so the code of a turned pattern is the sum of two table entries, one
for its low eight digits and one for its high ones. That makes it cheap to take the smallest code of all equivalent
ones, the canonical code, for every pattern that is read, which Wei et al. (section 4.2) avoid as too slow.

    >>> centre = code_tables("3x3-centre")
    >>> code = encode_digits([2, 0, 0, 0, 0, 0, 0, 1])
    >>> code, canonical(centre, code), len(orbit("3x3-centre", code))
    (2189, 261, 4)
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.patterns.templates import TEMPLATES, frames, reference

EMPTY, OWN, OPPONENT = 0, 1, 2
LOW = 3**8  # the low eight digits; the high ones are what is left
LOW_DIGITS = 8


class CodeTables(NamedTuple):
    """How codes of one template change. [S, LOW] and [S, codes / LOW]; the last row swaps the colours."""

    low: Ints
    high: Ints


def permute_digits(digits: Ints, target: Ints) -> Ints:
    """[K]: the codes of rows of digits [K, D] when digit d becomes digit target[d]."""
    return digits @ (3**target)


def digits_of(codes: NDArray[np.integer], digits: int) -> Ints:
    """[K, digits]: the digits of codes [K], the lowest first."""
    return np.asarray(codes, np.int64)[:, None] // 3 ** np.arange(digits) % 3


def encode_digits(digits: Iterable[int]) -> int:
    """The code of digits, the lowest first."""
    listed = list(digits)
    if any(digit not in (EMPTY, OWN, OPPONENT) for digit in listed):
        raise EightfoldError(f"the digits of a pattern are 0 (empty), 1 (own) and 2 (opponent), not {listed}")
    return sum(int(digit) * 3**place for place, digit in enumerate(listed))


@functools.lru_cache(maxsize=64)
def code_tables(template_name: str) -> CodeTables:
    """For `permuted` and `canonical`: a row for every frame of the template, and one more that swaps the colours."""
    template = TEMPLATES[template_name]
    turns = frames(template)  # [S, D]
    high_digits = template.digits - LOW_DIGITS
    low = digits_of(np.arange(LOW), LOW_DIGITS)
    high = digits_of(np.arange(3**high_digits), high_digits)
    places = np.arange(template.digits)
    swap = np.array((EMPTY, OPPONENT, OWN), np.int64)
    tables = CodeTables(
        low=np.array(
            [
                *(permute_digits(low, turn[:LOW_DIGITS]) for turn in turns),
                permute_digits(swap[low], places[:LOW_DIGITS]),
            ]
        ),
        high=np.array(
            [
                *(permute_digits(high, turn[LOW_DIGITS:]) for turn in turns),
                permute_digits(swap[high], places[LOW_DIGITS:]),
            ]
        ),
    )
    for table in tables:
        table.flags.writeable = False
    return tables


@kernel
def permuted(tables: CodeTables, row: int, code: int) -> int:
    """A code seen in another frame; the last row of the tables swaps the colours instead."""
    return tables.low[row, code % LOW] + tables.high[row, code // LOW]


@kernel
def canonical(tables: CodeTables, code: int) -> int:
    """The smallest code of the patterns that are the same up to a symmetry, in the frame of the class."""
    best = permuted(tables, 0, code)
    for row in range(1, tables.low.shape[0] - 1):
        best = min(best, permuted(tables, row, code))
    return best


@kernel
def swapped(tables: CodeTables, code: int) -> int:
    """The code of the same stones for the other side to move."""
    return permuted(tables, tables.low.shape[0] - 1, code)


def canonical_codes(template_name: str, codes: NDArray[np.integer]) -> Ints:
    """[K]: the canonical codes of codes [K], without compiling anything: for look-ups of a few."""
    tables, known = code_tables(template_name), np.asarray(codes, np.int64)
    least: Ints = (tables.low[:-1, known % LOW] + tables.high[:-1, known // LOW]).min(axis=0)
    return least


def orbit(template_name: str, code: int) -> list[int]:
    """All codes of the class's reference that are the same as this code of a template, ascending."""
    digits = digits_of(np.array([code]), TEMPLATES[template_name].digits)
    return sorted({int(permute_digits(digits, turn)[0]) for turn in frames(TEMPLATES[template_name])})


# ---- equivalence classes ----------------------------------------------------------------------------


@kernel
def _count_canonical(tables: CodeTables) -> int:
    found = 0
    for code in range(LOW * tables.high.shape[1]):
        found += canonical(tables, code) == code
    return found


def count_by_enumeration(pattern_class: str) -> int:
    """How many patterns differ by more than a symmetry: the codes that are the smallest of their orbit."""
    return int(_count_canonical(code_tables(reference(pattern_class).name)))


def count_by_burnside(pattern_class: str) -> int:
    """The same number as the mean, over all eight symmetries, of the patterns that each leaves as they are.

    A symmetry that moves the anchor elsewhere leaves none; the others permute digits, and every cycle of digits is free
    to hold one of three values.
    """
    turns = frames(reference(pattern_class))
    return sum(3 ** _cycles(turn) for turn in turns) // len(turns)


def _cycles(permutation: Ints) -> int:
    seen, cycles = set[int](), 0
    for start in range(len(permutation)):
        if start not in seen:
            cycles += 1
            while start not in seen:
                seen.add(start)
                start = int(permutation[start])
    return cycles


def count_placed(pattern_class: str) -> int:
    """Patterns in all orientations on a board: every image of the block under the eight symmetries, times its codes."""
    template = reference(pattern_class)
    return 8 // len(frames(template)) * template.codes
