"""Patterns of Go learned from game records (Wei et al.), measured again, and what they are worth.

    records -> libraries as read and combined -> how full they are, how posteriors are spread (figures 21 and 22)
    -> predicting the moves of games that were held out, by training size, raw and combined, 3x3 and 4x4, Bayes and Elo
    -> matches of `mcts` with patterns, and with everything else that it knows, against itself without; and GNU Go

`libraries.py`, `prediction.py` and `playing.py` measure, `sections.py` writes.
"""

from __future__ import annotations

from eightfold.studies.frame import Stage, Study
from eightfold.studies.gnugo import gnugo_program
from eightfold.studies.patterns import libraries, playing, prediction, sections
from eightfold.studies.patterns.settings import PatternSettings, check

_RECORDS = ("records", "own_games", "own_game", "own_player", "seed")

STUDY = Study(
    name="patterns",
    title="Pattern libraries: what symmetry buys, and what patterns are worth",
    introduction="Templates, codes and learning are explained in Eightfold's docs/patterns.md.",
    settings=PatternSettings(),
    small=(
        "own_game=go:size=7,komi=7.5",
        "own_player=mcts:playouts=20",
        "own_games=24",
        "held_out=4",
        "sizes=[5, 20]",
        "elo_sizes=[5]",
        "elo_iterations=2",
        "match_game=go:size=5,komi=7.5",
        "match_playouts=20",
        "match_seconds=0.002",
        "match_games=2",
        "chunk=2",
        "gnugo_games=0",
    ),
    check=check,
    stages=(
        Stage(
            name="libraries",
            settings=_RECORDS,
            inputs=prediction.record_files,
            measure=libraries.libraries,
            section=sections.libraries,
        ),
        Stage(
            name="prediction",
            settings=(*_RECORDS, "held_out", "sizes", "elo_sizes", "elo_iterations"),
            inputs=prediction.record_files,
            measure=prediction.prediction,
            section=sections.prediction,
        ),
        Stage(
            name="gomoku",
            settings=("gomoku_records", "gomoku_game"),
            inputs=prediction.record_files,
            measure=libraries.gomoku_libraries,
            section=sections.gomoku,
        ),
        Stage(
            name="matches",
            settings=("match_game", "match_playouts", "match_seconds", "match_games", "chunk", "seed"),
            measure=playing.matches,
            section=sections.matches,
        ),
        Stage(
            name="gnugo",
            settings=("match_game", "gnugo_games", "gnugo_seconds", "seed"),
            inputs=lambda work: gnugo_program() is not None,
            measure=playing.gnugo,
            section=sections.gnugo,
        ),
    ),
)
