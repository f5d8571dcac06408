"""Monitors that name self-play which teaches nothing (document 004, section 4.4.1).

Collapsed: games are very short and one side wins nearly all of them. Redundant: the same games, up to turning
the board, come again and again.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from eightfold.games.game import Game
from eightfold.games.state import BLACK, DRAW, WHITE
from eightfold.learning.selfplay import PlayedGame

MEMORY = 200  # games
ONE_SIDED = 0.85
DISTINCT = 0.5


class SelfPlayMonitor:
    """Looks at the last games that began without random stones, or at all where there are few of those."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._lengths: deque[int] = deque(maxlen=MEMORY)
        self._results: deque[int] = deque(maxlen=MEMORY)
        self._endings: deque[int] = deque(maxlen=MEMORY)

    def see(self, played: PlayedGame) -> None:
        self._lengths.append(len(played.moves))
        self._results.append(played.result)
        self._endings.append(self._game.after(played.moves).orbit_key)

    def figures(self) -> dict[str, float]:
        if not self._lengths:
            return {}
        results = np.array(self._results)
        return {
            "game_length": float(np.mean(self._lengths)),
            "black_wins": float(np.mean(results == BLACK)),
            "white_wins": float(np.mean(results == WHITE)),
            "draws": float(np.mean(results == DRAW)),
            "distinct_games": len(set(self._endings)) / len(self._endings),
        }

    def warnings(self) -> list[str]:
        """What is wrong with the last games, in words; nothing until there are enough of them."""
        figures = self.figures()
        if len(self._lengths) < MEMORY // 2:
            return []
        said = []
        shortest = 2 * self._shortest_win() - 1  # a win without any resistance
        one_side = max(figures["black_wins"], figures["white_wins"])
        if figures["game_length"] < 1.5 * shortest and one_side > ONE_SIDED:
            said.append(
                f"collapsed self-play: games of {figures['game_length']:.1f} moves, {one_side:.0%} won by one side;"
                " more playouts, noise or random openings help"
            )
        if figures["distinct_games"] < DISTINCT:
            said.append(
                f"redundant self-play: only {figures['distinct_games']:.0%} of the last games are different;"
                " a higher temperature or random openings help"
            )
        return said

    def _shortest_win(self) -> int:
        return int(self._game.values.get("win", self._game.size))
