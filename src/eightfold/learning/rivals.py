"""Rivals: other players who have one side of games in training.

A network that only ever meets itself learns to hold, and is content with draws. Another kind of player errs in other
ways; from games against it a network learns what it plays, and how such games end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from eightfold.arena.players import make_player
from eightfold.games.game import Game, Position
from eightfold.search.result import Player
from eightfold.threads import run_parts


class Rivals:
    """A player of one kind for each of so many games, so that each can keep its thoughts from move to move."""

    def __init__(self, text: str, game: Game, *, games: int, seed: int, threads: int = 1) -> None:
        seeds = np.random.SeedSequence(seed).generate_state(games)
        self._players = [make_player(text, game, seed=int(each)) for each in seeds]
        self._threads = threads

    def new_game(self, number: int) -> None:
        self._players[number].new_game()

    def choose(self, positions: Mapping[int, Position]) -> dict[int, int]:
        """Their moves in some games."""
        return moves_side_by_side(self._players, positions, self._threads)


def moves_side_by_side(players: Sequence[Player], positions: Mapping[int, Position], threads: int) -> dict[int, int]:
    """What the players of some games play there, each game's thinking on one of several threads."""
    numbers = list(positions)
    parts = max(1, min(threads, len(numbers)))

    def think(part: int) -> list[tuple[int, int]]:
        return [(number, players[number].think(positions[number]).action) for number in numbers[part::parts]]

    return dict(reply for replies in run_parts(think, parts) for reply in replies)
