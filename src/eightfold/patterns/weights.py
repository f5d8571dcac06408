"""What a 3x3 pattern is worth, for every code there is: the table that random games and priors of searches read.

A library holds the codes that were seen, and a combined one only the smallest of each orbit. `small_weights` spreads
them over all codes of the three 3x3 templates, so that a search looks a pattern up without knowing about symmetry.

    >>> from eightfold.patterns.library import Library, Table
    >>> import numpy as np
    >>> seen = Table(codes=np.array([0, 1]), matches=np.array([80, 20]), plays=np.array([2, 8]))
    >>> weights = small_weights(Library(game="go", combined=True, tables={"3x3-centre": seen}))
    >>> weights.shape, bool(weights[0, 3**7] > weights[0, 5] > weights[0, 0])
    ((3, 6561), True)

Code 3**7 is code 1 turned round; code 5 was never seen and is worth what an average pattern is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.patterns.codes import canonical_codes
from eightfold.patterns.library import Library, Table
from eightfold.patterns.templates import templates_with

DOUBT = 10.0  # positions with an average pattern that are added to what was seen, so that rare patterns stay near it


def small_weights(library: Library) -> NDArray[np.float32]:
    """[3, 6561]: what a move is worth by its 3x3 pattern, for centre, edge and corner and every code; above 0.

    It is the posterior of the pattern divided by the mean posterior of all patterns; an unseen one is worth the mean of
    its table. Strengths would leave out what the features of a move explain (a capture, the last move beside it), and
    random games that know no features play no better by them.
    """
    templates = templates_with((3,))
    known = {t: library.tables[library.table_for(t)] for t in templates if library.table_for(t) in library.tables}
    if not known:
        raise EightfoldError(f"this library knows no 3x3 patterns; it knows {', '.join(library.tables)}")
    matches = sum(int(np.sum(table.matches, dtype=np.int64)) for table in known.values())
    plays = sum(int(np.sum(table.plays, dtype=np.int64)) for table in known.values())
    average = max(plays, 1) / max(matches, 1)
    weights = np.ones((len(templates), templates[0].codes), np.float32)
    for row, template in enumerate(templates):
        if template in known:
            table = known[template]
            values, usual = _values(table, average)
            every_code = np.full(template.codes, usual)
            every_code[table.codes] = values
            weights[row] = (
                every_code[canonical_codes(template.name, np.arange(template.codes))]
                if library.combined
                else every_code
            )
    return weights


def _values(table: Table, average: float) -> tuple[NDArray[np.float64], float]:
    """[K]: what the patterns of a table are worth, and what one that is not there is."""
    matches, plays = np.asarray(table.matches, np.float64), np.asarray(table.plays, np.float64)
    usual = max(plays.sum(), 1) / max(matches.sum(), 1)
    return (plays + DOUBT * usual) / (matches + DOUBT) / average, usual / average
