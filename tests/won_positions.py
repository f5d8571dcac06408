"""Positions of real games that are won by force, as a plain solver proves them: for checks of whoever should see it.

The games are played by `greedy`, `alphabeta` and `mcts` from random openings, never by a player that is checked with
them, and whether a position is won says `PlainThreats`, which shares nothing with the kernels.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eightfold.arena.players import make_player
from eightfold.benchmarks.reference.threats import PlainThreats
from eightfold.games import Game, Position
from eightfold.games.setup import stones_of

PLAYERS = ("greedy", "alphabeta:depth=2", "alphabeta:depth=3", "mcts:playouts=300")


def positions_of_players(game: Game, seed: int) -> Iterator[Position]:
    """Positions of games between these players, without end."""
    random = np.random.default_rng(seed)
    players = [make_player(name, game, seed=seed) for name in PLAYERS]
    edge = game.size // 3
    middle = [r * game.size + c for r in range(edge, game.size - edge) for c in range(edge, game.size - edge)]
    while True:
        position = game.start()
        for move in random.permutation(middle)[: random.integers(2, 7)]:
            position = position.play(int(move))
        seats = random.choice(len(players), 2)
        for player in players:
            player.new_game()
        while not position.is_over:
            yield position
            position = position.play(players[seats[position.ply % 2]].think(position).action)


def won_positions(
    game: Game, *, by_fours: int, by_threats: int, seed: int, nodes: int, most_threats: int = 3
) -> tuple[list[Position], list[Position]]:
    """So many positions won by fours, but not at once, and so many won by threats and fours and not by fours alone."""
    win, rule = game.numbers[0], game.numbers[1]
    plain = PlainThreats(game.size, win, rule == 1)
    fours: list[Position] = []
    threats: list[Position] = []
    for position in positions_of_players(game, seed):
        if len(fours) >= by_fours and len(threats) >= by_threats:
            break
        depth = plain.solve(stones_of(position), position.to_move, most_threats=0, nodes=nodes)
        if depth == 0:
            scratch = np.empty(game.scratch, np.int64)
            if len(fours) < by_fours and game.rules.find_win(position.state.copy(), 0, scratch) < 0:
                fours.append(position)
        elif len(threats) < by_threats and plain.solve(
            stones_of(position), position.to_move, most_threats=most_threats, nodes=nodes
        ):
            threats.append(position)
    return fours, threats
