"""What Suen & Alonso say of experiment 1, each claim beside what was measured: it holds, does not, or cannot be told.

That SLAP is faster holds if the 95 % interval of our ratio lies above 1. That it is so many times as fast holds if the
whole interval is within TOLERANCE of the published number, and does not if all of it is outside. Closer than that two
draws of positions need not agree: the losses that the paper counts to, 3.0 and 2.9, lie close above the least that can
be reached, and that least differs from draw to draw by more than the one differs from the other.
"Converges", which the paper does not define, means here that the validation loss reaches 3.0.

Less data than the paper had tells nothing. Fewer iterations tell nothing of where models end; how soon they reach a
loss is told if all of them do, since no rate changes on the way and more iterations would not change it. That a model
does not reach it is told too, if its loss was lowest in the first half of its iterations and has risen by NEAR since.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from eightfold.studies.frame import Work
from eightfold.studies.slap_synthetic.analysis import (
    LEVELS,
    Losses,
    Mean,
    Ratio,
    Run,
    arms,
    best_decay,
    both_levels,
    decays_in,
    final,
    iterations_to,
    lowest,
    mean_iterations,
    mean_of,
    of_arm,
    paired_difference,
    repeats_of,
    speed_up,
    with_decay,
)
from eightfold.studies.verdicts import ENOUGH, FAILS, HOLDS, OPEN

PUBLISHED_SPEED_UP = dict(zip(LEVELS, (1.951, 1.712), strict=True))  # "95.1 % and 71.2 % faster"
PUBLISHED_MEAN_SPEED_UP = 1.832  # "83.2 %", of the abstract
TOLERANCE = 1.15
PUBLISHED_LOSS, PUBLISHED_GAP = 2.81, 0.01
PUBLISHED_CENTRED_LOSS, PUBLISHED_CENTRED_COST = 2.8, 1.307
CONVERGES_FROM, FAILS_AT = 5032, 2516
NEAR = 0.05  # "around" a loss, where both are of the same positions
PUBLISHED_SAMPLES, PUBLISHED_ITERATIONS = 10_064, 10_000
PUBLISHED_BLOCKS = {0, 5, 10, 20}

COUNTED = {HOLDS: "hold", FAILS: "do not", OPEN: "cannot be told"}

Claim = dict[str, Any]


def claims(work: Work) -> dict[str, Any]:
    learned, results = work.results["learning"], work.results
    told = judged(results["data"], learned, results["samples"], results["search"])
    others = beyond(learned)
    return {
        "short": in_short(learned, [*told, *others]),
        "claims": told,
        "beyond": others,
        "near": near_loss(results["data"]),
        "recommendation": recommendation(learned),
    }


def in_short(learned: dict[str, Any], told: Sequence[Claim]) -> str:
    """What the report begins with."""
    record, of = learned["record"], _by_mode(learned)
    slap, augment, none = (of.get(mode, []) for mode in ("slap", "augment", "none"))
    ours, plain = (
        ", ".join(f"to {level} {speed_up(slow, slap, level, record).text()}" for level in LEVELS)
        for slow in (augment, none)
    )
    printed = " and ".join(f"{number:.2f}" for number in PUBLISHED_SPEED_UP.values())
    verdicts = [each["verdict"] for each in told]
    counts = ", ".join(f"{verdicts.count(each)} {words}" for each, words in COUNTED.items())
    decays = len(decays_in(slap))
    return (
        f"**In short.** Over {decays} value{'s' * (decays != 1)} of L2 and {len(repeats_of(slap))} repeats of"
        f" {learned['iterations']:,} iterations, augmentation needs so many times SLAP's iterations to a validation"
        f" loss: {ours} (published: {printed}). No symmetry at all: {plain}. Of {len(told)} claims {counts}."
        f"{_blindness(learned)}"
    )


def judged(
    data: dict[str, Any], learned: dict[str, Any], samples: dict[str, Any] | None, search: dict[str, Any] | None
) -> list[Claim]:
    """Every claim with its verdict. What was not measured with as much as the paper had is left open."""
    record, of = learned["record"], _by_mode(learned)
    slap, augment, centred = (of.get(mode, []) for mode in ("slap", "augment", "slap-cc"))
    near = near_loss(data)
    told = [
        _of_ends(_same_loss(slap, augment, near), learned),
        *(_faster(augment, slap, level, record) for level in LEVELS),
        *(
            _so_much_faster(f"to {level}", number, partial(speed_up, level=level, record=record), augment, slap)
            for level, number in PUBLISHED_SPEED_UP.items()
        ),
        _so_much_faster(
            "in the mean of the two",
            PUBLISHED_MEAN_SPEED_UP,
            partial(both_levels, record=record),
            augment,
            slap,
        ),
        *_sample_sizes(samples),
        _of_ends(_centred_loss(centred, near), learned),
        _near(
            f"SLAP-CC needs {PUBLISHED_CENTRED_COST:.2f} times the iterations of augmentation, in the mean of both",
            PUBLISHED_CENTRED_COST,
            both_levels(centred, augment, record),
        ),
        _no_blocks(search),
    ]
    if data["training"] == PUBLISHED_SAMPLES:
        return told
    return [_left_open(claim, f"{data['training']:,} positions instead of {PUBLISHED_SAMPLES:,}") for claim in told]


def near_loss(data: dict[str, Any]) -> float:
    """How far a published loss may be from ours: the least possible loss of another draw of positions is another."""
    floors = [data["floor"], *data["other_floors"]]
    return float(max(NEAR, max(floors) - min(floors)))


def _by_mode(learned: dict[str, Any]) -> dict[str, list[Run]]:
    """The models with the network that most of them have."""
    runs, network = learned["runs"], learned["network"]
    return {mode: of_arm(runs, mode, own) for mode, own in arms(runs) if own == network}


def _claim(claim: str, verdict: str, number: str) -> Claim:
    return {"claim": claim, "verdict": verdict, "number": number}


def _left_open(claim: Claim, why: str) -> Claim:
    return {**claim, "verdict": OPEN, "number": f"{why}; {claim['number']}"}


def _of_ends(claim: Claim, measured: dict[str, Any]) -> Claim:
    few = f"{measured['iterations']:,} iterations instead of {PUBLISHED_ITERATIONS:,} do not tell where models end"
    return claim if measured["iterations"] >= PUBLISHED_ITERATIONS else _left_open(claim, few)


def _blindness(learned: dict[str, Any]) -> str:
    """That some models begin without any sight of the value, and who they are: a few of them can decide a mean."""
    if not learned["blind"]:
        return ""
    pairs = dict.fromkeys((each["mode"], each["repeat"]) for each in learned["blind"])
    named = ", ".join(f"`{mode}` in repeat {repeat}" for mode, repeat in pairs)
    return (
        " Models may say the same value of every position after their first iterations, since no unit of the value head"
        f" is active: here {named}. Until one wakes, their loss stays higher by the variance of the values. Some do so"
        " at once and some late or never, as the last column of the table by L2 shows: one repeat can decide a mean."
    )


# ---- how soon -----------------------------------------------------------------------------------------------


def _faster(augment: Sequence[Run], slap: Sequence[Run], level: float, record: int) -> Claim:
    ours = speed_up(augment, slap, level, record)
    claim = f"SLAP reaches a validation loss of {level} in fewer iterations than augmentation"
    return _claim(claim, _above_one(ours), f"augmentation's over SLAP's: {ours.text()}")


def _above_one(ours: Ratio) -> str:
    if ours.repeats < ENOUGH or ours.low is None or ours.high is None:
        return OPEN
    return HOLDS if ours.low > 1 else FAILS if ours.high < 1 and not ours.bound else OPEN


def _so_much_faster(
    where: str,
    published: float,
    compare: Callable[[Sequence[Run], Sequence[Run]], Ratio],
    augment: Sequence[Run],
    slap: Sequence[Run],
) -> Claim:
    claim = _near(f"SLAP is {published:.2f} times as fast {where}", published, compare(augment, slap))
    each = [
        f"{compare(with_decay(augment, decay), with_decay(slap, decay)).text()} with L2 {decay:g}"
        for decay in decays_in(slap)
    ]
    return {**claim, "number": f"{claim['number']}; {', '.join(each)}"} if len(each) > 1 else claim


def _near(claim: str, published: float, ours: Ratio) -> Claim:
    if ours.repeats < ENOUGH or ours.low is None or ours.high is None or ours.bound:
        return _claim(claim, OPEN, f"ours: {ours.text()}")
    if published / TOLERANCE <= ours.low and ours.high <= published * TOLERANCE:
        return _claim(claim, HOLDS, f"ours: {ours.text()}")
    if ours.low > published * TOLERANCE:
        return _claim(claim, FAILS, f"ours is more: {ours.text()}")
    if ours.high < published / TOLERANCE:
        return _claim(claim, FAILS, f"ours is less: {ours.text()}")
    return _claim(claim, OPEN, f"ours: {ours.text()}, neither near it for sure nor away from it")


def beyond(learned: dict[str, Any]) -> list[Claim]:
    """What the paper does not say, but its conclusion needs."""
    record, level, of = learned["record"], LEVELS[0], _by_mode(learned)
    slap, augment, none = (of.get(mode, []) for mode in ("slap", "augment", "none"))
    ours, plain = speed_up(none, slap, level, record), speed_up(none, augment, level, record)
    each = [
        f"{speed_up(with_decay(none, decay), with_decay(augment, decay), level, record).text()} with L2 {decay:g}"
        for decay in decays_in(none)
    ]
    by_decay = f" ({', '.join(each)})" if len(each) > 1 else ""
    return [
        _claim(
            "it is SLAP that makes learning faster, and not merely that there is no augmentation",
            _above_one(ours),
            f"iterations to {level}: no symmetry over SLAP {ours.text()}, no symmetry over augmentation"
            f" {plain.text()}{by_decay}",
        )
    ]


# ---- where they end -----------------------------------------------------------------------------------------


def _same_loss(slap: Sequence[Run], augment: Sequence[Run], near: float) -> Claim:
    claim = f"the best models of SLAP and of augmentation come to the same loss, about {PUBLISHED_LOSS}"
    if not slap or not augment:
        return _claim(claim, OPEN, "one of the two was not trained")
    (decay, ours), (other, theirs) = best_decay(slap), best_decay(augment)
    number = f"SLAP {ours.text(3)} with L2 {decay:g}, augmentation {theirs.text(3)} with L2 {other:g}"
    if ours.mean is None or theirs.mean is None or min(ours.of, theirs.of) < ENOUGH:
        return _claim(claim, OPEN, number)
    ends = {run["repeat"]: final(run["validation"]) for run in with_decay(augment, other)}
    gaps = [_gap(final(run["validation"]), ends.get(run["repeat"])) for run in with_decay(slap, decay)]
    verdicts = [_surely(mean, PUBLISHED_LOSS, near) for mean in (ours, theirs)]
    return _claim(claim, _all_hold([*verdicts, _surely(mean_of(gaps), 0.0, PUBLISHED_GAP)]), number)


def _gap(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _surely(mean: Mean, value: float, bound: float) -> str:
    """Whether all of a mean's interval is within a bound of a value, or all of it further away."""
    if mean.low is None or mean.high is None:
        return OPEN
    if value - bound <= mean.low and mean.high <= value + bound:
        return HOLDS
    return FAILS if mean.high < value - bound or mean.low > value + bound else OPEN


