"""The pattern explorer: what a library of patterns knows of the position that is shown.

The libraries are the server's: those given with `--patterns`, and the shipped one of each game. They stay in their
files, mapped into memory. A browser names one by its key, a measure by its name, and a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.intervals import wilson_bounds
from eightfold.games.game import GAMES, Position, make_game
from eightfold.patterns.files import load_library
from eightfold.patterns.library import Library
from eightfold.patterns.pictures import Picture, orbit_pictures
from eightfold.patterns.ranking import facts_of
from eightfold.patterns.shapes import Measure, Shape, measure_named, measures_of, shapes_round, shares, worth_of_points
from eightfold.patterns.shipped import shipped_library

LONGEST_NAME = 100  # characters: a key in a message has room for some more


@dataclass(frozen=True, kw_only=True)
class ServedLibrary:
    key: str
    library: Library

    def as_dict(self) -> dict[str, Any]:
        """What a browser is told."""
        kind = "symmetric patterns counted together" if self.library.combined else "raw"
        return {
            "key": self.key,
            "game": self.library.game,
            "measures": [measure.name for measure in measures_of(self.library)],
            "summary": f"{facts_of(self.library)}, {kind}",
        }


class ServedLibraries:
    """All libraries of a server."""

    def __init__(self, paths: Sequence[Path] = ()) -> None:
        self._served: dict[str, ServedLibrary] = {}
        for path in paths:
            self._add(path.stem, load_library(path))
        for name in GAMES:
            library = shipped_library(make_game(name))
            if library is not None:
                self._add(f"shipped-{name}", library)

    def _add(self, name: str, library: Library) -> None:
        name = name[:LONGEST_NAME]
        key, number = name, 2
        while key in self._served:  # files of the same name in two folders
            key, number = f"{name} ({number})", number + 1
        self._served[key] = ServedLibrary(key=key, library=library)

    def all(self) -> list[dict[str, Any]]:
        return [served.as_dict() for served in self._served.values()]

    def find(self, key: str, position: Position) -> Library:
        """A library by its key; an error if it is of another game."""
        if key not in self._served:
            raise (
                unknown("pattern library", key, self._served)
                if self._served
                else EightfoldError(
                    "this server has no pattern library; `eightfold serve --patterns FILE` gives it one"
                )
            )
        library = self._served[key].library
        if library.game != position.game.name:
            raise EightfoldError(f"the patterns of {key} are of {library.game}, not of {position.game.name}")
        return library


def explore(library: Library, position: Position, measure_name: str, point: int | None) -> dict[str, Any]:
    """What the page shows: the probability of every legal point, and the shapes of one point."""
    measure = measure_named(library, measure_name)
    worth = worth_of_points(library, position, measure)
    probabilities = shares(worth)
    answer: dict[str, Any] = {
        "type": "patterns",
        "measure": measure.name,
        "probabilities": [round(float(share), 5) for share in probabilities],
        "legal": int(np.count_nonzero(worth)),
        "point": point,
    }
    if point is None:
        return answer
    shapes = shapes_round(library, position, point)
    stone = bool(position.stones.reshape(-1)[point])
    rank = None
    if worth[point] > 0:
        rank = 1 + int(np.count_nonzero(worth > worth[point]))
    return {
        **answer,
        "rank": rank,
        "note": _note(position, measure, shapes, stone=stone, legal=worth[point] > 0),
        "shapes": [] if stone else [_shape_message(shape, point) for shape in shapes],
    }


def _note(position: Position, measure: Measure, shapes: Sequence[Shape], *, stone: bool, legal: bool) -> str:
    """Why there is less to see than usual, or ''."""
    if stone:
        return "A stone is there; patterns are about points to be played."
    if position.is_over:
        return "The game is over, so no point is to be played."
    if not legal:
        return "The rules forbid this point."
    if not shapes:
        return "No template of this library fits here."
    if all(shape.statistics.matches == 0 for shape in shapes if shape.template.side <= measure.side):
        return "None of its patterns was ever seen, so the point counts as an average one."
    return ""


def _shape_message(shape: Shape, point: int) -> dict[str, Any]:
    known = shape.statistics
    low, high = wilson_bounds(known.posterior, known.matches)
    return {
        "template": shape.template.name,
        "code": known.code,
        "table": known.table,
        "block": sorted((*shape.points, point)),
        "picture": _picture_message(shape.picture),
        "orbit": [_picture_message(each) for each in orbit_pictures(shape.picture)],
        "matches": known.matches,
        "plays": known.plays,
        "posterior": round(known.posterior, 5),
        "interval": [round(float(low), 5), round(float(high), 5)],
        "elo": None if known.elo is None else round(known.elo, 1),
    }


def _picture_message(picture: Picture) -> dict[str, Any]:
    return {"rows": picture.rows, "edges": list(picture.edges)}
