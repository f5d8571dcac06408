"""Names of the Gomocup protocol for what this package names otherwise: rules and points."""

from __future__ import annotations

import re

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.games.gomoku.lines import RULES as RULE_NUMBERS

RULES = {number: name for name, number in RULE_NUMBERS.items()}  # of `INFO rule`
CONTINUOUS = 2  # a bit of it: games follow each other on the same board
UNLIMITED = 2_147_483_647  # milliseconds: as much time as there is

WIN = 5  # in a row; the protocol knows no other number
LEAST_SIZE, MOST_SIZE = 5, 25

_POINT = re.compile(r"(-?\d{1,9})\s*,\s*(-?\d{1,9})", re.ASCII)


def game_text(size: int, rule: int) -> str:
    """The game that a board size and a rule number stand for.

    >>> game_text(15, 0)
    'gomoku:size=15,win=5,rule=freestyle'
    """
    if not LEAST_SIZE <= size <= MOST_SIZE:
        raise EightfoldError(f"board size {size} is not supported; {LEAST_SIZE} to {MOST_SIZE} are")
    if rule not in RULES:
        raise EightfoldError(refusal(rule))
    return f"gomoku:size={size},win={WIN},rule={RULES[rule]}"


def refusal(rule: int) -> str:
    """Why a rule is not played."""
    known = ", ".join(f"{number} ({name})" for number, name in RULES.items())
    name = " (a continuous game)" if rule == CONTINUOUS else ""
    return f"rule {rule}{name} is not supported; supported: {known}"


def rule_number(game: Game) -> int:
    """The number of a game's rule; an error if the protocol cannot express the game."""
    if not game.spec.psq or game.values.get("win") != WIN:
        raise EightfoldError(f"the gomocup protocol does not know {game.text}; it knows gomoku with win={WIN}")
    return RULE_NUMBERS[str(game.values["rule"])]


def read_point(text: str, game: Game) -> int:
    """The action of `x,y`: column and row, from 0.

    >>> from eightfold.games.game import make_game
    >>> read_point("3,0", make_game("gomoku:size=15"))
    3
    """
    match = _POINT.fullmatch(text.strip())
    if match is None:
        raise EightfoldError(f"{text.strip()[:40]!r} is not a point; write x,y")
    x, y = int(match[1]), int(match[2])
    if not (0 <= x < game.size and 0 <= y < game.size):
        raise EightfoldError(f"{x},{y} is off the {game.size}x{game.size} board")
    return y * game.size + x


def write_point(action: int, game: Game) -> str:
    """`x,y` of an action."""
    row, column = divmod(action, game.size)
    return f"{column},{row}"
