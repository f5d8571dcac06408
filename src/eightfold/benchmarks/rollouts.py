"""Whole random games from the empty board, one core."""

from __future__ import annotations

import time

import numpy as np

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.mcts import PlainMcts, PlainRandom
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.core.rng import make_random
from eightfold.core.specialise import specialise
from eightfold.games.game import Game, make_game


def games_per_second(game: Game, games: int) -> float:
    kernels = specialise("eightfold.search.kernels.playouts", game.rules)
    state, random, scratch = game.start().state, make_random(1), np.zeros(game.actions, np.int64)
    results = np.zeros(4, np.int64)
    kernels.random_games(state, 10, random, scratch, results)
    start = time.perf_counter()
    kernels.random_games(state, games, random, scratch, results)
    return games / (time.perf_counter() - start)


def plain_games_per_second(size: int, games: int) -> float:
    search = PlainMcts(5.0, PlainRandom(1))
    start = time.perf_counter()
    for _ in range(games):
        search.rollout(PlainGomoku(size))
    return games / (time.perf_counter() - start)


def run() -> Benchmark:
    small, large = games_per_second(make_game("gomoku:size=8"), 300_000), games_per_second(make_game(), 100_000)
    plain = plain_games_per_second(8, 30)
    return Benchmark(
        name="rollouts",
        title="random games of gomoku",
        figures=(
            Figure(key="games_per_s_8x8", value=small, unit="/s"),
            Figure(key="games_per_s_15x15", value=large, unit="/s"),
            Figure(key="plain_games_per_s_8x8", value=plain, unit="/s"),
            Figure(key="times_plain", value=small / plain, unit="x"),
        ),
    )
