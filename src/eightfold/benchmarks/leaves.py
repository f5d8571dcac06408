"""Games played from leaves: how many a second on a core, and what self-play pays for them.

Self-play with `a1` on 8x8, four in a row, 64 games at once; the arms take turns in short pieces, in processor time of
the whole process, so that other people's work does not count. Beside it, what a mixed leaf costs in time, on all cores.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
import torch
from numpy.typing import NDArray

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.mcts import PlainMcts, PlainRandom
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.games.game import Game, make_game
from eightfold.learning.config import SelfPlayConfig
from eightfold.learning.selfplay import SelfPlay
from eightfold.nets.inference.backends import Backend, make_backend
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.search.leaves import Rollouts
from eightfold.search.settings import LeafSettings

BOARDS = {"8x8": "gomoku:size=8,win=4", "10x10": "gomoku:size=10,win=5", "15x15": "gomoku:size=15,win=5"}
KINDS = {
    "random": LeafSettings(leaves="random", rollouts=1),
    "greedy": LeafSettings(leaves="minmax", rollouts=1),
    "depth_1": LeafSettings(leaves="minmax", rollouts=1, rollout_depth=1),
    "depth_2": LeafSettings(leaves="minmax", rollouts=1, rollout_depth=2),
}
LEAVES, SECONDS = 256, 0.5
GAMES, PLAYOUTS, PIECE, ROUNDS = 64, 200, 24, 40


def run() -> Benchmark:
    figures = [
        Figure(key=f"{kind}_per_s_{board}", value=_rollouts_per_second(make_game(text), settings), unit="/s")
        for board, text in BOARDS.items()
        for kind, settings in KINDS.items()
    ]
    plain = _plain_per_second()
    figures += [
        Figure(key="plain_random_per_s_8x8", value=plain, unit="/s", note="in Python, from the empty board, win 4"),
        Figure(key="random_times_plain", value=(figures[0].value or 0) / plain, unit="x"),
    ]
    figures += _selfplay_figures()
    return Benchmark(name="leaves", title="games from leaves, one core each", figures=tuple(figures))


def _leaf_states(game: Game) -> NDArray[np.int64]:
    """[B, L]: positions after some random moves that end nothing."""
    random = np.random.default_rng(1)
    states: list[NDArray[np.int64]] = []
    while len(states) < LEAVES:
        position = game.start()
        for _ in range(int(random.integers(2, 16))):
            if not position.is_over:
                position = position.play(int(random.choice(position.legal_moves)))
        if not position.is_over:
            states.append(position.state)
    return np.array(states)


def _rollouts_per_second(game: Game, settings: LeafSettings) -> float:
    rollouts = Rollouts(game, settings, games=LEAVES, batch=LEAVES, seed=1)
    states, numbers = _leaf_states(game), np.arange(LEAVES, dtype=np.int32)
    nothing = np.zeros((LEAVES, 1), np.float32), np.zeros((LEAVES, 2), np.float32)
    rollouts.beside(lambda: nothing, states, numbers, 1.0)
    rollouts.games, rollouts.seconds = 0, 0.0
    while rollouts.seconds < SECONDS:
        rollouts.beside(lambda: nothing, states, numbers, 1.0)
    return rollouts.games / rollouts.seconds


def _plain_per_second(games: int = 30) -> float:
    search, start = PlainMcts(5.0, PlainRandom(1)), time.perf_counter()
    for _ in range(games):
        search.rollout(PlainGomoku(8, 4))
    return games / (time.perf_counter() - start)


def _selfplay_figures() -> list[Figure]:
    torch.manual_seed(1)
    shape = Shape(planes=4, size=8)
    backend = make_backend("auto", make_network("a1", shape), shape)
    arms = {leaves: _selfplay(backend, leaves) for leaves in ("network", "random", "minmax", "mixed")}
    cost: dict[str, list[float]] = {name: [] for name in arms}  # processor time of a simulation
    wall: dict[str, list[float]] = {name: [] for name in arms}
    share: dict[str, list[float]] = {name: [] for name in arms}
    for _ in range(ROUNDS):
        for name, player in arms.items():
            search = player.search
            before, played = search.simulations, search.rollouts.seconds if search.rollouts else 0.0
            start, processor = time.perf_counter(), time.process_time()
            for _ in range(PIECE):
                player.advance_all()
            simulations, used = search.simulations - before, time.process_time() - processor
            cost[name].append(used / simulations)
            wall[name].append((time.perf_counter() - start) / simulations)
            share[name].append(((search.rollouts.seconds if search.rollouts else 0.0) - played) / used)
    rollouts = SelfPlayConfig().rollouts
    figures = [
        Figure(key=f"selfplay_share_{name}", value=statistics.median(share[name]), note=note)
        for name, note in (
            ("random", f"share of processor time in {rollouts} games from each leaf, a1 on 8x8"),
            ("minmax", "the same with greedy players"),
            ("mixed", ""),
        )
    ]
    ratio = statistics.median(a / b for a, b in zip(wall["mixed"], wall["network"], strict=True))
    figures += [
        Figure(
            key="simulation_us_network", value=1e6 * statistics.median(cost["network"]), unit="us", note="processor"
        ),
        Figure(key="simulation_us_mixed", value=1e6 * statistics.median(cost["mixed"]), unit="us", note="processor"),
        Figure(key="mixed_time_over_network", value=ratio, unit="x", note="time that passes, games beside the network"),
    ]
    return figures


def _selfplay(backend: Backend, leaves: str) -> SelfPlay:
    player = SelfPlay(
        make_game(BOARDS["8x8"]),
        NetworkEvaluator(backend, encoder="last-move"),
        settings=SelfPlayConfig(parallel_games=GAMES, playouts=PLAYOUTS, leaves=leaves),
        random=np.random.default_rng(1),
    )
    for _ in range(50):
        player.advance_all()
    return player
