"""From curves of losses to the numbers of a report: iterations to a loss, losses, and speed-ups, with intervals.

Repeats are what is drawn at random: first weights and batches. L2 is not. So a number is first made for every repeat,
over all values of L2 that belong to it, and intervals are over repeats.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from eightfold.studies.grid import mean_interval

LEVELS = (3.0, 2.9)  # validation losses whose iterations Suen & Alonso count
SMOOTH = 10  # records whose mean is a loss to report: single ones are noisy

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
    """Over repeats. A bound: some model did not get there, and counts as if it had at its last iteration."""

    mean: float | None
    low: float | None
    high: float | None
    of: int
    bound: bool = False

    def text(self, digits: int = 0) -> str:
        if self.mean is None:
            return "diverged"
        between = "" if self.low is None or self.bound else f" ({self.low:,.{digits}f} to {self.high:,.{digits}f})"
        return f"{'more than ' if self.bound else ''}{self.mean:,.{digits}f}{between}"


def mean_of(values: Sequence[float | None], *, bound: bool = False) -> Mean:
    """The mean of a value for each repeat; of nothing where one of them is no number."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return Mean(None, None, None, len(values), bound)
    return Mean(*mean_interval(known), len(values), bound)


def mean_iterations(runs: Sequence[Run], level: float, record: int) -> Mean:
    """Iterations to a loss: the mean over L2, then over repeats."""
    times = [_time(run, level, record) for run in runs]
    means = [
        statistics.fmean(time for run, (time, _) in zip(runs, times, strict=True) if run["repeat"] == repeat)
        for repeat in repeats_of(runs)
    ]
    found = mean_of(means, bound=not all(arrived for _, arrived in times))
    return found if found.low is None else found._replace(low=max(0.0, found.low))


def _time(run: Run, level: float, record: int) -> tuple[int, bool]:
    """Iterations to a loss and whether it got there; if not, all that there were."""
    found = iterations_to(run["validation"], level, record)
    return (record * len(run["validation"]), False) if found is None else (found, True)


def arms(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """(mode, network) in the order in which they come up."""
    return list(dict.fromkeys((run["mode"], run["network"]) for run in runs))


def of_arm(runs: Sequence[Run], mode: str, network: str) -> list[Run]:
    return [run for run in runs if (run["mode"], run["network"]) == (mode, network)]


def decays_in(runs: Sequence[Run]) -> list[float]:
    return list(dict.fromkeys(run["l2"] for run in runs))


def with_decay(runs: Sequence[Run], decay: float) -> list[Run]:
    return [run for run in runs if run["l2"] == decay]


def repeats_of(runs: Sequence[Run]) -> list[int]:
    return list(dict.fromkeys(run["repeat"] for run in runs))


def best_decay(runs: Sequence[Run]) -> tuple[float, Mean]:
    """The L2 value with the lowest loss at the end in the mean over repeats, and that."""
    means = {decay: mean_of([final(run["validation"]) for run in with_decay(runs, decay)]) for decay in decays_in(runs)}
    return min(means.items(), key=lambda item: math.inf if item[1].mean is None else item[1].mean)


def paired_difference(runs: Sequence[Run], others: Sequence[Run]) -> Mean:
    """The loss at the end of some models less that of others with the same L2 and repeat, over repeats."""
    ends = {(run["l2"], run["repeat"]): final(run["validation"]) for run in others}
    found: list[float | None] = []
    for repeat in repeats_of(runs):
        pairs = [(final(run["validation"]), ends.get((run["l2"], repeat))) for run in runs if run["repeat"] == repeat]
        known = [own - other for own, other in pairs if own is not None and other is not None]
        found.append(statistics.fmean(known) if len(known) == len(pairs) else None)
    return mean_of(found)


class Ratio(NamedTuple):
    """Of iterations. A bound: some of the slow models did not get there."""

    ratio: float | None
    low: float | None
    high: float | None
    repeats: int
    bound: bool = False

    def text(self) -> str:
        if self.ratio is None:
            return "unknown, since not all models got there" if self.repeats else "not measured"
        between = "" if self.low is None or self.bound else f" ({self.low:.2f} to {self.high:.2f})"
        return f"{'at least ' if self.bound else ''}{self.ratio:.2f}{between}"


NO_RATIO = Ratio(None, None, None, 0)


def speed_up(slow: Sequence[Run], fast: Sequence[Run], level: float, record: int) -> Ratio:
    """Mean iterations of `slow` to a loss over those of `fast`, in repeats that both have.

    The 95 % interval is that of the mean logarithm over repeats, by Student's t; one repeat alone has none.
    """
    both = [repeat for repeat in repeats_of(slow) if repeat in repeats_of(fast)]
    logs, bound = [], False
    for repeat in both:
        times = [[_time(run, level, record) for run in of if run["repeat"] == repeat] for of in (slow, fast)]
        if not all(arrived for _, arrived in times[1]):
            return Ratio(None, None, None, len(both))
        bound = bound or not all(arrived for _, arrived in times[0])
        slow_mean, fast_mean = (statistics.fmean(time for time, _ in of) for of in times)
        logs.append(math.log(slow_mean / fast_mean))
    if not logs:
        return NO_RATIO
    mean, low, high = (None if value is None else math.exp(value) for value in mean_interval(logs))
    return Ratio(mean, low, high, len(logs), bound)


def both_levels(slow: Sequence[Run], fast: Sequence[Run], record: int) -> Ratio:
    """The mean of the ratios to both losses in every repeat, over repeats."""
    found = []
    for repeat in repeats_of(slow):
        one, other = ([run for run in of if run["repeat"] == repeat] for of in (slow, fast))
        each = [speed_up(one, other, level, record) for level in LEVELS]
        if any(ratio.ratio is None or ratio.bound for ratio in each):
            return Ratio(None, None, None, max(ratio.repeats for ratio in each))
        found.append(statistics.fmean(ratio.ratio for ratio in each if ratio.ratio is not None))
    return Ratio(*mean_interval(found), len(found)) if found else NO_RATIO
