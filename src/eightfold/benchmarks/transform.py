"""Turning a training batch: the kernel, a per-sample NumPy loop, and a plain copy of the same bytes."""

from __future__ import annotations

import numpy as np

from eightfold.benchmarks.reference.symmetry import turn_batch
from eightfold.benchmarks.report import Benchmark, Figure, interleaved
from eightfold.symmetry import transform_batch


def run() -> Benchmark:
    random = np.random.default_rng(1)
    states = random.random((512, 5, 15, 15), dtype=np.float32)
    policies = random.random((512, 225), dtype=np.float32)
    sym_ids = random.integers(0, 8, 512)
    moves = random.integers(0, 15, (512, 2))
    fast = interleaved(
        {
            "turn": lambda: transform_batch(states, policies, sym_ids, moves),
            "copy": lambda: (states.copy(), policies.copy(), moves.copy()),
        },
        repeats=400,
    )
    plain = interleaved({"numpy": lambda: turn_batch(states, policies, sym_ids, moves)}, repeats=15)
    return Benchmark(
        name="transform",
        title="a batch of 512 samples [5, 15, 15], a random symmetry each",
        figures=(
            Figure(key="batch_ms", value=fast["turn"] * 1e3, unit="ms"),
            Figure(key="copy_ms", value=fast["copy"] * 1e3, unit="ms", note="the floor: the same bytes copied once"),
            Figure(key="numpy_ms", value=plain["numpy"] * 1e3, unit="ms"),
            Figure(key="times_numpy", value=plain["numpy"] / fast["turn"], unit="x", least=20),
            Figure(key="times_copy", value=fast["turn"] / fast["copy"], unit="x", most=4),
        ),
    )
