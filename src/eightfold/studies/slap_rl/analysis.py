"""From runs, marks and matches to the numbers of the report: costs, curves, and differences from augmentation."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from eightfold.studies.grid import mean_interval
from eightfold.studies.paired import Difference, nearest, paired, ratio, read_at
from eightfold.studies.run_costs import Kept, Price, Run, cost_by, cost_of

MARK = "policy_excess"  # the mark that decides; less is better
CURVE = 20  # points of a curve over costs


def final(run: Run) -> Kept:
    found: Kept = run["kept"][-1]
    return found


def of_arm(runs: Sequence[Run], arm: str) -> list[Run]:
    return [run for run in runs if run["arm"] == arm]


def arms_in(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(run["arm"] for run in runs))


# ---- curves -------------------------------------------------------------------------------------------------


def points(
    run: Run, marks: Sequence[Mapping[str, float]], mark: str, x: Callable[[Kept], float]
) -> list[tuple[float, float]]:
    """A mark over games or cost."""
    return [(x(kept), each[mark]) for kept, each in zip(run["kept"], marks, strict=True)]


class CurvePoint(NamedTuple):
    x: float
    mean: float
    low: float | None
    high: float | None


def mean_curve(
    curves: Sequence[Sequence[tuple[float, float]]], *, until: float = math.inf, count: int = CURVE
) -> list[CurvePoint]:
    """The mean of curves with its interval, at equal distances up to where the shortest ends, or to `until`."""
    if not curves:
        return []
    begin, end = min(curve[0][0] for curve in curves), min(until, *(curve[-1][0] for curve in curves))
    found = []
    for at in range(count + 1):
        x = begin + (end - begin) * at / count
        # Before a run's first point, which costs what getting ready takes, its network is the same untrained one.
        values = [value for curve in curves if (value := read_at(curve, max(x, curve[0][0]))) is not None]
        if len(values) == len(curves):
            found.append(CurvePoint(x, *mean_interval(values)))
    return found


# ---- differences from the base ------------------------------------------------------------------------------


class Compared(NamedTuple):
    """An arm beside the base: at equal games and at equal cost, by the exam and by Elo."""

    arm: str
    marks: dict[str, Difference]  # of the last networks, by mark
    mark_at_cost: Difference
    elo: Difference
    elo_at_cost: Difference
    games_at_cost: float  # of the arm, when its pair had cost the same
    cost_ratio: Difference  # of whole runs


def compared(
    learned: Mapping[str, Any],
    marks: Mapping[str, Sequence[Mapping[str, float]]],
    elo: Mapping[str, Any],
    prices: Mapping[str, Price],
) -> list[Compared]:
    """Every arm but the base, paired with it by seed."""
    runs, base = learned["runs"], learned["base"]
    theirs = {run["seed"]: run for run in of_arm(runs, base)}
    found = []
    for arm in arms_in(runs):
        if arm == base:
            continue
        mine = {run["seed"]: run for run in of_arm(runs, arm)}
        equal = [row for row in elo["equal_cost"] if row["arm"] == arm]
        ratings = {each: {row["seed"]: row["elo"] for row in elo["rows"] if row["arm"] == each} for each in (arm, base)}
        found.append(
            Compared(
                arm=arm,
                marks={
                    mark: paired(_last(mine, marks, mark), _last(theirs, marks, mark))
                    for mark in marks[final_place(mine)][-1]
                },
                mark_at_cost=_at_cost(mine, theirs, marks, prices),
                elo=paired(ratings[arm], ratings[base]),
                elo_at_cost=paired(
                    {row["seed"]: row["elo"] for row in equal}, {row["seed"]: row["base_elo"] for row in equal}
                ),
                games_at_cost=statistics.fmean(row["games"] for row in equal),
                cost_ratio=ratio(_costs(mine, prices), _costs(theirs, prices)),
            )
        )
    return found


def final_place(runs: Mapping[int, Run]) -> str:
    return str(next(iter(runs.values()))["place"])


def _last(
    runs: Mapping[int, Run], marks: Mapping[str, Sequence[Mapping[str, float]]], mark: str
) -> dict[int, float | None]:
    return {seed: marks[run["place"]][-1][mark] for seed, run in runs.items()}


def _costs(runs: Mapping[int, Run], prices: Mapping[str, Price]) -> dict[int, float]:
    return {seed: cost_of(run, final(run), prices) for seed, run in runs.items()}


def _at_cost(
    mine: Mapping[int, Run],
    theirs: Mapping[int, Run],
    marks: Mapping[str, Sequence[Mapping[str, float]]],
    prices: Mapping[str, Price],
) -> Difference:
    """The mark when both of a pair have cost what the cheaper of them cost in all."""
    read: tuple[dict[int, float | None], dict[int, float | None]] = ({}, {})
    for seed in (seed for seed in mine if seed in theirs):
        pair = mine[seed], theirs[seed]
        cost = min(cost_of(run, final(run), prices) for run in pair)
        for values, run in zip(read, pair, strict=True):
            curve = points(run, marks[run["place"]], MARK, cost_by(run, prices))
            values[seed] = read_at(curve, cost)
    return paired(*read)


def equal_cost_networks(run: Run, other: Run, prices: Mapping[str, Price]) -> tuple[float, Kept, Kept]:
    """What the cheaper of two runs cost in all, and of either the kept network that cost nearest to it."""
    cost = min(cost_of(each, final(each), prices) for each in (run, other))
    mine, theirs = (nearest(each["kept"], cost, cost_by(each, prices)) for each in (run, other))
    return cost, mine, theirs


# ---- as the paper counted -----------------------------------------------------------------------------------


class Counted(NamedTuple):
    """One run by the published count."""

    best: float  # of all evaluations
    later: float  # mean of the second half of them, the last ten of the paper's twenty
    evaluations: int
    reached: dict[float, int | None]  # games until an evaluation first came to a score


def counted(rows: Sequence[Mapping[str, Any]], levels: Sequence[float]) -> Counted:
    """The evaluations of one run, in their order."""
    scores = [row["score"] for row in rows]
    reached = {level: next((row["at"] for row in rows if row["score"] >= level - 1e-9), None) for level in levels}
    return Counted(max(scores), statistics.fmean(scores[len(scores) // 2 :]), len(scores), reached)


def counted_runs(rows: Sequence[Mapping[str, Any]], arm: str, levels: Sequence[float] = ()) -> dict[int, Counted]:
    """By seed."""
    seeds = dict.fromkeys(row["seed"] for row in rows if row["arm"] == arm)
    return {seed: counted([row for row in rows if (row["arm"], row["seed"]) == (arm, seed)], levels) for seed in seeds}


def halvings(runs: Sequence[Run]) -> dict[int, float | None]:
    """How often the learning rate was halved in each run, by seed."""
    return {run["seed"]: -math.log2(final(run)["rate_factor"]) for run in runs}
