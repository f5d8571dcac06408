"""What Suen & Alonso say of experiment 2, each claim beside what was measured: it holds, does not, or cannot be told.

Their strengths are scores of 30 games of one run. Where they call one as strong as another, ours must differ by less
than their own interval of 12.2 points, and must not be surely weaker, with 95 % confidence, in the mean of the later
half of the evaluations (the last ten of the paper's twenty); a claim that one is more than the other holds or fails
when the interval of our paired difference excludes zero. A published best score holds if one more run of ours would be
expected near it (95 % prediction interval by Student's t).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from eightfold.studies.frame import Work
from eightfold.studies.grid import mean_interval
from eightfold.studies.paired import Difference, of_several, paired
from eightfold.studies.run_costs import price_ratio, prices_of
from eightfold.studies.slap_rl.analysis import (
    MARK,
    Compared,
    Counted,
    compared,
    counted_runs,
    halvings,
    of_arm,
)
from eightfold.studies.verdicts import ENOUGH, FAILS, HOLDS, OPEN

NAMES = {"slap": "SLAP", "augment": "augmentation", "slap-cc": "SLAP-CC"}
PUBLISHED_BEST = {"augment": 28 / 30, "slap": 26 / 30, "slap-cc": 29 / 30}
PUBLISHED_SMALL_BEST = {"slap": 22 / 30, "augment": 25 / 30}
PUBLISHED_LEVELS = (2 / 3, 26 / 30)
PUBLISHED_REACHED = {"slap": (1000, 3000), "augment": (1000, 1250)}
PUBLISHED_TIME, PUBLISHED_CENTRED = 1.108, 1.307
SIMILAR = 0.122  # half of the published interval
LUCK = 0.05
UNMEASURED = "it was not measured"
PUBLISHED = {"games": 5000, "playouts": 400, "preset": "suen-alonso"}

Claim = dict[str, Any]


def claims(work: Work) -> dict[str, Any]:
    results = work.results
    learned, prices = results["learning"], prices_of(results["prices"]["rows"])
    rows = compared(learned, results["marks"]["runs"], results["elo"], prices)
    return {
        "base": learned["base"],
        "extent": {name: learned[name] for name in (*PUBLISHED, "parallel_games", "games_a_round", "seeds")},
        "cost_of": learned["runs"][0]["machine"],
        "compared": [each._asdict() for each in rows],
        "claims": judged(learned, results["paper"], results["prices"]["rows"], rows),
        "recommendation": recommendation(rows, learned),
    }


def judged(
    learned: Mapping[str, Any],
    paper: Mapping[str, Any],
    prices: Sequence[Mapping[str, Any]],
    rows: Sequence[Compared],
) -> list[Claim]:
    """Every claim with its verdict. What was not trained as much as the paper's is left open; times are not."""
    counts = {arm: counted_runs(paper["learning"], arm, PUBLISHED_LEVELS) for arm in PUBLISHED_BEST}
    small = {arm: counted_runs(paper["buffers"], arm) for arm in PUBLISHED_SMALL_BEST}
    told = [
        *(_best(arm, counts[arm], score) for arm, score in PUBLISHED_BEST.items()),
        _similar("slap", counts, "with an eighth of the samples"),
        _similar("slap-cc", counts, ""),
        *(_within(arm, counts[arm], learned["keep_every"]) for arm in PUBLISHED_REACHED),
        _sooner(counts),
        *(_small_buffer(arm, counts[arm], small[arm]) for arm in PUBLISHED_SMALL_BEST),
        _more_halvings(learned["runs"]),
        _no_halvings(learned["runs"]),
        _speeds_up(next((row for row in rows if row.arm == "slap"), None)),
    ]
    times = _times(prices, learned["base"])
    if not has_published_network(learned):
        times = [{**each, "verdict": OPEN} for each in times]
    if not as_published(learned):
        told = [{**each, "verdict": OPEN} for each in told]
    return [*told, *times]


def as_published(learned: Mapping[str, Any]) -> bool:
    same = all(learned[name] == PUBLISHED[name] for name in ("playouts", "preset"))
    return same and learned["games"] >= PUBLISHED["games"] and has_published_network(learned)


def has_published_network(learned: Mapping[str, Any]) -> bool:
    """Whether the yardstick has the paper's network, without which neither strengths nor times can be compared."""
    network = next(arm["network"] for arm in learned["arms"] if arm["arm"] == learned["base"])
    return str(network).partition(":")[0] == "a1"


def _claim(claim: str, verdict: str, number: str) -> Claim:
    return {"claim": claim, "verdict": verdict, "number": number}


def _sign(claim: str, difference: Difference, number: str) -> Claim:
    """Of a claim that a difference is more than zero."""
    if difference.pairs < ENOUGH:
        return _claim(claim, OPEN, number)
    return _claim(claim, HOLDS if difference.is_above else FAILS if difference.is_below else OPEN, number)


