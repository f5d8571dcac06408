"""The synthetic positions of Suen & Alonso, section 3.4: black to move, four stones of each colour on 8x8.

One set has 480 positions about to be won (each of the 96 lines of five, without one of its stones, and white stones
anywhere but on the line) and 1,000 positions at random. Whoever can win at once has value 1 and a policy shared by all
winning points; everywhere else the value is 0 and the policy is random over the empty points. So most
of a policy cannot be learned: the best that a network can do there is to be even over the empty points, and `floor` is
the loss that is left then.

The paper does not say what the plane of the last move holds: here one of the white stones, drawn at random.

Shapes: B positions, N = 8 board size, A = 64 points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIZE, FIVE, STONES, PLANES = 8, 5, 4, 4
POINTS = SIZE * SIZE


@dataclass(frozen=True)
class Positions:
    states: NDArray[np.float32]  # [B, 4, N, N]: own stones, opponent's stones, last move, all ones (black to move)
    policies: NDArray[np.float32]  # [B, A]
    values: NDArray[np.float32]  # [B]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, chosen: NDArray[np.int64] | slice) -> Positions:
        return Positions(self.states[chosen], self.policies[chosen], self.values[chosen])


@dataclass(frozen=True)
class Split:
    training: Positions
    validation: Positions


def lines() -> NDArray[np.int64]:
    """[96, 5]: the points of every line of five."""
    found = [
        [(row + step * down) * SIZE + column + step * right for step in range(FIVE)]
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        for row in range(SIZE)
        for column in range(SIZE)
        if row + (FIVE - 1) * down < SIZE and 0 <= column + (FIVE - 1) * right < SIZE
    ]
    return np.array(found, np.int64)


def make_split(*, sets: int, random_states: int, held_back: float, seed: int) -> Split:
    """All sets together, shuffled; a share of them is held back to validate with."""
    random = np.random.default_rng([seed])
    made = [make_set(random, random_states) for _ in range(sets)]
    everything = Positions(
        np.concatenate([each.states for each in made]),
        np.concatenate([each.policies for each in made]),
        np.concatenate([each.values for each in made]),
    )
    order = random.permutation(len(everything))
    held = round(held_back * len(everything))
    return Split(training=everything[order[held:]], validation=everything[order[:held]])


def make_set(random: np.random.Generator, random_states: int) -> Positions:
    """480 positions about to be won, then so many at random."""
    five = np.repeat(lines(), FIVE, axis=0)  # [480, 5]: every line once for each stone that is taken away
    kept = np.stack([np.delete(row, number % FIVE) for number, row in enumerate(five)])  # [480, 4]
    about_to_win = [(own, _others(random, line)) for own, line in zip(kept, five, strict=True)]
    anywhere = (random.permutation(POINTS)[: 2 * STONES] for _ in range(random_states))
    drawn = [(points[:STONES], points[STONES:]) for points in anywhere]
    own, opponent = (np.array(each) for each in zip(*about_to_win, *drawn, strict=True))  # [B, 4] each
    return _labelled(random, own, opponent)


def _others(random: np.random.Generator, line: NDArray[np.int64]) -> NDArray[np.int64]:
    """Four points that are not on a line."""
    return random.permutation(np.setdiff1d(np.arange(POINTS), line))[:STONES]


def _labelled(random: np.random.Generator, own: NDArray[np.int64], opponent: NDArray[np.int64]) -> Positions:
    rows = np.arange(len(own))
    planes = np.zeros((len(own), PLANES, POINTS), np.float32)
    planes[rows[:, None], 0, own] = planes[rows[:, None], 1, opponent] = planes[:, 3] = 1
    planes[rows, 2, opponent[:, -1]] = 1  # they are in random order
    winning = winning_points(planes[:, 0], planes[:, 1])
    wins: NDArray[np.bool_] = np.any(winning, axis=1)
    empty: NDArray[np.bool_] = planes[:, :2].sum(axis=1) == 0
    weights = np.where(wins[:, None], winning, empty * random.random(empty.shape))
    policies = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    return Positions(planes.reshape(-1, PLANES, SIZE, SIZE), policies, wins.astype(np.float32))


def winning_points(own: NDArray[np.float32], opponent: NDArray[np.float32]) -> NDArray[np.bool_]:
    """[B, A] stones of each to [B, A]: where one more stone makes five, at either end or within."""
    won = np.zeros(own.shape, np.bool_)
    for line in lines():
        almost = (own[:, line].sum(axis=1) == FIVE - 1) & (opponent[:, line].sum(axis=1) == 0)
        won[np.ix_(almost, line)] |= own[np.ix_(almost, line)] == 0
    return won


def floor(positions: Positions) -> float:
    """The mean loss of who knows every winning point, and that nothing is known of the other policies."""
    choices = np.where(
        positions.values == 1,
        (positions.policies > 0).sum(axis=1),  # equally likely
        (positions.states[:, :2].sum(axis=1) == 0).sum(axis=(1, 2)),
    )
    return float(np.log(choices).mean())
