"""Made-up samples for the benchmarks of buffer and training, like those of games in what they weigh and cost."""

from __future__ import annotations

import numpy as np

from eightfold.learning.data.sample import Sample


def random_samples(random: np.random.Generator, count: int, *, size: int, visits: int) -> list[Sample]:
    """Boards up to two thirds full, and so many visits among the free points, most of them on a few."""
    return [_sample(random, size, visits) for _ in range(count)]


def _sample(random: np.random.Generator, size: int, visits: int) -> Sample:
    points = size * size
    order, stones = random.permutation(points), int(random.integers(2, points * 2 // 3))
    state = np.zeros((4, points), np.float32)  # own stones, opponent's stones, last move, side to move
    state[0, order[:stones:2]] = state[1, order[1:stones:2]] = state[2, order[stones - 1]] = 1
    state[3] = stones % 2 == 0
    policy = np.zeros(points, np.float32)
    free = order[stones:]
    policy[free] = random.multinomial(visits, random.dirichlet(np.full(len(free), 0.3))) / visits
    return Sample(
        state.reshape(4, size, size), policy, float(random.choice([-1, 1])), divmod(int(order[stones - 1]), size)
    )