def _best(arm: str, counts: Mapping[int, Counted], published: float) -> Claim:
    claim = f"the best evaluation of {NAMES[arm]} is {published:.1%}"
    best = [each.best for each in counts.values()]
    if not best:
        return _claim(claim, OPEN, UNMEASURED)
    mean, low, _ = mean_interval(best)
    number = (
        f"ours: {mean:.1%} in the mean of {len(best)} runs, {min(best):.1%} to {max(best):.1%}; the later half"
        f" of their evaluations has a mean of {_mean([each.later for each in counts.values()]):.1%}"
    )
    if low is None or len(best) < ENOUGH:
        return _claim(claim, OPEN, number)
    reach = (mean - low) * math.sqrt(len(best) + 1)  # of a prediction interval: one more run, not the mean
    return _claim(claim, HOLDS if abs(published - mean) <= reach else FAILS, number)


def _mean(values: Sequence[float]) -> float:
    return mean_interval(values)[0]


def _similar(arm: str, counts: Mapping[str, Mapping[int, Counted]], how: str) -> Claim:
    claim = f"{NAMES[arm]} gets as strong as augmentation" + (f", {how}" if how else "")
    difference = paired(*({seed: each.later for seed, each in counts[name].items()} for name in (arm, "augment")))
    if not difference.pairs:
        return _claim(claim, OPEN, UNMEASURED)
    number = f"mean of the later half of the evaluations, {arm} less augment: {difference.text(1, scale=100)} points"
    if difference.pairs < ENOUGH or difference.low is None or difference.high is None:
        return _claim(claim, OPEN, number)
    if difference.is_below or difference.low > SIMILAR:
        return _claim(claim, FAILS, number)
    within = difference.low >= -SIMILAR and difference.high <= SIMILAR
    return _claim(claim, HOLDS if within else OPEN, number)


