"""What people see while strengths are learned, on stderr: a line for every iteration, with the time that is left."""

from __future__ import annotations

import time

from rich.console import Console
from rich.status import Status

from eightfold.patterns.elo import Rated


class RatingLines:
    """Hears of games and iterations."""

    def __init__(self, iterations: int) -> None:
        self._console = Console(stderr=True, highlight=False, emoji=False, markup=False, soft_wrap=True)
        self._status = Status("", console=self._console) if self._console.is_terminal else None
        self._iterations, self._all = iterations, 0
        self._start, self._passes = time.monotonic(), 0

    def on_games(self, iteration: int, games: int) -> None:
        if self._status is not None:
            of_all = f" of {self._all:,}" if self._all else ""
            self._status.start()
            self._status.update(f"iteration {iteration} of {self._iterations}: {games:,}{of_all} games")

    def on_iteration(self, rated: Rated) -> None:
        self._all, self._passes = rated.games, self._passes + 1
        latest = rated.iterations[-1]
        left = (self._iterations - latest.number) * (time.monotonic() - self._start) / self._passes
        self.stop()
        self._console.print(line_of(self._iterations, latest.number, latest.log_likelihood, left))

    def stop(self) -> None:
        if self._status is not None:
            self._status.stop()


def line_of(iterations: int, number: int, log_likelihood: float, left: float) -> str:
    """
    >>> line_of(20, 5, -3.27, 150.0)
    'iteration 5 of 20: log-likelihood -3.2700 a move, 2 min left'
    """
    line = f"iteration {number} of {iterations}: log-likelihood {log_likelihood:.4f} a move"
    if number == iterations:
        return line
    return f"{line}, {left:.0f} s left" if left < 120 else f"{line}, {left / 60:.0f} min left"
