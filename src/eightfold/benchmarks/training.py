"""What augmentation costs a training step, with the preset `quick` on 8x8, and the memory that a run needs.

The same positions are stored twice: as they are (lazy: turned when a batch is made) and in all eight turns (eager).
Steps without augmentation, with each kind and with SLAP take turns, so that a busy moment hits all of them; a
cost is the share of trained samples a second that is lost against no augmentation, the median over rounds.
Training has half of the cores, as in a run.

Memory is that of a run in a process of its own: the preset's settings, its window filled beforehand, then rounds of
self-play and training until so many games have ended, and a checkpoint. No evaluation.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch

from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.benchmarks.samples import random_samples
from eightfold.config import load_preset
from eightfold.core.threads import usable_cores
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.sample import Batch, Sample
from eightfold.learning.trainer import Trainer
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape

SIZE, GAME = 8, 25  # examples in one call of add_data
STEPS, ROUNDS = 12, 20
BATCHES, BATCH_ROUNDS = 40, 20
RUN_GAMES = 64
MODES = {"none": "lazy", "augment": "lazy", "augment-eager": "eager", "slap": "lazy"}  # and the buffer of each


def run() -> Benchmark:
    config = load_preset(TrainConfig(), "quick")
    window, size = config.training.window, config.training.batch_size
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        lazy = DataBuffer(Path(folder) / "lazy", window, seed=1)
        eager = DataBuffer(Path(folder) / "eager", 8 * window, lazy_augmentation=False, seed=1)
        buffers = {"lazy": lazy, "eager": eager}
        games = [
            random_samples(random, GAME, size=SIZE, visits=config.selfplay.playouts) for _ in range(window // GAME)
        ]
        adding = {name: _adding_seconds(buffer, games) for name, buffer in buffers.items()}
        disk = {name: (Path(folder) / name / "data.mdb").stat().st_size for name in buffers}

        makers = {mode: _batches(mode, buffers[buffer], size, random) for mode, buffer in MODES.items()}
        making = _taking_turns(makers, BATCHES, BATCH_ROUNDS)
        trained = _trained(config, makers)
        lazy.close()
        eager.close()
    cost = {mode: _lost(trained["none"], trained[mode]) for mode in MODES}
    milliseconds = {mode: statistics.median(taken) / BATCHES * 1e3 for mode, taken in making.items()}
    slower = [a / e - 1 for a, e in zip(making["augment"], making["augment-eager"], strict=True)]
    memory, how = _peak_memory(config)
    return Benchmark(
        name="training",
        title=f"{config.network}, batches of {size}, 8x8, {window:,} positions on disk",
        figures=(
            Figure(
                key="trained_samples_per_s",
                value=STEPS * size / statistics.median(trained["none"]),
                unit="/s",
                note="no augmentation",
            ),
            Figure(key="lazy_cost", value=cost["augment"], most=0.05, note="AlphaGomoku: less than 5 %"),
            Figure(key="eager_cost", value=cost["augment-eager"]),
            Figure(key="slap_cost", value=cost["slap"]),
            Figure(key="batch_ms", value=milliseconds["none"], unit="ms", note="making a batch alone, as stored"),
            Figure(key="lazy_batch_ms", value=milliseconds["augment"], unit="ms"),
            Figure(key="eager_batch_ms", value=milliseconds["augment-eager"], unit="ms"),
            Figure(key="slap_batch_ms", value=milliseconds["slap"], unit="ms"),
            Figure(
                key="lazy_slower_than_eager",
                value=statistics.median(slower),
                note="sampling alone; AlphaGomoku: 5 to 10 %",
            ),
            Figure(key="eager_times_disk", value=disk["eager"] / disk["lazy"], unit="x"),
            Figure(
                key="eager_times_adding",
                value=adding["eager"] / adding["lazy"],
                unit="x",
                note=f"games of {GAME}, each safe before the next",
            ),
            Figure(key="training_peak_memory", value=memory, unit="MB", most=2000, note=how),
        ),
    )


def _adding_seconds(buffer: DataBuffer, games: list[list[Sample]]) -> float:
    start = time.perf_counter()
    for game in games:
        buffer.add_data(game)
    return time.perf_counter() - start


def _batches(mode: str, buffer: DataBuffer, size: int, random: np.random.Generator) -> Callable[[], Batch]:
    maker = BatchMaker(mode, random=random)

    def make() -> Batch:
        return maker.make(buffer.sample_stored(size))

    return make


def _trained(config: TrainConfig, makers: Mapping[str, Callable[[], Batch]]) -> dict[str, list[float]]:
    """Seconds of so many training steps with the batches of each mode, round by round."""
    threads = torch.get_num_threads()
    torch.set_num_threads(max(1, usable_cores() // 2))
    torch.manual_seed(1)
    settings = config.training
    trainer = Trainer(
        make_network(config.network, Shape(planes=4, size=SIZE)), settings.learning_rate, precision=settings.precision
    )
    try:
        return _taking_turns(
            {mode: lambda make=make: trainer.step(make()) for mode, make in makers.items()},  # type: ignore[misc]
            STEPS,
            ROUNDS,
        )
    finally:
        torch.set_num_threads(threads)


def _taking_turns(jobs: Mapping[str, Callable[[], object]], times: int, rounds: int) -> dict[str, list[float]]:
    """Seconds of doing each job so many times, in every round; each round begins with another job."""
    names, seconds = list(jobs), {name: [0.0] * rounds for name in jobs}
    for name in names:
        jobs[name]()
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            start = time.perf_counter()
            for _ in range(times):
                jobs[name]()
            seconds[name][number] = time.perf_counter() - start
    return seconds


def _lost(without: list[float], with_it: list[float]) -> float:
    """The share of samples a second that is lost."""
    return statistics.median(1 - plain / taken for plain, taken in zip(without, with_it, strict=True))


_RUN = """
import dataclasses
import pathlib
import resource
import sys
import numpy as np
from eightfold.benchmarks.samples import random_samples
from eightfold.config import load_preset
from eightfold.learning.config import TrainConfig
from eightfold.learning.loop import Training
folder, games = pathlib.Path(sys.argv[1]), int(sys.argv[2])
config = load_preset(TrainConfig(), "quick")
evaluation = dataclasses.replace(config.evaluation, every_minutes=0.0)
config = dataclasses.replace(config, minutes=0.0, games=games, evaluation=evaluation)
training = Training(config, folder)
random = np.random.default_rng(1)
while len(training.buffer) < config.training.window:
    training.buffer.add_data(random_samples(random, 500, size=8, visits=config.selfplay.playouts))
training.progress.owed = 32 * config.training.replay_ratio  # so that the first round trains as well
training.train()
training.close()
assert training.progress.steps > 0
try:
    with open("/proc/self/status") as lines:
        print(next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")))
except OSError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def _peak_memory(config: TrainConfig) -> tuple[float, str]:
    """MB that a run of the preset had in memory at most, with the pages of its buffer that were mapped."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", _RUN, str(Path(folder) / "run"), str(RUN_GAMES)],
            check=True,
            capture_output=True,
            text=True,
        )
    window = config.training.window
    return int(done.stdout) / 1e6, f"a run of {RUN_GAMES} games, {window:,} samples from the start, no evaluation"
