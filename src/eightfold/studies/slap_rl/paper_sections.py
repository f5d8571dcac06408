"""The report of the study `slap-rl` on what was published: three tiers, the paper's count, claims, what to use."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from eightfold.arena.ratings import score_interval
from eightfold.studies.paired import Difference
from eightfold.studies.plots import Series, line_plot
from eightfold.studies.report import Report
from eightfold.studies.run_costs import seconds_of
from eightfold.studies.slap_rl import claims as published
from eightfold.studies.slap_rl.analysis import MARK, arms_in, counted_runs, of_arm
from eightfold.studies.slap_rl.sections import MARK_NAMES
from eightfold.studies.tables import interval, percent, share_text
from eightfold.studies.verdicts import ENOUGH, FAILS, HOLDS, OPEN

BEST_POINTS = 10  # of the grid that are shown


def tiers(report: Report, found: dict[str, Any]) -> None:
    rows = found["rows"]
    report.heading("Against pure Monte Carlo search")
    report.text(
        f"The final networks with {found['playouts']} playouts a move against pure searches of"
        f" {', '.join(f'{tier:,}' for tier in found['tiers'])} playouts, {found['games']} games with each, colours"
        " alternating; the games of all seeds added up, with 95 % intervals. A draw is half a win."
    )
    lines = []
    for arm in arms_in(rows):
        mine = of_arm(rows, arm)
        whole, first = (_added(mine, prefix) for prefix in ("", "first_"))
        second = tuple(a - b for a, b in zip(whole, first, strict=True))
        lines.append(
            (
                f"`{arm}`",
                _score(whole),
                *(percent(statistics.fmean(row[f"tier_{tier}"] for row in mine)) for tier in found["tiers"]),
                _score(first),
                _score(second),
                sum(whole),
            )
        )
    report.table(
        ("arm", "score", *(f"{tier:,}" for tier in found["tiers"]), "moving first", "moving second", "games"), lines
    )
    report.csv("tiers", rows)


def _added(rows: Sequence[Mapping[str, Any]], prefix: str) -> tuple[int, ...]:
    return tuple(sum(row[f"{prefix}{name}"] for row in rows) for name in ("wins", "draws", "losses"))


def _score(counts: tuple[int, ...]) -> str:
    wins, draws, losses = counts
    games = wins + draws + losses
    return f"{percent((wins + draws / 2) / games)} ({interval(*score_interval(wins, draws, losses))})" if games else ""


def paper(report: Report, found: dict[str, Any]) -> None:
    if not found["games"]:
        return
    report.heading("As the paper counted")
    report.text(
        f"The network moves first in every game, with the paper's constants; {found['games']} games with each of the"
        " three"
        f" at every kept network. The paper prints the best of all evaluations of one run. Less noisy: the mean of"
        " their later half, the last ten of the paper's twenty. Ours are means over seeds with 95 % intervals, and the"
        " best of any run."
    )
    lines = []
    for rows, what, said in (
        (found["learning"], "", published.PUBLISHED_BEST),
        (found["buffers"], ", small buffer", published.PUBLISHED_SMALL_BEST),
    ):
        for arm in arms_in(rows):
            counts = counted_runs(rows, arm)
            best = [each.best for each in counts.values()]
            lines.append(
                (
                    f"`{arm}`{what}",
                    len(counts),
                    next(iter(counts.values())).evaluations,
                    share_text(best),
                    percent(max(best)),
                    percent(said[arm]) if arm in said else "",
                    share_text([each.later for each in counts.values()]),
                )
            )
    headings = ("arm", "seeds", "evaluations", "best of a run", "best of all", "published best", "mean of later half")
    report.table(headings, lines)
    report.text(
        "From the authors' logs, mean of the last ten: SLAP 59 to 69 %, augmentation 73 to 84 %, SLAP-CC 84 %. The"
        " small"
        " buffer is section 4.2.2: 1,250 samples, times eight when augmented, from the first game to the last."
    )
    series = [
        Series(name=arm, x=[at for at, _ in curve], y=[score for _, score in curve])
        for arm in arms_in(found["learning"])
        for curve in [_mean_scores(of_arm(found["learning"], arm))]
    ]
    if series and len(series[0].x) > 1:
        plot = line_plot(
            series, title="Score as the paper counted", x="self-play games", y="score", percent=True, y_range=(0, 1)
        )
        report.plot("as-the-paper-counted", plot, "Mean score over seeds at every evaluation, as the paper counted")
    report.csv("as-the-paper-counted", [{"buffer": "usual", **row} for row in found["learning"]] + [
        {"buffer": "small", **row} for row in found["buffers"]
    ])  # fmt: skip


def _mean_scores(rows: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """By the number of the evaluation, since runs are evaluated after nearly the same numbers of games."""
    runs = [[row for row in rows if row["seed"] == seed] for seed in dict.fromkeys(row["seed"] for row in rows)]
    return [
        (statistics.fmean(row["at"] for row in at), statistics.fmean(row["score"] for row in at))
        for at in zip(*runs, strict=False)
    ]


def grid(report: Report, found: dict[str, Any]) -> None:
    rows = sorted(found["rows"], key=lambda row: -row["score"])
    report.heading("Stage 1")
    report.text(
        f"{len(rows)} of the {found['points']} points of the grid, {found['games']:,} games each; the paper chose"
        " the runs of"
        " stage 2 by it. Its axes are those of the authors' logs, with two stand-ins: a noise of 0.1 to 0.4 is 0.4"
        " here,"
        " and instead of noise on the moves that are played, moves are drawn at a temperature of 1.25. The best by"
        " score as the paper counted:"
    )
    names = ("mode", "rate", "dropout", "l2", "temperature", "noise", "alpha")
    report.table(
        (*names, "score", MARK_NAMES[MARK]),
        [(*(row[name] for name in names), percent(row["score"]), f"{row[MARK]:.3f}") for row in rows[:BEST_POINTS]],
    )
    report.csv("stage-1", rows)


# ---- what it comes to ---------------------------------------------------------------------------------------


def summary(report: Report, found: dict[str, Any]) -> None:
    report.heading("In short")
    report.text(found["recommendation"])
    if standing := _standing(found):
        report.text(standing)
    verdicts = [each["verdict"] for each in found["claims"]]
    counts = ", ".join(
        f"{verdicts.count(verdict)} {word}"
        for verdict, word in (
            (HOLDS, "hold"),
            (FAILS, "do not hold"),
            (OPEN, "cannot be told"),
        )
    )
    report.text(f"Of {len(verdicts)} published claims {counts}; they are at the end, each with its number.")
    extent = found["extent"]
    if any(extent[name] != value for name, value in published.PUBLISHED.items()):
        report.text(f"These runs are not the published ones: {_extent(extent)}.")


def _standing(found: Mapping[str, Any]) -> str:
    """Who is stronger than the base at equal cost, who is weaker, and who is not told apart from it."""
    leads = {row["arm"]: Difference(*row["elo_at_cost"]) for row in found["compared"]}
    if any(lead.pairs < ENOUGH or lead.mean is None for lead in leads.values()):
        return ""
    groups = (
        ("surely stronger than", lambda lead: lead.is_above),
        ("surely weaker than", lambda lead: lead.is_below),
        ("not told apart from", lambda lead: not lead.is_above and not lead.is_below),
    )
    told = []
    for words, belongs in groups:
        arms = sorted((arm for arm in leads if belongs(leads[arm])), key=lambda arm: -(leads[arm].mean or 0.0))
        if arms:
            listed = ", ".join(f"`{arm}` {leads[arm].text()}" for arm in arms)
            told.append(f"{words} `{found['base']}`: {listed}")
    return f"In Elo at equal cost, with 95 % intervals, {'; '.join(told)}."


def claims(report: Report, found: dict[str, Any]) -> None:
    base, extent = found["base"], found["extent"]
    report.heading(f"Against {base}")
    report.text(
        "Paired differences, seed by seed, with 95 % intervals of Student's t; of excess loss less is better. *At equal"
        f" cost* both runs of a pair have used the {seconds_of(found['cost_of'])} that the cheaper of them used in"
        " all; the exam is read off its curve there, Elo is that of the kept networks nearest to it."
    )
    report.table(
        (
            "arm",
            "pairs",
            "cost of a run",
            "Elo, equal games",
            "exam, equal games",
            "games at equal cost",
            "Elo, equal cost",
            "exam, equal cost",
        ),
        [_line(each, base) for each in found["compared"]],
    )
    report.heading("What was published, and what holds")
    report.text(
        "\n".join(f"- That {each['claim']}: **{each['verdict']}**; {each['number']}." for each in found["claims"])
    )
    report.text(
        "One is as strong as another if they surely differ by less than the 12.2 points of the published interval, and"
        " it is not surely weaker. A"
        " published"
        " best holds if it lies in the 95 % prediction interval of one more run of ours; a ratio of times if our 95 %"
        " interval includes it; that one is more than the other, if the interval of the paired difference excludes"
        " zero."
    )
    if any(each["verdict"] == OPEN for each in found["claims"]):
        report.text(
            "A claim cannot be told where intervals are too wide, where there are fewer than"
            f" {ENOUGH} seeds, or where other runs were trained than were published: {_extent(extent)}."
        )
    report.heading("Which mode to use")
    report.text(found["recommendation"])


def _extent(extent: Mapping[str, Any]) -> str:
    """How much was trained here, and there."""
    theirs = published.PUBLISHED
    return (
        f"here {extent['games']:,} games of {extent['playouts']} playouts with the preset `{extent['preset']}`,"
        f" published {theirs['games']:,} of {theirs['playouts']} with what is the preset `{theirs['preset']}`"
    )


def _line(row: Mapping[str, Any], base: str) -> tuple[Any, ...]:
    cost, elo, elo_at_cost, mark, mark_at_cost = (
        Difference(*each)
        for each in (
            row["cost_ratio"],
            row["elo"],
            row["elo_at_cost"],
            row["marks"][MARK],
            row["mark_at_cost"],
        )
    )
    return (
        f"`{row['arm']}`",
        elo.pairs,
        "" if cost.mean is None else f"{cost.mean:.2f} times `{base}`",
        elo.text(),
        mark.text(3),
        f"{row['games_at_cost']:,.0f}",
        elo_at_cost.text(),
        mark_at_cost.text(3),
    )
