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
    decays_in,
    final,
    iterations_to,
    lowest,
    mean_iterations,
    mean_of,
    of_arm,
    paired_difference,
    speed_up,
    with_decay,
)
from eightfold.studies.slap_synthetic.views import ASKED
from eightfold.studies.tables import percent

DRAWN = 100  # points of a line
SHOWN = 3.4  # the largest loss of a figure, if any model gets there
WEIGHTS = {"torch": "as PyTorch makes them", "own": "by He's rule"}
START = 800  # iterations of the figure of the beginning
LOGGED = {"augment": "399", "slap": "206"}  # iterations to 3.0: means of the authors' logs over all L2 and repeats


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
    least, most = min(found["other_floors"]), max(found["other_floors"])
    report.text(
        "All repeats share these positions, so the intervals below are over first weights and batches, and not over"
        f" positions. In {len(found['other_floors'])} other draws of them that least is {least:.3f} to {most:.3f}: how"
        " soon a loss of 3.0 or 2.9 is reached depends on the draw. Of the held-back positions about to be won"
        f" {percent(found['known_lines'])} have black stones that also occur in training, with other white ones: losses"
        " say how fast known lines are learned, not how well new ones are recognised. The plane of the last move, of"
        " which the paper says no more, holds one of the white stones, drawn at random."
    )
    report.text(
        f"{found['symmetric'] or 'None'} of the {positions:,} positions"
        f" {'are their' if found['symmetric'] > 1 else 'is its'} own mirror image or turn. Only there would it matter"
        " whether SLAP averages over all symmetries that lead to the canonical variant or takes the first of them."
    )


def learning(report: Report, found: dict[str, Any]) -> None:
    runs, record = found["runs"], found["record"]
    models = [run for run in runs if run["mode"] not in ASKED]
    report.heading("Learning")
    rate = f"a learning rate of {found['learning_rate']:g}"
    report.text(
        f"{len(models)} models on `{found['device']}` in {found['precision']}: batches of {found['batch']} drawn with"
        f" replacement, Adam with {rate}, L2 by its weight decay, first weights {WEIGHTS[found['initialisation']]},"
        f" {found['iterations']:,} iterations (published: {published.PUBLISHED_ITERATIONS:,}), {found['repeats']}"
        f" repeats with seeds from {found['seed']}; {found['seconds'] / 60:.0f} minutes of training, all models added"
        " up. Models of a repeat draw the same positions and begin with equal weights, except those of `slap-cc`, whose"
        " network has four more planes. All losses are on the same held-back positions, as they lie on the board, and"
        f" are recorded every {record} iterations; *iterations to* a loss are those to the first record that is no"
        " higher. `random` and `average` are the models of `augment`, asked in a random turn (its expectation) and in"
        " the mean over all eight."
    )
    for network in found["same_as_slap"]:
        report.text(
            f"No position is symmetric, so with `{_short(network)}` slap-unaveraged is slap: these positions cannot"
            " tell the two apart."
        )
    report.table(
        (
            "mode",
            "network",
            *(f"iterations to {level}" for level in LEVELS),
            "authors' logs, to 3.0",
            f"loss after {found['iterations']:,} iterations",
        ),
        [_row(of_arm(runs, *arm), arm, record) for arm in arms(runs)],
    )
    report.text(
        "Iterations are means over all values of L2, then over repeats; losses are those of the best L2, the mean of"
        " the last ten records. In brackets 95 % intervals over repeats (Student's t). *more than*: some models did not"
        " get there, and count as if they had at their last iteration."
        f" The authors report losses of about {published.PUBLISHED_LOSS} after {published.PUBLISHED_ITERATIONS:,}"
        " iterations, on a held-back set of their own whose least loss they do not print; ours is"
        f" {found['floor']:.3f}."
    )
    _speed_ups(report, found)
    _by_decay(report, found)
    _figures(report, found)
    _curves(report, "validation", found)
    _curves(report, "training", found)


def _short(network: str) -> str:
    return network.partition(":")[0]


def _row(runs: Sequence[Run], arm: tuple[str, str], record: int) -> tuple[str, ...]:
    decay, best = best_decay(runs)
    return (
        arm[0],
        f"`{_short(arm[1])}`",
        *(mean_iterations(runs, level, record).text() for level in LEVELS),
        LOGGED.get(arm[0], ""),
        f"{best.text(3)}, L2 {decay:g}",
    )


