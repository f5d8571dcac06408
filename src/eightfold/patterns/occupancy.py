"""How full a library is: the measures by which Wei et al. (section 5) show what combining brings.

A pattern is valid if it was seen and played often enough and its posterior is high enough. Occupancy is the share of
all codes that are valid, in all templates of a class together. In a combined library the sum of a shape counts for each
of its codes, as the paper spreads it, so both kinds of library are measured on the same codes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.patterns.combine import orbit_sizes
from eightfold.patterns.library import Library, Table
from eightfold.patterns.templates import reference, templates_of


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """What makes a pattern valid; the paper's values."""

    plays: int = 3
    matches: int = 5
    posterior: float = 0.05

    def valid(self, table: Table) -> NDArray[np.bool_]:  # [K]
        enough = (np.asarray(table.plays) >= self.plays) & (np.asarray(table.matches) >= self.matches)
        return enough & (table.posteriors >= self.posterior)


PAPER = Thresholds()


def valid_posteriors(
    library: Library, pattern_class: str, thresholds: Thresholds = PAPER
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The posteriors [K] of the valid patterns of a class, and how many codes [K] each of them stands for."""
    posteriors, codes = [np.zeros(0)], [np.zeros(0, np.int64)]
    if library.combined:
        if pattern_class in library.tables:
            table = library.tables[pattern_class]
            valid = thresholds.valid(table)
            posteriors.append(table.posteriors[valid])
            codes.append(orbit_sizes(pattern_class, table)[valid] * len(templates_of(pattern_class)))
    else:
        for template in templates_of(pattern_class):
            if template.name in library.tables:
                table = library.tables[template.name]
                found = table.posteriors[thresholds.valid(table)]
                posteriors.append(found)
                codes.append(np.ones(len(found), np.int64))
    return np.concatenate(posteriors), np.concatenate(codes)


def occupancy(library: Library, pattern_class: str, thresholds: Thresholds = PAPER) -> float:
    """The share of the codes of a class, in all of its templates, that are valid."""
    _, codes = valid_posteriors(library, pattern_class, thresholds)
    return float(codes.sum()) / (len(templates_of(pattern_class)) * reference(pattern_class).codes)


def posterior_shares(
    library: Library, pattern_class: str, bins: int = 20, thresholds: Thresholds = PAPER
) -> NDArray[np.float64]:
    """[bins]: which share of the valid codes has a posterior in each of so many equal parts of 0 to 1 (figure 22)."""
    posteriors, codes = valid_posteriors(library, pattern_class, thresholds)
    counts, _ = np.histogram(posteriors, bins, (0.0, 1.0), weights=codes)
    return counts / max(1, counts.sum())
