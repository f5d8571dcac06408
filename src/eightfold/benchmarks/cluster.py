"""Self-play on local Ray nodes beside the same self-play without Ray: the preset `quick`, one thread an actor.

Two nodes of this machine have an actor each. Periods without Ray, of one actor and of both take turns. CPU time is
that of all processes (Ray's own, the actors, this one) by the simulations that came of it: games differ in length, and
a simulation is the same work everywhere. The learner receives, unpacks, replays and stores every game in all periods,
and does not train; how fast it trains is measured by itself. Weights are broadcast while the actors wait.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from torch import nn

from eightfold.benchmarks.capacity import Measured, capacity, table
from eightfold.benchmarks.report import Benchmark, Figure, bar_text, value_text
from eightfold.config import load_preset
from eightfold.core.cluster import connect
from eightfold.core.extras import need
from eightfold.core.workers import Job, Worker
from eightfold.games.game import make_game
from eightfold.learning.actors.cluster import LOAD_SECONDS, ClusterPlayers
from eightfold.learning.actors.local import LocalPlayers
from eightfold.learning.actors.players import Wanted
from eightfold.learning.actors.remote import SliceReport
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.record import PlayedGame, samples_of
from eightfold.learning.runs.torch_globals import with_half_of_the_cores
from eightfold.learning.trainer import Trainer
from eightfold.nets.store.description import Description

PERIOD, ROUNDS = 4.0, 8  # seconds, and how many of each kind
WARM_SECONDS = 10.0  # until the games are no longer all at the same move
BROADCASTS, STEPS = 10, 60
PROJECTED = (16, 100, 1000)  # actors


class Period(NamedTuple):
    """What some seconds gave."""

    simulations: int
    games: int
    seconds: float
    processor: float  # seconds, of all processes
    thread: float  # processor seconds of the thread that takes in the games


class Learner:
    """Takes in games as the training loop does."""

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        self.config, self.game = config, make_game(config.game)
        self.buffer = DataBuffer(folder / "buffer", config.training.window, encoder=config.encoder)
        self.disk = folder / "buffer" / "data.mdb"
        self.games = self.samples = self.sent = self.lines = self.planes = 0

    def store(self, played: PlayedGame, data: bytes = b"") -> None:
        samples = samples_of(played, played.replay(self.game), encoder=self.config.encoder)
        if samples:
            self.buffer.add_data(samples)
        line = json.dumps({"moves": played.moves, "opening": played.opening, "result": played.result})
        self.games += 1
        self.samples += len(samples)
        self.lines += len(line) + 1
        self.sent += len(data)
        self.planes += sum(sample.state.nbytes + sample.policy.nbytes for sample in samples)


def run() -> Benchmark:
    return measure()[0]


def markdown() -> str:
    """The table of docs/scaling.md."""
    benchmark, measured, counted = measure()
    rows = [
        f"| {each.key.replace('_', ' ')} | {value_text(each)} | {bar_text(each)} | {each.note} |"
        for each in benchmark.figures
    ]
    head = f"{benchmark.title}:\n\n| measured | | bar | |\n|---|---:|---|---|\n"
    return head + "\n".join(rows) + "\n\n" + table(measured, counted, PROJECTED)


def measure() -> tuple[Benchmark, Measured, dict[int, float]]:
    """The figures, what the model of capacity takes of them, and the games a second of so many actors."""
    need("ray", purpose="benchmark cluster")
    config = load_preset(TrainConfig(), "quick")
    with tempfile.TemporaryDirectory() as folder, _nodes() as address, connect(address) as cluster:
        learner = Learner(config, Path(folder))
        wanted = _wanted(config)
        local, players = LocalPlayers(wanted, threads=1), ClusterPlayers(wanted, cluster)
        players.prepare(lambda: False)
        players.load(wanted.network, theta=1.0)
        _warm_up(local, players)
        periods: dict[str, list[Period]] = {"local": [], "one": [], "two": []}
        for _ in range(ROUNDS):
            periods["local"].append(_local(local, learner))
            periods["one"].append(_slices(players, players.workers.ready[:1], learner))
            periods["two"].append(_slices(players, players.workers.ready[:2], learner))
        weights, broadcast = _broadcast(players, wanted.network)
        players.close()
        trained = _trained(config, learner, wanted.network)
        sample_bytes = learner.disk.stat().st_size / len(learner.buffer)
        learner.buffer.close()
    total = {name: Period(*map(sum, zip(*each, strict=True))) for name, each in periods.items()}
    a_simulation = {name: [each.processor / each.simulations for each in found] for name, found in periods.items()}
    costs = [ray / plain for ray, plain in zip(a_simulation["two"], a_simulation["local"], strict=True)]
    rates = {name: [each.simulations / each.seconds for each in found] for name, found in periods.items()}
    scaling = statistics.median(two / one for two, one in zip(rates["two"], rates["one"], strict=True))
    simulations_a_game = sum(each.simulations for each in total.values()) / sum(each.games for each in total.values())
    counted = {count: statistics.median(rates[name]) / simulations_a_game for count, name in ((1, "one"), (2, "two"))}
    on_cluster = total["one"].games + total["two"].games
    take_in = (total["one"].thread + total["two"].thread) / on_cluster
    measured = Measured(
        games_per_s=counted[1],
        two_actors=scaling,
        samples_a_game=learner.samples / learner.games,
        bytes_a_game=learner.sent / on_cluster,
        line_bytes=learner.lines / learner.games,
        sample_bytes=sample_bytes,
        weights_bytes=weights,
        take_in_seconds=take_in,
        trained_per_s=trained,
        replay_ratio=config.training.replay_ratio,
        window=config.training.window,
        seconds_a_version=LOAD_SECONDS,
    )
    ms = {name: 1e3 * statistics.median(found) * simulations_a_game for name, found in a_simulation.items()}
    got = total["two"].processor / total["two"].seconds
    busy = "the learner does not train" if got > 1.8 else f"others left only {got:.1f} of two processors"
    figures = (
        Figure(key="cpu_ms_a_game_without_ray", value=ms["local"], unit="ms", note="one thread, in this process"),
        Figure(key="cpu_ms_a_game_on_two_nodes", value=ms["two"], unit="ms", note="all processes, Ray's own included"),
        Figure(key="times_cpu_without_ray", value=statistics.median(costs), unit="x", most=1.1),
        Figure(key="games_per_s_of_one_actor", value=counted[1], unit="/s"),
        Figure(key="two_actors_times_one", value=scaling, unit="x", least=1.7, note=busy),
        Figure(key="bytes_a_game", value=measured.bytes_a_game, unit="B", note="moves, policies and values"),
        Figure(key="planes_times_bytes", value=learner.planes / learner.games / measured.bytes_a_game, unit="x"),
        Figure(key="weights_bytes", value=weights, unit="B"),
        Figure(key="broadcast_ms", value=1e3 * broadcast, unit="ms", note="until both actors play with them"),
        Figure(key="take_in_ms_a_game", value=1e3 * take_in, unit="ms", note="of the learner's thread"),
        Figure(key="trained_samples_per_s", value=trained, unit="/s", note="on half of the cores"),
        Figure(
            key="actors_that_saturate_training",
            value=1 / capacity(measured, 1).trained,
            note=f"of this learner, at a replay ratio of {measured.replay_ratio:g}",
        ),
        Figure(
            key="actors_that_saturate_taking_in", value=1 / capacity(measured, 1).stored, note="of any learner here"
        ),
    )
    title = f"{config.network}, 8x8, preset quick, {config.selfplay.parallel_games} games an actor, one thread each"
    return Benchmark(name="cluster", title=title, figures=figures), measured, counted


@contextlib.contextmanager
def _nodes() -> Iterator[str]:
    """Two nodes of this machine with a processor each; their address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, about Python and its future
        from ray.cluster_utils import Cluster

        nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            nodes.add_node(num_cpus=1)
            yield nodes.address
        finally:
            nodes.shutdown()


