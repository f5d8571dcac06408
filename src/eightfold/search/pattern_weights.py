"""The weights of 3x3 shapes by which the full style of `mcts` plays, from a pattern library.

A weight says how many times as often as an average shape it is played (`eightfold.patterns.weights`). Shapes below
LEAST are not played for their shape at all (Wei et al., section 2.2, leave out those of a low posterior).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.games.game import Game
from eightfold.patterns.library import Library
from eightfold.patterns.shipped import open_library, shipped_library
from eightfold.patterns.weights import small_weights

OFF, SHIPPED = "off", "shipped"
LEAST = 2.0


def read_weights(text: str | None, game: Game) -> NDArray[np.float32] | None:  # [3, 3^8]
    """The weights of a file or of the shipped library; None for `off`, or if none is named and none ships."""
    if text == OFF:
        return None
    library = shipped_library(game) if text is None else open_library("" if text == SHIPPED else text, game)
    return None if library is None else shape_weights(library)


def shape_weights(library: Library) -> NDArray[np.float32]:  # [3, 3^8]
    """For every code of the three 3x3 templates (centre, edge, corner) its weight, 0 for what is not to be played."""
    weights = small_weights(library)
    weights[weights < LEAST] = 0
    return weights
