"""What the Gomocup protocol and this package call the same things: rules, points, and lists of points."""

from __future__ import annotations

import re

from eightfold.errors import EightfoldError
from eightfold.games.game import Game, Position

# The number of `INFO rule` and our name for it. A rule that the game learns is switched on by an entry here.
RULES = {0: "freestyle", 1: "standard"}
NAMES = {0: "freestyle", 1: "standard", 2: "continuous game", 4: "renju", 8: "caro", 9: "caro with exactly five"}

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
    name = f" ({NAMES[rule]})" if rule in NAMES else ""
    return f"rule {rule}{name} is not supported; supported: {known}"


def rule_number(game: Game) -> int:
    """The number of a game's rule; an error if the protocol cannot express the game."""
    numbers = {name: number for number, name in RULES.items()}
    if game.name != "gomoku" or game.values.get("win") != WIN or game.values.get("rule") not in numbers:
        raise EightfoldError(
            f"the gomocup protocol does not know {game.text}; it knows gomoku with win={WIN} and rule="
            + " or ".join(numbers)
        )
    return numbers[str(game.values["rule"])]


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


def forbidden_points(position: Position) -> list[int]:
    """Where the side to move may not play although the point is empty; only renju has such points."""
    legal = position.legal_mask
    return [] if position.is_over else [int(p) for p in (position.stones.ravel() == 0).nonzero()[0] if not legal[p]]
