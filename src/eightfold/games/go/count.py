"""A game of Go, counted for people: points, owners and the result, with dead stones given.

    >>> from eightfold.games.game import make_game
    >>> position = make_game("go:size=3,komi=1.5").after(["b2", "pass", "pass"])
    >>> count(position).text, position.outcome
    ('B+7.5', 'black wins by 7.5')

The counting itself is in `go_score.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Move, Position
from eightfold.games.go.board import cell_at, next_of, point_at
from eightfold.games.go.layout import DOUBLE_KOMI, RULES, TAKEN, TERRITORY
from eightfold.games.go.legal import is_suicide
from eightfold.games.go.score import find_owners, points_of
from eightfold.games.state import BLACK, WHITE


@dataclass(frozen=True, kw_only=True, eq=False)
class Count:
    """A game of Go, counted."""

    black: float  # points
    white: float  # points, komi among them
    owners: NDArray[np.int8]  # [N, N]: 0, BLACK or WHITE
    dead: tuple[int, ...]  # all dead stones, whole groups
    scoring: str  # area or territory

    @property
    def margin(self) -> float:
        """Black's lead."""
        return self.black - self.white

    @property
    def winner(self) -> int | None:
        return BLACK if self.margin > 0 else WHITE if self.margin < 0 else None

    @property
    def text(self) -> str:
        """The result as records write it."""
        return result_text(self.margin)


def result_text(margin: float) -> str:
    """
    >>> result_text(2.5), result_text(-10), result_text(0)
    ('B+2.5', 'W+10', 'Draw')
    """
    return "Draw" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"


def count(position: Position, *, dead: Iterable[Move] = (), scoring: str = "", seki: bool = False) -> Count:
    """Count a position, over or not; a dead stone stands for its whole group.

    `scoring` is area or territory, by default what the game's rules say; `seki` applies article 8 of Japanese rules.
    """
    game, state = position.game, position.state
    if game.name != "go":  # its row is laid out otherwise, and kernels check no bounds
        raise EightfoldError(f"{game.text} has no points to count; go has")
    if scoring not in ("", "area", "territory"):
        raise EightfoldError(f"scoring {scoring!r} is not known; known: area, territory")
    territory = bool(state[RULES] & TERRITORY) if not scoring else scoring == "territory"
    if seki and not territory:
        raise EightfoldError("seki matters to territory scoring alone; under area scoring its points count")
    mask = np.zeros(game.points, np.int8)
    for move in dead:
        _mark_group(position, game.action(move), mask)
    owners = np.zeros(game.points, np.int8)
    points = np.zeros(2, np.int64)
    find_owners(state, mask, seki, owners)
    points_of(state, mask, owners, territory, points)
    return Count(
        black=float(points[0]),
        white=float(points[1] + state[DOUBLE_KOMI] / 2),
        owners=owners.reshape(game.size, game.size),
        dead=tuple(int(point) for point in np.flatnonzero(mask)),
        scoring="territory" if territory else "area",
    )


def _mark_group(position: Position, action: int, mask: NDArray[np.int8]) -> None:
    size = position.game.size
    if action >= position.game.points or not position.stones.flat[action]:
        raise EightfoldError(f"no stone lies on {position.game.name_of(action)}; only stones can be dead")
    start = cell = int(cell_at(action, size))
    while True:
        mask[point_at(cell, size)] = 1
        cell = int(next_of(position.state, size + 1, cell))
        if cell == start:
            return


def prisoners(position: Position) -> list[int]:
    """The stones that black took, and those that white took."""
    return [int(position.state[TAKEN + 1]), int(position.state[TAKEN])]


def ko_points(position: Position) -> list[int]:
    """The points that may not be taken back now. What is suicide goes without saying, and is said on a click."""
    size = position.game.size
    return [
        point
        for point in position.forbidden_moves.tolist()
        if not is_suicide(position.state, size + 1, int(cell_at(point, size)), position.to_move)
    ]
