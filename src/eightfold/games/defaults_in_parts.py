"""A look for a win that never pauses, for games that have no other: they are done with it at once."""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.games.contract import find_win_together


@kernel
def find_win_in_parts(state: Ints, nodes: int, part: int, begun: bool, scratch: Ints, lanes: int) -> int:
    return find_win_together(state, nodes, scratch, lanes)
