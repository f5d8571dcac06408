"""The report of the study `slap-synthetic`, from its results and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eightfold.studies.plots import Series, line_plot
from eightfold.studies.report import Report
from eightfold.studies.slap_synthetic import claims as published
from eightfold.studies.slap_synthetic.analysis import (
    LEVELS,
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
from eightfold.studies.verdicts import OPEN

DRAWN = 100  # points of a line
SHOWN = 3.4  # the largest loss of a figure, if any model gets there
WEIGHTS = {"torch": "as PyTorch makes them", "own": "by He's rule"}
START = 1000  # iterations of the figure of the beginning
PUBLISHED_ITERATIONS = {"augment": "399", "slap": "206"}  # to 3.0: means of their logs over all L2 and repeats


def data(report: Report, found: dict[str, Any]) -> None:
    positions = found["training"] + found["validation"]
    report.heading("The positions")
    report.text(
        f"Four stones of each colour on 8x8, black to move, in sets ({found['sets']} of them): every line of five"
        f" without one of its stones, and positions at random; {positions:,} in all. {found['won']:,} of them are won"
        " at once (value 1, policy shared by all winning points); the others have value 0 and a random policy."
        f" {found['validation']:,} are held back. SLAP and no symmetry train on {found['training']:,},"
        f" augmentation on {8 * found['training']:,}. Random policies cannot be foreseen, so no loss below"
        f" {found['floor']:.3f} can be expected on the positions held back."
    )
    report.text(
        f"{found['symmetric'] or 'None'} of the {positions:,} positions"
        f" {'are their' if found['symmetric'] > 1 else 'is its'} own mirror image or turn. Only there would it matter"
        " whether SLAP averages over all symmetries that lead to the canonical variant or takes the first of them."
    )


def learning(report: Report, found: dict[str, Any]) -> None:
    runs, record = found["runs"], found["record"]
    report.heading("Learning")
    report.text(
        f"{len(runs)} curves in {found['seconds'] / 60:.1f} minutes on `{found['device']}` in {found['precision']}:"
        f" batches of {found['batch']} drawn with replacement, Adam with a learning rate of"
        f" {found['learning_rate']:g} that stays, L2 by its weight"
        f" decay, first weights {WEIGHTS[found['initialisation']]}, {found['iterations']:,} iterations,"
        f" {found['repeats']} repeats, seeds from {found['seed']}. Models"
        " of a repeat begin with equal weights and draw the same positions. All losses are on the same held-back"
        " positions, as they lie on the board. `random` and `average` are the models of `augment`, asked in a random"
        " turn (its expectation) and in the mean over all eight."
    )
    for network in found["same_as_slap"]:
        report.text(
            f"No position is symmetric, so with `{network}` slap-unaveraged is slap, and was not trained again."
        )
    report.table(
        (
            "mode",
            "network",
            *(f"iterations to {level}" for level in LEVELS),
            "published, to 3.0",
            "lowest loss",
            "final loss",
        ),
        [_row(of_arm(runs, *arm), arm, record) for arm in arms(runs)],
    )
    report.text(
        "Means over all values of L2 and repeats with 95 % intervals (Student's t); *lowest loss* is that of the best"
        " value of L2, the mean of ten records where that is lowest. Published: the best SLAP and augmented models come"
        f" to about {published.PUBLISHED_LOSS}; iterations to 3.0 are from the authors' logs."
    )
    _speed_ups(report, found)
    _figures(report, found)
    _curves(report, "validation", found)
    _curves(report, "training", found)


def _row(runs: Sequence[Run], arm: tuple[str, str], record: int) -> tuple[str, ...]:
    times = [mean_of([iterations_to(run["validation"], level, record) for run in runs]) for level in LEVELS]
    decay, best = best_decay(runs)
    return (
        arm[0],
        f"`{arm[1].partition(':')[0]}`",
        *(time.text() for time in times),
        PUBLISHED_ITERATIONS.get(arm[0], ""),
        f"{best.text(3)}, L2 {decay:g}",
        mean_of([final(run["validation"]) for run in runs if run["l2"] == decay]).text(3),
    )


def _speed_ups(report: Report, found: dict[str, Any]) -> None:
    """Augmentation's iterations over those of each other mode, beside 1.95 and 1.71."""
    runs, network = found["runs"], found["network"]
    base = of_arm(runs, "augment", network)
    rows = [
        (
            mode if own == network else f"{mode}, `{own}`",
            *(speed_up(base, of_arm(runs, mode, own), level, found["record"]).text() for level in LEVELS),
            *(_printed(mode, own, network)),
        )
        for mode, own in arms(runs)
        if (mode, own) != ("augment", network)
    ]
    if not base or not rows:
        return
    report.text(
        "How many times as fast as augmentation: its mean iterations over those of the mode, in pairs of one L2 and one"
        " repeat in which both arrive, with the 95 % bootstrap interval over pairs. More than 1: the mode is faster."
    )
    report.table(("mode", *(f"to {level}" for level in LEVELS), *(f"published, to {level}" for level in LEVELS)), rows)


