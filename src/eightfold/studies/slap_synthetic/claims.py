"""What Suen & Alonso say of experiment 1, each claim beside what was measured: it holds, does not, or cannot be told.

A published ratio holds if the 95 % interval of ours includes it, and does not if the interval leaves it out; without
enough models nothing is told. "Converges", which the paper does not define, means here that the validation loss reaches
3.0, the first of the two losses that it counts iterations to.

Less data than the paper had tells nothing. Fewer iterations tell nothing of where models end; how soon they reach a
loss is told once all of them have reached it, since no rate changes on the way and more would change no count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eightfold.studies.frame import Work
from eightfold.studies.slap_synthetic.analysis import (
    LEVELS,
    Ratio,
    Run,
    arms,
    best_decay,
    final,
    iterations_to,
    lowest,
    mean_of,
    of_arm,
    speed_up,
)
from eightfold.studies.verdicts import ENOUGH, FAILS, HOLDS, OPEN

PUBLISHED_SPEED_UP = dict(zip(LEVELS, (1.951, 1.712), strict=True))  # "95.1 % and 71.2 % faster"
PUBLISHED_LOSS, PUBLISHED_GAP = 2.81, 0.01
PUBLISHED_CENTRED_LOSS, PUBLISHED_CENTRED_COST = 2.8, 1.307
CONVERGES_FROM, FAILS_AT = 5032, 2516
NEAR = 0.05  # "around" a loss
PUBLISHED_SAMPLES, PUBLISHED_ITERATIONS = 10_064, 10_000
PUBLISHED_BLOCKS = {0, 5, 10, 20}

Claim = dict[str, Any]


def claims(work: Work) -> dict[str, Any]:
    learned, results = work.results["learning"], work.results
    told = judged(results["data"], learned, results["samples"], results["search"])
    extent = {"samples": results["data"]["training"], "iterations": learned["iterations"]}
    return {"claims": told, **extent, "recommendation": recommendation(learned)}


def judged(
    data: dict[str, Any], learned: dict[str, Any], samples: dict[str, Any] | None, search: dict[str, Any] | None
) -> list[Claim]:
    """Every claim with its verdict. What was not measured with as much as the paper had is left open."""
    runs, record, network = learned["runs"], learned["record"], learned["network"]
    to_the_end = learned["iterations"] >= PUBLISHED_ITERATIONS
    of = {mode: of_arm(runs, mode, own) for mode, own in arms(runs) if own == network}
    slap, augment, none, centred = (of.get(mode, []) for mode in ("slap", "augment", "none", "slap-cc"))

    def ended(claim: Claim) -> Claim:
        return claim if to_the_end else _left_open(claim)

    def ratio(text: str, published: float, slow: Sequence[Run], fast: Sequence[Run], level: float) -> Claim:
        return _ratio(text, published, speed_up(slow, fast, level, record), to_the_end=to_the_end)

    told = [
        ended(_same_loss(slap, augment)),
        *(ratio(_faster(level), number, augment, slap, level) for level, number in PUBLISHED_SPEED_UP.items()),
        _control(none, augment, slap, record, to_the_end=to_the_end),
        *map(ended, _sample_sizes(samples)),
        ended(_centred_loss(centred)),
        *(ratio(_slower(level), PUBLISHED_CENTRED_COST, centred, augment, level) for level in LEVELS),
        _no_blocks(search),
    ]
    return told if data["training"] == PUBLISHED_SAMPLES else [_left_open(claim) for claim in told]


def _left_open(claim: Claim) -> Claim:
    return {**claim, "verdict": OPEN}


def _claim(claim: str, verdict: str, number: str) -> Claim:
    return {"claim": claim, "verdict": verdict, "number": number}


def _faster(level: float) -> str:
    return f"SLAP reaches a validation loss of {level} {PUBLISHED_SPEED_UP[level]:.2f} times as fast as augmentation"


def _slower(level: float) -> str:
    return f"SLAP-CC needs {PUBLISHED_CENTRED_COST:.2f} times the iterations of augmentation to {level}"


def _needed(ours: Ratio, *, to_the_end: bool) -> int:
    """How many pairs must have arrived for a ratio to be told: where more of them still may, all."""
    return ENOUGH if to_the_end else max(ENOUGH, ours.of)


def _ratio(claim: str, published: float, ours: Ratio, *, to_the_end: bool) -> Claim:
    if ours.pairs < _needed(ours, to_the_end=to_the_end) or ours.low is None or ours.high is None:
        return _claim(claim, OPEN, f"ours: {ours.text()}")
    if ours.low <= published <= ours.high:
        return _claim(claim, HOLDS, f"ours: {ours.text()}")
    sure = "more than 1, but" if ours.low > 1 else "less than 1 and" if ours.high < 1 else "not told from 1, and"
    beside = "less than published" if ours.high < published else "more than published"
    return _claim(claim, FAILS, f"ours is {sure} {beside}: {ours.text()}")


def _same_loss(slap: Sequence[Run], augment: Sequence[Run]) -> Claim:
    claim = f"the best models of SLAP and of augmentation come to the same loss, about {PUBLISHED_LOSS}"
    if not slap or not augment:
        return _claim(claim, OPEN, "one of the two was not trained")
    (decay, ours), (other, theirs) = best_decay(slap), best_decay(augment)
    number = f"SLAP {ours.text(3)} with L2 {decay:g}, augmentation {theirs.text(3)} with L2 {other:g}"
    if ours.mean is None or theirs.mean is None or min(ours.known, theirs.known) < 2:
        return _claim(claim, OPEN, number)
    near = all(abs(mean - PUBLISHED_LOSS) <= NEAR for mean in (ours.mean, theirs.mean))
    return _claim(claim, HOLDS if near and abs(ours.mean - theirs.mean) < PUBLISHED_GAP else FAILS, number)


def _control(
    none: Sequence[Run], augment: Sequence[Run], slap: Sequence[Run], record: int, *, to_the_end: bool
) -> Claim:
    """The paper has no such row; its conclusion needs one."""
    claim = "it is SLAP that makes learning faster, and not merely that there is no augmentation"
    level = LEVELS[0]
    ours, plain = speed_up(none, slap, level, record), speed_up(augment, none, level, record)
    number = f"iterations to {level}: no symmetry over SLAP {ours.text()}; augmentation over no symmetry {plain.text()}"
    if ours.pairs < _needed(ours, to_the_end=to_the_end) or ours.low is None or ours.high is None:
        return _claim(claim, OPEN, number)
    return _claim(claim, HOLDS if ours.low > 1 else FAILS if ours.high <= 1 else OPEN, number)


def _sample_sizes(found: dict[str, Any] | None) -> list[Claim]:
    texts = (
        f"SLAP converges with {CONVERGES_FROM:,} samples or more",
        f"SLAP fails to converge with {FAILS_AT:,} samples or fewer",
        "augmentation still converges with eight times each of those",
    )
    if found is None:
        return [_claim(text, OPEN, "no sample sizes were tested") for text in texts]
    sizes = sorted({run["samples"] for run in found["runs"]})
    large, few = [n for n in sizes if n >= CONVERGES_FROM], [n for n in sizes if n <= FAILS_AT]
    wanted = ((texts[0], "slap", large, True), (texts[1], "slap", few, False), (texts[2], "augment", few, True))
    return [_convergence(text, found, mode, tested, expected) for text, mode, tested, expected in wanted]


def _convergence(claim: str, found: dict[str, Any], mode: str, sizes: Sequence[int], expected: bool) -> Claim:
    runs = [run for run in found["runs"] if run["mode"] == mode and run["samples"] in sizes]
    got = [iterations_to(run["validation"], LEVELS[0], found["record"]) is not None for run in runs]
    losses = [
        f"{size:,}: {mean_of([lowest(run['validation']) for run in runs if run['samples'] == size]).text(3)}"
        for size in sizes
    ]
    number = (
        f"{sum(got)} of {len(got)} models reach {LEVELS[0]}; lowest losses by samples: {'; '.join(losses) or 'none'}"
    )
    if len(got) < ENOUGH:
        return _claim(claim, OPEN, number)
    as_said = sum(each == expected for each in got)
    return _claim(claim, HOLDS if as_said == len(got) else FAILS, number)


def _centred_loss(centred: Sequence[Run]) -> Claim:
    claim = f"SLAP-CC comes to a loss of about {PUBLISHED_CENTRED_LOSS} with all values of L2"
    decays = list(dict.fromkeys(run["l2"] for run in centred))
    means = {decay: mean_of([lowest(run["validation"]) for run in centred if run["l2"] == decay]) for decay in decays}
    number = "; ".join(f"L2 {decay:g}: {mean.text(3)}" for decay, mean in means.items()) or "it was not trained"
    if not means or any(mean.mean is None or mean.known < 2 for mean in means.values()):
        return _claim(claim, OPEN, number)
    near = all(mean.mean is not None and abs(mean.mean - PUBLISHED_CENTRED_LOSS) <= NEAR for mean in means.values())
    return _claim(claim, HOLDS if near else FAILS, number)


def _no_blocks(found: dict[str, Any] | None) -> Claim:
    claim = "the best models of the grid have no residual blocks"
    rows = [] if found is None else [row for row in found["rows"] if row["lowest"] is not None]
    best = {
        blocks: min(row["lowest"] for row in rows if row["blocks"] == blocks)
        for blocks in sorted({row["blocks"] for row in rows})
    }
    number = "; ".join(f"{blocks} blocks: {loss:.3f}" for blocks, loss in best.items()) or "none"
    if found is None or len(found["rows"]) < found["points"] or set(best) != PUBLISHED_BLOCKS:
        measured = f"{len(rows)} points, residual blocks: {', '.join(map(str, best)) or 'none'}"
        return _claim(claim, OPEN, f"not the whole grid is measured ({measured}); lowest losses, {number}")
    return _claim(
        claim, HOLDS if min(best, key=lambda blocks: best[blocks]) == 0 else FAILS, f"lowest losses: {number}"
    )


def recommendation(learned: dict[str, Any]) -> str:
    """Which mode to use, by what was measured here."""
    runs = learned["runs"]
    rows = [(mode, network, best_decay(of_arm(runs, mode, network))) for mode, network in arms(runs)]
    known = [(mode, network, mean.mean) for mode, network, (_, mean) in rows if mean.mean is not None]
    quick = {
        (mode, network): mean_of(
            [iterations_to(run["validation"], LEVELS[0], learned["record"]) for run in of_arm(runs, mode, network)]
        )
        for mode, network in arms(runs)
    }
    arrived = {arm: mean.mean for arm, mean in quick.items() if mean.mean is not None and mean.known == mean.of}
    ends = [f for f in (final(run["validation"]) for run in runs) if f is not None]
    if not known or not arrived or not ends:
        return "No mode reached the losses that the paper counts to, so nothing is recommended here."
    best = min(known, key=lambda row: row[2])
    fastest = min(arrived, key=lambda arm: arrived[arm])
    return (
        f"Who asks which mode to use: the lowest validation loss of any is that of `{best[0]}` with `{_kind(best[1])}`"
        f" ({best[2]:.3f}); the fewest iterations to {LEVELS[0]} are those of `{fastest[0]}` with `{_kind(fastest[1])}`"
        f" ({arrived[fastest]:,.0f}). These are synthetic positions with random targets; what modes are worth in"
        " play is for self-play to tell."
    )


def _kind(network: str) -> str:
    return network.partition(":")[0]
