"""The report of the study `symmetry-factors`, from its results and nothing else."""

from __future__ import annotations

import statistics
from typing import Any

from eightfold.studies.paired import Difference
from eightfold.studies.plots import Series, bar_plot
from eightfold.studies.report import Report
from eightfold.studies.run_costs import seconds_of
from eightfold.studies.symmetry_factors.settings import BASE
from eightfold.studies.verdicts import ENOUGH


def runs(report: Report, found: dict[str, Any]) -> None:
    report.heading("The runs")
    report.text(
        f"Self-play with {found['playouts']} playouts a move, {found['parallel_games']} games side by side, new weights"
        f" every {found['games_a_round']} games, {found['steps_a_game']} training steps a game, {found['seeds']}"
        " seeds of every arm on every board. No proofs by threat search."
    )
    keys = dict.fromkeys((run["board"], run["arm"]) for run in found["runs"])
    lines = []
    for board, arm in keys:
        mine = [run for run in found["runs"] if (run["board"], run["arm"]) == (board, arm)]
        ends = [run["kept"][-1] for run in mine]
        lines.append(
            (
                f"`{board}`",
                f"`{arm}`",
                f"{mine[0]['parameters']:,}",
                len(mine),
                f"{statistics.fmean(end['games'] for end in ends):,.0f}",
                f"{statistics.fmean(end['minutes'] for end in ends):.1f}",
            )
        )
    report.table(("board", "arm", "parameters", "seeds", "games", "minutes a run"), lines)


def elo(report: Report, found: dict[str, Any]) -> None:
    rows = found["rows"]
    report.heading("Elo at equal cost")
    report.text(
        f"A round robin for each board and amount of data, {found['games']} games of any two networks from"
        f" {found['opening_plies']} random moves, {found['playouts']} playouts a move. *few*: every network has used"
        " the"
        f" {seconds_of(found['machine'])} that `{BASE}` of its seed had used after {found['few']:,} games; *many*:"
        " after"
        f" {found['many']:,}. Numbers are Elo over `{BASE}`, paired by seed, with 95 % intervals of Student's t."
    )
    arms = list(dict.fromkeys(row["arm"] for row in found["worth"]))
    cases = list(dict.fromkeys((row["board"], row["data"]) for row in found["worth"]))
    by = {(row["arm"], row["board"], row["data"]): row for row in found["worth"]}
    series = [
        Series(
            name=arm,
            x=[f"{board}, {data}" for board, data in cases],
            y=[by[arm, *case]["mean"] or 0.0 for case in cases],
            low=[by[arm, *case]["low"] for case in cases],
            high=[by[arm, *case]["high"] for case in cases],
        )
        for arm in arms
    ]
    report.plot(
        "factors", bar_plot(series, title=f"Elo over {BASE} at equal cost", y="Elo"), "Elo of every arm by case"
    )
    report.table(
        ("board", "data", *(f"`{arm}`" for arm in arms)),
        [(f"`{board}`", data, *(_text(by[arm, board, data]) for arm in arms)) for board, data in cases],
    )
    report.text("Games that the networks of a case had played, means over seeds:")
    everybody = list(dict.fromkeys(row["arm"] for row in rows))
    report.table(
        ("board", "data", *(f"`{arm}`" for arm in everybody)),
        [
            (
                f"`{board}`",
                data,
                *(f"{statistics.fmean(_games(rows, board, data, arm)):,.0f}" for arm in everybody),
            )
            for board, data in cases
        ],
    )
    report.csv("elo", rows)
    report.heading("What changes the answer")
    report.text(
        f"By how much a factor changes the Elo of an arm over `{BASE}`: another amount of data on the same board, or"
        " another board with much data."
    )
    factors = list(dict.fromkeys(row["factor"] for row in found["changed"]))
    told = {(row["arm"], row["factor"]): row for row in found["changed"]}
    report.table(
        ("factor", *(f"`{arm}`" for arm in arms)),
        [(factor, *(_text(told[arm, factor]) for arm in arms)) for factor in factors],
    )


def nothing(report: Report, found: Any) -> None:
    """Its numbers are in a later section."""


def summary(report: Report, found: dict[str, Any]) -> None:
    report.heading("In short")
    cases: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in found["worth"]:
        cases.setdefault((row["board"], row["data"]), []).append(row)
    report.text("\n".join(f"- `{board}`, {data} games: {_case(of)}." for (board, data), of in cases.items()))
    sure = [row for row in found["changed"] if _difference(row).is_above or _difference(row).is_below]
    enough = [row for row in found["changed"] if row["pairs"] >= ENOUGH]
    if not enough:
        report.text(f"Whether a factor changes this cannot be told from fewer than {ENOUGH} seeds.")
        return
    words = "; ".join(f"`{row['arm']}`, {row['factor']}: {_text(row)}" for row in sure if row["pairs"] >= ENOUGH)
    report.text(
        f"Of {len(enough)} changes by a factor these exclude zero: {words}. With so many, one in twenty does by chance."
        if words
        else f"None of {len(enough)} changes by data, board or game excludes zero: the answer is not seen to change."
    )


def _case(rows: list[dict[str, Any]]) -> str:
    if max(row["pairs"] for row in rows) < ENOUGH:
        return f"cannot be told from fewer than {ENOUGH} seeds"
    better = [row for row in rows if _difference(row).is_above]
    worse = [row for row in rows if _difference(row).is_below]
    parts = [
        f"{word} than `{BASE}`: " + ", ".join(f"`{row['arm']}` {_text(row)}" for row in of)
        for word, of in (("better", better), ("worse", worse))
        if of
    ]
    return "; ".join(parts) or f"nothing is surely better or worse than `{BASE}`"


def _games(rows: list[dict[str, Any]], board: str, data: str, arm: str) -> list[int]:
    return [row["games"] for row in rows if (row["board"], row["data"], row["arm"]) == (board, data, arm)]


def _difference(row: dict[str, Any]) -> Difference:
    return Difference(row["mean"], row["low"], row["high"], row["pairs"])


def _text(row: dict[str, Any]) -> str:
    return _difference(row).text()
