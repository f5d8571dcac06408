"""The replay buffer at AlphaGomoku's size: minutes, and some gigabytes of disk. See `buffer`."""

from __future__ import annotations

from eightfold.benchmarks.buffer import FULL, measure
from eightfold.benchmarks.report import Benchmark


def run() -> Benchmark:
    return measure(FULL, "buffer-full")
