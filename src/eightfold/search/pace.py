"""How long a move deserves: an obvious one is played before its time is up, a hard one gets more than usual.

A search that counts visits asks `Pace.enough` between two pieces of its work:

    the only move left       is played at once; what is proven ends the search by itself
    no other can catch up    the lead in visits is more than the visits that the time left will bring
    clear                    after a fair share of the time most visits go to one move, and no rival is worth more
    hard                     the most visited move is a new one, is worth less than a rival, or is worth much less than
                             was expected a move ago: the search goes on beyond the usual time, to the most

The last two are for moves on a clock (`MoveTime`): a time for this move alone has nothing to be saved for, but nobody
likes to wait for a move that is certain. Baier & Winands (2016) compare such rules; the second is their STOP,
the last goes back to their UNST.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.search.limits import Limits

LOOKS = 4  # pieces of work before a rate of visits is believed
HASTE = 1.3  # the time left may bring so many times more visits than the time before it
FAIR = 0.25  # share of the usual time after which a clear move may be played
CLEAR = 0.85  # share of the visits that makes a move clear
RIVAL = 0.25  # a move with this share of the most visited one's visits is a rival by its value
BETTER = 0.02  # and is worth more if it is by so much, on the scale from -1 to 1
LATELY = 0.3  # share of the usual time for which a new best move is new
DROP = 0.15  # a value so much below what was expected makes a move hard


class Standing(NamedTuple):
    """What a search knows of its root. A actions."""

    visits: NDArray[Any]  # [A], 0 for what is proven to lose
    values: NDArray[np.float32]  # [A] for the side to move; nan where nobody looked
    total: int  # visits of the root, all of them
    choices: int  # moves that are not proven to lose


class Pace:
    """The rules above for one move; made when the thinking begins."""

    def __init__(self, limits: Limits, *, kept: int = 0, expected: float | None = None) -> None:
        """`kept`: visits that the root begins with; `expected`: the value of the last search of this game, if any."""
        assert limits.seconds is not None
        assert limits.most is not None
        self._limits, self._usual, self._most = limits, limits.seconds, limits.most
        self._kept, self._expected = kept, expected
        self._looks, self._best, self._new_at = 0, -1, -math.inf

    def enough(self, root: Standing) -> bool:
        """Whether the most visited move is to be played now."""
        elapsed = self._limits.elapsed
        self._looks += 1
        best = int(root.visits.argmax())
        if best != self._best:
            self._best, self._new_at = best, elapsed if self._best >= 0 else self._new_at
        if root.choices <= 1 or elapsed >= self._most:
            return True
        if self._looks < LOOKS or elapsed <= 0:
            return False
        limit = self._most if self._is_hard(root, elapsed) else self._usual
        if elapsed >= limit:
            return True
        rate = HASTE * (root.total - self._kept) / elapsed
        lead = root.visits[best] - np.partition(root.visits, -2)[-2]
        return bool(lead > rate * (limit - elapsed)) or self._is_clear(root, elapsed)

    def _is_clear(self, root: Standing, elapsed: float) -> bool:
        if not self._limits.on_a_clock or elapsed < FAIR * self._usual:
            return False
        return bool(root.visits[self._best] >= CLEAR * root.visits.sum()) and not self._is_hard(root, elapsed)

    def _is_hard(self, root: Standing, elapsed: float) -> bool:
        if not self._limits.on_a_clock:
            return False
        visits, values = root.visits, root.values
        if elapsed - self._new_at < LATELY * self._usual:
            return True
        rivals = (visits >= RIVAL * visits[self._best]) & ~np.isnan(values)
        if rivals.any() and values[rivals].max() > values[self._best] + BETTER:
            return True
        return self._expected is not None and bool(values[self._best] < self._expected - DROP)