def _by_decay(report: Report, found: dict[str, Any]) -> None:
    """The same for each L2, whose effect is large, with losses beside augmentation's."""
    runs, record = found["runs"], found["record"]
    rows = []
    for mode, network in arms(runs):
        base = of_arm(runs, "augment", found["network"])
        for decay in decays_in(of_arm(runs, mode, network)):
            own, others = with_decay(of_arm(runs, mode, network), decay), with_decay(base, decay)
            same = (mode, network) == ("augment", found["network"]) or not others
            rows.append(
                (
                    mode if network == found["network"] else f"{mode}, `{_short(network)}`",
                    f"{decay:g}",
                    *(mean_iterations(own, level, record).text() for level in LEVELS),
                    *("" if same else speed_up(others, own, level, record).text() for level in LEVELS),
                    mean_of([final(run["validation"]) for run in own]).text(3),
                    "" if same else paired_difference(own, others).text(3),
                    ", ".join(str(iterations_to(run["validation"], LEVELS[0], record) or "never") for run in own),
                )
            )
    report.text(
        "The same for each L2. *As fast*: augmentation's iterations over the mode's. *Less augmentation's*: the loss"
        " less that of augmentation with the same L2 in the same repeat; below 0 the mode is better."
    )
    report.table(
        (
            "mode",
            "L2",
            *(f"iterations to {level}" for level in LEVELS),
            *(f"as fast, to {level}" for level in LEVELS),
            f"loss after {found['iterations']:,}",
            "less augmentation's",
            f"each repeat, to {LEVELS[0]}",
        ),
        rows,
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
        "How many times as fast as augmentation: in every repeat its iterations over those of the mode, both in the"
        " mean over all L2, then the mean over repeats with its 95 % interval. More than 1: the mode is faster. The"
        " published numbers are as printed (95.1 % and 71.2 % faster); how the authors averaged they do not say, and"
        " the means of their logs give 1.94. For SLAP-CC they print 30.7 % more iterations, which is 0.77."
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
    lines = [
        _line(
            f"{mode}, L2 {decay:g}",
            with_decay(of_arm(runs, mode, own), decay),
            found,
            dashed=mode != "slap",
            group=f"{decay:g}",
        )
        for mode, own in pair
        for decay in decays_in(runs)
    ]
    title = f"SLAP and augmentation (Suen & Alonso's figure 8), {found['iterations']:,} iterations"
    _figure(report, "figure-8", title, lines, found["floor"])
    best = {arm: best_decay(of_arm(runs, *arm))[0] for arm in arms(runs)}
    chosen = {arm: with_decay(of_arm(runs, *arm), best[arm]) for arm in best}
    names = {arm: arm[0] if arm[1] == network else f"{arm[0]}, {_short(arm[1])}" for arm in best}
    lines = [_line(names[arm], of, found) for arm, of in chosen.items()]
    _figure(report, "modes", "Every mode with its best L2", lines, found["floor"])
    if found["iterations"] > START:
        early = [_line(names[arm], of, found, until=START) for arm, of in chosen.items()]
        _figure(report, "start", f"The first {START:,} iterations", early, found["floor"])


def _figure(report: Report, name: str, title: str, lines: Sequence[Series], least: float | None = None) -> None:
    if not lines:
        return
    if least is not None:
        ends = [min(line.x[0] for line in lines), max(line.x[-1] for line in lines)]
        lines = [*lines, Series(name="the least to expect", x=ends, y=[least, least], dashed=True)]
    low = min(loss for line in lines for loss in line.y)
    y_range = (low - 0.05, SHOWN) if low < SHOWN - 0.1 else None
    report.plot(name, line_plot(lines, title=title, x="iterations", y="validation loss", y_range=y_range), title)


def _line(
    name: str, runs: Sequence[Run], found: dict[str, Any], *, until: int = 0, dashed: bool = False, group: str = ""
) -> Series:
    """The mean over runs with its interval, at so many points that a figure can show; one colour for a group."""
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
        group=group,
    )


def _curves(report: Report, column: str, found: dict[str, Any]) -> None:
    """A row for every recorded iteration, a column for every model."""
    shown = [run for run in found["runs"] if column == "validation" or run["mode"] not in ASKED]
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
        times = [mean_iterations(chosen, level, found["record"]) for level in LEVELS]
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
            group=f"{size:,}",
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


def draws(report: Report, found: dict[str, Any]) -> None:
    """Ratios at the published losses, and at losses as far above each draw's least as those are above the study's."""
    rows, record = found["rows"], found["record"]
    margins = [level - found["floor"] for level in LEVELS]

    def ratio(row: dict[str, Any], level: float) -> str:
        augment, slap = ([{"repeat": 0, "validation": row[mode]}] for mode in ("augment", "slap"))
        return speed_up(augment, slap, level, record).text()

    report.heading("Other draws of positions")
    report.text(
        f"One repeat each of SLAP and augmentation with L2 {found['l2']:g} and {found['iterations']:,} iterations on"
        " positions drawn anew by the same recipe; the first row is of the draw of this study. How many times as fast"
        " SLAP is, to the published losses, and to losses as far above the draw's own least as those are here:"
    )
    report.table(
        (
            "draw",
            "least loss to expect",
            *(f"to {level}" for level in LEVELS),
            *(f"to the least + {margin:.2f}" for margin in margins),
        ),
        [
            (
                row["draw"],
                f"{row['floor']:.3f}",
                *(ratio(row, level) for level in LEVELS),
                *(ratio(row, row["floor"] + margin) for margin in margins),
            )
            for row in rows
        ],
    )
    report.csv(
        "draws",
        [
            {"draw": row["draw"], "floor": row["floor"], "mode": mode, "iteration": record * at, "validation": loss}
            for row in rows
            for mode in ("augment", "slap")
            for at, loss in enumerate(row[mode], 1)
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
    report.text("Not in the paper, but what its conclusion needs:")
    report.text(
        "\n".join(f"- That {each['claim']}: **{each['verdict']}**; {each['number']}." for each in found["beyond"])
    )
    much = round(100 * (published.TOLERANCE - 1))
    report.text(
        "That SLAP is faster holds if the interval lies above 1. A published ratio holds if all of our interval is"
        f" within {much} % of it, and a published loss if it is within {found['near']:.2f} of it, since so far apart"
        " are the least possible losses of our draws of positions; they do not if all of it is further away. The paper"
        " does not say what it is to"
        f" converge; here a model converges if it reaches {LEVELS[0]}. Claims about where models end need"
        f" {published.PUBLISHED_ITERATIONS:,} iterations."
    )
    report.text(found["recommendation"])
