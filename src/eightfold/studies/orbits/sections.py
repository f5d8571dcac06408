"""The report of the study `orbits`, from its results and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eightfold.studies.orbits.analysis import KEYS, ROUND, SHARES, STREAM
from eightfold.studies.orbits.streams import EVALUATION, ORBIT, POSITION, TRANSPOSITION
from eightfold.studies.orbits.summary import (
    CLAIMED,
    USUAL,
    Case,
    Factor,
    entries_factor,
    life_of,
    mean_curve,
    mean_hits,
    memory_factor,
    name_of,
)
from eightfold.studies.plots import Series, line_plot
from eightfold.studies.report import Report
from eightfold.studies.tables import percent
from eightfold.studies.verdicts import ENOUGH

FEW = 100  # requests of a ply, below which nothing is drawn
SHOWN = (0.5, USUAL, 1.0)  # shares of the hits in tables
TITLES = {EVALUATION: "The cache of evaluations", TRANSPOSITION: "Transpositions"}
SAYS = {
    EVALUATION: (
        "Keys are all that the network is shown, the last move among it. A cache lives until the network has new"
        " weights, as in training, or through all games, as when a network that stays plays a match."
    ),
    TRANSPOSITION: (
        "Keys are the stones and whose turn it is: what a transposition table would share, or a network that is not"
        " shown the last move."
    ),
}
HOW_TO_READ = (
    "In the tables, hits are the share of all requests that a cache answers with unlimited memory, and entries how many"
    " positions it then holds for each orbit. Memory is how many times the entries a cache of positions needs to answer"
    " as often as a cache of orbits: for half, most or all of the hits that position keys can have. Means over seeds"
    " are geometric, with 95 % intervals. In the plots a step to the right is eight times the memory: orbits save a"
    " factor of eight where their line is as high as that of positions one step further."
)


def streams(report: Report, found: list[dict[str, Any]]) -> None:
    report.heading("What was recorded")
    report.text(
        "All requests of self-play to its network, in their order, with the settings of a preset and a network that"
        " stays as it is, in the mode `slap`. Weights would be renewed after every round."
    )
    lines = []
    for preset, network in dict.fromkeys((row["preset"], row["network"]) for row in found):
        rows = [row for row in found if (row["preset"], row["network"]) == (preset, network)]
        numbers = [sum(row[name] for row in rows) for name in ("requests", "games", "rounds")]
        same = [rows[0][name] for name in ("parallel_games", "playouts", "games_a_round")]
        lines.append((preset, network, len(rows), *(f"{number:,}" for number in (*same, *numbers))))
    report.table(
        (
            "preset",
            "network",
            "seeds",
            "games side by side",
            "playouts",
            "games a round",
            "requests",
            "games",
            "rounds",
        ),
        lines,
    )


def caches(report: Report, found: list[Case]) -> None:
    for kind in (EVALUATION, TRANSPOSITION):
        here = [case for case in found if case["kind"] == kind]
        report.heading(TITLES[kind])
        report.text(SAYS[kind])
        report.text(HOW_TO_READ if kind == EVALUATION else "Tables and plots are read in the same way.")
        _table(report, here)
        for life in (ROUND, STREAM):
            lasting = [case for case in here if case["life"] == life]
            _curves(report, lasting, f"{kind}-{_file(life)}")
    _memory(report, [case for case in found if case["kind"] == EVALUATION])
    _plies(report, [case for case in found if case["kind"] == EVALUATION])
    _csv(report, found)


def _table(report: Report, cases: Sequence[Case]) -> None:
    report.table(
        (
            "stream",
            "the cache lives",
            "hits by position",
            "by orbit",
            "entries, positions to orbits",
            *(f"memory for {share:.0%} of the hits" for share in SHOWN),
        ),
        [
            (
                name_of(case),
                life_of(case),
                *(percent(mean_hits(case, key)) for key in KEYS),
                _text(entries_factor(case)),
                *(_text(memory_factor(case, share)) for share in SHOWN),
            )
            for case in cases
        ],
    )


def _text(factor: Factor | None) -> str:
    return "" if factor is None else factor.text()


def _file(life: str) -> str:
    return "round" if life == ROUND else "all"


def _curves(report: Report, cases: Sequence[Case], name: str) -> None:
    series = [
        Series(
            name=f"{name_of(case)}, {key}",
            x=[size for size, _ in curve],
            y=[hits for _, hits in curve],
            group=name_of(case),
            dashed=key == POSITION,
        )
        for case in cases
        for key in reversed(KEYS)
        for curve in [mean_curve(case, key)]
    ]
    title = f"Requests that a cache answers, {life_of(cases[0])}"
    report.plot(
        name, line_plot(series, title=title, x="entries", y="hits", percent=True, log_x=True), f"{title}, by its size"
    )


def _memory(report: Report, cases: Sequence[Case]) -> None:
    report.heading("Memory for the same hits")
    report.text(
        "Orbit keys find everything that position keys find, and the variants of a position besides. Where these come"
        " up close together, as they do while a board is symmetric, they are hits that need next to no memory. So how"
        " much memory the same number of hits needs is another question than how many entries there are when nothing is"
        " forgotten."
    )
    series = [
        Series(
            name=f"{name_of(case)}, {life_of(case)}",
            x=[share for share, _ in known],
            y=[factor.mean for _, factor in known],
            group=name_of(case),
            dashed=case["life"] == ROUND,
        )
        for case in cases
        for known in [_known(case)]
        if known
    ]
    if series:
        series.append(Series(name="claimed", x=[SHARES[0], SHARES[-1]], y=[CLAIMED, CLAIMED], dashed=True))
        title = "Memory for the same hits, positions to orbits"
        report.plot(
            "memory",
            line_plot(series, title=title, x="share of all hits by position", y="factor", log_y=True),
            title,
        )


def _known(case: Case) -> list[tuple[float, Factor]]:
    found = [(share, memory_factor(case, share)) for share in SHARES]
    return [(share, factor) for share, factor in found if factor is not None]


def _plies(report: Report, cases: Sequence[Case]) -> None:
    report.heading("By move number")
    report.text(
        "By the stones on the board that the network is asked about, with unlimited memory through all games; all seeds"
        f" together, and only where there are {FEW} requests or more."
    )
    lasting = [case for case in cases if case["life"] == STREAM]
    hits = [
        Series(
            name=f"{name_of(case)}, {key}",
            x=[row["ply"] for row in rows],
            y=[1 - row[f"{key}_entries"] / row["requests"] for row in rows],
            group=name_of(case),
            dashed=key == POSITION,
        )
        for case in lasting
        for rows in [_enough(case)]
        for key in reversed(KEYS)
    ]
    entries = [
        Series(
            name=name_of(case),
            x=[row["ply"] for row in rows],
            y=[row["position_entries"] / row["orbit_entries"] for row in rows],
        )
        for case in lasting
        for rows in [_enough(case)]
    ]
    if any(each.x for each in hits):
        title = "Requests that a cache answers"
        report.plot(
            "plies", line_plot(hits, title=title, x="stones", y="hits", percent=True), f"{title}, by move number"
        )
        title = "Entries of positions to entries of orbits"
        report.plot("entries", line_plot(entries, title=title, x="stones", y="factor"), f"{title}, by move number")


def _enough(case: Case) -> list[dict[str, Any]]:
    return [row for row in case["plies"] if row["requests"] >= FEW]


def _csv(report: Report, found: Sequence[Case]) -> None:
    names = ("preset", "network", "kind", "life")
    told = [({name: case[name] for name in names}, case) for case in found]
    report.csv(
        "hits",
        [
            {**row, "seed": seed["seed"], "requests": seed["requests"], **point}
            for row, case in told
            for seed in case["seeds"]
            for point in seed["curve"]
        ],
    )
    report.csv(
        "equal-hits",
        [
            {**row, "seed": seed["seed"], **point}
            for row, case in told
            for seed in case["seeds"]
            for point in seed["memory"]
        ],
    )
    report.csv("by-ply", [{**row, **ply} for row, case in told for ply in case["plies"]])


def alphabeta(report: Report, found: dict[str, Any]) -> None:
    rows = found["rows"]
    report.heading("Alpha-beta's table")
    nodes = {key: sum(row[key] for row in rows) for key in KEYS}
    report.text(
        f"Alpha-beta {found['depth']} plies ahead, {found['games']} games against itself, every position searched with"
        " a table of positions and with one of orbits, each kept through the game; the values are the same. In all, the"
        f" first looks at {nodes[POSITION] / nodes[ORBIT]:.3f} times as many positions."
    )
    plies = sorted({row["ply"] for row in rows})
    ratio = [
        sum(row[POSITION] for row in here) / sum(row[ORBIT] for row in here)
        for ply in plies
        for here in [[row for row in rows if row["ply"] == ply]]
    ]
    title = "Positions looked at without orbit keys to those with them"
    series = [Series(name="alpha-beta", x=plies, y=ratio)]
    report.plot("alphabeta", line_plot(series, title=title, x="stones", y="factor"), f"{title}, by move number")
    report.csv("alphabeta", rows)


def claims(report: Report, found: dict[str, Any]) -> None:
    report.heading("What was claimed, and what holds")
    report.text(
        "\n".join(f"- That {each['claim']}: **{each['verdict']}**; {each['number']}." for each in found["claims"])
    )
    report.text(
        f"Suen & Alonso leave a cache by orbits to the future; {CLAIMED} is what it is expected to save. It holds for a"
        f" cache if the 95 % interval lies at {CLAIMED} or above, does not if it lies below, and cannot be told"
        f" otherwise or with fewer than {ENOUGH} seeds. Memory is compared at {USUAL:.0%} of the hits that position"
        " keys can have."
    )
    least, most = found["least"], found["most"]
    report.text(
        "What a user gains: with unlimited memory orbit keys spare the network another"
        f" {percent(least['gain'])} ({least['cache']}) to {percent(most['gain'])} ({most['cache']}) of all requests."
    )
