"""The report of the study `strength`, from its results and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eightfold.studies.curves import Trend
from eightfold.studies.plots import Series, line_plot
from eightfold.studies.report import Report
from eightfold.studies.tables import interval, percent

ENOUGH = 3  # networks with different minutes, to draw a line through
HORIZONS = {60: "an hour", 180: "three hours", 1440: "a day"}  # by minutes


def matches(report: Report, found: dict[str, Any]) -> None:
    rows = found["rows"]
    report.heading("Its opponents")
    report.text(f"`{found['player']}` on `{rows[0]['game']}`. {_how(found)}")
    _table(report, "opponent", [(f"`{row['opponent']}`", row) for row in rows])
    report.csv("opponents", _flat(rows))


def boards(report: Report, found: dict[str, Any]) -> None:
    rows = found["rows"]
    report.heading("Other boards")
    report.text(f"`{found['player']}` against `{rows[0]['opponent']}`, the same weights on every board. {_how(found)}")
    _table(report, "board", [(f"`{row['game']}`", row) for row in rows])
    report.csv("boards", _flat(rows))


def _how(found: dict[str, Any]) -> str:
    row = found["rows"][0]
    parts = -(-row["games"] // found["part_games"])
    seeds = f"seeds {found['seed']} to {found['seed'] + parts - 1}" if parts > 1 else f"seed {found['seed']}"
    forfeits = sum(each["forfeits"] for each in found["rows"])
    return (
        f"Openings: {row['openings']}, each from both sides. A match is as `eightfold match` plays it, in {parts} parts"
        f" of {found['part_games']} games at most ({seeds}), one game after another."
        + (f" {forfeits} games were forfeited." if forfeits else "")
    )


def _table(report: Report, heading: str, named: list[tuple[str, dict[str, Any]]]) -> None:
    report.table(
        (heading, "games", "won-drawn-lost", "score", "95 % interval", "as black", "as white", "moves", "s a move"),
        [
            (
                name,
                row["games"],
                _counts([row["wins"], row["draws"], row["losses"]]),
                percent(row["score"]),
                interval(row["low"], row["high"]),
                _counts(row["first"]),
                _counts(row["second"]),
                f"{row['moves']:.0f}",
                f"{row['seconds']:.2f} / {row['opponent_seconds']:.2f}",
            )
            for name, row in named
        ],
    )
    report.text("*s a move*: the mean seconds of the network / of its opponent; what is certain is played early.")


def _counts(counts: list[int]) -> str:
    return "-".join(map(str, counts))


def _flat(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without lists."""
    return [{**row, **{side: _counts(row[side]) for side in ("first", "second")}} for row in rows]


def growth(report: Report, rows: list[dict[str, Any]]) -> None:
    report.heading("How it grew")
    report.text(
        f"The networks that the run has kept, all against all, `{rows[0]['options']}` each,"
        f" {rows[0]['played']} games of each from random openings; Elo over the first, with 95 % intervals."
    )
    curve = Series(
        name="Elo",
        x=[row["games"] for row in rows],
        y=[row["elo"] for row in rows],
        low=[row["low"] for row in rows],
        high=[row["high"] for row in rows],
    )
    report.plot("growth", line_plot([curve], title="Strength", x="games", y="Elo"), "Elo over games of self-play")
    report.table(
        ("games", "minutes", "Elo", "95 % interval"),
        [
            (
                f"{row['games']:,}",
                f"{row['minutes']:.1f}",
                f"{row['elo']:+.0f}",
                _between((row["low"], row["high"])),
            )
            for row in rows
        ],
    )
    report.csv("growth", rows)
    _longer_runs(report, [(row["minutes"], row["elo"]) for row in rows if row["minutes"] > 0])


def _longer_runs(report: Report, curve: list[tuple[float, float]]) -> None:
    """What more time would bring, if it went on as it did."""
    last = max((minutes for minutes, _ in curve), default=0)
    horizons = {minutes: text for minutes, text in HORIZONS.items() if minutes > last}
    if len({minutes for minutes, _ in curve}) < ENOUGH or not horizons:
        return
    trend = Trend.of(curve)
    slope, *between = trend.doubling
    report.text(
        f"A straight line through {len(curve)} networks over the doublings of the minutes has {slope:+.0f} Elo"
        f" ({_between(between)}) for each. If longer runs on the same machine kept to it:"
    )
    ahead = [(text, trend.at(minutes)) for minutes, text in horizons.items()]
    report.table(
        ("a run of", "Elo", "95 % interval"),
        [(text, f"{elo:+.0f}", _between(bounds)) for text, (elo, *bounds) in ahead],
    )
    report.text(
        "Nobody has measured these: such lines bend sooner or later, and where the learning rate falls towards the end"
        " of a run, its last networks gained from that, not from time alone."
    )


def _between(bounds: Sequence[float]) -> str:
    low, high = bounds
    return f"{low:+.0f} to {high:+.0f}"
