"""The games room: rules as kernels, positions for people, records in files."""

from eightfold.games.game import DEFAULT_GAME, FAMILIES, Game, Move, Position, make_game, typed_game
from eightfold.games.spec import Family
from eightfold.games.state import BLACK, DRAW, WHITE

__all__ = [
    "BLACK",
    "DEFAULT_GAME",
    "DRAW",
    "FAMILIES",
    "WHITE",
    "Family",
    "Game",
    "Move",
    "Position",
    "make_game",
    "typed_game",
]
