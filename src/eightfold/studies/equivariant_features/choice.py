"""Which kind of features is chosen, by a rule that was fixed before anything was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eightfold.studies.equivariant_features.settings import REGULAR
from eightfold.studies.grid import mean_interval
from eightfold.studies.paired import Difference, paired

Run = Mapping[str, Any]  # seed, arm, curve
RULE = (
    "The kind with the lowest mean total loss at the end is chosen if the 95 % interval of its paired difference from"
    f" {REGULAR} fields lies below zero, and else the simplest: {REGULAR} fields."
)


def total(run: Run) -> float:
    """The total loss at the end."""
    last = run["curve"][-1]
    return float(last["policy"] + last["value"])


def totals(runs: Sequence[Run], arm: str) -> dict[int, float]:
    """The same for every seed of an arm."""
    return {run["seed"]: total(run) for run in runs if run["arm"] == arm}


def difference(runs: Sequence[Run], arm: str, other: str = REGULAR) -> Difference:
    """Of an arm's total loss from another's, seed by seed."""
    return paired(totals(runs, arm), totals(runs, other))


def chosen(runs: Sequence[Run], kinds: Sequence[str]) -> tuple[str, str]:
    """The kind that the rule chooses, and the sentence that says so."""
    means = {kind: mean_interval(list(totals(runs, kind).values()))[0] for kind in kinds}
    best = min(means, key=lambda kind: means[kind])
    if best == REGULAR:
        return REGULAR, f"Chosen: **{REGULAR}**, whose total loss is the lowest of the equivariant kinds."
    apart = difference(runs, best)
    if apart.mean is None or apart.low is None or apart.high is None:
        said = f"**{REGULAR}**: {best} has the lowest total loss, but one seed alone tells no interval"
    elif apart.high < 0:
        return best, (
            f"Chosen: **{best}**, whose total loss is the lowest and by {-apart.mean:.3f} ({-apart.high:.3f} to"
            f" {-apart.low:.3f}) below that of {REGULAR} fields."
        )
    else:
        said = (
            f"**{REGULAR}**: {best} has the lowest total loss, but its difference from {REGULAR} fields,"
            f" {apart.mean:+.3f} ({apart.low:+.3f} to {apart.high:+.3f}), may be none"
        )
    return REGULAR, f"Chosen: {said}."
