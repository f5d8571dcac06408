"""Strengths learned from files of records: `rate_library(library, paths)`, stopped and resumed.

After every iteration the library with the strengths so far is kept beside the output, `go.patterns.rating`; the same
call goes on from there. Read next: `elo.py`, the iterations; `walking.py`, where games come from.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from eightfold.patterns.elo import ELO, ITERATIONS, PRIOR, Iteration, OnGames, OnIteration, Rated, rate_patterns
from eightfold.patterns.features import check_features
from eightfold.patterns.learn import LearningStopped
from eightfold.patterns.library import Library, check_game, records_of
from eightfold.patterns.partial import PartialFile
from eightfold.patterns.records.game import RecordedGames
from eightfold.patterns.records.skipped import SkippedGames
from eightfold.patterns.records.sources import record_files, size_of
from eightfold.patterns.walking import games_in_files

SUFFIX = ".rating"
PARTIAL = "partial"


def rate_library(
    library: Library,
    paths: Iterable[str | os.PathLike[str]],
    *,
    game: str = "",
    features: Sequence[str] = (),
    sides: Sequence[int] = (3, 4),
    iterations: int = ITERATIONS,
    prior: float = PRIOR,
    games: int | None = None,
    skip: int = 0,
    size: int | None = None,
    output: Path | None = None,
    stop: threading.Event | None = None,
    skipped: SkippedGames | None = None,
    on_iteration: OnIteration = lambda rated: None,
    on_games: OnGames = lambda iteration, games: None,
) -> Rated:
    """Learn strengths of the patterns of a counted library, and of features (`["all"]`: all), from records.

    `game`, if it is not that of the library without options: whose records. `games`, `skip`, `size`: as for
    `learn_library`. `output`: the file that the library will be stored to. `stop`: set it to have `LearningStopped`
    raised; what was reached is kept beside the output. `on_iteration` and `on_games` hear how far it is.
    """
    files = record_files(paths)
    typed, game = bool(game), game or records_of(library)
    recorded = RecordedGames(game, size=size, trusted=typed)  # the library's word names no code
    check_game(library, recorded.name)
    board = recorded.on_board(recorded.size or recorded.usual_size)
    assert board is not None  # else RecordedGames refuses it
    chosen = check_features(features, board)
    command: dict[str, Any] = {
        "sources": [[file.name, size_of(file)] for file in files],
        "game": recorded.text,
        "size": recorded.size,
        "skip": skip,
        "games": games,
        "features": list(chosen),
        "sides": list(sides),
        "prior": prior,
        "patterns": {name: [len(table.codes), int(np.sum(table.matches))] for name, table in library.tables.items()},
    }
    kept = rating_beside(output) if output else None

    def keep(rated: Rated) -> None:
        if kept is not None:
            kept.save(rated.library, command, len(rated.iterations), 0)
        on_iteration(rated)

    def hear(iteration: int, done: int) -> None:
        on_games(iteration, done)
        if stop is not None and stop.is_set():
            raise LearningStopped(f"stopped in iteration {iteration}")

    return rate_patterns(
        library,
        games_in_files(files, game, skip=skip, games=games, size=size, skipped=skipped),
        features=chosen,
        sides=sides,
        iterations=iterations,
        prior=prior,
        resumes=_reached(kept, command) if kept else None,
        on_iteration=keep,
        on_games=hear,
    )


def rating_beside(output: Path) -> PartialFile:
    """Where unfinished strengths are kept."""
    return PartialFile(output.with_name(output.name + SUFFIX))


def _reached(file: PartialFile, command: dict[str, Any]) -> Rated | None:
    kept = file.load(command)
    if kept is None:
        return None
    about = {key: value for key, value in kept.about.items() if key != PARTIAL}
    told = about[ELO]
    return Rated(
        library=replace(kept.library, about=about),
        iterations=tuple(Iteration(**each) for each in told["iterations"]),
        positions=int(told["positions"]),
        games=int(told["games"]),
        taken_back=int(told["taken_back"]),
    )
