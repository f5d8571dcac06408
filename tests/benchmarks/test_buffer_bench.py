"""The buffer's benchmark at a small size: its figures are there and its checks see what they should."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from eightfold.benchmarks import LONG, NAMES
from eightfold.benchmarks.buffer import BULK, _fill, _in_order, measure
from eightfold.benchmarks.samples import random_samples
from eightfold.core.errors import EightfoldError
from eightfold.learning.data.buffer import DataBuffer


def test_the_figures_of_a_small_buffer():
    figures = {figure.key: figure for figure in measure(10_000, "buffer").figures}
    assert figures["kept_after_reopening"].value == figures["kept_in_order"].value == 1
    assert 200 < figures["bytes_a_sample"].value < 2000
    assert figures["warm_batch_ms"].value > 0
    assert figures["cold_batch_ms"].value is not None or figures["cold_batch_ms"].note
    assert "buffer" in NAMES
    assert "buffer-full" in LONG


def test_the_order_check_notices_a_ring_that_began_anew():
    examples = random_samples(np.random.default_rng(1), BULK, size=15, visits=400)
    buffer = _fill(DataBuffer(None, 4096), examples, 0, 1)
    assert _in_order(buffer, 4095)
    buffer.add_data([replace(examples[0], value=0.0)])
    assert not _in_order(buffer, 4096)


def test_a_disk_that_is_too_small_is_named_beforehand():
    with pytest.raises(EightfoldError, match="GB free in"):
        measure(10**12, "buffer")
