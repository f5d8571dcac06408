"""The report of the study `isn`, section by section: text, tables and plots from its results and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, pstdev
from typing import Any

from eightfold.core.words import number_of
from eightfold.games.game import make_game
from eightfold.studies.grid import mean_interval, over_seeds
from eightfold.studies.plots import Series, bar_plot, line_plot, series_of
from eightfold.studies.report import Report
from eightfold.studies.tables import interval, percent

WHOLE = (0.0, 1.0)


def training(report: Report, found: dict[str, Any]) -> None:
    fastest, machines = found["fastest"], found["machines"]
    trained_on = f" on {'; then '.join(machines)}" if machines else ""
    fastest_on = f" ({fastest['machine']})" if len(machines) > 1 and fastest["machine"] else ""
    report.heading("The run")
    report.text(
        f"{found['games']:,} games of self-play of `{found['game']}` in {found['minutes']:.1f} minutes{trained_on}:"
        f" {found['games'] / (60 * found['minutes']):.1f} games a second over the whole run,"
        f" {found['moves_a_game']:.0f} moves a game. At its fastest, for some seconds,"
        f" {fastest['games_per_s']:.1f} games a second of {fastest['moves_a_game']:.0f} moves,"
        f" {fastest['candidates_per_s']:,.0f} candidate moves a second{fastest_on}."
        " Blair's: 860,000 games, two a second."
    )
    falling = "" if found["final_share"] == 1 else f", falling to {found['final_share']:g} of it"
    report.text(
        f"λ = {found['trace']:g}, learning rate {found['learning_rate']:g}{falling};"
        f" weights × {found['decay']:g} a game; β = {found['beta']:g}; c = {found['c']:g}, s = {found['s']:g};"
        f" the shortcut alone for the first {found['linear_games']:,} games;"
        f" {number_of(found['games_an_update'], 'game')} for each change of the weights; seed {found['seed']}."
    )
    games, losses = zip(*found["loss"], strict=True)
    title = "Cross entropy of a position above what its targets leave at best"
    report.plot("loss", line_plot([Series(name="loss", x=games, y=losses)], title=title, x="games", y=""), "loss")
    report.csv("loss", [{"games": at, "loss": loss} for at, loss in found["loss"]])


def round_robin(report: Report, found: dict[str, Any]) -> None:
    snapshots = found["snapshots"]
    best = max(snapshots, key=lambda entry: entry["score"])
    half = len(snapshots) // 2
    first, second = (fmean(entry["score"] for entry in part) for part in (snapshots[:half], snapshots[half:]))
    drops = [max(0.0, a["score"] - b["score"]) for a, b in pairwise(snapshots)]
    report.heading("Strength over training")
    report.text(
        f"{len(snapshots)} snapshots, {found['games_a_pair']} games a pair, β = {found['beta']:g}, `{found['game']}`,"
        f" {found['moves_a_game']:.0f} moves a game on average. The band is the 95 % interval (Wilson)."
    )
    lines = series_of([{"of": "wins", **entry} for entry in snapshots], by="of", x="games", y="score")
    title = "Wins in a round robin of all snapshots (Blair's figure 1)"
    plot = line_plot(lines, title=title, x="games of training", y="wins", percent=True, y_range=WHOLE)
    report.plot("strength", plot, "strength over training")
    report.text(
        f"The earlier half of the snapshots wins {percent(first)} on average, the later half {percent(second)}. The"
        f" best is the one after {best['games']:,} games with {_score(best)}. From one snapshot to the next the"
        f" percentage falls by up to {percent(max(drops, default=0.0))}."
    )
    _standings(report, snapshots)
    report.csv("strength", snapshots)


def opponents(report: Report, found: dict[str, Any]) -> None:
    report.heading("The best snapshot without look-ahead")
    report.text(
        f"After {found['snapshot']:,} games, `{found['game']}`, always the move after which the board is worth most."
    )
    if rivals := found.get("rivals"):
        named = ", ".join(f"`{rival}`" for rival in rivals)
        report.text(f"Games against {named} begin with four random moves, each opening twice with colours swapped.")
    bars = series_of([{"of": "score", **match} for match in found["matches"]], by="of", x="opponent", y="score")
    title = "Score of the best snapshot without look-ahead"
    plot = bar_plot(bars, title=title, y="score, with its 95 % interval", percent=True, y_range=WHOLE)
    report.plot("opponents", plot, "score against each opponent")
    _matches(report, "opponents", found["matches"])


def look_ahead(report: Report, found: dict[str, Any]) -> None:
    report.heading("With alpha-beta, pruned by the network itself")
    report.text(
        "The same snapshot; at every ply the moves that the network likes best, as many as `width` says. Against itself"
        " without look-ahead games begin with four random moves, each opening twice with colours swapped."
    )
    _matches(report, "look_ahead", found["matches"])


def large(report: Report, found: dict[str, Any]) -> None:
    size = make_game(found["game"]).size
    report.heading(f"The same weights on {size}x{size}")
    report.text(
        f"The weights of the run above, playing `{found['game']}`. A round robin of some snapshots,"
        f" {found['games_a_pair']} games a pair, {found['moves_a_game']:.0f} moves a game on average:"
    )
    _standings(report, found["snapshots"])
    report.text(f"And the snapshot after {found['snapshot']:,} games, no look-ahead:")
    _matches(report, "large", found["matches"])


def variants(report: Report, found: dict[str, Any]) -> None:
    rows = [
        {"variant": name, "seed": run["seed"], **row}
        for name, of in found["variants"].items()
        for run in of["runs"]
        for row in run["snapshots"]
    ]
    seeds = len({row["seed"] for row in rows})
    counted = "one seed" if seeds == 1 else f"{seeds} seeds"
    report.heading("Variants")
    report.text(
        f"{found['games']:,} training games each with the run's settings, {counted}. *Blair's rate*: the paper's,"
        " which does not fall; *higher rate*: 5e-5, falling as in the run; *one output*: the reward itself, with groups"
        " by their number of liberties; *liberty counts*: seven outputs, but groups by their number of liberties (both"
        " are Blair's first attempts); *recurrent*: one step of recurrent links; *hill-climb*: TD as mutation, see"
        f" below. A round robin over all snapshots of the later half, {found['games_a_pair']} games a pair."
    )
    means = rows if seeds == 1 else over_seeds(rows, by=("variant", "games"), value="score")
    lines = series_of(means, by="variant", x="games", y="score")
    title = "Wins in a round robin of all variants' later snapshots"
    plot = line_plot(lines, title=title, x="games of training", y="wins", percent=True, y_range=WHOLE)
    report.plot("variants", plot, "variants")
    report.table(
        ("variant", "mean of snapshots", "last snapshot", "spread", "largest drop", "moves a game"),
        [(name, *_variant(of["runs"])) for name, of in found["variants"].items()],
    )
    report.csv("variants", rows)
    climbs = [run for run in found["variants"]["hill-climb"]["runs"] if run["contests"]]
    if climbs:
        accepted, contests, games = (sum(r[name] for r in climbs) for name in ("accepted", "contests", "contest_games"))
        report.text(
            f"The hill-climb let new weights stay in {accepted} of {contests} contests, which took {games:,} games on"
            f" top of the {found['games'] * len(climbs):,} of training. Spread and largest drop say how much the"
            f" percentage fluctuates between its snapshots, beside plain TD's; with {counted} and"
            " these intervals, differences of a few percent mean nothing."
        )


def _variant(runs: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Of one variant: each of its figures is the mean over its runs, with an interval where there are several."""
    scores = [[entry["score"] for entry in run["snapshots"]] for run in runs]
    drops = [max((max(0.0, a - b) for a, b in pairwise(of)), default=0.0) for of in scores]
    mean, low, high = mean_interval([of[-1] for of in scores])
    last = {"score": mean, "low": low, "high": high}
    return (
        percent(fmean(fmean(of) for of in scores)),
        _score(runs[0]["snapshots"][-1] if len(runs) == 1 else last),
        percent(fmean(pstdev(of) for of in scores)),
        percent(fmean(drops)),
        f"{fmean(run['moves_a_game'] for run in runs):.0f}",
    )


# ---- pieces ---------------------------------------------------------------------------------------------------


def _standings(report: Report, snapshots: Sequence[dict[str, Any]]) -> None:
    report.table(
        ("after games", "wins", "95 % interval"),
        [
            (f"{entry['games']:,}", percent(entry["score"]), interval(entry["low"], entry["high"]))
            for entry in snapshots
        ],
    )


def _matches(report: Report, name: str, matches: Sequence[dict[str, Any]]) -> None:
    report.table(
        ("player", "opponent", "games", "score", "95 % interval", "mean lead", "time a move"),
        [
            (
                match["player"],
                match["opponent"],
                match["games"],
                percent(match["score"]),
                interval(match["low"], match["high"]),
                f"{match['lead']:+.1f}" if "lead" in match else "",
                f"{1000 * match['seconds_per_move']:.1f} ms",
            )
            for match in matches
        ],
    )
    report.csv(name, matches)


def _score(entry: dict[str, Any]) -> str:
    return f"{percent(entry['score'])} ({interval(entry['low'], entry['high'])})"
