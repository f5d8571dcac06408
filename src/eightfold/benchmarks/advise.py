"""An advisor's games: how many a second on all cores, and exact scores of all moves beside plain Python."""

from __future__ import annotations

import time

import numpy as np

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.minmax import INFINITY, after, alphabeta, candidates
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.core.threads import usable_cores
from eightfold.games.game import make_game
from eightfold.learning.advisor.teacher import Teacher
from eightfold.learning.advisor.teaching import Teaching
from eightfold.learning.data.record import PlayedGame
from eightfold.search.alphabeta import AlphaBeta

GAME, GAMES = "gomoku:size=10,win=5", 32
DEPTH, NEAR, REPEATS = 3, 1, 20  # of the scores: plain Python takes minutes for four plies
OPENING = "e5 f6 f5 d5 g7 e6 g5 h5 d6 c7"


def run() -> Benchmark:
    game = make_game(GAME)
    played: list[PlayedGame] = []
    with Teacher(game, Teaching()) as teacher:
        teacher.play(range(1), on_game=lambda number, game: None)  # compiles
        start = time.perf_counter()
        teacher.play(range(GAMES), on_game=lambda number, game: played.append(game))
        seconds = time.perf_counter() - start
    moves = sum(len(each.moves) for each in played)

    position = game.after(OPENING.split())
    player = AlphaBeta(game, AlphaBeta.Options(depth=DEPTH, near=NEAR), seed=1)
    scores = player.root_scores(position)
    start = time.perf_counter()
    for _ in range(REPEATS):
        player.new_game()
        player.root_scores(position)
    of_scores = (time.perf_counter() - start) / REPEATS
    plain = PlainGomoku(game.size, game.numbers[0])
    for move in position.moves:
        plain.play(move)
    start = time.perf_counter()
    expected = {
        move: -alphabeta(after(plain, move), DEPTH - 1, NEAR, -INFINITY, INFINITY, 1)
        for move in candidates(plain, NEAR)
    }
    of_plain = time.perf_counter() - start
    agreed = {int(move): int(scores[move]) for move in np.flatnonzero(np.isfinite(scores))} == expected
    return Benchmark(
        name="advise",
        title=f"{GAMES} games by {Teaching().player} on {GAME}",
        figures=(
            Figure(key="games_per_s", value=GAMES / seconds, unit="/s", note=f"on {usable_cores()} cores"),
            Figure(key="ms_a_move", value=1e3 * seconds / moves, unit="ms", note="exact scores of every candidate"),
            Figure(key="scores_ms", value=1e3 * of_scores, unit="ms", note=f"depth {DEPTH}, near {NEAR}, one core"),
            Figure(key="plain_ms", value=1e3 * of_plain, unit="ms", note="the same" if agreed else "SCORES DIFFER"),
            Figure(key="times_plain", value=of_plain / of_scores, unit="x", least=100),
        ),
    )
