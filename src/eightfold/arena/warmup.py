"""Use the kernels of a game and of a player once, so that nobody waits for a compiler later.

A kernel compiles, or is loaded from the disk cache, when it is first called. The command `eightfold warmup`, the
protocol engines and the page all call these two functions, each at the moment that suits it.
"""

from __future__ import annotations

import threading

import numpy as np

from eightfold.games.game import Game, make_game
from eightfold.search.result import Player

TRIAL = 0.05  # seconds of thinking that reach every kernel of a player


def warm_up_rules(family: str) -> None:
    """Rules and encoders of a family of games, one position at a time and in batches."""
    game = make_game(f"{family}:size=5")
    position = game.start().play(int(game.start().legal_moves[0]))
    position.stones, position.orbit_key, position.forbidden_moves  # noqa: B018
    for encoder in game.spec.encoders:
        position.encode(encoder)
        number, planes = game.encoder(encoder)
        game.kernels.encode_batch(position.state[None], number, np.empty((1, planes, 5, 5), np.float32))


def warm_up_player(player: Player, game: Game) -> None:
    """Two short games of two moves: in the first the time may be gone before all is compiled, and the second move of
    the second reuses the search tree of the first."""
    for _ in range(2):
        player.new_game()
        position = game.start()
        for _ in range(2):
            if not position.is_over:
                position = position.play(player.think(position, seconds=TRIAL, stop=threading.Event()).action)
