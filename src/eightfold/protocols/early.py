"""Moves that are made before an engine is ready: its kernels are still being compiled, and a clock runs.

Nothing here needs a kernel. Where every empty point is a legal move, the stones are kept until the engine can be told
of them, and a move near the others is better than a game lost on time.
"""

from __future__ import annotations

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game


class EarlyStones:
    """Stones on an empty board, in the order in which they were played."""

    def __init__(self) -> None:
        self.actions: list[int] = []

    def play(self, action: int, game: Game) -> None:
        if action in self.actions:
            raise EightfoldError(f"move {game.name_of(action)} is not legal: a stone is there")
        self.actions.append(action)

    def quick_move(self, game: Game) -> int:
        """The empty point nearest to the middle of the stones, or of the board."""
        points = [divmod(action, game.size) for action in self.actions] or [(game.size // 2, game.size // 2)]
        row = sum(point[0] for point in points) / len(points)
        column = sum(point[1] for point in points) / len(points)

        def distance(action: int) -> float:
            return (action // game.size - row) ** 2 + (action % game.size - column) ** 2

        empty = [action for action in range(game.points) if action not in self.actions]
        if not empty:
            raise EightfoldError("the game is over: the board is full")
        return min(empty, key=distance)

    def taken(self) -> list[int]:
        """The stones, which are none of its own any more."""
        actions, self.actions = self.actions, []
        return actions