def _wanted(config: TrainConfig) -> Wanted:
    game = make_game(config.game)
    description = Description(
        network=config.network, game=game.text, encoder=config.encoder, symmetry=config.symmetry, playing=""
    )
    return Wanted(
        config=config,
        game=game,
        network=description.make(),
        description=description,
        turns=np.random.SeedSequence(1),
        games=0,
        checkpoint=Path(),
    )


def _warm_up(local: LocalPlayers, players: ClusterPlayers) -> None:
    local.play(1_000_000, on_game=lambda game: None, deadline=time.perf_counter() + WARM_SECONDS)
    for worker in players.workers.ready:
        players.workers.ask(worker, Job(method="play", arguments=(WARM_SECONDS,)))
    _wait(players)


def _local(local: LocalPlayers, learner: Learner) -> Period:
    games, simulations, begun = learner.games, local.simulations, time.perf_counter()
    processor, thread = processor_seconds(os.getpid(), alone=True), time.thread_time()
    local.play(1_000_000, on_game=learner.store, deadline=begun + PERIOD)
    return Period(
        local.simulations - simulations,
        learner.games - games,
        time.perf_counter() - begun,
        processor_seconds(os.getpid(), alone=True) - processor,
        time.thread_time() - thread,
    )


def _slices(players: ClusterPlayers, workers: list[Worker], learner: Learner) -> Period:
    reports: list[SliceReport] = []

    def take(worker: Worker, item: list[bytes] | SliceReport) -> None:
        if isinstance(item, SliceReport):
            reports.append(item)
        else:
            for data in item:
                learner.store(PlayedGame.from_bytes(data), data)

    games, begun = learner.games, time.perf_counter()
    processor, thread = processor_seconds(os.getpid()), time.thread_time()
    for worker in workers:
        players.workers.ask(worker, Job(method="play", arguments=(PERIOD,), on_item=take))
    _wait(players)
    return Period(
        sum(report.simulations for report in reports),
        learner.games - games,
        time.perf_counter() - begun,
        processor_seconds(os.getpid()) - processor,
        time.thread_time() - thread,
    )


