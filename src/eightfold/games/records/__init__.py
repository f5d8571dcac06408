"""Game records in files: SGF and Piskvork's psq. Start with `record.py`, then `files.py`."""

from eightfold.games.records.files import read_records, write_records
from eightfold.games.records.psq import read_psq, write_psq
from eightfold.games.records.record import GameRecord, RecordError, replay
from eightfold.games.records.sgf import read_sgf, write_sgf
from eightfold.games.records.variations import MoveTree, read_tree, write_tree

__all__ = [
    "GameRecord",
    "MoveTree",
    "RecordError",
    "read_psq",
    "read_records",
    "read_sgf",
    "read_tree",
    "replay",
    "write_psq",
    "write_records",
    "write_sgf",
    "write_tree",
]
