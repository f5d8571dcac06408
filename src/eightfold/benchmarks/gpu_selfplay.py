"""Self-play on a GPU: simulations that called the network, beside what the network does alone, and where the time goes.

What plays is what plays for a run (`learning/actors/gpu.py`), and every simulation counted is a row of a batch that the
network answered. It is measured when games have come into their middle, over some seconds, with all that belongs to it:
moves, proofs, noise, and games handed to the host. Beside it stands the fastest form of the network at its best batch
(`network_rate.py`), in the same process.

Then the parts of a period run one after the other, each a CUDA graph of its own, and are timed by the GPU's clock; in
play some of them run side by side, so that a step takes less than their sum. `--baseline` plays the same games the
other way, trees on the CPU's cores and the network on the GPU, for a few seconds.

Six blocks of 64 are the shipped network; the other networks are fresh and made to answer like trained ones
(`like_trained.py`).
"""

from __future__ import annotations

import gc
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from eightfold.benchmarks.like_trained import like_trained
from eightfold.benchmarks.network_rate import best_rate
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.core.errors import EightfoldError
from eightfold.core.threads import usable_cores
from eightfold.games.game import make_game
from eightfold.learning.actors.gpu import GamesOnMachine, GpuPlayers, why_not
from eightfold.learning.actors.local import LocalPlayers
from eightfold.learning.actors.players import Players, Wanted
from eightfold.learning.config import SelfPlayConfig, TrainConfig
from eightfold.learning.data.record import PlayedGame
from eightfold.nets.inference.device import check_device
from eightfold.nets.store.checkpoint import load_weights
from eightfold.nets.store.description import Description
from eightfold.nets.store.places import find_network
from eightfold.search.game_forest import PERIOD

ENCODER, PROOF_NODES = "last-move", 100
WARM_UP = 20.0  # seconds at most, or until half of the games have ended
SECONDS = 8.0
BASELINE_SECONDS = 4.0  # and as many before
PERIODS = 30  # in which parts are timed
STEP = ("walk", "settle", "ask", "network")  # the parts of a step, in their order


@dataclass(frozen=True, kw_only=True)
class Case:
    game: str
    network: str
    playouts: int
    games: int  # at once, as many as fill the GPU and fit into the memory of an H200
    least: float  # simulations a second
    least_share: float  # of what the network does alone
    shipped: str = ""  # the weights

    def wanted(self, device: str) -> Wanted:
        """What a run would ask for, with the search that plays best."""
        settings = SelfPlayConfig(
            playouts=self.playouts,
            exploration=1.25,
            fpu_reduction=0.2,
            proof_nodes=PROOF_NODES,
            gpu_games=self.games,
            parallel_games=self.games,
        )
        config = TrainConfig(
            game=self.game, network=self.network, encoder=ENCODER, symmetry="none", device=device, selfplay=settings
        )
        description = Description(network=self.network, game=self.game, encoder=ENCODER, symmetry="none")
        return Wanted(
            config=config,
            game=make_game(self.game),
            network=self._network(description),
            description=description,
            turns=np.random.SeedSequence(1),
            games=0,
            checkpoint=Path(),
        )

    def _network(self, description: Description) -> nn.Module:
        torch.manual_seed(1)
        network = description.make()
        if not self.shipped:
            return like_trained(network, make_game(self.game), ENCODER)
        load_weights(network, find_network(self.shipped)[1])
        return network.eval()


CASES = {
    "a1_8x8": Case(game="gomoku:size=8", network="a1", playouts=400, games=28672, least=5e6, least_share=0.6),
    "resnet_15x15": Case(
        game="gomoku:size=15",
        network="resnet:blocks=6,filters=64",
        playouts=200,
        games=15104,
        least=1e6,
        least_share=0.8,
        shipped="gomoku-8",
    ),
    "resnet_go_9x9": Case(
        game="go:size=9", network="resnet:blocks=6,filters=96", playouts=200, games=12288, least=1e6, least_share=0.5
    ),
}


def run(device: str, *, baseline: bool = False) -> Benchmark:
    check_device(device)
    reason = why_not(TrainConfig(device=device))
    if reason:
        raise EightfoldError(f"self-play on {device} cannot be measured: {reason}")
    figures = [
        figure for name, case in CASES.items() for figure in measure(name, case, device=device, baseline=baseline)
    ]
    title = f"thousands of games at once on {device}, proofs of {PROOF_NODES} nodes at every leaf"
    return Benchmark(name="selfplay", title=title, figures=tuple(figures))


def measure(
    name: str,
    case: Case,
    *,
    device: str,
    warm_up: float = WARM_UP,
    seconds: float = SECONDS,
    baseline: bool = False,
) -> list[Figure]:
    """The figures of one case, their keys beginning with its name."""
    wanted = case.wanted(device)
    figures = [*_on_gpu(case, wanted, warm_up, seconds)]
    gc.collect()  # the trees, before another form of self-play takes the memory
    torch.cuda.empty_cache()
    rate = figures[0].value or math.nan
    best = best_rate(wanted.network, wanted.description.shape(), device=device)
    figures[1:1] = [
        Figure(key="network_alone_per_s", value=best.positions_per_s, unit="/s", note=best.how),
        Figure(key="share_of_network", value=rate / best.positions_per_s, least=case.least_share),
    ]
    if baseline:
        slow = _rate_on_cpu(wanted)
        figures += [
            Figure(key="trees_on_cpu_simulations_per_s", value=slow, unit="/s", note=f"{usable_cores()} threads"),
            Figure(key="trees_on_cpu_share_of_network", value=slow / best.positions_per_s),
            Figure(key="times_trees_on_cpu", value=rate / slow, unit="x"),
        ]
    return [replace(figure, key=f"{name}_{figure.key}") for figure in figures]