def _wait(players: ClusterPlayers) -> None:
    while any(worker.jobs for worker in players.workers.ready):
        players.workers.step(1.0)


def _broadcast(players: ClusterPlayers, network: nn.Module) -> tuple[int, float]:
    """Bytes of the weights, and seconds until all actors, who do nothing else, have them."""
    from safetensors.torch import save

    taken = []
    for _ in range(BROADCASTS):
        time.sleep(LOAD_SECONDS)
        begun = time.perf_counter()
        players.load(network, theta=1.0)
        _wait(players)
        taken.append(time.perf_counter() - begun)
    return len(save(dict(network.state_dict()))), statistics.median(taken)


@with_half_of_the_cores()
def _trained(config: TrainConfig, learner: Learner, network: nn.Module) -> float:
    """Samples a second that the learner trains on while nothing else goes on."""
    trainer, maker = Trainer.of_run(network, config), BatchMaker(config.symmetry, random=np.random.default_rng(1))
    size = config.training.batch_size
    trainer.step(maker.make(learner.buffer.sample_stored(size)))
    begun = time.perf_counter()
    for _ in range(STEPS):
        trainer.step(maker.make(learner.buffer.sample_stored(size)))
    return STEPS * size / (time.perf_counter() - begun)


def processor_seconds(process: int, *, alone: bool = False) -> float:
    """Processor time of a process, and of all that it started, those that have ended included."""
    if alone:
        return time.process_time()
    tick, parents, spent = os.sysconf("SC_CLK_TCK"), {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            number = int(path.parent.name)
            parents[number] = int(fields[1])
            spent[number] = sum(map(int, fields[11:15])) / tick  # user, system, and both of its dead children
    family: set[int] = set()
    for number in spent:
        line, at = [], number
        while at and at != process and at not in family:
            line.append(at)
            at = parents.get(at, 0)
        if at:
            family.update(line)
    return sum(spent[number] for number in {process, *family})
