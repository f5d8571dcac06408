"""How long to think: the limits that a manager sets for a move and for a game, less a safety margin.

A move gets a share of the time that is left, and a hard one may take more of it; which moves are hard, the search knows
(`eightfold.search.pace`). What an easy move leaves makes the shares of all later ones larger.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from eightfold.search.move_time import MoveTime

FASTEST = 0.05  # seconds: what "as fast as possible" means, and what a player gets whose time is up
MARGIN, MARGIN_SHARE = 0.1, 0.04  # seconds, and share of the time, kept for everything besides thinking
EXPECTED_MOVES, FEWEST_MOVES = 30, 8  # moves of a side in a game, and moves that are always still expected
HARD = 3  # usual shares that a hard move may take,
LARGEST_PART = 0.2  # but no more than this part of what is left for the game


@dataclass(kw_only=True)
class Clock:
    """Limits in seconds; None where there is none."""

    per_move: float | None = None  # 0: as fast as possible
    per_game: float | None = None  # for all moves of a game
    overtime: float = 0.0  # for a move once the time for the game is used up; 0: then time is up
    is_byoyomi: bool = False  # whether a period of overtime is for one move
    current_overtime: float | None = None  # for a move of the period that runs, as the manager last told it
    remaining: float | None = None  # of the time for the game, as the manager last told it
    used: float = 0.0  # in this game, by our own measure
    moves: int = 0  # that we made in this game
    expected_moves: int = EXPECTED_MOVES
    setup_seconds: float = 0.0  # spent on getting ready, which some managers charge to the first move

    def new_game(self) -> None:
        self.remaining, self.current_overtime, self.used, self.moves, self.setup_seconds = None, None, 0.0, 0, 0.0

    def add_move(self, seconds: float) -> None:
        """Charge a move to the clock."""
        self.used += seconds
        self.moves += 1
        self.setup_seconds = 0.0
        if self.remaining is not None:
            self.remaining -= seconds

    def allowed(self) -> MoveTime | None:
        """The time for the next move; None if there is no limit.

        >>> Clock().allowed(), Clock(per_move=0).allowed(), Clock(per_move=10, remaining=-3).allowed()
        (None, MoveTime(usual=0.05, most=0.05), MoveTime(usual=0.05, most=0.05))
        >>> Clock(per_move=10).allowed(), Clock(per_move=60, per_game=300).allowed()
        (MoveTime(usual=9.6, most=9.6), MoveTime(usual=9.6, most=28.8))
        >>> Clock(per_game=300, overtime=10).allowed(), Clock(remaining=0, overtime=10).allowed()
        (MoveTime(usual=19.2, most=38.4), MoveTime(usual=9.6, most=9.6))
        """
        usual = most = math.inf if self.per_move is None else self.per_move
        remaining = self.remaining
        if remaining is None and self.per_game is not None:
            remaining = self.per_game - self.used
        if remaining is not None:
            overtime = self.overtime if self.current_overtime is None else self.current_overtime
            share = remaining / max(FEWEST_MOVES, self.expected_moves - self.moves)
            large = max(share, min(HARD * share, LARGEST_PART * remaining))
            usual = min(usual, max(0.0, share) + overtime if overtime else share)
            most = min(most, max(0.0, large) + overtime if overtime else large)
        if math.isinf(usual):
            return None
        return MoveTime(usual=_less_margin(usual), most=_less_margin(most))


def _less_margin(limit: float) -> float:
    return max(limit - max(MARGIN, MARGIN_SHARE * limit), min(limit / 2, FASTEST), 0.0) if limit > 0 else FASTEST
