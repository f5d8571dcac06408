"""The shapes of one position: which patterns lie round its points, and how likely each point is by them.

This is for people who look at a position. It reads a few hundred patterns with NumPy, leaves the library in its
file and compiles nothing.

    posterior: (plays + DOUBT * coarser) / (matches + DOUBT), where a 4x4 pattern leans on the 3x3 one of the point and
               that on the mean of the library: patterns that were hardly ever seen say little. A point is worth the
               geometric mean over its templates.
    Elo:       the product of the strengths gamma of all patterns of the point; a pattern without one counts as 1.

A probability is a point's share of what all legal points are worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.jit import Ints
from eightfold.games.game import Position
from eightfold.games.state import BLACK
from eightfold.patterns.codes import EMPTY, OPPONENT, OWN
from eightfold.patterns.library import Library, Statistics, Table
from eightfold.patterns.pictures import Picture, picture_of
from eightfold.patterns.templates import Template, placements, templates_with

DOUBT = 10.0  # positions that the coarser pattern is worth
POSTERIOR, ELO = "posterior", "Elo"


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A pattern round a point of a board."""

    template: Template
    code: int  # in the frame of the template
    points: tuple[int, ...]  # of the block, by digit, without the anchor
    picture: Picture  # as it lies on the board
    statistics: Statistics


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A way to compare points: by the posteriors of blocks of a size, or by the strengths of all patterns."""

    kind: str
    side: int  # of the largest blocks

    @property
    def name(self) -> str:
        return ELO if self.kind == ELO else f"{self.side}x{self.side} {self.kind}"


def measures_of(library: Library) -> list[Measure]:
    """What the points of a position can be compared by; of posteriors those of larger blocks first: they know more."""
    posteriors = [Measure(kind=POSTERIOR, side=side) for side in sorted(library.sides, reverse=True)]
    return [*posteriors, Measure(kind=ELO, side=max(library.sides))] if library.has_elo else posteriors


def measure_named(library: Library, name: str) -> Measure:
    known = {measure.name: measure for measure in measures_of(library)}
    if name not in known:
        raise unknown("measure of this library", name, known)
    return known[name]


# ---- one point ---------------------------------------------------------------------------------------


def shapes_round(library: Library, position: Position, point: int) -> list[Shape]:
    """Every pattern of an empty point of which the library has a table, small blocks first."""
    game = position.game
    if not 0 <= point < game.points:
        raise EightfoldError(f"{point} is not a point of a {game.size}x{game.size} board: 0 to {game.points - 1}")
    digits, found = _digits(position), []
    for template in templates_with(library.sides):
        where = placements(template, game.size)[point]
        if where[0] >= 0 and library.table_for(template) in library.tables:
            code = int(digits[where] @ 3 ** np.arange(template.digits))
            found.append(
                Shape(
                    template=template,
                    code=code,
                    points=tuple(where.tolist()),
                    picture=picture_of(template, code, _rotation(template, point, game.size)),
                    statistics=library.look_up(template, code),
                )
            )
    return found


def _rotation(template: Template, point: int, size: int) -> int:
    """In which rotation a template lies round a point."""
    row, column = divmod(point, size)
    where = placements(template, size)[point].tolist()
    for rotation in template.rotations:
        if where == [(row + down) * size + column + right for down, right in template.offsets(rotation)]:
            return rotation
    raise EightfoldError(f"{template.name} does not match at row {row}, column {column}")


def _digits(position: Position) -> Ints:
    """[N * N]: the points of a board as digits, from the side to move."""
    meaning = np.array([EMPTY, OWN, OPPONENT] if position.to_move == BLACK else [EMPTY, OPPONENT, OWN], np.int64)
    return meaning[position.stones.reshape(-1)]


# ---- all points --------------------------------------------------------------------------------------


def worth_of_points(library: Library, position: Position, measure: Measure) -> NDArray[np.float64]:
    """[N * N]: what every legal point is worth; 0 elsewhere."""
    legal = np.flatnonzero(position.legal_mask[: position.game.points] & (not position.is_over))
    worth = np.zeros(position.game.points)
    if measure.kind == ELO:
        worth[legal] = _strengths(library, position, legal)
        return worth
    estimate = np.full(len(legal), library.mean_posterior)
    for side in sorted(library.sides):
        if side <= measure.side:
            estimate = _posteriors(library, position, legal, side, estimate)
    worth[legal] = estimate
    return worth


def shares(worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same as probabilities."""
    total = worth.sum()
    return worth / total if total > 0 else worth


def _posteriors(
    library: Library, position: Position, points: Ints, side: int, coarser: NDArray[np.float64]
) -> NDArray[np.float64]:
    """[K]: the posteriors of points by blocks of a size, which lean on coarser ones [K]."""
    logs, templates = np.zeros(len(points)), np.zeros(len(points))
    for table, fits, places in _places(library, position, points, (side,)):
        seen = places >= 0
        matches, plays = np.zeros(len(places)), np.zeros(len(places))
        matches[seen], plays[seen] = table.matches[places[seen]], table.plays[places[seen]]
        logs[fits] += np.log((plays + DOUBT * coarser[fits]) / (matches + DOUBT))
        templates[fits] += 1
    return np.where(templates > 0, np.exp(logs / np.maximum(templates, 1)), coarser)


def _strengths(library: Library, position: Position, points: Ints) -> NDArray[np.float64]:
    """[K]: the products of the strengths of the patterns of points."""
    strengths = np.ones(len(points))
    for table, fits, places in _places(library, position, points, library.sides):
        if table.gammas is not None:
            gammas = np.ones(len(places))
            gammas[places >= 0] = table.gammas[places[places >= 0]]
            strengths[fits] *= np.where(gammas > 0, gammas, 1.0)
    return strengths


def _places(
    library: Library, position: Position, points: Ints, sides: Sequence[int]
) -> Iterator[tuple[Table, NDArray[np.bool_], Ints]]:
    """For every template: its table, which points [K] it matches, and the places of their patterns; -1 for unseen."""
    digits = _digits(position)
    for template in templates_with(sides):
        where = placements(template, position.game.size)[points]  # [K, D]
        fits = where[:, 0] >= 0
        if fits.any() and library.table_for(template) in library.tables:
            codes = digits[where[fits]] @ 3 ** np.arange(template.digits)
            table, places = library.look_up_all(template, codes)
            yield table, fits, places
