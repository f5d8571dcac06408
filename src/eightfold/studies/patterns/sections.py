"""The report of the study `patterns`, section by section: text, tables and plots from its results and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eightfold.studies.curves import falls_to
from eightfold.studies.patterns.libraries import BINS, SHOWN
from eightfold.studies.patterns.playing import EQUAL_PLAYOUTS, EQUAL_TIME
from eightfold.studies.patterns.prediction import COMBINED, RAW
from eightfold.studies.plots import Series, bar_plot, line_plot
from eightfold.studies.report import Report
from eightfold.studies.tables import interval, percent

PUBLISHED = {"occupancy": 0.0177, "occupancy_combined": 0.0680, "change": 0.056}  # Wei et al., figures 21 and 22


def libraries(report: Report, found: dict[str, Any]) -> None:
    about = found["about"]
    report.heading("What combining does to a library")
    report.text(
        f"{about['games']:,} games, {about['moves']:,} moves, every legal point of every position counted, all ten"
        f" templates: learned in {found['seconds']:.0f} s, combined in {found['seconds_to_combine']:.1f} s. A code is"
        " valid if its move was played at least 3 times in at least 5 matches and in at least 5 % of them."
    )
    rows = found["classes"]
    report.table(
        ("class", "codes", "of them seen", "shapes", "of them seen", "valid codes", "valid when combined"),
        [
            (
                row["class"],
                f"{row['codes']:,}",
                percent(row["codes_seen"] / row["codes"]),
                f"{row['shapes']:,}",
                percent(row["shapes_seen"] / row["shapes"]),
                f"{row['occupancy']:.2%}",
                f"{row['occupancy_combined']:.2%}",
            )
            for row in rows
        ],
    )
    shown = next(row for row in rows if row["class"] == SHOWN)
    report.text(
        f"Wei et al. (figure 21), 4x4 centre: {PUBLISHED['occupancy']:.2%} valid, {PUBLISHED['occupancy_combined']:.2%}"
        f" when combined. Here: {shown['occupancy']:.2%} and {shown['occupancy_combined']:.2%}, a factor of"
        f" {_ratio(shown['occupancy_combined'], shown['occupancy'])}. Sums are conserved:"
        f" {shown['matches']:,} matches before, {shown['matches_combined']:,} after."
    )
    raw, combined = found["posteriors"]["raw"], found["posteriors"]["combined"]
    labels = [f"{100 * k // BINS} to {100 * (k + 1) // BINS} %" for k in range(BINS)]
    used = [k for k in range(BINS) if raw[k] or combined[k]]
    if used:
        bars = [
            Series(
                name=name,
                x=[*labels[1 : BINS // 2], "50 % and more"],
                y=[*shares[1 : BINS // 2], sum(shares[BINS // 2 :])],
            )
            for name, shares in (("as read", raw), ("combined", combined))
        ]
        title = "Valid 4x4 centre patterns by posterior (Wei et al., figure 22)"
        report.plot("posteriors", bar_plot(bars, title=title, y="share of the valid codes", percent=True), title)
        largest = max(used, key=lambda k: abs(raw[k] - combined[k]))
        report.text(
            f"The largest change is at {labels[largest]}: {percent(raw[largest])} as read,"
            f" {percent(combined[largest])} combined, {100 * abs(raw[largest] - combined[largest]):.1f} points"
            f" (published: at 5 to 10 %, {100 * PUBLISHED['change']:.1f} points)."
        )
    report.csv("libraries", rows)
    shares = [{"posterior": labels[k], "raw": raw[k], "combined": combined[k]} for k in range(BINS)]
    report.csv("posteriors", shares)


def gomoku(report: Report, found: dict[str, Any]) -> None:
    about = found["about"]
    report.heading("The same on Gomoku records")
    report.text(f"{about['games']:,} games, {about['moves']:,} moves. Templates know no game.")
    report.table(
        ("class", "codes seen", "shapes seen", "valid codes", "valid when combined"),
        [
            (
                row["class"],
                f"{row['codes_seen']:,}",
                f"{row['shapes_seen']:,}",
                f"{row['occupancy']:.3%}",
                f"{row['occupancy_combined']:.3%}",
            )
            for row in found["classes"]
        ],
    )
    report.csv("gomoku", found["classes"])


def prediction(report: Report, found: dict[str, Any]) -> None:
    # Sizes beyond the end of the records all mean the same games.
    rows = list({(row["method"], row["library"], row["games"]): row for row in found["rows"]}.values())
    report.heading("Predicting moves")
    report.text(
        f"{found['held_out_games']:,} held-out games, {found['positions']:,} positions; a method gives every legal"
        " point a probability. Top-1 and top-5: how often the played move is the first, or among the first five."
        " Log-loss: minus the mean log probability of the played move, in nats; lower is better. Standard errors are"
        " over games."
    )
    report.table(
        ("method", "library", "games", "top-1", "top-5", "log-loss", "± s.e."),
        [
            (
                row["method"],
                row["library"],
                f"{row['games']:,}",
                percent(row["top1"]),
                percent(row["top5"]),
                f"{row['log_loss']:.3f}",
                f"{row['log_loss_error']:.3f}",
            )
            for row in rows
        ],
    )
    for column, title, share in (("log_loss", "Log-loss on held-out games", False), ("top1", "Top-1", True)):
        series = [
            Series(
                name=f"{method}, {library}",
                x=[row["games"] for row in part],
                y=[row[column] for row in part],
                low=[row[column] - 1.96 * row[f"{column}_error"] for row in part],
                high=[row[column] + 1.96 * row[f"{column}_error"] for row in part],
                group=method,
                dashed=library == RAW,
            )
            for method, library, part in _groups(rows)
        ]
        plot = line_plot(series, title=title, x="training games", y=title, percent=share, log_x=True)
        report.plot(column, plot, title)
    converging = [row for row in rows if row.get("likelihoods")]
    if converging:
        most = max(row["games"] for row in converging)
        series = [
            Series(
                name=f"{row['method']}, {row['library']}",
                x=list(range(len(row["likelihoods"]))),
                y=row["likelihoods"],
                group=row["method"],
                dashed=row["library"] == RAW,
            )
            for row in converging
            if row["games"] == most
        ]
        title = f"Log-likelihood of the moves of {most:,} games"
        report.plot("convergence", line_plot(series, title=title, x="iterations", y="nats a move"), title)
    report.csv("prediction", [{k: v for k, v in row.items() if k != "likelihoods"} for row in rows])
    _worth(report, rows)


def _ratio(larger: float, smaller: float) -> str:
    return f"{larger / smaller:.2f}" if smaller else "?"


def _groups(rows: Sequence[dict[str, Any]]) -> list[tuple[str, str, list[dict[str, Any]]]]:
    keys = dict.fromkeys((row["method"], row["library"]) for row in rows)
    return [(*key, [row for row in rows if (row["method"], row["library"]) == key]) for key in keys]


def _worth(report: Report, rows: Sequence[dict[str, Any]]) -> None:
    """How many games combining is worth: as many as a raw library needs to predict as well."""
    report.heading("How many games is combining worth?")
    report.text(
        "For every combined library, the games that a raw one needs for the same log-loss, read off the curve above"
        " (straight lines between its points, over the logarithm of the games)."
    )
    lines = []
    for method in dict.fromkeys(row["method"] for row in rows):
        curve = [(row["games"], row["log_loss"]) for row in rows if row["method"] == method and row["library"] == RAW]
        for row in rows:
            if row["method"] == method and row["library"] == COMBINED:
                needed = falls_to(curve, row["log_loss"])
                told = f"more than {curve[-1][0]:,}" if needed is None else f"{needed:,.0f}"
                factor = "" if needed is None else f"{needed / row['games']:.1f}"
                lines.append((method, f"{row['games']:,}", told, factor))
    report.table(("method", "combined games", "raw games for the same", "times as many"), lines)


def matches(report: Report, rows: list[dict[str, Any]]) -> None:
    report.heading("What patterns and the rest bring to `mcts`")
    first = rows[0]
    limits = {row["terms"]: row["first"] for row in reversed(rows)}
    report.text(
        f"`{first['game']}`, {first['games']} games a match, both colours, two random moves at the start. The full"
        f" player, `{limits.get(EQUAL_PLAYOUTS)}` or `{limits.get(EQUAL_TIME)}`, against one with the options of the"
        " table; without RAVE or priors the exploration is what such a search needs. Intervals are of 95 %."
    )
    by_row: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        by_row.setdefault(row["row"], {})[row["terms"]] = row
    lines = []
    for name, terms in by_row.items():
        of = next(iter(terms.values()))
        cells: list[str] = [name, *(_options(of[side]) for side in ("first", "second"))]
        for kind in (EQUAL_PLAYOUTS, EQUAL_TIME):
            match = terms.get(kind)
            cells += ["", ""] if match is None else [percent(match["score"]), interval(match["low"], match["high"])]
        lines.append(cells)
    report.table(("what", "player", "opponent", EQUAL_PLAYOUTS, "interval", EQUAL_TIME, "interval"), lines)
    rows_by_terms = {kind: [row for row in rows if row["terms"] == kind] for kind in (EQUAL_PLAYOUTS, EQUAL_TIME)}
    for kind, part in rows_by_terms.items():
        bars = Series(
            name=kind,
            x=[row["row"] for row in part],
            y=[row["score"] for row in part],
            low=[row["low"] for row in part],
            high=[row["high"] for row in part],
        )
        title = f"Score at {kind}"
        plot = bar_plot([bars], title=title, y="score", percent=True, y_range=(0.0, 1.0))
        report.plot(kind.replace(" ", "-"), plot, title)
    report.csv("matches", rows)


def _options(player: str) -> str:
    """What a player's text says after its limit.

    >>> _options("mcts:playouts=20,rave=0"), _options("mcts:playouts=20")
    ('`rave=0`', 'full')
    """
    options = player.partition(",")[2]
    return f"`{options}`" if options else "full"


def gnugo(report: Report, row: dict[str, Any]) -> None:
    report.heading(f"Against {row['row']}")
    report.text(
        f"`{row['first']}` on `{row['game']}`, both colours: {row['wins']} won, {row['draws']} drawn,"
        f" {row['losses']} lost of {row['games']}: **{percent(row['score'])}** ({interval(row['low'], row['high'])})."
        " GNU Go takes dead stones off before it passes, since all stones on the board count as alive. No option of"
        " `mcts` was chosen by games against it."
    )
