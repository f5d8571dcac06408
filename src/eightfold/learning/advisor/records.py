"""Records of real games as an advisor: SGF and psq files, or folders of them.

The move that was played is what the advisor thinks best, and the result is what its games are worth. A record is
replayed by the rules of the run's game. It is skipped, by name, if it is of another game or board, starts from a setup,
has a move that the rules forbid, or does not tell who won.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position, make_game
from eightfold.games.records.files import read_records
from eightfold.games.records.record import GameRecord, RecordError, path_label, replay
from eightfold.games.state import BLACK, DRAW, ONGOING, WHITE
from eightfold.learning.advisor.folder import Advice
from eightfold.learning.data.record import PlayedGame

SOURCE = "records"
KINDS = (".sgf", ".psq")
WINNERS = {"B": BLACK, "W": WHITE}


def record_paths(path: Path) -> list[Path]:
    """A file as it is; of a folder all that are records by their names, however deep, in the order of their names."""
    if not path.is_dir():
        return [path]
    inside = (Path(folder) / name for folder, _, names in os.walk(path) for name in names)
    return sorted(file for file in inside if file.suffix.lower() in KINDS)


def read_as_advice(paths: list[Path], game: Game, *, most: int = 0, to_the_end: bool = False) -> Advice:
    """The games of files that can be learned from, no more than `most` (0: all); the others are its faults.

    `to_the_end`: games that were resigned or agreed on do not count.
    """
    advice = Advice(SOURCE)
    for path in paths:
        refused: list[RecordError] = []
        try:
            records = read_records(path, refused=refused)
        except RecordError as error:
            advice.faults.append(str(error))
            continue
        advice.faults += map(str, refused)
        for number, record in enumerate(records, start=1):
            if most and len(advice.games) >= most:
                return advice
            try:
                advice.games[len(advice.games)] = _as_played(record, game, to_the_end)
            except EightfoldError as error:
                where = f", game {number}" if len(records) > 1 else ""
                advice.faults.append(f"{path_label(path)}{where}: {error}")
    return advice


def _as_played(record: GameRecord, game: Game, to_the_end: bool) -> PlayedGame:
    theirs = make_game(record.game)
    if (theirs.name, _numbers(theirs)) != (game.name, _numbers(game)):
        raise EightfoldError(f"it is a game of {theirs.text}, not of {game.text}")
    if record.setup or record.to_move:
        raise EightfoldError("it does not start from the start of the game")
    if not record.moves:
        raise EightfoldError("it has no moves")
    position = replay(game, record.moves)
    result = _result(record, position)
    if to_the_end and not position.is_over:
        raise EightfoldError("it was not played to its end, which a network that learns ownership needs")
    if to_the_end and result != position.result:
        raise EightfoldError("it does not tell which stones are dead, which a network that learns ownership needs")
    policies = np.zeros((len(record.moves), game.actions), np.float32)
    policies[np.arange(len(record.moves)), record.moves] = 1
    return PlayedGame(
        moves=position.moves,
        opening=0,
        result=result,
        plies=np.arange(len(record.moves)),
        policies=policies,
        root_values=np.zeros(len(record.moves), np.float32),
        game=game.text,
    )


def _numbers(game: Game) -> dict[str, int]:
    """What makes two games different boards and aims: the size, the stones in a row. Komi and rules may differ."""
    return {key: value for key, value in game.values.items() if isinstance(value, int)}


def _result(record: GameRecord, position: Position) -> int:
    """By the rules where they end the game; where stones may be dead, what the record says goes before that."""
    if record.result == "Draw":
        told = DRAW
    else:
        told = WINNERS.get(record.result[:1], ONGOING) if record.result[1:2] == "+" else ONGOING
    if position.is_over and (told == ONGOING or not position.game.has_dead_stones):
        return position.result
    if told == ONGOING:
        raise EightfoldError("it does not tell who won")
    return told
