"""Self-play with `a1`, 400 playouts, 8x8: simulations that called the network, beside the network's own speed.

Also what SLAP costs, what a cache would save with position and with orbit keys, a plain search in Python that
asks PyTorch for one leaf at a time, and mctx where it is installed. On a GPU: `gpu_selfplay.py`.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
import torch
from numpy.typing import NDArray

from eightfold.benchmarks import gpu_selfplay
from eightfold.benchmarks.peers import mctx_selfplay
from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.puct import PlainPuct
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.games.game import make_game
from eightfold.learning.config import SelfPlayConfig
from eightfold.learning.selfplay import SelfPlay
from eightfold.nets.inference.backends import Backend, make_backend
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.inference.cache import CachedEvaluator
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.search.forest import Evaluator

GAMES, PLAYOUTS = 64, 400  # the trees of more games leave the processor's caches
RAW_BATCHES = (GAMES, 4 * GAMES)  # the network alone is given whatever suits it better
STEPS = 60  # batches in a measurement of one thing alone
# Many short pairs: other people's bursts, and moves, fall into few of them. With forty long ones the cost of SLAP was
# read as anything from 0 to 5 %.
PAIRS, PAIR_STEPS = 400, 12


def run(device: str = "cpu", *, baseline: bool = False) -> Benchmark:
    return _run() if device == "cpu" else gpu_selfplay.run(device, baseline=baseline)


def _run() -> Benchmark:
    torch.manual_seed(1)
    shape = Shape(planes=4, size=8)
    network = make_network("a1", shape)
    backend = make_backend("auto", network, shape)
    plain = _plain_rate(TorchBackend(network, shape))
    players = {
        mode: _selfplay(NetworkEvaluator(backend, encoder="last-move", symmetry=mode)) for mode in ("none", "slap")
    }
    rates: dict[str, list[float]] = {"none": [], "slap": []}
    raw_rates: dict[int, list[float]] = {batch: [] for batch in RAW_BATCHES}
    for pair in range(PAIRS):  # taking turns, so that a busy moment hits all of them, and either goes first
        if pair % 20 == 0:
            for batch, found in raw_rates.items():
                found.append(_raw_rate(backend, batch))
        for mode in ("none", "slap") if pair % 2 == 0 else ("slap", "none"):
            rates[mode].append(_rate(players[mode]))
    none = statistics.median(rates["none"])
    raw, raw_batch = max((statistics.median(found), batch) for batch, found in raw_rates.items())
    cost = statistics.median(1 - slap / none for slap, none in zip(rates["slap"], rates["none"], strict=True))
    boards = _boards(players["none"])
    hits = {key: _cache_hits(backend, key) for key in ("position", "orbit")}
    mctx = mctx_selfplay.fastest(network, boards, simulations=PLAYOUTS)
    return Benchmark(
        name="selfplay",
        title=f"{GAMES} games at once, a1, {PLAYOUTS} playouts, 8x8, cache off",
        figures=(
            Figure(key="simulations_per_s", value=none, unit="/s"),
            Figure(key="raw_positions_per_s", value=raw, unit="/s", note=f"the network alone, batches of {raw_batch}"),
            Figure(key="share_of_raw", value=none / raw, least=0.8),
            Figure(key="plain_simulations_per_s", value=plain, unit="/s"),
            Figure(key="times_plain", value=none / plain, unit="x", least=15),
            Figure(
                key="mctx_simulations_per_s",
                value=mctx.simulations_per_s if mctx else None,
                unit="/s",
                note=mctx.how if mctx else "mctx is not installed: pip install 'eightfold[peers]'",
            ),
            Figure(
                key="times_mctx",
                value=none / mctx.simulations_per_s if mctx else None,
                unit="x",
                least=4,
            ),
            Figure(key="slap_cost", value=cost, most=0.02),
            Figure(key="cache_hits_position", value=hits["position"], note="share of positions, slap mode"),
            Figure(key="cache_hits_orbit", value=hits["orbit"]),
        ),
    )


def _selfplay(evaluator: Evaluator) -> SelfPlay:
    player = SelfPlay(
        make_game("gomoku:size=8"),
        evaluator,
        settings=SelfPlayConfig(
            parallel_games=GAMES,
            playouts=PLAYOUTS,
            exploration=5.0,
            count_reused_visits=False,
            opening_share=0.0,
            value_mix=0.0,
        ),
        random=np.random.default_rng(1),
        threads=1,  # a second one for so few trees has to wait for a core on which the runtime still spins
    )
    for _ in range(50):
        player.advance_all()
    return player


def _boards(player: SelfPlay) -> NDArray[np.int8]:
    """[B, N, N]: the positions that self-play is at, as colours."""
    boards = np.zeros((GAMES, 8, 8), np.int8)
    for state, board in zip(player.search.forest.states, boards, strict=True):
        player.game.rules.stones(state, board)
    return boards


def _rate(player: SelfPlay) -> float:
    before, start = player.search.simulations, time.perf_counter()
    for _ in range(PAIR_STEPS):
        player.advance_all()
    return (player.search.simulations - before) / (time.perf_counter() - start)


def _raw_rate(backend: Backend, batch: int) -> float:
    planes = np.random.default_rng(1).random((batch, 4, 8, 8)).astype(np.float32)
    backend.run(planes)
    start, rounds = time.perf_counter(), STEPS * GAMES // batch
    for _ in range(rounds):
        backend.run(planes)
    return batch * rounds / (time.perf_counter() - start)


def _plain_rate(backend: TorchBackend) -> float:
    """One leaf at a time, in Python, with PyTorch."""

    def evaluate(game: PlainGomoku) -> tuple[list[float], float]:
        planes = np.zeros((1, 4, 8, 8), np.float32)
        for point, colour in game.stones.items():
            planes[0, 0 if colour == game.side else 1][point] = 1
        planes[0, 3] = game.side == 1
        logits, values = backend.run(planes)
        return logits[0].tolist(), float(values[0])

    search, playouts = PlainPuct(evaluate, 5.0, -1.0), 100
    start = time.perf_counter()
    search.run(PlainGomoku(8), playouts)
    return playouts / (time.perf_counter() - start)


def _cache_hits(backend: Backend, key: str) -> float:
    evaluator = NetworkEvaluator(backend, encoder="last-move", symmetry="slap")
    cached = CachedEvaluator(evaluator, capacity=200_000, key=key)
    player = _selfplay(cached)
    for _ in range(8 * STEPS):
        player.advance_all()
    return cached.hits / cached.asked
