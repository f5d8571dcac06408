"""A folder that keeps the games of a match, one SGF file each."""

from __future__ import annotations

from pathlib import Path

from eightfold.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.games.record import GameRecord, write_records
from eightfold.games.sgf import write_sgf


class GameFolder:
    """Makes the folder, or takes an existing one that holds no games yet: nothing is overwritten."""

    def __init__(self, path: Path, game: Game) -> None:
        write_sgf([GameRecord(game=game.text, moves=())])  # a game that SGF cannot hold is refused before it is played
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot keep games in {path}: {error.strerror}") from None
        if any(path.glob("*.sgf")):
            raise EightfoldError(f"{path} already holds games; choose another folder or empty it")
        self._path = path
        self._count = 0

    def add(self, record: GameRecord) -> None:
        self._count += 1
        write_records(self._path / f"game-{self._count:04d}.sgf", [record])