def _printed(mode: str, own: str, network: str) -> tuple[str, str]:
    if own == network and mode == "slap":
        first, second = (f"{published.PUBLISHED_SPEED_UP[level]:.2f}" for level in LEVELS)
        return first, second
    if own == network and mode == "slap-cc":
        text = f"{1 / published.PUBLISHED_CENTRED_COST:.2f}"
        return text, text
    return "", ""


def _figures(report: Report, found: dict[str, Any]) -> None:
    runs, network = found["runs"], found["network"]
    pair = [(mode, network) for mode in ("slap", "augment") if of_arm(runs, mode, network)]
    decays = list(dict.fromkeys(run["l2"] for run in runs))
    lines = [
        _line(
            f"{mode}, L2 {decay:g}",
            [run for run in of_arm(runs, mode, own) if run["l2"] == decay],
            found,
            dashed=mode != "slap",
        )
        for mode, own in pair
        for decay in decays
    ]
    _figure(report, "figure-8", "Validation losses of SLAP and augmentation (Suen & Alonso's figure 8)", lines)
    best = {arm: best_decay(of_arm(runs, *arm))[0] for arm in arms(runs)}
    chosen = {arm: [run for run in of_arm(runs, *arm) if run["l2"] == best[arm]] for arm in best}
    names = {arm: arm[0] if arm[1] == network else f"{arm[0]}, {arm[1].partition(':')[0]}" for arm in best}
    _figure(
        report, "modes", "Every mode with its best L2", [_line(names[arm], of, found) for arm, of in chosen.items()]
    )
    if found["iterations"] > START:
        early = [_line(names[arm], of, found, until=START) for arm, of in chosen.items()]
        _figure(report, "start", f"The first {START:,} iterations", early)


def _figure(report: Report, name: str, title: str, lines: Sequence[Series]) -> None:
    if not lines:
        return
    low = min(loss for line in lines for loss in line.y)
    y_range = (low - 0.05, SHOWN) if low < SHOWN - 0.1 else None
    report.plot(name, line_plot(lines, title=title, x="iterations", y="validation loss", y_range=y_range), title)


