"""TD(λ) self-play of Blair on 9x9: games, moves and candidate moves a second, gradients included.

Games are those of a trained network, because an untrained one passes early: that is what training is like nearly all
the time. The plain implementation evaluates candidates of one position; the paper needed half a second a game.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from eightfold.benchmarks.reference.isn import plain_classes, plain_outputs, plain_play, plain_reward
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.isn.go_network import GoIsn
from eightfold.isn.network import ISN
from eightfold.learning.td.config import TdConfig
from eightfold.learning.td.loop import TdTrainer
from eightfold.nets.store.open import open_network

NETWORK, SIZE = "isn-9", 9
GAMES, REPEATS = 64, 5
PAPER = 2  # games a second
PLAIN = 12  # candidates


def run() -> Benchmark:
    config = TdConfig(start=NETWORK, linear_games=0, games_an_update=GAMES, learning_rate=0.0, decay=1.0)
    trainer, alone = TdTrainer(config), TdTrainer(replace(config, seed=1), threads=1)
    for each in (trainer, alone):
        each.update(2)
    rates: list[tuple[float, float, float]] = []
    for _ in range(REPEATS):
        games, moves, candidates, seconds = _measure(trainer)
        rates.append((games / seconds, moves / games, candidates / seconds))
    rates.sort()
    games_per_s, moves_a_game, candidates_per_s = rates[len(rates) // 2]
    games, _, _, seconds = _measure(alone)
    plain = _plain_candidates()
    figures = (
        Figure(key="games_per_s", value=games_per_s, unit="/s", least=20, note=f"{PAPER} in the paper"),
        Figure(key="moves_a_game", value=moves_a_game),
        Figure(key="candidates_per_s", value=candidates_per_s, unit="/s", least=110_000),
        Figure(key="games_per_s_on_one_core", value=games / seconds, unit="/s"),
        Figure(key="plain_candidates_per_s", value=plain, unit="/s"),
        Figure(key="times_plain", value=candidates_per_s / plain, unit="x"),
    )
    return Benchmark(name="td", title="TD(λ) self-play of an Internal Symmetry Network, 9x9", figures=figures)


def _measure(trainer: TdTrainer) -> tuple[int, int, int, float]:
    progress = trainer.progress
    moves, candidates, start = progress.moves, progress.candidates, time.perf_counter()
    trainer.update(GAMES)
    return GAMES, progress.moves - moves, progress.candidates - candidates, time.perf_counter() - start


def _plain_candidates() -> float:
    """Candidates a second by plain Python, in the middle of a game."""
    network = ISN.from_weights(open_network(NETWORK, kind=GoIsn).weights)
    random, board = np.random.default_rng(1), np.zeros((SIZE, SIZE), np.int8)
    for move in range(30):
        row, column = divmod(int(random.choice(np.flatnonzero(board.ravel() == 0))), SIZE)
        board, _ = plain_play(board, (row, column), move % 2 + 1)
    before = plain_outputs(network, plain_classes(board, np.full((7, SIZE, SIZE), 0.5)))
    start = time.perf_counter()
    for action in np.flatnonzero(board.ravel() == 0)[:PLAIN]:
        after, _ = plain_play(board, divmod(int(action), SIZE), 1)
        outputs = plain_outputs(network, plain_classes(after, before))
        sum(plain_reward(int(after[point]), outputs[:, *point], 0.4, 0.4) for point in np.ndindex(SIZE, SIZE))
    return PLAIN / (time.perf_counter() - start)
