"""ONNX Runtime and OpenVINO without PyTorch: what each costs to install and to import, and how fast it is.

The shipped network of 8x8 Gomoku is run from its exported file, in batches as a player and as self-play make them. The
two take turns, and a position's price is processor time, of all threads together: what else runs on the machine then
matters least. Which of them belongs to
the base install is decided by these figures; docs/architecture.md has some.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.core.extras import is_installed
from eightfold.nets.inference.backends.interface import Runner
from eightfold.nets.inference.runtimes import RUNTIMES
from eightfold.nets.store.exported import load_exported, read_description
from eightfold.nets.store.policy_value import find_exported

NETWORK = "gomoku-8"
BATCHES, THREADS = (1, 8, 64, 256), (1, 2)
SECONDS = 2.0  # for each batch size and number of threads, both together
IMPORTS = 3
CALLS_A_ROUND = 4
CALLS = {"openvino": "openvino.Core()", "onnxruntime": "onnxruntime.SessionOptions()"}


def run() -> Benchmark:
    figures: list[Figure] = []
    for name in RUNTIMES:
        note = "" if is_installed(name) else f"{name} is not installed"
        figures.append(Figure(key=f"{name}_mb", value=None if note else installed_mb(name), unit="MB", note=note))
        figures.append(Figure(key=f"{name}_import_s", value=None if note else import_seconds(name), unit="s"))
    path = find_exported(NETWORK)
    description, _ = read_description(path)
    shape, random = description.shape(), np.random.default_rng(1)
    present = [name for name in RUNTIMES if is_installed(name)]
    for threads in THREADS:
        runners = {name: load_exported(path, description, name, threads=threads)() for name in present}
        for batch in BATCHES:
            planes = random.integers(0, 2, (batch, shape.planes, shape.size, shape.size)).astype(np.float32)
            rates = _rates(runners, planes)
            for name in RUNTIMES:
                key = f"{name}_threads_{threads}_batch_{batch}"
                figures.append(Figure(key=key, value=rates.get(name), unit="/s of processor time"))
    return Benchmark(name="runtimes", title=f"{NETWORK} without PyTorch", figures=tuple(figures))


def installed_mb(package: str) -> float:
    """Of the package and of those that only it brings along, as they lie on the disk."""
    total = 0
    for name in (package, *(["openvino-telemetry"] if package == "openvino" else ["flatbuffers", "protobuf"])):
        try:
            files = importlib.metadata.files(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        total += sum(path.stat().st_size for path in (Path(str(file.locate())) for file in files) if path.is_file())
    return total / 1e6


def import_seconds(name: str) -> float:
    """The least of a few processes, beyond NumPy, which is there anyway."""
    code = f"import time, numpy; t = time.perf_counter(); import {name}; {CALLS[name]}; print(time.perf_counter() - t)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(IMPORTS)
    ]
    return min(float(done.stdout) for done in runs)


def _rates(runners: dict[str, Runner], planes: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> dict[str, float]:
    """Positions for a second of processor time."""
    spent, counts = dict.fromkeys(runners, 0.0), dict.fromkeys(runners, 0)
    end = time.perf_counter() + SECONDS
    for runner in runners.values():
        runner.run(planes)
    while True:
        for name, runner in runners.items():
            start = time.process_time()
            for _ in range(CALLS_A_ROUND):
                runner.run(planes)
            spent[name] += time.process_time() - start
            counts[name] += CALLS_A_ROUND * len(planes)
        if time.perf_counter() >= end:
            return {name: counts[name] / max(spent[name], 1e-9) for name in runners}
