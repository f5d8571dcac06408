"""Positions that are set up stone by stone, as protocols and editors do it: in any order, with any number of stones.

A game is played in turn, so the stones are put on the board as if they had been. Where they cannot have been (one
side has too many), the side to move is changed in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position
from eightfold.games.state import BLACK, HASHES, SIDE, WHITE
from eightfold.symmetry.orbit import toggle_side

Stone = tuple[int, int]  # an action and a colour
ORDERS = 20  # to be tried where the first shows a win on the way that the finished board does not have


def arranged(game: Game, stones: Sequence[Stone], to_move: int) -> Position:
    """The position with these stones and that side to move; the last stone given counts as the last move.

    >>> from eightfold.games.game import make_game
    >>> arranged(make_game("gomoku:size=8"), [(9, WHITE), (0, BLACK), (10, WHITE)], BLACK).stones[1, :3]
    array([0, 2, 2], dtype=int8)
    """
    stones = in_turn(stones, to_move)
    try:
        return _played(game, stones, to_move)
    except EightfoldError as error:
        # Six in a row do not win under the standard rule, but five of them do before the sixth is there.
        random = np.random.default_rng(0)
        for _ in range(ORDERS if len({action for action, _ in stones}) == len(stones) else 0):
            order = [*random.permutation(len(stones) - 1), len(stones) - 1]
            try:
                return _played(game, [stones[k] for k in order], to_move)
            except EightfoldError:
                continue
        raise error


def in_turn(stones: Sequence[Stone], to_move: int) -> list[Stone]:
    """The stones in an order in which black begins and the colours alternate, as far as their numbers allow it.

    The order given is kept if it is such a one, since it is then most likely the order of the game.
    """
    expected = [(BLACK, WHITE)[k % 2] for k in range(len(stones))]
    if [colour for _, colour in stones] == expected and to_move == (BLACK, WHITE)[len(stones) % 2]:
        return list(stones)
    black, white = ([stone for stone in stones if stone[1] == colour] for colour in (BLACK, WHITE))
    return [stone for pair in zip_longest(black, white) for stone in pair if stone is not None]


def is_in_turn(stones: Sequence[Stone], to_move: int) -> bool:
    """Whether a game can have come to these stones with that side to move."""
    black = sum(colour == BLACK for _, colour in stones)
    return 2 * black - len(stones) == (to_move == WHITE)


def _played(game: Game, stones: Sequence[Stone], to_move: int) -> Position:
    position = game.start()
    for action, colour in stones:
        position = with_side(position, colour).play(action)
    return with_side(position, to_move)


def with_side(position: Position, colour: int) -> Position:
    """The same stones with another side to move."""
    if position.to_move == colour or position.is_over:
        return position
    state = position.state.copy()
    state[SIDE] = colour
    toggle_side(state[HASHES : HASHES + 8])
    return Position(position.game, state, position.moves)
