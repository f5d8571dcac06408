"""The report of the study `slap-rl`: the runs, what they cost, the exam, Elo. What was published:"
" `paper_sections.py`."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from eightfold.studies.grid import mean_interval
from eightfold.studies.paired import Difference
from eightfold.studies.plots import Series, bar_plot, panel_plot
from eightfold.studies.report import Report
from eightfold.studies.run_costs import PROCESSOR, price_ratio, prices_of, seconds_of
from eightfold.studies.slap_rl.analysis import MARK, arms_in, final, mean_curve, of_arm
from eightfold.studies.tables import mean_text, share_text

MARK_NAMES = {
    "policy_excess": "excess loss of the policy, nats",
    "policy_loss": "loss of the policy, nats",
    "top1": "best move found",
    "value_error": "error of the value",
}
SHOWN_MARKS = ("policy_excess", "top1", "value_error")


def learning(report: Report, found: dict[str, Any]) -> None:
    runs = found["runs"]
    report.heading("The runs")
    report.text(
        f"{len(found['arms'])} arms, {found['seeds']} seeds of each, on `{found['game']}` with the preset"
        f" `{found['preset']}`: {found['games']:,} games, {found['playouts']} playouts a move,"
        f" {found['parallel_games']} games side by side, new weights every {found['games_a_round']} games"
        " (published: one game at a time, new weights after each)."
        + (f" Changed besides: `{found['changes']}`." if found["changes"] else "")
        + " Proofs by threat search are off, as published, but for arms with `+proofs`. Runs of one seed begin with"
        " equal weights where they have the same network and input."
    )
    if runs[0]["machine"] == PROCESSOR:
        report.text(
            "Cost is processor time of self-play and training. The arms of a seed take turns, round by round, the one"
            " that has cost least first, so that all meet the same moods of the machine."
        )
    else:
        report.text(
            f"Runs were trained on {runs[0]['machine']}, side by side. Cost is counted: simulations and steps, times"
            " what one of each takes alone (next section)."
        )
    facts = {arm["arm"]: arm for arm in found["arms"]}
    lines = []
    for arm in arms_in(runs):
        mine = of_arm(runs, arm)
        ends = [final(run) for run in mine]
        lengths = [end["game_length"] for end in ends if end["game_length"] is not None]
        lines.append(
            (
                f"`{arm}`",
                facts[arm]["mode"],
                f"{mine[0]['parameters']:,}",
                len(mine),
                f"{statistics.fmean(end['games'] for end in ends):,.0f}",
                f"{statistics.fmean(end['steps'] for end in ends):,.0f}",
                f"{statistics.fmean(end['minutes'] for end in ends):.1f}",
                f"{statistics.fmean(lengths):.1f}" if lengths else "",
                f"{sum(bool(end['warnings']) for end in ends)} of {len(ends)}",
            )
        )
    headings = ("arm", "mode", "parameters", "seeds", "games", "steps", "minutes a run", "moves a game", "warned")
    report.table(headings, lines)
    report.text("Minutes are those that passed. *Warned*: self-play looked collapsed or redundant at the end.")


def nothing(report: Report, found: Any) -> None:
    """Its numbers are in a later section."""


def prices(report: Report, found: dict[str, Any]) -> None:
    rows, base = found["rows"], found["base"]
    report.heading("What a mode costs")
    blocks = len({row["block"] for row in rows})
    report.text(
        f"Self-play and training at fixed work with fresh weights, {blocks} times, the arms taking turns;"
        f" {'processor time' if found['device'] == 'cpu' else 'time on the GPU alone'}. Ratios are to `{base}`, the"
        " geometric mean over the times with its 95 % interval. A simulation is one walk to a leaf, with its share of"
        " the network's work."
    )
    table = prices_of(rows)
    lines = []
    for arm, price in table.items():
        play, train = (
            price_ratio(rows, arm, base, *units)
            for units in (("play_seconds", "simulations"), ("train_seconds", "steps"))
        )
        lines.append(
            (
                f"`{arm}`",
                f"{1e6 * price.simulation:,.1f}",
                _times(play),
                f"{1e3 * price.step:,.2f}" if price.step else "",
                _times(train),
            )
        )
    report.table(("arm", "µs a simulation", f"times `{base}`", "ms a step", f"times `{base}`"), lines)
    report.csv("prices", rows)


def _times(ratio: Difference) -> str:
    if ratio.mean is None:
        return ""
    between = "" if ratio.low is None or ratio.high is None else f" ({ratio.low:.3f} to {ratio.high:.3f})"
    return f"{ratio.mean:.3f}{between}"


def exam(report: Report, found: dict[str, Any]) -> None:
    report.heading("The exam")
    report.text(
        f"{found['positions']:,} positions from games of players that are in no run"
        f" ({', '.join(f'`{player}`' for player in found['players'])}), from random openings, no two of them equal"
        f" up to a turn. {found['proven']:,} are won or lost by proof, {found['dead']:,} nobody can win any more,"
        f" {found['labelled']:,} are answered by a search of {found['playouts']:,} playouts with `{found['network']}`,"
        " its answers averaged over the eight turns, so that they favour no mode. Networks answer without a search, in"
        f" their own mode. The exam is [{found['file']}]({found['file']}), its hash `{found['hash']}`."
    )


def marks(report: Report, found: dict[str, Any]) -> None:
    rows, base, unit = found["rows"], found["base"], seconds_of(found["cost_of"])
    report.heading("Learning curves")
    seeds = len({row["seed"] for row in rows})
    report.text(
        f"The mean of {seeds} runs of each arm with its 95 % interval, in grey that of `{base}`; by cost"
        f" an arm is shown as far as `{base}` went. Excess loss is the"
        " cross-entropy of the policy in the exam less what nobody can avoid: 0 is perfect."
    )
    for name, x, title in (
        ("exam-by-games", "games", "self-play games"),
        ("exam-by-cost", "cost", unit),
    ):
        panels = _panels(rows, base, x, MARK)
        if panels:
            plot = panel_plot(panels, title=f"Exam by {title}", x=title, y=MARK_NAMES[MARK])
            report.plot(name, plot, f"{MARK_NAMES[MARK]} by {title}, one small plot for each arm")
    report.table(
        ("arm", "seeds", "games", unit, *(MARK_NAMES[mark] for mark in SHOWN_MARKS)),
        [_last_marks(of_arm(rows, arm), arm) for arm in arms_in(rows)],
    )
    report.text("The networks at the end of the runs, means over seeds with 95 % intervals (Student's t).")
    report.csv("marks", rows)


def _panels(rows: Sequence[Mapping[str, Any]], base: str, x: str, mark: str) -> dict[str, list[Series]]:
    yardstick = _line(of_arm(rows, base), base, x, mark)
    end = max(yardstick.x)  # beyond it there is nothing to compare with
    return {arm: [yardstick, _line(of_arm(rows, arm), arm, x, mark, until=end)] for arm in arms_in(rows) if arm != base}


def _line(rows: Sequence[Mapping[str, Any]], name: str, x: str, mark: str, *, until: float = math.inf) -> Series:
    seeds = dict.fromkeys(row["seed"] for row in rows)
    curves = [[(row[x], row[mark]) for row in rows if row["seed"] == seed] for seed in seeds]
    curve = mean_curve(curves, until=until)
    return Series(
        name=name,
        x=[point.x for point in curve],
        y=[point.mean for point in curve],
        low=[point.low for point in curve],
        high=[point.high for point in curve],
    )


def _last_marks(rows: Sequence[Mapping[str, Any]], arm: str) -> tuple[Any, ...]:
    ends = [[row for row in rows if row["seed"] == seed][-1] for seed in dict.fromkeys(row["seed"] for row in rows)]
    return (
        f"`{arm}`",
        len(ends),
        f"{statistics.fmean(row['games'] for row in ends):,.0f}",
        mean_text([row["cost"] for row in ends], 0 if ends[0]["cost"] >= 100 else 1),
        mean_text([row["policy_excess"] for row in ends], 3),
        share_text([row["top1"] for row in ends]),
        mean_text([row["value_error"] for row in ends], 3),
    )


def elo(report: Report, found: dict[str, Any]) -> None:
    rows = found["rows"]
    report.heading("Elo")
    report.text(
        f"One round robin of all {len(rows)} final networks, {found['games']} games of any two from"
        f" {found['opening_plies']} random moves, each opening from both sides, {found['playouts']} playouts a move, no"
        " proofs for anybody. Ratings by maximum likelihood, their mean is 0; those of an arm are its mean over seeds"
        " with the 95 % interval of Student's t."
    )
    by_arm = {arm: [row["elo"] for row in of_arm(rows, arm)] for arm in arms_in(rows)}
    order = sorted(by_arm, key=lambda arm: -statistics.fmean(by_arm[arm]))
    means = {arm: mean_interval(by_arm[arm]) for arm in order}
    bars = Series(
        name="Elo",
        x=order,
        y=[means[arm][0] for arm in order],
        low=[means[arm][1] for arm in order],
        high=[means[arm][2] for arm in order],
    )
    report.plot("elo", bar_plot([bars], title="Elo after equal games", y="Elo"), "Mean Elo of every arm")
    report.table(
        ("arm", "seeds", "Elo", "single networks", "score", "games"),
        [
            (
                f"`{arm}`",
                len(by_arm[arm]),
                mean_text(by_arm[arm]),
                ", ".join(f"{row['elo']:.0f} ± {row['elo_error']:.0f}" for row in of_arm(rows, arm)),
                f"{statistics.fmean(row['score'] for row in of_arm(rows, arm)):.1%}",
                f"{sum(row['played'] for row in of_arm(rows, arm)):,}",
            )
            for arm in order
        ],
    )
    report.csv("elo", rows)
    if found["equal_cost"]:
        report.csv("elo-at-equal-cost", found["equal_cost"])
