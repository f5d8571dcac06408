"""Whose the points will be at the end, foreseen by random games: for people who look at a position or count one.

    >>> from eightfold.games.game import make_game
    >>> position = make_game("go:size=5").after(["c3", "c4", "c2", "b4", "c1"])
    >>> owners_by_chance(position, games=64, seed=1).shape
    (25,)

Networks foresee owners too, and better, once they have learned to; this needs none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.games.game import Position
from eightfold.games.go import ownership, rollout
from eightfold.games.go_board import cell_at, next_of, point_at
from eightfold.games.state import BLACK, WHITE
from eightfold.jit import Ints, kernel
from eightfold.rng import Random, make_random

GAMES = 400  # random games: a standard error of 5 % at the worst
LOST = 0.4  # a group whose points go to the opponent by this much on average is taken for dead


@kernel
def add_owners(state: Ints, games: int, random: Random, work: Ints, scratch: Ints, sums: Ints) -> None:  # [N * N]
    """Play random games to the end, and add 1 where black owns a point, -1 where white does."""
    owners = np.zeros(sums.shape[0], np.int8)
    for _ in range(games):
        work[:] = state
        rollout(work, random, scratch)
        ownership(work, owners)
        for point in range(sums.shape[0]):
            if owners[point] == BLACK:
                sums[point] += 1
            elif owners[point] == WHITE:
                sums[point] -= 1


def owners_by_chance(position: Position, *, games: int = GAMES, seed: int = 0) -> NDArray[np.float32]:
    """[N * N]: from -1 (always white's) to 1 (always black's). A position in which both passed is played on."""
    game, passed = position.game, position.game.points
    state = position.state
    if position.is_over and position.moves[-2:] == (passed, passed):
        state = _before_passes(position)
    sums = np.zeros(game.points, np.int64)
    add_owners(state, games, make_random(seed), state.copy(), np.zeros(game.actions, np.int64), sums)
    return (sums / games).astype(np.float32)


def _before_passes(position: Position) -> Ints:
    """A state with the same stones in which nobody has passed."""
    from eightfold.games.go_start import start_from

    board = {int(point): int(position.stones.flat[point]) for point in np.flatnonzero(position.stones)}
    return start_from(position.game, board, to_move=position.to_move).state


def probably_dead(position: Position, *, games: int = GAMES, seed: int = 0) -> tuple[int, ...]:
    """The stones that will most likely be taken, whole groups: a suggestion for people who count a game."""
    owners = owners_by_chance(position, games=games, seed=seed)
    stones = position.stones.ravel()
    size, seen, dead = position.game.size, set[int](), list[int]()
    for point in np.flatnonzero(stones):
        if int(point) in seen:
            continue
        group = _group(position, int(point), size)
        seen.update(group)
        mine = 1 if stones[point] == BLACK else -1
        if float(owners[group].mean()) * mine < -LOST:
            dead += group
    return tuple(sorted(dead))


def _group(position: Position, point: int, size: int) -> list[int]:
    start = cell = int(cell_at(point, size))
    group = []
    while True:
        group.append(int(point_at(cell, size)))
        cell = int(next_of(position.state, size + 1, cell))
        if cell == start:
            return group
