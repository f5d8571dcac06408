"""The report of the study `efficiency`, from its results and nothing else."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from eightfold.studies.plots import Series, bar_plot
from eightfold.studies.report import Report
from eightfold.studies.tables import percent


def runs(report: Report, found: dict[str, Any]) -> None:
    report.heading("The runs")
    changes = f" with `{found['changes']}`" if found["changes"] else ""
    seeds = len({row["seed"] for row in found["rows"]})
    clock = "processor seconds" if found["device"] == "cpu" else "seconds of training on the GPU"
    report.text(
        f"The preset `{found['preset']}`{changes} on `{found['game']}`. Every arm differs from it in one idea: it has"
        f" what the preset lacks, or lacks what it has. Every run costs {found['cost']} {clock}, {seeds} seeds each;"
        " all arms of a seed are trained before the next seed."
    )
    if found["left_out"]:
        report.text(f"Not asked about, because the preset is so already or cannot be: {', '.join(found['left_out'])}.")
    kinds = {idea["name"]: idea for idea in found["ideas"]}
    lines = []
    for arm in dict.fromkeys(row["arm"] for row in found["rows"]):
        here = [row for row in found["rows"] if row["arm"] == arm]
        idea = kinds.get(arm)
        what = "the preset's own" if idea is None else f"{'without' if idea['is_there'] else 'with'} {idea['about']}"
        numbers = [f"{fmean(row[key] for row in here):,.0f}" for key in ("seconds", "games", "samples", "steps")]
        lines.append((arm, what, *numbers, f"{sum(bool(row['warnings']) for row in here)} of {len(here)}"))
    report.table(("arm", "what", "seconds", "games", "samples", "steps", "warned"), lines)
    report.csv("runs", found["rows"])


def matches(report: Report, found: list[dict[str, Any]]) -> None:
    report.heading("The matches")
    games = sum(row["games"] for row in found)
    report.text(
        f"Networks of equal seeds against each other, {games:,} games in all; each pair plays both colours from the"
        " same random moves, and a draw is half a win."
    )
    report.csv("matches", found)


def worth(report: Report, found: list[dict[str, Any]]) -> None:
    report.heading("What each idea is worth")
    report.text(
        "Elo of the run with the idea over the run without: for each seed a rating of all its networks (Bradley-Terry),"
        " then the mean over seeds with its 95 % interval by Student's t. The more ideas are asked about, the sooner"
        " the interval of one of them leaves 0 out by chance; so an idea helps, or does not, only where that is no luck"
        " among so many (5 % after Holm's correction, the column *luck*). Otherwise it wants a run of its own, on other"
        " seeds. Of one seed nothing can be told. The score is the direct one, the run with the idea against the run"
        " without."
    )
    report.table(
        ("idea", "in the preset", "Elo", "95 % interval", "seeds", "score", "luck", "verdict"),
        [
            (
                row["idea"],
                "yes" if row["is_there"] else "no",
                f"{row['elo']:+.0f}",
                "" if row["low"] is None else f"{row['low']:+.0f} to {row['high']:+.0f}",
                ", ".join(f"{each:+.0f}" for each in row["each"]),
                percent(row["score"]),
                f"{row['chance']:.3f}",
                row["verdict"],
            )
            for row in found
        ],
    )
    whole = all(row["low"] is not None for row in found)
    bars = Series(
        name="Elo",
        x=[row["idea"] for row in found],
        y=[row["elo"] for row in found],
        low=[row["low"] for row in found] if whole else [],
        high=[row["high"] for row in found] if whole else [],
    )
    report.plot("worth", bar_plot([bars], title="What each idea is worth", y="Elo"), "Elo by idea, with 95 % intervals")
