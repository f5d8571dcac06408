"""Moves that are made before the engine is ready: its kernels still compile, and the clock runs.

Nothing here needs a kernel. Where every empty point is a legal move, the stones are kept until the engine can take
them over. A move near the other stones is better than a game lost on time.
"""

from __future__ import annotations

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game


class PendingMoves:
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

    def hand_over(self) -> list[int]:
        """Give the moves to the engine and keep none."""
        actions, self.actions = self.actions, []
        return actions
