"""The report of the study `equivariant-features`, from its results and nothing else."""

from __future__ import annotations

from typing import Any

from eightfold.studies.equivariant_features.choice import RULE, chosen, difference
from eightfold.studies.equivariant_features.settings import REGULAR
from eightfold.studies.plots import Series, line_plot
from eightfold.studies.report import Report
from eightfold.studies.tables import mean_text


def games(report: Report, found: dict[str, Any]) -> None:
    report.heading("The games")
    report.text(
        f"The network `{found['player']}` played {found['games'] + found['judged']:,} games of `{found['game']}`"
        f" against itself, {found['playouts']} playouts a move, seed {found['seed']}, in {found['seconds']:.0f}"
        f" processor seconds. All networks learn from the {found['positions']:,} positions of {found['games']:,} of"
        f" these games. They are judged on {found['judged_positions']:,} positions of the other {found['judged']:,};"
        f" {found['left_out']:,} more of those were left out because they, or a turn of them, are also among the"
        f" positions to learn from. Games that somebody won hold {found['decided']:.0%} of the positions to learn from:"
        " where most games are drawn, the value is easy, and the policy tells the networks apart."
        f" Digest of the positions: `{found['digest']}`."
    )


def learning(report: Report, found: dict[str, Any]) -> None:
    runs, arms = found["runs"], list(found["networks"])
    kinds = [arm for arm, network in found["networks"].items() if network.startswith("equivariant")]
    report.heading("Learning at equal cost")
    report.text(
        f"Residual blocks: {found['blocks']}; channels: {found['width']}; seeds: {found['seeds']}. Every network learns"
        f" for {found['seconds']:g} processor seconds. The networks of a seed take turns of a few steps, the one that"
        " has used least time first, and draw the same positions. Everything that a step costs counts."
        f" Batches of {found['batch']}, Adam with a learning rate of {found['learning_rate']:g}, the same for all, that"
        " falls to 0 over the second half. Losses are of the positions to judge by, means over seeds with 95 %"
        f" intervals (Student's t); differences are from {REGULAR} fields of the same seed."
    )
    headings = ("network", "parameters", "steps", "policy", "value", "total", f"total less {REGULAR}'s")
    report.table(headings, [_row(found, arm) for arm in arms])
    report.plot(
        "losses",
        line_plot(
            [_series(runs, arm) for arm in arms], title="Loss by cost", x="processor seconds", y="policy + value"
        ),
        "total loss by processor seconds; the bands reach from the lowest to the highest seed",
    )
    report.text("The bands reach from the lowest to the highest seed.")
    rows = [
        {"arm": run["arm"], "network": found["networks"][run["arm"]], "seed": run["seed"], **point}
        for run in runs
        for point in run["curve"]
    ]
    report.csv("losses", rows)
    report.heading("Which kind is chosen")
    report.text(f"{RULE} {chosen(runs, kinds)[1]}")


def inference(report: Report, found: dict[str, Any]) -> None:
    report.heading("What folded networks cost")
    report.text(
        f"Processor milliseconds for a batch of {found['batch']} positions on one thread, in fp32, weights spread out"
        f" and norms folded (medians; networks in turns), and how many times what `{found['networks'][0]}` takes."
    )
    backends = list(found["milliseconds"])
    lines = []
    for number, network in enumerate(found["networks"]):
        times = [(found["milliseconds"][each][number], found["milliseconds"][each][0]) for each in backends]
        lines.append((f"`{network}`", *(f"{own:.1f} ({own / resnet:.2f})" for own, resnet in times)))
    report.table(("network", *backends), lines)


def _row(found: dict[str, Any], arm: str) -> tuple[Any, ...]:
    own = [run for run in found["runs"] if run["arm"] == arm]
    ends = [run["curve"][-1] for run in own]
    name = f"{arm} features" if found["networks"][arm].startswith("equivariant") else f"`{arm}`".replace(", ", "`, `")
    columns = [[end["policy"] for end in ends], [end["value"] for end in ends]]
    columns.append([end["policy"] + end["value"] for end in ends])
    steps = sum(end["steps"] for end in ends) / len(ends)
    apart = "" if arm == REGULAR else difference(found["runs"], arm).text(3)
    return (
        name,
        f"{own[0]['parameters']:,}",
        f"{steps:,.0f}",
        *(mean_text(column, 3) for column in columns),
        apart,
    )


def _series(runs: list[dict[str, Any]], arm: str) -> Series:
    curves = [run["curve"] for run in runs if run["arm"] == arm]
    points = [[point["policy"] + point["value"] for point in at] for at in zip(*curves, strict=True)]
    return Series(
        name=arm,
        x=[point["mark"] for point in curves[0]],
        y=[sum(losses) / len(losses) for losses in points],
        low=[min(losses) for losses in points],
        high=[max(losses) for losses in points],
        dashed=arm.startswith("resnet"),
    )
