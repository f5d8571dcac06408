"""The report of the study `advisor-start`, from its results and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from eightfold.studies.advisor.training import pooled
from eightfold.studies.curves import rises_to
from eightfold.studies.plots import Series, line_plot
from eightfold.studies.report import Report
from eightfold.studies.tables import interval, percent

ADVISED, COLD = "advisor", "cold start"


def teachers(report: Report, found: list[dict[str, Any]]) -> None:
    report.heading("The teacher")
    report.text(
        "Its games are played once for each board, and every run that learns from them is charged with the processor"
        " seconds that this took."
    )
    report.table(
        ("board", "teacher", "games", "positions", "processor seconds"),
        [
            (row["game"], row["player"], f"{row['games']:,}", f"{row['positions']:,}", f"{row['seconds']:.1f}")
            for row in found
        ],
    )


def runs(report: Report, found: list[dict[str, Any]]) -> None:
    report.heading("The runs")
    seeds = len({run["seed"] for run in found})
    report.text(
        f"Two arms of a pair are the same run but for the advisor, {seeds} seeds; they take turns round by round. Games"
        " are their own, not the teacher's. An arm whose teacher is not done yet at a time is not in the tables."
    )
    lines = []
    for game, proofs, arm, mark in dict.fromkeys(
        (run["game"], run["proofs"], kept["arm"], kept["mark"]) for run in found for kept in run["kept"]
    ):
        here = [
            kept
            for run in found
            if (run["game"], run["proofs"]) == (game, proofs)
            for kept in run["kept"]
            if (kept["arm"], kept["mark"]) == (arm, mark)
        ]
        lengths = [kept["game_length"] for kept in here if kept["game_length"] is not None]
        lines.append(
            (
                game,
                proofs,
                arm,
                f"{fmean(kept['seconds'] for kept in here):.0f}",
                f"{fmean(kept['games'] for kept in here):,.0f}",
                f"{fmean(kept['steps'] for kept in here):,.0f}",
                f"{fmean(lengths):.1f}" if lengths else "",
                f"{sum(bool(kept['warnings']) for kept in here)} of {len(here)}",
            )
        )
    report.table(("board", "proofs", "arm", "seconds", "games", "steps", "moves a game", "warned"), lines)
    report.csv(
        "runs",
        [
            {"game": run["game"], "proofs": run["proofs"], "seed": run["seed"], **kept}
            for run in found
            for kept in run["kept"]
        ],
    )


def opponents(report: Report, found: dict[str, Any]) -> None:
    report.heading("Against fixed opponents")
    report.text(
        f"{found['playouts']} playouts a move, random moves at the start of each game, both colours; the games of all"
        " seeds are added up, and a draw is half a win."
    )
    rows = pooled(found["rows"], by=("game", "proofs", "opponent", "arm", "mark"))
    for number, (game, proofs) in enumerate(dict.fromkeys((row["game"], row["proofs"]) for row in rows), 1):
        here = [row for row in rows if (row["game"], row["proofs"]) == (game, proofs)]
        names = list(dict.fromkeys(row["opponent"] for row in here))
        series = [
            Series(
                name=f"{arm}, {opponent}",
                x=[row["mark"] for row in part],
                y=[row["score"] for row in part],
                low=[row["low"] for row in part],
                high=[row["high"] for row in part],
                group=arm,
                dashed=opponent != names[-1],
            )
            for opponent in names
            for arm in (ADVISED, COLD)
            for part in [[row for row in here if (row["opponent"], row["arm"]) == (opponent, arm)]]
        ]
        title = f"{game}, proofs {proofs}"
        plot = line_plot(
            series, title=title, x="processor seconds", y="score", percent=True, y_range=(0, 1), log_x=True
        )
        report.plot(f"strength-{number}", plot, f"Score by processor time: {title}")
    report.csv("opponents", found["rows"])
    _worth(report, rows)


def _worth(report: Report, rows: Sequence[dict[str, Any]]) -> None:
    report.heading("What the advisor is worth in time")
    report.text(
        "For every score that the advisor's arm reached, the processor seconds that the cold start needed for the same,"
        " read off its curve (straight lines over the logarithm of the time). Where the cold start was as good from its"
        " first measurement on, the advisor saved nothing that could be seen."
    )
    lines = []
    for game, proofs, opponent in dict.fromkeys((row["game"], row["proofs"], row["opponent"]) for row in rows):
        here = [row for row in rows if (row["game"], row["proofs"], row["opponent"]) == (game, proofs, opponent)]
        cold = [(float(row["mark"]), row["score"]) for row in here if row["arm"] == COLD]
        for row in (row for row in here if row["arm"] == ADVISED):
            needed = rises_to(cold, row["score"])
            other = next((each for each in here if each["arm"] == COLD and each["mark"] == row["mark"]), None)
            told = f"more than {cold[-1][0]:.0f}" if needed is None else f"{needed:.0f}"
            lines.append(
                (
                    game,
                    proofs,
                    opponent,
                    row["mark"],
                    f"{percent(row['score'])} ({interval(row['low'], row['high'])})",
                    f"{percent(other['score'])} ({interval(other['low'], other['high'])})" if other else "",
                    told,
                )
            )
    report.table(
        ("board", "proofs", "opponent", "seconds", "advisor's score", "cold start's score", "seconds of a cold start"),
        lines,
    )


def each_other(report: Report, found: dict[str, Any]) -> None:
    report.heading("Against each other")
    report.text(
        "The advisor's arm of a seed against the cold start of the same seed, at equal time and at twice its time."
    )
    rows = pooled(found["rows"], by=("game", "proofs", "mark", "cold_mark"))
    report.table(
        ("board", "proofs", "advisor's seconds", "cold start's seconds", "advisor's score", "95 % interval", "seeds"),
        [
            (
                row["game"],
                row["proofs"],
                row["mark"],
                row["cold_mark"],
                percent(row["score"]),
                interval(row["low"], row["high"]),
                f"{percent(row['lowest'])} to {percent(row['highest'])}",
            )
            for row in rows
        ],
    )
    report.csv("each-other", found["rows"])
    report.heading("In short")
    for game, proofs in dict.fromkeys((row["game"], row["proofs"]) for row in rows):
        equal = [
            row for row in rows if (row["game"], row["proofs"]) == (game, proofs) and row["mark"] == row["cold_mark"]
        ]
        words = "; ".join(f"{row['mark']} s: {_verdict(row)} with {percent(row['score'])}" for row in equal)
        report.text(f"- `{game}`, proofs {proofs}: {words}.")
    report.text(
        "15x15 is not in this study: a cold start there needs self-play on a GPU, and a teacher that is charged for on"
        " the same clock."
    )


def _verdict(row: dict[str, Any]) -> str:
    if row["low"] > 0.5:
        return "the advisor's arm is ahead"
    return "the cold start is ahead" if row["high"] < 0.5 else "neither is ahead"
