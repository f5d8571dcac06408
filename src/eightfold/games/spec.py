"""What a game says of itself besides its kernels: its name, its options, its encoders.

A game module has one `GAME = Family(...)`; `eightfold.games.game` makes games of a family from a text.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from eightfold.core.specs import Value


@dataclass(frozen=True, kw_only=True)
class Family:
    name: str
    summary: str
    options: type  # a dataclass of settings, `size` among them
    state_length: Callable[[int], int]  # board size -> length of a state row
    encoders: Mapping[str, int]  # name -> number of planes; its place in the order is its number
    complete: Callable[[dict[str, Value]], tuple[int, int, int]] = lambda values: (0, 0, 0)
    """Check the values of the options, fill in what depends on others, give the three numbers for `reset`."""
    has_pass: bool = False
    mild: frozenset[str] = frozenset()  # options in which a network may meet other values than it was trained with
    letters: str = string.ascii_lowercase  # of the columns, in names of moves
