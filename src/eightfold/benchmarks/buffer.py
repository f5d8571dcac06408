"""The replay buffer on disk, filled past its end with 15x15 positions: size, speed, memory, order.

`eightfold bench buffer` takes a tenth of the full size, which a few seconds fill; `eightfold bench buffer-full` is
AlphaGomoku's five million. The file lies in Eightfold's cache folder (`EIGHTFOLD_CACHE` moves it), because a
temporary folder is memory on many systems, and goes when the figures are there.

A warm batch is read from a file that the system keeps in memory, through a map in which most pages are touched
for the first time; a cold one from a file that the system was told to forget, where `/proc` shows that it did.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.benchmarks.samples import random_samples
from eightfold.core.errors import EightfoldError
from eightfold.core.jit import cache_root
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.sample import Sample

FULL, USUAL = 5_000_000, 500_000
SIZE, BATCH = 15, 512
GAME, BULK = 60, 4096  # examples in one call: a game, and many
OVERFLOW = 2 * BULK  # examples beyond the end of the ring
BYTES = 1000  # an example needs less than that on disk


def run() -> Benchmark:
    return measure(USUAL, "buffer")


def measure(size: int, name: str) -> Benchmark:
    place = cache_root()
    if shutil.disk_usage(place).free < 2 * size * BYTES:
        raise EightfoldError(
            f"the benchmark {name} needs {2 * size * BYTES / 1e9:.0f} GB free in {place};"
            " EIGHTFOLD_CACHE names another folder"
        )
    examples = random_samples(np.random.default_rng(1), BULK, size=SIZE, visits=400)
    _fill(DataBuffer(None, BULK, seed=1), examples, 0, 1).sample_batch(BATCH)  # what is compiled, is now
    with tempfile.TemporaryDirectory(dir=place, prefix="buffer-") as folder:
        path = Path(folder)
        before = _own_memory()
        buffer = DataBuffer(path, size, seed=1)
        start = time.perf_counter()
        games = 100
        for game in range(games):
            buffer.add_data([_numbered(examples, game * GAME + k) for k in range(GAME)])
        adds = games * GAME / (time.perf_counter() - start)
        first, calls = games * GAME, -(-(size + OVERFLOW - games * GAME) // BULK)
        start = time.perf_counter()
        _fill(buffer, examples, first, calls)
        bulk_adds = calls * BULK / (time.perf_counter() - start)
        newest = first + calls * BULK - 1
        on_disk = _disk_bytes(path)
        warm = _milliseconds(buffer, 40)
        after = _own_memory()
        buffer.close()

        cold, why = _cold_milliseconds(path, size)
        with DataBuffer(path, size, seed=2) as reopened:
            length, in_order = len(reopened), _in_order(reopened, newest)
    entries = float(np.mean([np.count_nonzero(sample.policy) for sample in examples]))
    return Benchmark(
        name=name,
        title=f"{size:,} positions of {SIZE}x{SIZE} on disk, policies with {entries:.0f} entries on average",
        figures=(
            Figure(key="bytes_a_sample", value=on_disk / size, unit="B"),
            Figure(key="adds_per_s", value=adds, unit="/s", note=f"games of {GAME}, each safe before the next"),
            Figure(key="bulk_adds_per_s", value=bulk_adds, unit="/s", note=f"{BULK} to a call"),
            Figure(key="warm_batch_ms", value=warm, unit="ms", most=10, note=f"{BATCH} samples, turned"),
            Figure(key="cold_batch_ms", value=cold, unit="ms", note=why),
            Figure(
                key="own_memory_mb",
                value=None if before is None or after is None else max(0.0, after - before),
                unit="MB",
                most=100,
                note="grown while filling and sampling; pages of the file, which the system takes back, not counted",
            ),
            Figure(key="kept_after_reopening", value=length / size, least=1),
            Figure(key="kept_in_order", value=float(in_order), least=1, note="1: the ring goes on where it was"),
        ),
    )


def _numbered(examples: list[Sample], number: int) -> Sample:
    """An example whose value is its number, so that the ring's order can be seen."""
    return replace(examples[number % BULK], value=float(number))


def _fill(buffer: DataBuffer, examples: list[Sample], first: int, calls: int) -> DataBuffer:
    for call in range(calls):
        buffer.add_data([_numbered(examples, first + call * BULK + k) for k in range(BULK)])
    return buffer


def _in_order(buffer: DataBuffer, newest: int) -> bool:
    """Whether the ring, from the slot that comes next, holds the numbers up to the newest one."""
    count = len(buffer)
    ages = np.unique(np.concatenate([np.arange(BATCH), np.linspace(0, count - 1, BATCH).astype(int)]))
    slots = (buffer.newest - 1 - ages) % count
    return bool((buffer.read(slots).values == newest - ages).all())


def _milliseconds(buffer: DataBuffer, batches: int) -> float:
    """The median of so many batches."""
    times = []
    for _ in range(batches):
        start = time.perf_counter()
        buffer.sample_batch(BATCH)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def _cold_milliseconds(path: Path, size: int) -> tuple[float | None, str]:
    """A batch from a file that is not in the page cache, and how that is known."""
    read_before = _bytes_read()
    if read_before is None or not hasattr(os, "posix_fadvise"):
        return None, "this system does not let a file out of the page cache on request"
    with open(path / "data.mdb", "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    batches = 5
    with DataBuffer(path, size, seed=3) as buffer:
        taken = _milliseconds(buffer, batches)
    read = ((_bytes_read() or 0) - read_before) / batches
    if read < BATCH * 4096 / 4:
        return None, f"the file stayed in the page cache: {read / 1e3:.0f} kB were read for a batch"
    return taken, f"{read / 1e6:.1f} MB were read from the disk for a batch"


def _disk_bytes(path: Path) -> int:
    blocks = getattr(os.stat(path / "data.mdb"), "st_blocks", None)
    return os.path.getsize(path / "data.mdb") if blocks is None else blocks * 512


def _own_memory() -> float | None:
    """MB of memory that is this process's own, not pages of files; None where the system does not say."""
    return _from_proc("/proc/self/status", "RssAnon:", 1e-3 * 1.024)


def _bytes_read() -> float | None:
    return _from_proc("/proc/self/io", "read_bytes:", 1)


def _from_proc(file: str, key: str, unit: float) -> float | None:
    try:
        with open(file) as lines:
            return next((int(line.split()[1]) * unit for line in lines if line.startswith(key)), None)
    except OSError:
        return None
