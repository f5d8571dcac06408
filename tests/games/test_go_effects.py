"""What a move of Go does to the groups beside it, against playing it and counting liberties."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.games import make_game
from eightfold.games.effects import ATARI, CAPTURE, EXTENSION, OWN_EYE, RESCUE, SELF_ATARI
from eightfold.games.game import Position
from eightfold.games.points import connected, neighbours


def liberties(position: Position, point: int) -> int:
    size, stones = position.game.size, position.stones.ravel()
    return len({near for stone in connected(position, point) for near in neighbours(stone, size) if not stones[near]})


def played_out(position: Position, point: int) -> int:
    """The same by playing the move; eyes are not looked at."""
    size, own = position.game.size, position.to_move
    before, after = position.stones.ravel(), position.play(point)
    beside = [near for near in neighbours(point, size) if before[near]]
    enemies = [near for near in beside if before[near] != own]
    taken = [near for near in enemies if not after.stones.flat[near]]
    around = {near for stone in taken for part in connected(position, stone) for near in neighbours(part, size)}
    left = [near for near in enemies if near not in taken]
    room = liberties(after, point) if after.stones.flat[point] else 0
    return (
        CAPTURE * bool(taken)
        + RESCUE * any(before[near] == own and liberties(position, near) == 1 for near in around)
        + ATARI * any(liberties(position, near) > 1 == liberties(after, near) for near in left)
        + SELF_ATARI * (room <= 1)
        + EXTENSION * (room > 1 and any(before[near] == own and liberties(position, near) == 1 for near in beside))
    )


@pytest.mark.parametrize("text", ["go:size=5", "go:size=7,rules=tromp-taylor"])
def test_effects_are_what_happens(text: str) -> None:
    game, random = make_game(text), np.random.default_rng(3)
    seen = 0
    for _ in range(3):
        position = game.start()
        while not position.is_over and position.ply < 120:
            points = [int(point) for point in position.legal_moves if point < game.points]
            for point in points:
                effects = game.rules.move_effects(position.state, point)
                assert effects & ~OWN_EYE == played_out(position, point), f"{position}\n{game.name_of(point)}"
                seen |= effects
            position = position.play(int(random.choice(points)) if points else game.points)
    assert seen == CAPTURE | RESCUE | ATARI | EXTENSION | SELF_ATARI | OWN_EYE
    assert game.rules.move_effects(game.start().state, game.points) == 0, "a pass does nothing"


def test_games_that_take_no_stones_say_nothing() -> None:
    assert make_game("go:size=9").takes_stones
    gomoku = make_game("gomoku:size=9")
    assert not gomoku.takes_stones
    assert gomoku.kernels.move_effects(gomoku.start().state, 3) == 0
