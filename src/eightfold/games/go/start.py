"""Positions of Go set up by hand, as records, protocols and editors want them.

>>> from eightfold.games.game import make_game
>>> start_from(make_game("go:size=5"), {12: 1, 0: 2}, to_move=2).outcome
'white to move'
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.games.game import COLOUR_NAMES, Game, Position
from eightfold.games.go.board import point_at
from eightfold.games.go.layout import HANDICAP, KO, KO_MARK
from eightfold.games.go.memory import forget_all
from eightfold.games.go.setup import handicap_point, set_up
from eightfold.games.go.setup import most_handicap as most_handicap
from eightfold.games.state import BLACK, HASHES, SIDE
from eightfold.symmetry.orbit import toggle, toggle_side


def start_from(game: Game, stones: Mapping[int, int], *, to_move: int = BLACK) -> Position:
    """The game begins with these stones (an action and a colour each); handicap stones are not added to them.

    Players remember games by their moves: one that played from another start must hear of a new game first.
    """
    _check_go(game, to_move)
    board = np.zeros(game.points, np.int8)
    for action, colour in stones.items():
        point = game.action(action)
        if point == game.points or colour not in COLOUR_NAMES:
            raise EightfoldError(f"stone {colour} on {game.name_of(point)}: black is 1, white 2, and a pass no point")
        board[point] = colour
    state = np.empty(game.family.state_length(game.size), np.int64)
    komi, rules, handicap = game.numbers
    game.rules.reset(state, game.size, np.array((komi, rules, 0), np.int64))
    state[HANDICAP] = handicap
    forget_all(state)  # the empty board was never there
    if not set_up(state, board, to_move):
        raise EightfoldError("the stones that are set up leave a group without a liberty")
    return Position(game, state, ())


def with_side(position: Position, to_move: int) -> Position:
    """The same position with that side to move, as if nobody had passed: GTP lets a colour play twice in a row.

    A ko that the other side may not retake is forgotten: the ban was meant for its very next move.
    """
    _check_go(position.game, to_move)
    if position.to_move == to_move or position.is_over:
        return position
    state, size = position.state.copy(), position.game.size
    hashes = state[HASHES : HASHES + 8]
    if state[KO]:
        point = int(point_at(state[KO], size))
        toggle(hashes, KO_MARK, point // size, point % size, size)
        state[KO] = 0
    state[SIDE] = to_move
    toggle_side(hashes)
    return Position(position.game, state, position.moves)


def _check_go(game: Game, to_move: int) -> None:
    if game.name != "go":
        raise EightfoldError(f"{game.text} cannot be set up stone by stone; go can")
    if to_move not in COLOUR_NAMES:
        raise EightfoldError(f"{to_move} to move: black is 1, white 2")


def stones_of(position: Position) -> dict[int, int]:
    """The stones of a position, as `start_from` takes them."""
    stones = position.stones.ravel()
    return {int(point): int(stones[point]) for point in np.flatnonzero(stones)}


def handicap_points(size: int, handicap: int) -> list[int]:
    """The fixed places of handicap stones.

    >>> handicap_points(9, 2)
    [56, 24]
    """
    return [int(handicap_point(size, handicap, number)) for number in range(handicap)]
