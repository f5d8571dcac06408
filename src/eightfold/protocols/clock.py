"""How long to think: what a manager allows for a move and for a game, less a margin for safety."""

from __future__ import annotations

from dataclasses import dataclass

FASTEST = 0.05  # seconds: what "as fast as possible" means, and what is left to a player whose time is up
MARGIN, MARGIN_SHARE = 0.1, 0.04  # seconds, and the share of the time, kept back for what happens around thinking
MOVES, FEWEST_MOVES = 30, 8  # that a game is expected to last, and that are always still expected


@dataclass(kw_only=True)
class Clock:
    """Limits in seconds; None where there is none."""

    turn: float | None = None  # for every move; 0: as fast as possible
    game: float | None = None  # for all moves of a game
    overtime: float = 0.0  # for a move once that is used up; 0: then time is up
    by_period: bool = False  # whether a period of overtime is for one move, and some may be used up
    running: float | None = None  # seconds for a move of the overtime that is running, as the manager last said it
    left: float | None = None  # of that, as the manager last said it
    used: float = 0.0  # in this game, as we see it
    moves: int = 0  # that we made in this game
    expected: int = MOVES  # moves that a game lasts
    billed: float = 0.0  # spent on getting ready, which some managers put on the bill of the first move

    def new_game(self) -> None:
        self.left, self.running, self.used, self.moves, self.billed = None, None, 0.0, 0, 0.0

    def moved(self, seconds: float) -> None:
        """A move was made that took so long."""
        self.used += seconds
        self.moves += 1
        self.billed = 0.0
        if self.left is not None:
            self.left -= seconds

    def allowed(self) -> float | None:
        """Seconds for the next move; None if nobody sets a limit.

        >>> Clock().allowed(), Clock(turn=0).allowed(), round(Clock(turn=10).allowed(), 2)
        (None, 0.05, 9.6)
        >>> round(Clock(turn=60, game=300).allowed(), 2), Clock(turn=10, left=-3).allowed()
        (9.6, 0.05)
        >>> round(Clock(game=300, overtime=10).allowed(), 2), round(Clock(left=0, overtime=10).allowed(), 2)
        (19.2, 9.6)
        """
        limits = [] if self.turn is None else [self.turn]
        left = self.left
        if left is None and self.game is not None:
            left = self.game - self.used
        if left is not None:
            share = left / max(FEWEST_MOVES, self.expected - self.moves)
            overtime = self.overtime if self.running is None else self.running
            limits.append(max(0.0, share) + overtime if overtime else share)
        if not limits:
            return None
        limit = min(limits)
        return max(limit - max(MARGIN, MARGIN_SHARE * limit), min(limit / 2, FASTEST), 0.0) if limit > 0 else FASTEST