def _all_hold(verdicts: Sequence[str]) -> str:
    return FAILS if FAILS in verdicts else OPEN if OPEN in verdicts else HOLDS


def _centred_loss(centred: Sequence[Run], near: float) -> Claim:
    claim = f"SLAP-CC comes to a loss of about {PUBLISHED_CENTRED_LOSS} with all values of L2"
    means = {
        decay: mean_of([final(run["validation"]) for run in with_decay(centred, decay)]) for decay in decays_in(centred)
    }
    number = "; ".join(f"L2 {decay:g}: {mean.text(3)}" for decay, mean in means.items()) or "it was not trained"
    if not means or any(mean.mean is None or mean.of < ENOUGH for mean in means.values()):
        return _claim(claim, OPEN, number)
    return _claim(claim, _all_hold([_surely(mean, PUBLISHED_CENTRED_LOSS, near) for mean in means.values()]), number)


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
    over = all(here or _overfits(run["validation"]) for run, here in zip(runs, got, strict=True))
    losses = [
        f"{size:,}: {mean_of([lowest(run['validation']) for run in runs if run['samples'] == size]).text(3)}"
        for size in sizes
    ]
    number = (
        f"{sum(got)} of {len(got)} models reach {LEVELS[0]}; lowest losses by samples: {'; '.join(losses) or 'none'}"
    )
    if len(got) < ENOUGH:
        return _claim(claim, OPEN, number)
    told = _claim(claim, HOLDS if all(each == expected for each in got) else FAILS, number)
    return told if over else _of_ends(told, found)  # more iterations may let others converge


