"""The time for one move of a game on a clock: what a move usually gets, and what a hard one may take.

A clock has time for all moves of a game, so what one move leaves another may use. A plain number of seconds, as
`think(seconds=2)`, is for this move alone: there is nothing to save it for. Read next: `limits.py`, then
`pace.py`, which decides between the two times.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class MoveTime:
    """Seconds, from the moment in which the thinking begins."""

    usual: float
    most: float  # at least the usual time

    def less(self, seconds: float) -> MoveTime:
        """What is left when so many seconds have passed already.

        >>> MoveTime(usual=2.0, most=6.0).less(3.0)
        MoveTime(usual=0.0, most=3.0)
        """
        return MoveTime(usual=max(0.0, self.usual - seconds), most=max(0.0, self.most - seconds))


Seconds = float | MoveTime  # what `think` takes
