"""Over seeds: what orbits save, with intervals, and whether it is what was claimed.

A factor is a ratio, so its mean over seeds is the geometric one, and its 95 % interval that of its logarithm. The claim
is a factor of eight: it holds where the whole interval is at least that, and does not where all of it is less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eightfold.studies.frame import Work
from eightfold.studies.grid import mean_interval
from eightfold.studies.orbits.analysis import ROUND
from eightfold.studies.orbits.streams import EVALUATION, ORBIT, POSITION
from eightfold.studies.verdicts import ENOUGH, FAILS, HOLDS, OPEN

CLAIMED = 8
USUAL = 0.9  # share of the hits at which memory is compared in words
LIVES = {ROUND: "until new weights"}  # in words; otherwise as long as the stream

Case = dict[str, Any]  # a preset, a network, a kind of cache and its life, with its numbers for every seed


@dataclass(frozen=True)
class Factor:
    mean: float
    low: float | None  # None: one seed alone
    high: float | None
    seeds: int

    def text(self) -> str:
        """
        >>> Factor(2.0, 1.5, 2.667, 3).text(), Factor(120.0, None, None, 1).text()
        ('2.0 (1.5 to 2.7)', '120')
        """
        if self.low is None or self.high is None:
            return _number(self.mean)
        return f"{_number(self.mean)} ({_number(self.low)} to {_number(self.high)})"

    @property
    def verdict(self) -> str:
        if self.seeds < ENOUGH or self.low is None or self.high is None:
            return OPEN
        return HOLDS if self.low >= CLAIMED else FAILS if self.high < CLAIMED else OPEN


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 1.5 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def factor_of(ratios: Sequence[float]) -> Factor | None:
    """The geometric mean of ratios and its interval; None where there are none."""
    if not ratios:
        return None
    mean, low, high = mean_interval([math.log(each) for each in ratios])
    if low is None or high is None:
        return Factor(math.exp(mean), None, None, len(ratios))
    return Factor(math.exp(mean), math.exp(low), math.exp(high), len(ratios))


def entries_factor(case: Case) -> Factor | None:
    """How many times the entries of orbits an unlimited cache of positions has."""
    return factor_of([each["entries"][POSITION] / each["entries"][ORBIT] for each in case["seeds"]])


def memory_factor(case: Case, share: float = USUAL) -> Factor | None:
    """How many times the memory position keys need for this share of the hits that they can have; None: too few."""
    found = [row["factor"] for each in case["seeds"] for row in each["memory"] if row["share"] == share]
    return factor_of(found) if len(found) == len(case["seeds"]) else None


def mean_hits(case: Case, key: str) -> float:
    """With unlimited memory."""
    return mean_interval([each["hits"][key] for each in case["seeds"]])[0]


def mean_curve(case: Case, key: str) -> list[tuple[int, float]]:
    """Capacities, and the share of requests that caches of so many entries answer."""
    curves = [[row[key] for row in each["curve"]] for each in case["seeds"]]
    sizes = [row["capacity"] for row in case["seeds"][0]["curve"]]
    return [(size, mean_interval(hits)[0]) for size, hits in zip(sizes, zip(*curves, strict=True), strict=True)]


def name_of(case: Case) -> str:
    return f"{case['preset']}, {case['network']}"


def life_of(case: Case) -> str:
    return LIVES.get(case["life"], "all games")


def verdicts(work: Work) -> dict[str, Any]:
    """What is claimed, whether it holds, and by how much orbit keys raise the hits: the least and the most."""
    cases = work.results["caches"]
    gains = [
        (mean_hits(case, ORBIT) - mean_hits(case, POSITION), f"{name_of(case)}, {life_of(case)}")
        for case in cases
        if case["kind"] == EVALUATION
    ]
    least, most = ({"gain": gain, "cache": cache} for gain, cache in (min(gains), max(gains)))
    return {"claims": claims(cases), "least": least, "most": most}


def claims(cases: Sequence[Case]) -> list[dict[str, str]]:
    """The claim in its two readings, of every cache of evaluations."""
    told = [case for case in cases if case["kind"] == EVALUATION]
    entries = [(case, entries_factor(case)) for case in told]
    memory = [(case, memory_factor(case)) for case in told]
    return [
        _judged("a cache with orbit keys holds eight times the positions in the same memory", entries),
        _judged("it needs an eighth of the memory for the same hits", memory),
    ]


def _judged(claim: str, found: Sequence[tuple[Case, Factor | None]]) -> dict[str, str]:
    known = [(case, factor) for case, factor in found if factor is not None]
    verdicts = [factor.verdict for _, factor in known]
    # The claim is of all caches, so one that does not reach it is enough.
    verdict = next((each for each in (FAILS, OPEN) if each in verdicts), HOLDS) if verdicts else OPEN
    if not known:
        return {"claim": claim, "verdict": verdict, "number": "there are too few hits to compare"}
    (least, low), (most, high) = (choose(known, key=lambda each: each[1].mean) for choose in (min, max))
    holds, fails, is_open = (verdicts.count(each) for each in (HOLDS, FAILS, OPEN))
    number = (
        f"from {low.text()} ({name_of(least)}, {life_of(least)}) to {high.text()} ({name_of(most)}, {life_of(most)});"
        f" of {len(known)} caches it holds for {holds}, does not for {fails} and cannot be told for {is_open}"
    )
    return {"claim": claim, "verdict": verdict, "number": number}
