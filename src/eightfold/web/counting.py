"""What a page shows of a game that is decided by points: prisoners, the ko, and the count with its dead stones.

After two passes everybody may mark groups as dead; the count follows every click, and somebody agrees to it. Where no
person plays there is nobody to ask, and every stone counts as alive, which is how programs play.
"""

from __future__ import annotations

from typing import Any

from eightfold.games.game import Position
from eightfold.games.points import Count, count


def counts_points(position: Position) -> bool:
    return position.game.counts_points


def toggled(position: Position, dead: tuple[int, ...], action: int) -> tuple[int, ...]:
    """The dead stones after a click on one of a group: alive if it was dead, dead if it was alive."""
    group = set(count(position, dead=[action]).dead)
    return tuple(sorted(set(dead) - group if action in dead else set(dead) | group))


def as_dict(counted: Count, *, agreed: bool) -> dict[str, Any]:
    return {
        "black": counted.black,
        "white": counted.white,
        "text": counted.text,
        "scoring": counted.scoring,
        "owners": "".join(map(str, counted.owners.reshape(-1).tolist())),
        "dead": list(counted.dead),
        "agreed": agreed,
    }