def _overfits(losses: Losses) -> bool:
    """Whether a loss was lowest in the first half and has risen since: then more iterations do not bring it down.

    >>> _overfits([3.4, 3.2, 3.3, 3.4]), _overfits([3.4, 3.3, 3.2, 3.3]), _overfits([3.4, 3.2, 3.22, 3.23])
    (True, False, False)
    """
    known = [math.inf if loss is None else loss for loss in losses]
    least = min(known)
    return known.index(least) < len(known) / 2 and known[-1] >= least + NEAR


def _no_blocks(found: dict[str, Any] | None) -> Claim:
    claim = "the best models of the grid have no residual blocks"
    rows = [] if found is None else [row for row in found["rows"] if row["lowest"] is not None]
    best = {
        blocks: min(row["lowest"] for row in rows if row["blocks"] == blocks)
        for blocks in sorted({row["blocks"] for row in rows})
    }
    number = "; ".join(f"{blocks} blocks: {loss:.3f}" for blocks, loss in best.items())
    if not rows:
        return _claim(claim, OPEN, "no point of the grid was trained")
    if found is None or len(found["rows"]) < found["points"] or set(best) != PUBLISHED_BLOCKS:
        measured = f"{len(rows)} points, residual blocks: {', '.join(map(str, best))}"
        return _claim(claim, OPEN, f"not the whole grid is measured ({measured}); lowest losses, {number}")
    return _claim(
        claim, HOLDS if min(best, key=lambda blocks: best[blocks]) == 0 else FAILS, f"lowest losses: {number}"
    )


