"""Swap2 over the Gomocup protocol: what an engine answers to SWAP2BOARD. The rule: `eightfold.arena.openings.swap2`."""

from __future__ import annotations

import threading
import time

import numpy as np

from eightfold.arena.openings.swap2 import MORE_STONES, STONES, TAKE_BLACK, choose_colour, judge_of, place_stones
from eightfold.core.errors import EightfoldError
from eightfold.protocols.engine import Engine

SWAP = "SWAP"
JUDGING = 1.0  # seconds, within which a network can be opened and has judged some hundred openings


def open_swap2(engine: Engine, random: np.random.Generator) -> list[int]:
    """Three points for the first stones, balanced by a network where there is one and the clock leaves time for it."""
    begun, allowed = time.perf_counter(), engine.clock.allowed()
    hurried = allowed is not None and allowed.usual < JUDGING
    points = place_stones(engine.game, random, None if hurried else judge_of(engine.player_text, engine.game))
    engine.clock.add_move(time.perf_counter() - begun)
    return points


def answer_swap2(
    engine: Engine, *, since: float | None = None, stop: threading.Event | None = None
) -> tuple[str | int, float]:
    """White to move with three or five stones on the board: SWAP to take black, or a move; and white's value."""
    if len(engine.position.moves) not in (STONES, MORE_STONES):
        raise EightfoldError(f"swap2 takes 0, 3 or 5 stones, not {len(engine.position.moves)}")
    result = engine.think(since=since, stop=stop)
    return (SWAP if choose_colour(result.value) == TAKE_BLACK else result.action), result.value
