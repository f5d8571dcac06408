"""A folder that keeps the games of a match, one SGF file each."""

from __future__ import annotations

from pathlib import Path

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.games.records.files import write_records
from eightfold.games.records.record import GameRecord
from eightfold.games.records.sgf import write_sgf


class GameFolder:
    """A new folder, or one that holds no games yet: nothing is overwritten. It is made with the first game."""

    def __init__(self, path: Path, game: Game) -> None:
        write_sgf([GameRecord(game=game.text, moves=())])  # a game that SGF cannot hold is refused before it is played
        if path.exists() and not path.is_dir():
            raise EightfoldError(f"cannot keep games in {path}: it is not a folder")
        if path.is_dir() and any(path.glob("*.sgf")):
            raise EightfoldError(f"{path} already holds games; choose another folder or empty it")
        self._path = path
        self._count = 0

    def add(self, record: GameRecord) -> None:
        self._count += 1
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot keep games in {self._path}: {error.strerror}") from None
        write_records(self._path / f"game-{self._count:04d}.sgf", [record])
