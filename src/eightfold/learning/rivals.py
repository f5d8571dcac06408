"""Rivals: other players who have one side of games in training.

A network that only ever meets itself learns to hold, and is content with draws. Another kind of player errs in other
ways; from games against it a network learns what it plays, and how such games end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from eightfold.arena.players import PROTOCOLS, make_player
from eightfold.errors import EightfoldError
from eightfold.games.game import Game, Position
from eightfold.search.result import Player
from eightfold.texts import split_name
from eightfold.threads import run_parts


def check_rival(text: str, game: Game) -> None:
    """An error if a text names nobody who can be a rival."""
    if split_name(text)[0] in PROTOCOLS:  # it would be a process for each of many games
        raise EightfoldError(f"the rival {text} is a program of its own; give a player that Eightfold makes itself")
    make_player(text, game)


class Rivals:
    """A player of one kind for each of so many games, so that each can keep its thoughts from move to move."""

    def __init__(self, text: str, game: Game, *, games: int, seed: int | list[int], threads: int = 1) -> None:
        seeds = np.random.SeedSequence(seed).generate_state(games)
        self._players = [make_player(text, game, seed=int(each)) for each in seeds]
        self._text, self._threads = text, threads

    def new_game(self, number: int) -> None:
        self._players[number].new_game()

    def choose(self, positions: Mapping[int, Position]) -> dict[int, int]:
        """Their moves in some games."""
        moves = moves_side_by_side(self._players, positions, self._threads)
        for number, move in moves.items():
            if not (0 <= move < len(positions[number].legal_mask) and positions[number].legal_mask[move]):
                raise EightfoldError(f"the rival {self._text} chose action {move}, which is not legal")
        return moves


def moves_side_by_side(players: Sequence[Player], positions: Mapping[int, Position], threads: int) -> dict[int, int]:
    """What the players of some games play there, each game's thinking on one of several threads."""
    numbers = list(positions)
    parts = max(1, min(threads, len(numbers)))

    def think(part: int) -> list[tuple[int, int]]:
        return [(number, players[number].think(positions[number]).action) for number in numbers[part::parts]]

    return dict(reply for replies in run_parts(think, parts) for reply in replies)