def _line(name: str, runs: Sequence[Run], found: dict[str, Any], *, until: int = 0, dashed: bool = False) -> Series:
    """The mean over runs with its interval, at so many points that a figure can show."""
    records = min(until // found["record"] if until else 10**9, *(len(run["validation"]) for run in runs))
    every = -(-records // DRAWN)
    points = [
        (found["record"] * (at + 1), mean)
        for at in range(every - 1, records, every)
        for mean in [mean_of([run["validation"][at] for run in runs])]
        if mean.mean is not None
    ]
    return Series(
        name=name,
        x=[x for x, _ in points],
        y=[mean.mean for _, mean in points if mean.mean is not None],
        low=[mean.low for _, mean in points],
        high=[mean.high for _, mean in points],
        dashed=dashed,
    )


def _curves(report: Report, column: str, found: dict[str, Any]) -> None:
    """A row for every recorded iteration, a column for every model."""
    shown = [run for run in found["runs"] if column == "validation" or run["mode"] not in ("random", "average")]
    others = {network: "" if network == found["network"] else f"@{network}" for _, network in arms(shown)}
    names = [f"{run['mode']}{others[run['network']]} l2={run['l2']:g} repeat={run['repeat']}" for run in shown]
    longest = max(len(run[column]) for run in shown)
    report.csv(
        column,
        [
            {
                "iteration": found["record"] * (at + 1),
                **{name: run[column][at] for name, run in zip(names, shown, strict=True) if at < len(run[column])},
            }
            for at in range(longest)
        ],
    )


def samples(report: Report, found: dict[str, Any]) -> None:
    report.heading("Fewer samples")
    report.text(
        f"Part of the training positions only, L2 {found['l2']:g}, {found['iterations']:,} iterations,"
        f" {found['seconds'] / 60:.1f} minutes; augmentation has eight times the samples that the first column says."
        f" Published: SLAP converges with {published.CONVERGES_FROM:,} and fails with {published.FAILS_AT:,}, while"
        " augmentation converges with all of these sizes."
    )
    runs = found["runs"]
    cases = list(dict.fromkeys((run["samples"], run["mode"]) for run in runs))
    rows = []
    for size, mode in cases:
        chosen = [run for run in runs if (run["samples"], run["mode"]) == (size, mode)]
        times = [
            mean_of([iterations_to(run["validation"], level, found["record"]) for run in chosen]) for level in LEVELS
        ]
        ends = (mean_of([function(run["validation"]) for run in chosen]) for function in (lowest, final))
        rows.append((f"{size:,}", mode, *(time.text() for time in times), *(end.text(3) for end in ends)))
    report.table(
        ("samples", "mode", *(f"iterations to {level}" for level in LEVELS), "lowest loss", "final loss"), rows
    )
    lines = [
        _line(
            f"{mode}, {size:,}",
            [run for run in runs if (run["samples"], run["mode"]) == (size, mode)],
            found,
            dashed=mode != "slap",
        )
        for size, mode in cases
        if mode != "none"
    ]
    _figure(report, "samples", "Validation losses with fewer samples", lines)
    keys = ("mode", "samples", "repeat")
    report.csv(
        "sample-sizes",
        [
            {**{key: run[key] for key in keys}, "iteration": found["record"] * at, "validation": loss}
            for run in runs
            for at, loss in enumerate(run["validation"], 1)
        ],
    )


def search(report: Report, found: dict[str, Any]) -> None:
    rows = found["rows"]
    report.heading("The grid")
    report.text(
        f"{len(rows)} of the {found['points']:,} points of figure 7's grid that have"
        f" {', '.join(map(str, found['blocks']))} residual blocks, {found['iterations']:,} iterations each, in"
        f" {found['seconds'] / 60:.1f} minutes; the best of them:"
    )
    known = sorted((row for row in rows if row["lowest"] is not None), key=lambda row: row["lowest"])
    names = ("mode", "blocks", "policy_hidden", "optimiser", "rate", "l2", "dropout")
    report.table(
        (*names, "lowest loss", "last loss"),
        [(*(row[name] for name in names), f"{row['lowest']:.3f}", _loss(row["final"])) for row in known[:10]],
    )
    lost = len(rows) - len(known)
    if lost:
        report.text(f"{lost} of the points diverged before anything was recorded.")
    report.csv("grid", rows)


def _loss(loss: float | None) -> str:
    return "diverged" if loss is None else f"{loss:.3f}"


def claims(report: Report, found: dict[str, Any]) -> None:
    report.heading("What was published, and what holds")
    report.text(
        "\n".join(f"- That {each['claim']}: **{each['verdict']}**; {each['number']}." for each in found["claims"])
    )
    report.text(
        "A published ratio holds if our 95 % interval includes it. The paper does not say what it is to converge; here"
        f" a model converges if it reaches {LEVELS[0]}."
    )
    if any(each["verdict"] == OPEN for each in found["claims"]):
        report.text(
            "A claim cannot be told where there are too few models for an interval, or where less was measured than was"
            f" published: here {found['samples']:,} samples and {found['iterations']:,} iterations, published"
            f" {published.PUBLISHED_SAMPLES:,} and {published.PUBLISHED_ITERATIONS:,}. How soon models reach a loss can"
            " be told from fewer iterations if all of them reach it: the learning rate stays, so that more would change"
            " nothing."
        )
    report.text(found["recommendation"])
