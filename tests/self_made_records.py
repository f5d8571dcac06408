"""Records that the tests make themselves: random games of the project's own rules."""

from __future__ import annotations

import numpy as np

from eightfold.games.game import Game, make_game
from eightfold.games.records import GameRecord, write_sgf
from eightfold.games.state import RESULT


def random_moves(game: Game, seed: int, most: int, passes: float = 0.05) -> list[int]:
    """A random game, with passes now and then where there are any, never two in a row."""
    rng = np.random.default_rng(seed)
    state, listed, moves = game.start().state.copy(), np.zeros(game.actions, np.int64), list[int]()
    while len(moves) < most and not state[RESULT]:
        choices = listed[: game.rules.legal(state, listed)]
        stones = choices[choices < game.points]
        may_pass = game.spec.has_pass and (not moves or moves[-1] != game.points)
        if may_pass and (not len(stones) or rng.random() < passes):
            move = game.points
        elif len(stones):
            move = int(rng.choice(stones))
        else:
            break
        game.rules.play(state, move)
        moves.append(move)
    return moves


def go(size: int) -> Game:
    return make_game(f"go:size={size},ko=simple")


def sgf_lines(game: Game, games: int, most: int = 80, seed: int = 0) -> list[str]:
    """Games as SGF, a line each."""
    records = [GameRecord(game=game.text, moves=tuple(random_moves(game, seed + k, most))) for k in range(games)]
    return write_sgf(records).splitlines()
