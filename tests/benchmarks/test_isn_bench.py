"""`eightfold bench isn`, made small: its figures are there, and what it counts is right."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.benchmarks import NAMES, isn, run_benchmarks
from eightfold.benchmarks.reference.isn import as_board, group_of, liberties_of
from eightfold.isn.fused import fuse
from eightfold.isn.network import ISN
from refusals import refusal


@pytest.mark.slow
def test_the_figures_of_a_small_batch(monkeypatch):
    monkeypatch.setattr(isn, "BATCH", 6)
    monkeypatch.setattr(isn, "REPEATS", 1)
    figures = {figure.key: figure for figure in isn.run().figures}
    for key in ("network_alone_per_s", "with_input_classes_per_s", "candidates_9x9_per_s", "floor_per_s"):
        assert figures[key].value > 0
    assert [figures[key].least for key in ("network_alone_per_s", "with_input_classes_per_s")] == [25_000, 7_000]
    there = {figure.key: figure for figure in isn._on_device("cpu")}
    assert there["fp32_network_difference"].value < 1e-6
    assert there["fp16_network_alone_per_s"].value > 0
    assert "isn" in NAMES


def test_the_operations_are_those_of_the_tables():
    weights = fuse(ISN())
    assert len(weights.second) == 20
    units, products = len(weights.kinds), len(weights.second) * weights.outputs
    sums = sum({0: 6, 1: 3, 2: 3, 4: 10}.get(int(kind), 0) for kind in weights.kinds)
    activations = 19 * units + 22 * weights.outputs
    assert isn.operations(1) == 8 * (units + weights.outputs) + sums + 2 * products + activations
    assert isn.operations(19) == 361 * isn.operations(1)


def test_played_boards_are_legal():
    for stones in isn.played_boards(60, 5):
        board = as_board(stones)
        assert all(not board[point] or liberties_of(board, group_of(board, point)) for point in board)
    assert np.ptp(isn.random_stones(10, 9).astype(bool).sum(axis=(1, 2))) > 40


def test_a_device_is_for_benchmarks_that_know_one():
    assert "one benchmark at a time" in refusal(lambda: run_benchmarks("slap", device="cuda"))
    assert "one benchmark at a time" in refusal(lambda: run_benchmarks(device="cuda"))
