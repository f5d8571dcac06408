"""A line with intervals as an SVG file: all that our figures need, so no plotting library is asked for.

>>> text = line_plot([Series(name="a", points=((0, 1, 0.5, 1.5), (10, 2, 1, 3)))], title="t", x="games", y="wins")
>>> text.startswith("<svg"), text.count("<circle")
(True, 2)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 40, 56
COLOURS = ("#1f5a96", "#c1440e", "#2e7d32", "#7b3fa0", "#8a6d00", "#555555", "#00838f", "#ad1457")
LEGEND = 130  # room on the right for the names of several series


@dataclass(frozen=True, kw_only=True)
class Series:
    name: str
    points: tuple[tuple[float, float, float, float], ...]  # x, y, and the interval of y


def line_plot(
    series: Sequence[Series], *, title: str, x: str, y: str, y_range: tuple[float, float] | None = None
) -> str:
    """The SVG text; a legend if there is more than one series."""
    xs = [point[0] for each in series for point in each.points]
    ys = [value for each in series for point in each.points for value in point[1:]]
    low_x, high_x = min(xs), max(xs)
    low_y, high_y = y_range or (min(ys), max(ys))
    right = RIGHT + (LEGEND if len(series) > 1 else 0)
    across, up = (high_x - low_x) or 1.0, (high_y - low_y) or 1.0

    def place(px: float, py: float) -> tuple[float, float]:
        return (
            LEFT + (px - low_x) / across * (WIDTH - LEFT - right),
            HEIGHT - BOTTOM - (py - low_y) / up * (HEIGHT - TOP - BOTTOM),
        )

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{WIDTH / 2}" y="22" text-anchor="middle" font-size="15">{escape(title)}</text>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle" font-size="13">{escape(x)}</text>',
        f'<text x="16" y="{HEIGHT / 2}" text-anchor="middle" font-size="13"'
        f' transform="rotate(-90 16 {HEIGHT / 2})">{escape(y)}</text>',
    ]
    for value in ticks(low_y, high_y):
        _, at = place(low_x, value)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - right}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end" font-size="12">{value:g}</text>')
    for value in ticks(low_x, high_x):
        at, _ = place(value, low_y)
        parts.append(f'<path d="M{at:.1f} {HEIGHT - BOTTOM}v5" stroke="#888"/>')
        label = f"{value / 1000:g}K" if high_x >= 2000 and value else f"{value:g}"
        parts.append(
            f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 19}" text-anchor="middle" font-size="12">{label}</text>'
        )
    for number, each in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        for px, py, low, high in each.points:
            at, top = place(px, high)
            _, bottom = place(px, low)
            _, middle = place(px, py)
            parts.append(f'<path d="M{at:.1f} {top:.1f}V{bottom:.1f}" stroke="{colour}" opacity="0.45"/>')
            parts.append(f'<circle cx="{at:.1f}" cy="{middle:.1f}" r="3" fill="{colour}"/>')
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in (place(point[0], point[1]) for point in each.points))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        if len(series) > 1:
            height = TOP + 8 + 17 * number
            parts.append(f'<path d="M{WIDTH - right + 12} {height}h18" stroke="{colour}" stroke-width="3"/>')
            parts.append(f'<text x="{WIDTH - right + 36}" y="{height + 4}" font-size="12">{escape(each.name)}</text>')
    parts.append(f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - right}" fill="none" stroke="#444"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between two, about five of them.

    >>> ticks(0, 100), ticks(0, 43)
    ([0, 20, 40, 60, 80, 100], [0, 10, 20, 30, 40])
    """
    if high <= low:
        return [low]
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]
