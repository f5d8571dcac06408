"""Plots as SVG by matplotlib: lines with confidence bands, and bars with intervals. Equal data give equal bytes.

>>> rows = [{"mode": "slap", "games": games, "score": games / 100, "low": 0, "high": 1} for games in (0, 50)]
>>> svg = line_plot(series_of(rows, by="mode", x="games", y="score"), title="Score", x="games", y="score")
>>> svg == line_plot(series_of(rows, by="mode", x="games", y="score"), title="Score", x="games", y="score")
True
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from eightfold.core.extras import need
from eightfold.core.plot_style import COLOURS, STYLE

FEW_POINTS = 6  # that an axis can mark one by one: nobody looked 1.5 plies ahead
PANEL_TITLE = 26  # letters that fit over a small plot


@dataclass(frozen=True, kw_only=True)
class Series:
    """Points of a line, or bars of one colour; an interval around each where `low` and `high` say so."""

    name: str
    x: Sequence[Any]  # for bars their labels
    y: Sequence[float]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    group: str = ""  # lines of one group share a colour; "": a colour of its own
    dashed: bool = False

    @property
    def has_interval(self) -> bool:
        return bool(self.low) and None not in self.low and None not in self.high


def series_of(rows: Iterable[Mapping[str, Any]], *, by: str, x: str, y: str) -> list[Series]:
    """A series for each value of the column `by`; the columns `low` and `high` are the interval."""
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[by], []).append(row)
    return [
        Series(
            name=str(group),
            x=[row[x] for row in of],
            y=[row[y] for row in of],
            low=[row.get("low") for row in of],
            high=[row.get("high") for row in of],
        )
        for group, of in groups.items()
    ]


def require_matplotlib() -> None:
    """An error now rather than after hours of measuring."""
    need("matplotlib", purpose="a study")


def line_plot(
    series: Sequence[Series],
    *,
    title: str,
    x: str,
    y: str,
    percent: bool = False,
    y_range: tuple[float, float] | None = None,
    log_x: bool = False,
    log_y: bool = False,
) -> bytes:
    """Lines with bands; with `percent` the values are shares, with `log_x` equal factors of x are equally far apart.

    `log_y` does the same to the values.
    """
    drawn = io.BytesIO()
    with _axes(drawn, title=title, x=x, y=y, percent=percent, y_range=y_range) as axes:
        groups = dict.fromkeys(each.group or each.name for each in series)
        colours = dict(zip(groups, _colours(), strict=False))
        for each in series:
            colour = colours[each.group or each.name]
            style = {"color": colour, "linestyle": "--" if each.dashed else "-", "linewidth": 1.5}
            axes.plot(each.x, each.y, label=each.name, marker="o", markersize=3, **style)
            if each.has_interval:
                axes.fill_between(each.x, each.low, each.high, color=colour, alpha=0.15, linewidth=0)
        points = sorted({at for each in series for at in each.x})
        if log_x:
            axes.set_xscale("log")
            axes.minorticks_off()
        if log_x or len(points) <= FEW_POINTS:
            axes.set_xticks(points, minor=False)
        axes.xaxis.set_major_formatter("{x:,.6g}")
        if log_y:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:,.6g}")
        _legend(axes, series)
    return drawn.getvalue()


def panel_plot(
    panels: Mapping[str, Sequence[Series]], *, title: str, x: str, y: str, percent: bool = False, columns: int = 3
) -> bytes:
    """A small plot for each name, all with the same axes, for more lines than one plot can show.

    The first series of a panel is drawn in grey: what the others are seen against.
    """
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    drawn, columns = io.BytesIO(), min(columns, len(panels))
    rows = -(-len(panels) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.6, 0.7 + 1.8 * rows), layout="constrained")
        places = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
        for axes, (name, series) in zip(places, panels.items(), strict=False):
            axes.set_title(panel_title(name), fontsize=8)
            axes.tick_params(labelsize=7)
            axes.xaxis.set_major_formatter("{x:,.6g}")
            if percent:
                axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
            for each, colour in zip(series, ("#777777", *COLOURS), strict=False):
                style = "--" if each.dashed else "-"
                axes.plot(each.x, each.y, color=colour, linestyle=style, linewidth=1.2)
                if each.has_interval:
                    axes.fill_between(each.x, each.low, each.high, color=colour, alpha=0.18, linewidth=0)
        for axes in places[len(panels) :]:
            axes.set_visible(False)
        figure.suptitle(title, fontsize=10)
        figure.supxlabel(x, fontsize=9)
        figure.supylabel(y, fontsize=9)
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": "eightfold"})
    return drawn.getvalue()


def panel_title(name: str) -> str:
    """A name over a small plot: a long one in lines that do not run into the next plot's.

    >>> panel_title("slap"), panel_title("none@slap-net:inner=[resnet:blocks=3,filters=32]")
    ('slap', 'none@slap-net:\\ninner=[resnet:blocks=3,\\nfilters=32]')
    """
    lines = [""]
    for piece in re.findall(r"[^:,@]+[:,@]?", name):
        if lines[-1] and len(lines[-1]) + len(piece) > PANEL_TITLE:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def bar_plot(
    series: Sequence[Series], *, title: str, y: str, percent: bool = False, y_range: tuple[float, float] | None = None
) -> bytes:
    """Lying bars, those of several series side by side; all series have the labels of the first."""
    drawn = io.BytesIO()
    labels = [str(label) for label in series[0].x]
    with _axes(drawn, title=title, x=y, y="", percent=percent, x_range=y_range, bars=len(labels)) as axes:
        thick = 0.8 / len(series)
        for number, (each, colour) in enumerate(zip(series, _colours(), strict=False)):
            places = [place + (number - (len(series) - 1) / 2) * thick for place in range(len(labels))]
            axes.barh(places, each.y, height=0.9 * thick, color=colour, label=each.name)
            if each.has_interval:
                reach = np.abs(np.array([each.low, each.high], np.float64) - np.array(each.y))  # [2, bars]
                axes.errorbar(each.y, places, xerr=reach, fmt="none", ecolor="#444444", capsize=3, linewidth=1)
        axes.set_yticks(range(len(labels)), labels)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        _legend(axes, series)
    return drawn.getvalue()


@contextmanager
def _axes(
    drawn: io.BytesIO,
    *,
    title: str,
    x: str,
    y: str,
    percent: bool,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    bars: int = 0,
) -> Iterator[Any]:
    """Axes to draw on; the SVG is in `drawn` at the end."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.6, 4.2 if not bars else 1.4 + 0.4 * bars), layout="constrained")
        axes = figure.add_subplot()
        axes.set(title=title, xlabel=x, ylabel=y)
        if percent:
            (axes.xaxis if bars else axes.yaxis).set_major_formatter(PercentFormatter(1, decimals=0))
        yield axes
        axes.set(**{name: limits for name, limits in (("xlim", x_range), ("ylim", y_range)) if limits})
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": "eightfold"})


def _colours() -> Iterator[str]:
    while True:
        yield from COLOURS


def _legend(axes: Any, series: Sequence[Series]) -> None:
    if len(series) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
