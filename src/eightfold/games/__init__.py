"""The games room: rules as kernels, positions for people, records in files.

Start with `game.py`. A new game is one module (`docs/new-game.md`); `contract.py` lists what it offers, `spec.py` what
it declares. `setup.py` sets positions up, `points.py` counts them, `pictures.py` draws games; files of games are
`eightfold.games.records`.
"""

from eightfold.games.game import COLOUR_NAMES, DEFAULT_GAME, GAMES, Game, Move, Position, make_game
from eightfold.games.points import Count, count
from eightfold.games.setup import arranged, start_from, with_side
from eightfold.games.spec import GameSpec
from eightfold.games.state import BLACK, DRAW, ONGOING, WHITE

__all__ = [
    "BLACK",
    "COLOUR_NAMES",
    "DEFAULT_GAME",
    "DRAW",
    "GAMES",
    "ONGOING",
    "WHITE",
    "Count",
    "Game",
    "GameSpec",
    "Move",
    "Position",
    "arranged",
    "count",
    "make_game",
    "start_from",
    "with_side",
]
