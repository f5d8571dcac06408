"""How long to think: the limits that a manager sets for a move and for a game, less a safety margin."""

from __future__ import annotations

from dataclasses import dataclass

FASTEST = 0.05  # seconds: what "as fast as possible" means, and what a player gets whose time is up
MARGIN, MARGIN_SHARE = 0.1, 0.04  # seconds, and share of the time, kept for everything besides thinking
EXPECTED_MOVES, FEWEST_MOVES = 30, 8  # moves of a side in a game, and moves that are always still expected


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

    def allowed(self) -> float | None:
        """Seconds for the next move; None if there is no limit.

        >>> Clock().allowed(), Clock(per_move=0).allowed(), round(Clock(per_move=10).allowed(), 2)
        (None, 0.05, 9.6)
        >>> round(Clock(per_move=60, per_game=300).allowed(), 2), Clock(per_move=10, remaining=-3).allowed()
        (9.6, 0.05)
        >>> round(Clock(per_game=300, overtime=10).allowed(), 2), round(Clock(remaining=0, overtime=10).allowed(), 2)
        (19.2, 9.6)
        """
        limits = [] if self.per_move is None else [self.per_move]
        remaining = self.remaining
        if remaining is None and self.per_game is not None:
            remaining = self.per_game - self.used
        if remaining is not None:
            share = remaining / max(FEWEST_MOVES, self.expected_moves - self.moves)
            overtime = self.overtime if self.current_overtime is None else self.current_overtime
            limits.append(max(0.0, share) + overtime if overtime else share)
        if not limits:
            return None
        limit = min(limits)
        return max(limit - max(MARGIN, MARGIN_SHARE * limit), min(limit / 2, FASTEST), 0.0) if limit > 0 else FASTEST
