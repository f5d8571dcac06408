"""A game that points decide, counted for people: points, owners and the result, with dead stones given.

    >>> from eightfold.games.game import make_game
    >>> position = make_game("go:size=3,komi=1.5").after(["b2", "pass", "pass"])
    >>> count(position).text, position.outcome
    ('B+7.5', 'black wins by 7.5')

How points are counted, the game says: by its `count_points` (for Go `eightfold.games.go.score`), or as many as a
colour owns where stones cannot be dead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Move, Position
from eightfold.games.state import BLACK, WHITE


@dataclass(frozen=True, kw_only=True, eq=False)
class Count:
    """A position, counted."""

    black: float  # points
    white: float  # points, komi among them
    owners: NDArray[np.int8]  # [N, N]: 0, BLACK or WHITE
    dead: tuple[int, ...]  # all dead stones, whole groups
    scoring: str  # how it was counted: area or territory in Go, stones where every point is its stone's

    @property
    def margin(self) -> float:
        """Black's lead."""
        return self.black - self.white

    @property
    def winner(self) -> int | None:
        """BLACK, WHITE, or None for a draw."""
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


def count(position: Position, *, dead: Iterable[Move] = (), **options: Any) -> Count:
    """Count a position, over or not; a dead stone stands for its whole group.

    `options` are those of the game's `count_points`: `scoring` and `seki` in Go.
    """
    game = position.game
    check_counts_points(position)
    if not game.has_dead_stones:
        return _count_owned(position, dead, options)
    mask = np.zeros(game.points, np.int8)
    for action in map(game.action, dead):
        if action >= game.points or not position.stones.flat[action]:
            raise EightfoldError(f"no stone lies on {game.name_of(action)}; only stones can be dead")
        if not mask[action]:
            mask[connected(position, action)] = 1
    owners = np.zeros(game.points, np.int8)
    black, white, scoring = game.rules.count_points(position.state, mask, owners, **options)
    return Count(
        black=black,
        white=white,
        owners=owners.reshape(game.size, game.size),
        dead=tuple(int(point) for point in np.flatnonzero(mask)),
        scoring=scoring,
    )


def _count_owned(position: Position, dead: Iterable[Move], options: dict[str, Any]) -> Count:
    """A point for every point owned."""
    game = position.game
    for name in (*(game.name_of(game.action(move)) for move in dead), *options):
        raise EightfoldError(f"{name}: in {game.text} no stone is dead and points are counted in one way")
    owners = np.zeros((game.size, game.size), np.int8)
    game.kernels.ownership(position.state, owners.reshape(-1))
    black, white = (float(np.count_nonzero(owners == colour)) for colour in (BLACK, WHITE))
    return Count(black=black, white=white, owners=owners, dead=(), scoring="stones")


def check_counts_points(position: Position) -> None:
    if not position.game.counts_points:
        raise EightfoldError(f"{position.game.text} has no points to count; a game such as go has")


def connected(position: Position, point: int) -> list[int]:
    """The stones of one colour that are connected with the one on `point`, ascending."""
    size, stones = position.game.size, position.stones.ravel()
    group, seen = [point], {point}
    for member in group:  # it grows meanwhile
        for near in neighbours(member, size):
            if stones[near] == stones[point] and near not in seen:
                seen.add(near)
                group.append(near)
    return sorted(group)


def neighbours(point: int, size: int) -> list[int]:
    """The points beside a point, along the lines."""
    row, column = divmod(point, size)
    near = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
    return [r * size + c for r, c in near if 0 <= r < size and 0 <= c < size]
