"""What a page is told of a player's thinking, while it thinks."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightfold.search.result import SearchResult
from eightfold.web.session import Session


def opinion(session: Session, node: int, result: SearchResult, seconds: float) -> dict[str, Any]:
    """The message for one node."""
    points = session.game.points  # a pass is told apart from them
    return {
        "type": "analysis",
        "node": node,
        "action": int(result.action),
        "value": round(session.for_black(node, result.value), 4),
        "policy": [round(float(p), 4) for p in result.policy[:points]],
        "visits": None if result.visits is None else [int(n) for n in result.visits[:points]],
        "values": None if result.values is None else [_number(v) for v in result.values[:points]],
        "scores": None if result.scores is None else [_number(s) for s in result.scores[:points]],
        "pass": None if len(result.policy) == points else round(float(result.policy[points]), 4),
        "lines": _lines(result),
        "effort": int(result.effort if result.visits is None else result.visits.sum()),
        "depth": int(result.depth),
        "seconds": round(seconds, 2),
    }


def _lines(result: SearchResult) -> list[list[int]]:
    """How the game is expected to go on: after the best move, then after the others that were looked at."""
    best = list(map(int, result.principal_variation))
    others = [list(map(int, line)) for line in result.variations if line[0] != result.action]
    return [best, *others] if best else others


def _number(value: Any) -> float | None:
    number = float(value)
    return round(number, 3) if np.isfinite(number) else None
