"""From curves of losses to the numbers of a report: iterations to a loss, converged losses, and speed-ups."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from eightfold.studies.grid import mean_interval

LEVELS = (3.0, 2.9)  # validation losses whose iterations Suen & Alonso count
SMOOTH = 10  # records whose mean is a converged loss: single ones are noisy
RESAMPLES = 10_000

Losses = Sequence[float | None]
Run = Mapping[str, Any]  # mode, network, l2, repeat, validation


def iterations_to(losses: Losses, level: float, record: int) -> int | None:
    """After how many iterations a loss is first recorded that is no higher; None: never.

    >>> iterations_to([3.4, 3.1, 2.95, 3.05], 3.0, 10)
    30
    """
    return next((record * at for at, loss in enumerate(losses, 1) if loss is not None and loss <= level), None)


def lowest(losses: Losses) -> float | None:
    """The lowest mean over ten records in a row, before any that is no number; of all if there are fewer.

    >>> lowest([4.0, 3.0, None, 5.0])
    3.5
    """
    known = [loss for loss in losses if loss is not None]
    if len(known) < len(losses):
        known = list(losses[: list(losses).index(None)])  # type: ignore[arg-type]
    width = min(SMOOTH, len(known))
    return float(np.convolve(known, np.full(width, 1 / width), "valid").min()) if known else None


def final(losses: Losses) -> float | None:
    """The mean of the last records; None for a model that diverged."""
    last = losses[-SMOOTH:]
    return None if None in last else statistics.fmean(loss for loss in last if loss is not None)


class Mean(NamedTuple):
    """Of those that there are; `known` of `of`."""

    mean: float | None
    low: float | None
    high: float | None
    known: int
    of: int

    def text(self, digits: int = 0) -> str:
        if self.mean is None:
            return f"never (of {self.of})"
        between = "" if self.low is None else f" ({self.low:,.{digits}f} to {self.high:,.{digits}f})"
        missing = "" if self.known == self.of else f", {self.known} of {self.of}"
        return f"{self.mean:,.{digits}f}{between}{missing}"


def mean_of(values: Sequence[float | None]) -> Mean:
    known = [value for value in values if value is not None]
    mean, low, high = mean_interval(known) if known else (None, None, None)
    return Mean(mean, low, high, len(known), len(values))


def arms(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """(mode, network) in the order in which they come up."""
    return list(dict.fromkeys((run["mode"], run["network"]) for run in runs))


def of_arm(runs: Sequence[Run], mode: str, network: str) -> list[Run]:
    return [run for run in runs if (run["mode"], run["network"]) == (mode, network)]


def best_decay(runs: Sequence[Run]) -> tuple[float, Mean]:
    """The L2 value with the lowest converged loss in the mean over repeats, and that."""
    by_decay: dict[float, list[float | None]] = {}
    for run in runs:
        by_decay.setdefault(run["l2"], []).append(lowest(run["validation"]))
    means = {decay: mean_of(values) for decay, values in by_decay.items()}
    return min(means.items(), key=lambda item: float("inf") if item[1].mean is None else item[1].mean)


class Ratio(NamedTuple):
    ratio: float | None
    low: float | None
    high: float | None
    pairs: int  # in which both got there
    of: int

    def text(self) -> str:
        if self.ratio is None:
            return f"no pair of {self.of} got there"
        between = "" if self.low is None else f" ({self.low:.2f} to {self.high:.2f})"
        return f"{self.ratio:.2f}{between}, {self.pairs} of {self.of} pairs"


def speed_up(slow: Sequence[Run], fast: Sequence[Run], level: float, record: int) -> Ratio:
    """Mean iterations of `slow` to a loss over those of `fast`, of pairs with the same L2 and repeat.

    The interval is the 95 % bootstrap interval over pairs; one pair alone has none.
    """
    times = [
        {(run["l2"], run["repeat"]): iterations_to(run["validation"], level, record) for run in of}
        for of in (slow, fast)
    ]
    both = [key for key in times[0] if key in times[1]]
    pairs = np.array([(a, b) for key in both if (a := times[0][key]) is not None and (b := times[1][key]) is not None])
    if len(pairs) == 0:
        return Ratio(None, None, None, 0, len(both))
    ratio = float(pairs[:, 0].mean() / pairs[:, 1].mean())
    if len(pairs) == 1:
        return Ratio(ratio, None, None, 1, len(both))
    drawn = pairs[np.random.default_rng(0).integers(0, len(pairs), (RESAMPLES, len(pairs)))].mean(axis=1)  # [R, 2]
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], (0.025, 0.975))
    return Ratio(ratio, float(low), float(high), len(pairs), len(both))
