"""Random numbers in kernels."""

from __future__ import annotations

import numpy as np

from eightfold.benchmarks.reference.mcts import PlainRandom
from eightfold.core.rng import make_random, random_below


def test_the_sequence_is_the_one_of_the_plain_generator():
    random = make_random(7)
    plain = PlainRandom(int(random[0]))
    for bound in [1, 2, 3, 64, 225, 626, 10_000] * 50:
        assert random_below(random, bound) == plain.below(bound)


def test_every_number_below_the_bound_comes_up_equally_often():
    random = make_random(1)
    counts = np.bincount([random_below(random, 7) for _ in range(70_000)], minlength=7)
    assert len(counts) == 7
    assert abs(counts - 10_000).max() < 500  # five standard deviations


def test_seeds_decide():
    assert make_random(1)[0] == make_random(1)[0]
    assert len({int(make_random(seed)[0]) for seed in range(1000)}) == 1000
