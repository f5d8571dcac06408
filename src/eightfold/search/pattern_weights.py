"""The weights of 3x3 shapes by which the full style of `mcts` plays, from a pattern library.

The weight of a shape is its posterior (Wei et al., equation 1): how often it was played, of the times it could have
been. Shapes seldom seen are judged with caution, and those below LEAST are not played for their shape at all.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.patterns.codes import LOW, canonical, code_tables
from eightfold.patterns.files import load_library
from eightfold.patterns.library import Library, counts_from_table
from eightfold.patterns.templates import templates_with

OFF = "off"
LEAST = 0.05  # the posterior of a shape that is worth playing
CAUTION = 10  # matches without a play that every shape is taken to have had


def read_weights(text: str, game: str) -> NDArray[np.float32] | None:  # [3, LOW]
    """The weights in the library of a file, made from records of this game; None for `off`."""
    if text == OFF:
        return None
    library = load_library(Path(text))
    if library.game != game:
        raise EightfoldError(f"the pattern library {text} is of {library.game}, and is asked for in {game}")
    return shape_weights(library)


def shape_weights(library: Library) -> NDArray[np.float32]:  # [3, LOW]
    """For every code of the three 3x3 templates (centre, edge, corner) its weight, 0 for what is not to be played."""
    weights = np.zeros((3, LOW), np.float32)
    for kind, template in enumerate(templates_with((3,))):
        name = library.table_for(template)
        if name not in library.tables:
            raise EightfoldError(
                f"a pattern library for playouts needs the table {name}; it has {', '.join(library.tables)}"
            )
        matches, plays = counts_from_table(library.tables[name], LOW)
        if library.combined:
            tables = code_tables(template.name)
            same = np.array([canonical(tables, code) for code in range(LOW)])
            matches, plays = matches[same], plays[same]
        posteriors = plays / (matches + CAUTION)
        weights[kind] = np.where(posteriors >= LEAST, posteriors, 0)
    return weights
