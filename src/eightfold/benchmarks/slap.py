"""SLAP on batches of 8x8x4 stacks, one thread, beside the per-sample NumPy form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.benchmarks.reference.symmetry import slap
from eightfold.benchmarks.report import Benchmark, Figure, interleaved
from eightfold.symmetry import slap_batch

BATCH, SIZE = 1024, 8


def run() -> Benchmark:
    stacks = random_stacks(np.random.default_rng(1))
    few = stacks[:128]
    times = interleaved(
        {"kernel": lambda: slap_batch(stacks), "numpy": lambda: [slap(stack) for stack in few]}, repeats=30
    )
    each, numpy_each = times["kernel"] / len(stacks), times["numpy"] / len(few)
    return Benchmark(
        name="slap",
        title="canonical form of 4 planes of 8x8, positions of 2 to 40 stones",
        figures=(
            Figure(key="microseconds", value=each * 1e6, unit="µs", most=1),
            Figure(key="numpy_microseconds", value=numpy_each * 1e6, unit="µs"),
            Figure(key="times_numpy", value=numpy_each / each, unit="x", least=50),
        ),
    )


def random_stacks(random: np.random.Generator) -> NDArray[np.float32]:
    """[B, 4, N, N]: own stones, opponent's stones, last move, side to move."""
    stacks = np.zeros((BATCH, 4, SIZE * SIZE), np.float32)
    for stack in stacks:
        points = random.permutation(SIZE * SIZE)[: random.integers(2, 41)]
        stack[0, points[::2]] = 1
        stack[1, points[1::2]] = 1
        stack[2, points[-1]] = 1
        stack[3] = len(points) % 2 == 0
    return stacks.reshape(BATCH, 4, SIZE, SIZE)
