"""The libraries that come with Eightfold: 3x3 patterns of games that its own engines played, one for a kind of game."""

from __future__ import annotations

import functools
from pathlib import Path

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.patterns.files import SUFFIX, load_library
from eightfold.patterns.library import Library

FOLDER = Path(__file__).parent / "libraries"


def shipped_library(game: Game, folder: Path = FOLDER) -> Library | None:
    """The library for this kind of game, if there is one."""
    return _libraries(folder).get(game.name)


@functools.cache
def _libraries(folder: Path) -> dict[str, Library]:
    found = (load_library(path) for path in sorted(folder.glob(f"*{SUFFIX}")))
    return {library.game: library for library in found}


def open_library(place: str, game: Game) -> Library:
    """The library in a file, or the shipped one where no file is named; an error if it is for another kind of game."""
    if not place:
        library = shipped_library(game)
        if library is None:
            raise EightfoldError(
                f"no pattern library for {game.name} comes with Eightfold; name a file of yours"
                " (`eightfold patterns learn` makes one)"
            )
        return library
    library = load_library(Path(place).expanduser())
    if library.game != game.name:
        raise EightfoldError(f"{place} has patterns of {library.game}; the game is {game.name}")
    return library
