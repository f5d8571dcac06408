"""The report of the study `advisor-init`, from its results and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from eightfold.studies.advisor.training import pooled, verdict
from eightfold.studies.plots import Series, line_plot
from eightfold.studies.report import Report
from eightfold.studies.tables import interval, percent

# Zhao & Zhang, section 4.4.2: which depth one-hot networks beat in more than half of the games, by games learned from.
BEATEN = {300: 2, 900: 3, 1500: 4}


def teacher(report: Report, found: dict[str, Any]) -> None:
    report.heading("The teacher")
    report.text(
        f"`{found['player']}` plays {found['games']:,} games on `{found['game']}` against itself, each side exploring"
        f" little or much: {found['positions']:,} positions, {found['positions'] / found['games']:.1f} a game, in"
        f" {found['seconds']:.0f} processor seconds. Every move of every position has its exact min-max score."
    )


def networks(report: Report, found: list[dict[str, Any]]) -> None:
    report.heading("What was learned")
    lines = []
    for games, targets in dict.fromkeys((one["games"], one["targets"]) for one in found):
        here = [one for one in found if (one["games"], one["targets"]) == (games, targets)]
        lines.append(
            (
                targets,
                f"{games:,}",
                f"{here[0]['samples']:,}",
                f"{here[0]['steps']:,}",
                *(f"{fmean(one[name] for one in here):.3f}" for name in ("policy_loss", "value_loss")),
                f"{fmean(one['seconds'] for one in here):.0f}",
            )
        )
    report.text(
        f"{found[0]['epochs']} passes over the games, on {found[0]['device']}; every position is turned at random."
        " Losses are those of the last seconds. That of a softmax target cannot fall to 0: it includes the target's own"
        " entropy."
    )
    report.table(("targets", "games", "samples", "steps", "policy loss", "value loss", "seconds"), lines)
    report.csv("networks", [{name: value for name, value in one.items() if name != "place"} for one in found])


def matches(report: Report, found: dict[str, Any]) -> None:
    report.heading("Against min-max")
    report.text(
        f"{found['playouts']} playouts a move, the value of a leaf from the network alone, no proofs by threat search."
        " The games of all seeds are added up; a draw is half a win."
    )
    rows = pooled(found["rows"], by=("targets", "learned", "depth"))
    keys = list(dict.fromkeys((row["targets"], row["learned"]) for row in rows))
    curves = {key: [row for row in rows if (row["targets"], row["learned"]) == key] for key in keys}
    series = [
        Series(
            name=f"{targets}, {learned:,} games",
            x=[row["depth"] for row in part],
            y=[row["score"] for row in part],
            low=[row["low"] for row in part],
            high=[row["high"] for row in part],
            group=f"{learned}",
            dashed=targets == "softmax",
        )
        for (targets, learned), part in curves.items()
    ]
    title = "Score against min-max of several depths"
    plot = line_plot(series, title=title, x="depth of the opponent", y="score", percent=True, y_range=(0, 1))
    report.plot("figure-2", plot, f"{title} (Zhao & Zhang, figure 2)")
    depths = list(dict.fromkeys(row["depth"] for row in rows))
    report.table(
        ("targets", "games", *(f"depth {depth}" for depth in depths)),
        [
            (
                targets,
                f"{learned:,}",
                *(f"{percent(row['score'])} ({interval(row['low'], row['high'])})" for row in part),
            )
            for (targets, learned), part in curves.items()
        ],
    )
    report.csv("matches", found["rows"])
    _claims(report, rows, found["teacher"])


def _claims(report: Report, rows: Sequence[Mapping[str, Any]], teacher: str) -> None:
    report.heading("What was published, and what is found here")
    scores = {(row["targets"], row["learned"], row["depth"]): row for row in rows}
    for learned, depth in BEATEN.items():
        row = scores.get(("onehot", learned, depth))
        if row is not None:
            holds = verdict(row["low"] > 0.5, row["high"] < 0.5)
            report.text(f"- Published: {learned:,} one-hot games beat depth {depth}. That {holds}: {_told(row)}.")
    most = max(row["learned"] for row in rows)
    plies = teacher.partition("depth=")[2].partition(",")[0]
    own = scores.get(("onehot", most, int(plies))) if plies.isdigit() else None
    if own is not None:
        report.text(
            f"- Published: 1,500 games beat the teacher in about 80 % of the games (once said of depth 3, once of depth"
            f" 4). Here the teacher is `{teacher}`, and {most:,} games score {_told(own)} against it."
        )
    for learned in dict.fromkeys(row["learned"] for row in rows):
        sharp, soft = (
            pooled([row for row in rows if (row["targets"], row["learned"]) == (targets, learned)], by=("targets",))[0]
            for targets in ("onehot", "softmax")
        )
        holds = verdict(sharp["low"] > soft["high"], soft["low"] > sharp["high"])
        report.text(
            f"- Published: softmax loses to one-hot. With exact scores and {learned:,} games that {holds}: over all"
            f" depths one-hot scores {_told(sharp)}, softmax {_told(soft)}."
        )


def _told(row: Mapping[str, Any]) -> str:
    return f"{percent(row['score'])} ({interval(row['low'], row['high'])}, {row['games']} games)"
