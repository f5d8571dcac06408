"""Swap2 over the Gomocup protocol: what an engine answers to SWAP2BOARD. The rule: `eightfold.arena.openings.swap2`."""

from __future__ import annotations

import threading

import numpy as np

from eightfold.arena.openings.swap2 import MORE_STONES, STONES, TAKE_BLACK, choose_colour, judge_of, place_stones
from eightfold.core.errors import EightfoldError
from eightfold.protocols.engine import Engine

SWAP = "SWAP"


def open_swap2(engine: Engine, random: np.random.Generator) -> list[int]:
    """Three points for the first stones."""
    return place_stones(engine.game, random, judge_of(engine.player_text, engine.game))


def answer_swap2(
    engine: Engine, *, since: float | None = None, stop: threading.Event | None = None
) -> tuple[str | int, float]:
    """White to move with three or five stones on the board: SWAP to take black, or a move; and white's value."""
    if len(engine.position.moves) not in (STONES, MORE_STONES):
        raise EightfoldError(f"swap2 takes 0, 3 or 5 stones, not {len(engine.position.moves)}")
    result = engine.think(since=since, stop=stop)
    return (SWAP if choose_colour(result.value) == TAKE_BLACK else result.action), result.value
