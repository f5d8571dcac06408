"""Games read over and over: files or lists of moves, walked through by `team_kernels.py` on all cores.

Learning strengths goes through all games once for each iteration, so a source of games is a function that begins
again whenever it is called, and memory does not grow with the records.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eightfold.core.jit import Ints
from eightfold.core.specialise import specialise
from eightfold.core.threads import run_parts, usable_cores
from eightfold.games.game import Game
from eightfold.patterns.judgement import KERNELS, Judge
from eightfold.patterns.records.game import RecordedGames
from eightfold.patterns.records.skipped import SkippedGames
from eightfold.patterns.records.sources import record_files
from eightfold.patterns.records.stream import RecordReader, blocks
from eightfold.patterns.team_kernels import NOTES
from eightfold.patterns.teams import Floats, geometry, make_workspace

WORTH_A_THREAD = 4  # games


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """Games on one board, from its start: game g is moves[first[g] : last[g]]."""

    game: Game
    moves: Ints
    first: Ints  # [G]
    last: Ints  # [G]


Source = Callable[[], Iterable[Batch]]  # the same games every time it is called


def games_in_files(
    paths: Iterable[str | os.PathLike[str]],
    game: str = "go",
    *,
    skip: int = 0,
    games: int | None = None,
    size: int | None = None,
    skipped: SkippedGames | None = None,
) -> Source:
    """The legal games of records, as `learn_library` reads them; `skipped` is told of the others, once."""
    recorded = RecordedGames(game, size=size, trusted=True)
    files = record_files(paths)
    told = skipped

    def source() -> Iterator[Batch]:
        nonlocal told
        reader = RecordReader(recorded)
        for block in blocks(files, skip=skip, games=games):
            read = reader.read(block)
            if told is not None:
                told.add(read.skipped)
            for each in np.unique(read.sizes).tolist():
                board = recorded.on_board(each)
                assert board is not None  # the reader leaves out the others
                first, last = read.on_board(each)
                yield Batch(game=board, moves=read.moves, first=first, last=last)
        told = None

    return source


def games_in_memory(game: Game, games: Sequence[Sequence[int]]) -> Source:
    """Games as lists of moves from the start of a game."""
    ends = np.cumsum([0, *map(len, games)], dtype=np.int64)
    moves = np.array([move for each in games for move in each], np.int64)
    batch = Batch(game=game, moves=moves, first=ends[:-1].copy(), last=ends[1:].copy())
    return lambda: (batch,)


@dataclass(frozen=True, kw_only=True, eq=False)
class Walk:
    """What came of going through all games once."""

    notes: Floats  # [games, 5], see `team_kernels.py`
    expected: Floats  # [numbers] wins that the strengths promise; 0 if nothing was to be learned
    wins: Floats  # [numbers] wins that there were


def walk_through(
    source: Source, judge: Judge, *, learns: bool, on_games: Callable[[int], None] = lambda games: None
) -> Walk:
    """Judge every position of every game; `on_games` is told how many games are done."""
    cores = usable_cores()
    # Who does not learn changes none of these, so one does for all threads.
    sums = [(np.zeros(judge.teams.count), np.zeros(judge.teams.count)) for _ in range(cores if learns else 1)]
    notes: list[Floats] = []
    done = 0
    for batch in source():
        notes.append(_walk_batch(batch, judge, sums, min(cores, max(1, len(batch.first) // WORTH_A_THREAD)), learns))
        done += len(batch.first)
        on_games(done)
    return Walk(
        notes=np.concatenate(notes) if notes else np.zeros((0, NOTES)),
        expected=np.sum([expected for expected, _ in sums], axis=0),
        wins=np.sum([wins for _, wins in sums], axis=0),
    )


def _walk_batch(batch: Batch, judge: Judge, sums: list[tuple[Floats, Floats]], parts: int, learns: bool) -> Floats:
    game = batch.game
    kernels, board = specialise(KERNELS, game.rules), geometry(game.size, judge.teams.sides)
    notes = np.zeros((len(batch.first), NOTES))

    def job(part: int) -> None:
        expected, wins = sums[part % len(sums)]
        games = slice(len(notes) * part // parts, len(notes) * (part + 1) // parts)
        kernels.walk(
            game.size,
            np.array(game.numbers, np.int64),
            np.zeros(game.spec.state_length(game.size), np.int64),
            batch.moves,
            batch.first[games],
            batch.last[games],
            judge.teams.numbering,
            board,
            judge.judgement,
            make_workspace(game),
            expected,
            wins,
            notes[games],
            learns,
        )

    run_parts(job, parts)
    return notes