# ---- what to use --------------------------------------------------------------------------------------------


def recommendation(learned: dict[str, Any]) -> str:
    """Which mode to use, by what was measured here: who is not told apart from the best is named with it."""
    runs, iterations = learned["runs"], learned["iterations"]

    def named(arm: tuple[str, str]) -> str:
        return f"`{arm[0]}`" if arm[1] == learned["network"] else f"`{arm[0]}` with `{arm[1].partition(':')[0]}`"

    times = {arm: mean_iterations(of_arm(runs, *arm), LEVELS[0], learned["record"]) for arm in arms(runs)}
    arrived = {arm: time for arm, time in times.items() if time.mean is not None and not time.bound}
    ends = {arm: best_decay(of_arm(runs, *arm)) for arm in arms(runs)}
    known = {arm: (decay, mean.mean) for arm, (decay, mean) in ends.items() if mean.mean is not None}
    if not arrived or not known or len(repeats_of(runs)) < ENOUGH:
        return "Too little was measured to recommend a mode."
    fastest = min(arrived, key=lambda arm: arrived[arm].mean or 0)
    others = ", ".join(f"{named(arm)} {time.text()}" for arm, time in times.items() if arm != fastest)
    as_fast = [
        named(arm)
        for arm in arms(runs)
        if arm != fastest
        and _above_one(speed_up(of_arm(runs, *arm), of_arm(runs, *fastest), LEVELS[0], learned["record"])) != HOLDS
    ]
    best = min(known, key=lambda arm: known[arm][1])
    lowest_runs = with_decay(of_arm(runs, *best), known[best][0])
    alike = []
    for arm, (decay, _) in known.items():
        own = [{**run, "l2": known[best][0]} for run in with_decay(of_arm(runs, *arm), decay)]  # pairs by repeat alone
        more = paired_difference(own, lowest_runs)
        if arm != best and (more.low is None or more.low <= 0):
            alike.append(f"{named(arm)} ({more.text(3)} more)")
    return (
        f"**Which mode?** The fewest iterations to {LEVELS[0]} in the mean are those of {named(fastest)},"
        f" {arrived[fastest].text()}; {others};"
        f" {'not told apart from it: ' + ', '.join(as_fast) if as_fast else 'every other needs more'}."
        f" The lowest loss after {iterations:,}"
        f" iterations, each with its best L2, is that of {named(best)} ({known[best][1]:.3f});"
        f" {'not told apart from it: ' + ', '.join(alike) if alike else 'every other is higher'}. `average` asks the"
        " network eight times for a position, the others once. These are synthetic positions with random targets;"
        " what modes are worth in play is for self-play to tell."
    )
