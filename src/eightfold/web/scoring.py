"""The score of a finished game that is decided by points, as the page shows it.

After two passes everybody may mark groups as dead. The score follows every click, and somebody agrees to it. Where
no person plays, every stone counts as alive: that is how programs play.
"""

from __future__ import annotations

from typing import Any

from eightfold.games.game import Position
from eightfold.games.points import Count, count


def toggle_dead(position: Position, dead: tuple[int, ...], action: int) -> tuple[int, ...]:
    """The dead stones after a click on a group: alive if it was dead, dead if it was alive."""
    group = set(count(position, dead=[action]).dead)
    return tuple(sorted(set(dead) - group if action in dead else set(dead) | group))


def score_message(counted: Count, *, agreed: bool) -> dict[str, Any]:
    return {
        "black": counted.black,
        "white": counted.white,
        "text": counted.text,
        "scoring": counted.scoring,
        "ownership": "".join(map(str, counted.owners.reshape(-1).tolist())),
        "dead": list(counted.dead),
        "agreed": agreed,
    }
