"""The report of the study `rollouts`, from its results and nothing else."""

from __future__ import annotations

import math
from statistics import fmean
from typing import Any

from eightfold.studies.advisor.training import pooled, verdict
from eightfold.studies.plots import line_plot, series_of
from eightfold.studies.report import Report
from eightfold.studies.tables import interval, percent

# What Zhao & Zhang read off their figure 4.
PUBLISHED = {
    "min-max rollouts": "(a) trained with min-max rollouts, all four evaluators play about equally well",
    "value alone": "(b) trained with the value alone, another evaluator than the network improves it dramatically",
}
CLEAR = 0.1  # difference in score that people would call one


def learning(report: Report, found: list[dict[str, Any]]) -> None:
    report.heading("What was trained")
    report.text(
        "Every run plays equally many games; runs of one seed follow each other, so that none has a busier machine."
        " Seconds are those of the processor. No proofs by threat search, no random stones, no cheap searches."
    )
    rows = []
    for arm in dict.fromkeys(run["arm"] for run in found):
        last = [run["kept"][-1] for run in found if run["arm"] == arm]
        warned = sum(any(kept["warnings"] for kept in run["kept"]) for run in found if run["arm"] == arm)
        rows.append(
            (
                arm,
                len(last),
                f"{fmean(kept['games'] for kept in last):,.0f}",
                f"{fmean(kept['samples'] for kept in last):,.0f}",
                f"{fmean(kept['seconds'] for kept in last):,.0f}",
                f"{fmean(kept['game_length'] for kept in last):.1f}",
                percent(fmean(kept["distinct_games"] for kept in last)),
                f"{warned} of {len(last)}",
            )
        )
    report.table(
        (
            "leaves in training",
            "seeds",
            "games",
            "samples",
            "processor seconds",
            "moves a game",
            "different games",
            "runs that were warned",
        ),
        rows,
    )
    warnings = sorted({text.partition(":")[0] for run in found for kept in run["kept"] for text in kept["warnings"]})
    if warnings:
        report.text(
            f"Warnings on the way: {', '.join(warnings)}. On a board where whoever begins wins soon, games are short"
            " whatever the network has learned; what is found here holds for such games."
        )
    flat = [
        {"arm": run["arm"], "seed": run["seed"], **{k: v for k, v in kept.items() if k not in ("name", "warnings")}}
        for run in found
        for kept in run["kept"]
    ]
    report.csv("training", flat)


def playing(report: Report, found: dict[str, Any]) -> None:
    report.heading("What plays better")
    report.text(
        f"Against `{found['opponent']}` on `{found['game']}`, {found['playouts']} playouts a move;"
        " a draw is half a win."
    )
    rows = pooled(found["rows"], by=("arm", "round", "evaluator"))
    for letter, arm in zip("abc", ("min-max rollouts", "value alone", "falling theta"), strict=True):
        part = [row for row in rows if row["arm"] == arm]
        if not part:
            continue
        title = f"({letter}) trained with {arm}" if arm != "value alone" else f"({letter}) trained with the value alone"
        series = series_of(part, by="evaluator", x="round", y="score")
        plot = line_plot(series, title=title, x="round", y="score", percent=True, y_range=(0, 1))
        report.plot(f"figure-4{letter}", plot, f"{title} (Zhao & Zhang, figure 4)")
    last = max(row["round"] for row in rows)
    final = [row for row in rows if row["round"] == last]
    report.table(
        ("trained with", "played with", "score", "95 % interval", "won, drawn, lost", "seeds"),
        [
            (
                row["arm"],
                row["evaluator"],
                percent(row["score"]),
                interval(row["low"], row["high"]),
                f"{row['wins']}, {row['draws']}, {row['losses']}",
                f"{percent(row['lowest'])} to {percent(row['highest'])}",
            )
            for row in final
        ],
    )
    report.csv("matches", found["rows"])
    _claims(report, final)


def _claims(report: Report, final: list[dict[str, Any]]) -> None:
    report.heading("What was published, and what is found here")
    scores = {(row["arm"], row["evaluator"]): row for row in final}
    equal, better = PUBLISHED["min-max rollouts"], PUBLISHED["value alone"]
    of_arm = [row for row in final if row["arm"] == "min-max rollouts"]
    best, worst = max(of_arm, key=lambda row: row["score"]), min(of_arm, key=lambda row: row["score"])
    spread, error = _difference(best, worst)
    holds = verdict(spread + error < CLEAR, spread - error > CLEAR)
    facts = "; ".join(f"{row['evaluator']} {_told(row)}" for row in of_arm)
    report.text(f"- Published: {equal}. That {holds}: {facts}.")
    own = scores["value alone", "network"]
    for row in (scores["value alone", name] for name in ("random", "minmax", "mixed")):
        gain, error = _difference(row, own)
        holds = verdict(gain - error > CLEAR, gain + error < CLEAR)
        report.text(
            f"- Published: {better}. For {row['evaluator']} that {holds}: {100 * gain:+.0f} points"
            f" ({100 * (gain - error):+.0f} to {100 * (gain + error):+.0f}), {_told(row)} against {_told(own)}."
            f" (More than {100 * CLEAR:.0f} points count as that.)"
        )
    strongest = max(final, key=lambda row: row["score"])
    report.text(
        f"- The strongest after all rounds: trained with {strongest['arm']}, played with {strongest['evaluator']}:"
        f" {percent(strongest['score'])} ({interval(strongest['low'], strongest['high'])})."
    )


def _told(row: dict[str, Any]) -> str:
    return f"{percent(row['score'])} ({interval(row['low'], row['high'])})"


def _difference(one: dict[str, Any], two: dict[str, Any]) -> tuple[float, float]:
    """Of two scores, and half of its 95 % interval."""
    error = math.hypot((one["high"] - one["low"]) / 2, (two["high"] - two["low"]) / 2)
    return one["score"] - two["score"], error
