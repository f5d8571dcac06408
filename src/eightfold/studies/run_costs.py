"""What the runs of a study cost: measured on a processor, counted on a GPU, where several are trained side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from eightfold.studies.paired import Difference, ratio

PROCESSOR = "processor"  # the machine of runs that were trained on a CPU
Run = Mapping[str, Any]  # a result of `train_run`, with its arm
Kept = Mapping[str, Any]  # one of its networks


class Price(NamedTuple):
    simulation: float  # seconds
    step: float


def seconds_of(machine: str) -> str:
    """
    >>> seconds_of("processor"), seconds_of("NVIDIA H200")
    ('processor seconds', 'seconds of NVIDIA H200')
    """
    return "processor seconds" if machine == PROCESSOR else f"seconds of {machine}"


def prices_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Price]:
    """Seconds of a simulation and of a step, by arm: all that was measured together."""
    found = {}
    for arm in dict.fromkeys(row["arm"] for row in rows):
        total = {
            name: sum(row[name] for row in rows if row["arm"] == arm)
            for name in ("play_seconds", "simulations", "train_seconds", "steps")
        }
        step = total["train_seconds"] / total["steps"] if total["steps"] else 0.0
        found[arm] = Price(total["play_seconds"] / max(1, total["simulations"]), step)
    return found


def cost_of(run: Run, kept: Kept, prices: Mapping[str, Price]) -> float:
    """Seconds until a network was kept: measured on a processor, counted on a GPU, where runs go on side by side."""
    if run["machine"] == PROCESSOR:
        return float(kept["seconds"])
    price = prices[run["arm"]]
    return float(kept["simulations"] * price.simulation + kept["steps"] * price.step)


def price_ratio(rows: Sequence[Mapping[str, Any]], arm: str, base: str, seconds: str, unit: str) -> Difference:
    """How many times as long as the base an arm takes for a unit of work, by the blocks in which both were measured."""
    by_block = {
        each: {row["block"]: row[seconds] / row[unit] for row in rows if row["arm"] == each and row[unit]}
        for each in (arm, base)
    }
    return ratio(by_block[arm], by_block[base])


def cost_by(run: Run, prices: Mapping[str, Price]) -> Callable[[Kept], float]:
    return lambda kept: cost_of(run, kept, prices)
