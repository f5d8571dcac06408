"""Swap2, the opening rule of tournaments: one side places three stones, the other chooses a colour or places two more.

The rule itself punishes an uneven opening, so this is enough: an opening that is neither won nor trivial, and after
that the question which colour stands better.
"""

from __future__ import annotations

import threading

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.protocols.engine import Engine
from eightfold.symmetry.group import destinations

# Three stones, black, white, black, as steps from the middle (rows, columns): loose shapes, none with two black
# stones side by side in the open.
OPENINGS = (
    ((-3, 0), (-2, 2), (0, -2)),
    ((-3, -3), (-1, -2), (1, 0)),
    ((0, -3), (2, -1), (3, 2)),
    ((-2, 3), (0, 2), (2, 1)),
    ((-3, 1), (0, 0), (2, -2)),
)
SWAP = "SWAP"


def open_swap2(engine: Engine, random: np.random.Generator) -> list[int]:
    """Three points for the first stones: one of a few shapes, in a random orientation."""
    size = engine.game.size
    middle = size // 2
    # Small boards have no room for the wide shapes: there they lie closer together.
    shape = np.clip(middle + np.array(OPENINGS[int(random.integers(len(OPENINGS)))]), 0, size - 1)  # [3, 2]
    symmetries = engine.game.symmetries
    moved = destinations(size)[symmetries[int(random.integers(len(symmetries)))]]
    return [int(moved[row * size + column]) for row, column in shape]


def answer_swap2(
    engine: Engine, *, since: float | None = None, stop: threading.Event | None = None
) -> tuple[str | int, float]:
    """White to move with three or five stones on the board: SWAP to take black, or a move; and white's value."""
    if len(engine.position.moves) not in (3, 5):
        raise EightfoldError(f"swap2 takes 0, 3 or 5 stones, not {len(engine.position.moves)}")
    result = engine.think(since=since, stop=stop)
    return (result.action if result.value >= 0 else SWAP), result.value
