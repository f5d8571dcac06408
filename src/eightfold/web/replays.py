"""A game of a run as the page replays it. The page knows no rules, so it is told what every move changes."""

from __future__ import annotations

import functools
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.games.game import make_game

KEPT = 500  # games that are not replayed again


@functools.lru_cache(maxsize=KEPT)
def replay_message(text: str, moves: tuple[int, ...]) -> dict[str, Any]:
    """The stones at the start of a game, and what every move changes on the board: [point, what lies there now]."""
    try:
        position = make_game(text).start()
        start = stones = position.stones.ravel()
        changes = []
        for move in moves:
            position = position.play(move)
            before, stones = stones, position.stones.ravel()
            changes.append([[int(point), int(stones[point])] for point in (before != stones).nonzero()[0]])
    except EightfoldError as error:  # a user's own game that the server was not started with, say
        return {"error": str(error)}
    return {"start": "".join(map(str, start.tolist())), "changes": changes}