def _within(arm: str, counts: Mapping[int, Counted], keep_every: int) -> Claim:
    """A network is kept by the first round that comes to a multiple of `keep_every` games, or somewhat past it."""
    games = PUBLISHED_REACHED[arm][0]
    claim = f"{NAMES[arm]} comes to two thirds within {games:,} games"
    reached = [each.reached[PUBLISHED_LEVELS[0]] for each in counts.values()]
    in_time = sum(at is not None and at // keep_every * keep_every <= games for at in reached)
    number = f"{in_time} of {len(reached)} runs do" if reached else UNMEASURED
    if len(reached) < ENOUGH:
        return _claim(claim, OPEN, number)
    return _claim(claim, HOLDS if 2 * in_time > len(reached) else FAILS, number)


def _sooner(counts: Mapping[str, Mapping[int, Counted]]) -> Claim:
    level = PUBLISHED_LEVELS[1]
    theirs = " against ".join(f"{PUBLISHED_REACHED[arm][1]:,}" for arm in ("slap", "augment"))
    claim = f"SLAP comes to {level:.1%} later than augmentation ({theirs} games)"
    games = {
        arm: {seed: _number(each.reached[level]) for seed, each in counts[arm].items()} for arm in ("slap", "augment")
    }
    arrived = {arm: sum(at is not None for at in of.values()) for arm, of in games.items()}
    difference = paired(games["slap"], games["augment"])
    if not games["slap"] or not games["augment"]:
        return _claim(claim, OPEN, UNMEASURED)
    return _sign(
        claim,
        difference,
        f"{arrived['slap']} runs of SLAP and {arrived['augment']} of augmentation get there; where both of a pair"
        f" do, SLAP needs {difference.text()} games more",
    )


def _number(at: int | None) -> float | None:
    return None if at is None else float(at)


def _small_buffer(arm: str, usual: Mapping[int, Counted], small: Mapping[int, Counted]) -> Claim:
    published = PUBLISHED_SMALL_BEST[arm]
    bests = f"best {published:.1%} instead of {PUBLISHED_BEST[arm]:.1%}"
    claim = f"a small buffer for the whole run harms {NAMES[arm]} ({bests})"
    best, later = (
        paired(*({seed: getattr(each, name) for seed, each in of.items()} for of in (usual, small)))
        for name in ("best", "later")
    )
    if not later.pairs:
        return _claim(claim, OPEN, UNMEASURED)
    return _sign(
        claim,
        later,
        f"what the larger buffer is worth: {best.text(1, scale=100)} points in the best evaluation,"
        f" {later.text(1, scale=100)} in the mean of their later half, which decides",
    )


def _more_halvings(runs: Sequence[Mapping[str, Any]]) -> Claim:
    slap, augment = (halvings(of_arm(runs, arm)) for arm in ("slap", "augment"))
    difference = paired(slap, augment)
    return _sign(
        "the three-sigma rule halves the learning rate more often with SLAP than with augmentation",
        difference,
        f"halvings in a run, slap less augment: {difference.text(1)}",
    )


def _no_halvings(runs: Sequence[Mapping[str, Any]]) -> Claim:
    counts = list(halvings(of_arm(runs, "slap-cc")).values())
    claim = "that rule never halves it with SLAP-CC"
    never = sum(count == 0 for count in counts)
    number = f"{never} of {len(counts)} runs have no halving"
    if len(counts) < ENOUGH:
        return _claim(claim, OPEN, number)
    return _claim(claim, HOLDS if never == len(counts) else FAILS, number)


def _speeds_up(row: Compared | None) -> Claim:
    """The paper says that it has not proved this; its title promises it."""
    claim = "SLAP speeds up reinforcement learning (the paper leaves it open)"
    if row is None:
        return _claim(claim, OPEN, "it was not trained")
    number = (
        f"at equal cost, slap less augment: {row.elo_at_cost.text()} Elo, {row.mark_at_cost.text(3)} nats in the"
        " exam, of which less is better"
    )
    if min(row.elo_at_cost.pairs, row.mark_at_cost.pairs) < ENOUGH:
        return _claim(claim, OPEN, number)
    if row.elo_at_cost.is_below or row.mark_at_cost.is_above:
        return _claim(claim, FAILS, number)
    return _claim(claim, HOLDS if row.elo_at_cost.is_above and row.mark_at_cost.is_below else OPEN, number)


def _times(prices: Sequence[Mapping[str, Any]], base: str) -> list[Claim]:
    wanted = (
        ("slap", PUBLISHED_TIME, "SLAP makes self-play take 10.8 % longer"),
        (
            "slap-cc",
            PUBLISHED_CENTRED,
            "SLAP-CC takes 30.7 % longer (published of iterations in experiment 1; here of self-play)",
        ),
    )
    return [_time(prices, base, *each) for each in wanted]


def _time(prices: Sequence[Mapping[str, Any]], base: str, arm: str, published: float, claim: str) -> Claim:
    ours = price_ratio(prices, arm, base, "play_seconds", "simulations")
    if ours.mean is None or ours.low is None or ours.high is None or ours.pairs < ENOUGH:
        return _claim(claim, OPEN, "it was measured too seldom")
    number = f"ours, seconds a simulation: {ours.mean:.3f} ({ours.low:.3f} to {ours.high:.3f}) times those of {base}"
    if not ours.low <= published <= ours.high:
        return _claim(claim, FAILS, number)
    return _claim(claim, HOLDS if ours.low > 1 else OPEN, number)  # an interval that also includes 1 tells nothing


# ---- which mode to use --------------------------------------------------------------------------------------


def recommendation(rows: Sequence[Compared], learned: Mapping[str, Any]) -> str:
    """The best arm at equal cost by Elo, if that is no luck among so many arms and the exam points the same way."""
    base = learned["base"]
    proofs = {arm["arm"] for arm in learned["arms"] if arm["proofs"]}
    rule = (
        f"The rule: the arm with the most Elo over `{base}` at equal cost, if its paired difference is more than luck"
        " among all arms (Student's test, 5 % after Holm's correction for so many) and its exam is the better one too;"
        f" else `{base}`. Arms with proofs are no symmetry modes and do not take part."
    )
    able = [row for row in rows if row.arm not in proofs]
    if not able or max(row.elo_at_cost.pairs for row in able) < ENOUGH:
        return f"Nothing is recommended from fewer than {ENOUGH} pairs of runs. {rule}"
    chances = of_several([row.elo_at_cost.chance for row in able])
    better = [row for row, chance in zip(able, chances, strict=True) if chance < LUCK and _is_better(row)]
    if better:
        best = max(better, key=lambda row: row.elo_at_cost.mean or 0.0)
        numbers = f"{best.elo_at_cost.text()} Elo and {best.mark_at_cost.text(3)} nats of {MARK.replace('_', ' ')}"
        return f"Use **`{best.arm}`**: at equal cost {numbers} against `{base}`. {rule}"
    nearest = max(able, key=lambda row: -math.inf if row.elo_at_cost.mean is None else row.elo_at_cost.mean)
    return (
        f"Use **`{base}`**: no other arm is surely better at equal cost. The best of them is `{nearest.arm}` with"
        f" {nearest.elo_at_cost.text()} Elo and {nearest.mark_at_cost.text(3)} nats in the exam. {rule}"
    )


def _is_better(row: Compared) -> bool:
    elo, mark = row.elo_at_cost.mean, row.mark_at_cost.mean
    return elo is not None and elo > 0 and mark is not None and mark < 0
