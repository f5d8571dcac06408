"""`eightfold bench runtimes`, made small: what is installed has every figure, what is not has none."""

from __future__ import annotations

import pytest

from eightfold.benchmarks import runtimes
from eightfold.core.extras import is_installed


def test_every_runtime_that_is_here_has_every_figure(monkeypatch):
    monkeypatch.setattr(runtimes, "SECONDS", 0.0)
    monkeypatch.setattr(runtimes, "IMPORTS", 1)
    monkeypatch.setattr(runtimes, "BATCHES", (1, 3))
    monkeypatch.setattr(runtimes, "THREADS", (1,))
    if not any(map(is_installed, runtimes.RUNTIMES)):
        pytest.skip("no runtime is installed")
    figures = runtimes.run().as_dict()
    for name in runtimes.RUNTIMES:
        for kind in ("mb", "import_s", "threads_1_batch_1", "threads_1_batch_3"):
            value = figures[f"{name}_{kind}"]
            assert (value is not None and value > 0) == is_installed(name)
