"""How a player assesses a position, as a message to the page while it thinks."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightfold.search.result import SearchResult
from eightfold.web.session import Session


def assessment(session: Session, node: int, result: SearchResult, seconds: float) -> dict[str, Any]:
    """The message for one node of the game tree."""
    points = session.game.points  # a pass has a field of its own
    return {
        "type": "analysis",
        "node": node,
        "action": int(result.action),
        "value": round(session.black_value(node, result.value), 4),
        "policy": [round(float(p), 4) for p in result.policy[:points]],
        "visits": None if result.visits is None else [int(n) for n in result.visits[:points]],
        "values": None if result.values is None else [_finite(v) for v in result.values[:points]],
        "scores": None if result.scores is None else [_finite(s) for s in result.scores[:points]],
        "pass": None if len(result.policy) == points else round(float(result.policy[points]), 4),
        "lines": _lines(result),
        "effort": int(result.effort if result.visits is None else result.visits.sum()),
        "depth": int(result.depth),
        "seconds": round(seconds, 2),
    }


def _lines(result: SearchResult) -> list[list[int]]:
    """The expected continuations: after the best move, then after the others that were searched."""
    best = list(map(int, result.principal_variation))
    others = [list(map(int, line)) for line in result.variations if line[0] != result.action]
    return [best, *others] if best else others


def _finite(value: Any) -> float | None:
    number = float(value)
    return round(number, 3) if np.isfinite(number) else None
