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

FOURS, THREATS = "fours", "threats"
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


def all_won_positions(game: Game, *, seed: int, nodes: int, most_threats: int = 3) -> Iterator[tuple[str, Position]]:
    """Positions won by FOURS, but not at once, and by THREATS and fours and not by fours alone, without end."""
    win, rule = game.numbers[0], game.numbers[1]
    plain = PlainThreats(game.size, win, rule == 1)
    for position in positions_of_players(game, seed):
        depth = plain.solve(stones_of(position), position.to_move, most_threats=0, nodes=nodes)
        if depth == 0:
            scratch = np.empty(game.scratch, np.int64)
            if game.rules.find_win(position.state.copy(), 0, scratch) < 0:
                yield FOURS, position
        elif plain.solve(stones_of(position), position.to_move, most_threats=most_threats, nodes=nodes):
            yield THREATS, position


def won_positions(
    game: Game, *, by_fours: int, by_threats: int, seed: int, nodes: int, most_threats: int = 3
) -> tuple[list[Position], list[Position]]:
    """The first of either kind, so many of each."""
    found: dict[str, list[Position]] = {FOURS: [], THREATS: []}
    wanted = {FOURS: by_fours, THREATS: by_threats}
    for kind, position in all_won_positions(game, seed=seed, nodes=nodes, most_threats=most_threats):
        if len(found[kind]) < wanted[kind]:
            found[kind].append(position)
        if all(len(found[each]) >= count for each, count in wanted.items()):
            break
    return found[FOURS], found[THREATS]
