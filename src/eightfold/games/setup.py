"""Positions that are set up by hand, as protocols, records and editors do it.

There are two ways. `start_from` begins a game with stones on the board, in games that offer it (`set_up` in
`eightfold.games.contract`; Go does). `arranged` puts stones on the board as if they had been played: in any order, with
any number of stones. Where they cannot have been played (one side has too many), the side to move is changed between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.games.game import COLOUR_NAMES, Game, Position
from eightfold.games.state import BLACK, HASHES, SIDE, WHITE
from eightfold.symmetry.orbit import toggle_side

Stone = tuple[int, int]  # an action and a colour
ORDERS = 20  # to be tried where the first shows a win on the way that the finished board does not have


def start_from(game: Game, stones: Mapping[int, int], *, to_move: int = BLACK) -> Position:
    """The game begins with these stones (an action and a colour each); handicap stones are not added to them.

    Players remember games by their moves: one that played from another start must hear of a new game first.

    >>> from eightfold.games.game import make_game
    >>> start_from(make_game("go:size=5"), {12: 1, 0: 2}, to_move=2).outcome
    'white to move'
    """
    if not game.can_be_set_up:
        raise EightfoldError(f"{game.text} cannot be set up stone by stone; a game such as go can")
    _check_side(to_move)
    board = np.zeros(game.points, np.int8)
    for action, colour in stones.items():
        point = game.action(action)
        if point == game.points or colour not in COLOUR_NAMES:
            raise EightfoldError(f"stone {colour} on {game.name_of(point)}: black is 1, white 2, and a pass no point")
        board[point] = colour
    state = np.zeros(game.spec.state_length(game.size), np.int64)
    if not game.rules.set_up(state, game.size, np.array(game.numbers, np.int64), board, to_move):
        raise EightfoldError("the stones that are set up leave a group without a liberty")
    return Position(game, state, ())


def stones_of(position: Position) -> dict[int, int]:
    """The stones of a position, as `start_from` takes them."""
    stones = position.stones.ravel()
    return {int(point): int(stones[point]) for point in np.flatnonzero(stones)}


def with_side(position: Position, to_move: int) -> Position:
    """The same stones with that side to move, as if nobody had passed: GTP lets a colour play twice in a row."""
    _check_side(to_move)
    if position.to_move == to_move or position.is_over:
        return position
    state = position.state.copy()
    change_side = getattr(position.game.rules, "change_side", None)
    if change_side is not None:
        change_side(state, to_move)
    else:
        state[SIDE] = to_move
        toggle_side(state[HASHES : HASHES + 8])
    return Position(position.game, state, position.moves)


def _check_side(to_move: int) -> None:
    if to_move not in COLOUR_NAMES:
        raise EightfoldError(f"{to_move} to move: black is 1, white 2")


# ---- as if the stones had been played -----------------------------------------------------------------------


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
