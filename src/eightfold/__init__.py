"""Eightfold: train, play and study board-game AIs that know their board looks the same from eight sides.

Start reading at `eightfold.symmetry.group` (how a board turns), then `eightfold.games.contract` (what a
game is), `eightfold.search.uct` (how one thinks) and `eightfold.arena.match` (how two play).
Importing this package loads nothing heavy.
"""

__version__ = "0.1.0"