def _on_gpu(case: Case, wanted: Wanted, warm_up: float, seconds: float) -> Iterator[Figure]:
    """The rate first."""
    began = time.perf_counter()
    players = GpuPlayers(wanted)
    compiled = time.perf_counter()
    players.prepare(lambda: False)
    recorded = time.perf_counter()
    rows = sum(len(group.evaluator.planes) for group in players.groups)
    early: list[PlayedGame] = []
    players.play(rows // 2, on_game=early.append, deadline=time.perf_counter() + warm_up)
    ended: list[PlayedGame] = []
    before = sum(group.forest.plies for group in players.groups)
    rate, taken = _rate(players, seconds, ended.append)
    moved = sum(group.forest.plies for group in players.groups) - before
    moved += sum(len(game.moves) - game.opening for game in ended)  # those that began have as many random stones
    yield Figure(
        key="simulations_per_s", value=rate, unit="/s", least=case.least, note=f"{rows:,} rows; {_weights(case)}"
    )
    parts, filled, depth = split(players.groups, device=wanted.config.device, periods=PERIODS)
    yield Figure(key="step_us", value=1e6 * rows * filled / rate, unit="us", note="in play; the parts of a step alone:")
    for part, each in parts.items():
        yield Figure(key=f"{part}_us", value=1e6 * each, unit="us")
    yield Figure(key="rows_filled", value=filled)
    yield Figure(key="mean_depth", value=depth)
    yield Figure(key="moves_per_s", value=moved / taken, unit="/s")
    yield Figure(key="games_per_s", value=len(ended) / taken, unit="/s", note=f"{len(early):,} had ended when it began")
    yield Figure(key="compile_s", value=compiled - began, unit="s", note="or load what was compiled before")
    yield Figure(key="record_s", value=recorded - compiled, unit="s")


def _weights(case: Case) -> str:
    return f"weights of {case.shipped}" if case.shipped else "fresh weights, made to answer like trained ones"


def _rate_on_cpu(wanted: Wanted) -> float:
    players = LocalPlayers(wanted, threads=usable_cores())
    players.play(10**9, on_game=_ignored, deadline=time.perf_counter() + BASELINE_SECONDS)
    return _rate(players, BASELINE_SECONDS, _ignored)[0]


def _rate(players: Players, seconds: float, on_game: Callable[[PlayedGame], None]) -> tuple[float, float]:
    """Simulations a second, and the seconds that it took to count them."""
    before, start = players.simulations, time.perf_counter()
    players.play(10**9, on_game=on_game, deadline=start + seconds)
    after, taken = players.simulations, time.perf_counter() - start
    return (after - before) / taken, taken


def _ignored(game: PlayedGame) -> None: ...


# ---- the parts of a period ------------------------------------------------------------------------------


def split(groups: Sequence[GamesOnMachine], *, device: str, periods: int) -> tuple[dict[str, float], float, float]:
    """Seconds that each part takes in a step of all groups, the share of rows filled, and the mean depth of leaves.

    The games go on meanwhile, so every part finds what it finds in play. `moves` and `handing_over` come once in a
    period: a step has its share of them, and of what the host does with games that have ended.
    """
    place = torch.device(device)
    jobs = [{name: _recorded(part, place) for name, part in _parts(group).items()} for group in groups]
    order = ["handing_over", *STEP * PERIOD, "moves"]
    taken = dict.fromkeys([*STEP, "moves", "handing_over", "host"], 0.0)
    depths, before = [], sum(group.forest.simulations for group in groups)
    for _ in range(periods):
        for group, job in zip(groups, jobs, strict=True):
            marks = [_now(place)]
            for part in order:
                job[part]()
                marks.append(_now(place))
            _wait(place)
            for part, (start, end) in zip(order, itertools.pairwise(marks), strict=True):
                taken[part] += _between(start, end)
            began = time.perf_counter()
            group.collect(group.look())
            taken["host"] += time.perf_counter() - began
            depths.append(group.forest.depth)
    asked = sum(group.forest.simulations for group in groups) - before
    steps, rows = periods * PERIOD, sum(len(group.evaluator.planes) for group in groups)
    return {part: each / steps for part, each in taken.items()}, asked / (steps * rows), float(np.mean(depths))


def _parts(group: GamesOnMachine) -> dict[str, Callable[[], None]]:
    return {
        "handing_over": group.forest.hand_over,
        "walk": group.forest.walk,
        "settle": group.forest.settle,
        "ask": group.forest.ask,
        "network": group.evaluator.answer,
        "moves": group.forest.tend,
    }


def _recorded(part: Callable[[], None], device: torch.device) -> Callable[[], None]:
    """What runs a part: on CUDA a graph of its own, which costs the host little."""
    if device.type != "cuda":
        return part
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        part()
    return graph.replay


def _now(device: torch.device) -> Any:
    """A moment: of the GPU's own clock, when it comes to it, or of ours."""
    if device.type != "cuda":
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
    event.record()
    return event


def _between(start: Any, end: Any) -> float:
    return float(end - start) if isinstance(start, float) else float(start.elapsed_time(end)) / 1e3


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
