"""Which game of a file, and which of its moves, a command is about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eightfold.core.errors import EightfoldError
from eightfold.core.words import number_of

if TYPE_CHECKING:  # it needs NumPy, which `eightfold --help` does not
    from eightfold.games.records.record import GameRecord


def chosen_game(
    file: Path, records: Sequence[GameRecord], number: int, move: int | None, *, options: tuple[str, str]
) -> GameRecord:
    """The game of this number, counted from 1; an error if there is none, or if the move is beyond its end.

    `options` are the names by which the user gave number and move.
    """
    if number > len(records):
        raise EightfoldError(
            f"{file} holds {number_of(len(records), 'game')}; {options[0]} {number} is not one of them"
        )
    record = records[number - 1]
    if move is not None and move > len(record.moves):
        has = number_of(len(record.moves), "move")
        raise EightfoldError(f"game {number} of {file} has {has}; {options[1]} {move} is beyond its end")
    return record
