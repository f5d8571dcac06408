"""Plots are whole SVG files, the same for the same numbers, and show names as they are."""

from __future__ import annotations

from xml.etree import ElementTree

from eightfold.core.plot_style import COLOURS
from eightfold.studies.plots import Series, bar_plot, line_plot, panel_plot


def words(svg: bytes) -> list[str]:
    return [text for text in ElementTree.fromstring(svg).itertext() if text.strip()]


def test_lines_have_bands_where_all_intervals_are_known():
    band = Series(name="a <b>", x=[0, 4000], y=[0.1, 0.6], low=[0.0, 0.5], high=[0.2, 0.7])
    bare = Series(name="c & d", x=[0, 4000], y=[0.3, 0.2], low=[None, 0.1], high=[None, 0.3])
    svg = line_plot([band, bare], title="t", x="games", y="wins", percent=True)
    assert svg == line_plot([band, bare], title="t", x="games", y="wins", percent=True)
    assert {"a <b>", "c & d", "t", "games", "wins", "4,000", "60%"} <= set(words(svg))
    assert svg.count(b"FillBetweenPolyCollection") == 1


def test_bars_of_several_series_stand_side_by_side():
    labels = ["random", "mcts"]
    series = [Series(name=str(seed), x=labels, y=[1.0, 0.5], low=[0.9, 0.2], high=[1.0, 0.8]) for seed in range(2)]
    svg = bar_plot(series, title="t", y="score", percent=True, y_range=(0, 1))
    assert {"random", "mcts", "0", "1", "100%"} <= set(words(svg))
    for colour in COLOURS[:2]:
        assert svg.count(f"fill: {colour}".encode()) >= 2


def test_a_logarithmic_axis_has_a_mark_at_every_point():
    line = Series(name="a", x=[100, 500, 2000], y=[3.0, 2.0, 1.0])
    assert {"100", "500", "2,000"} <= set(words(line_plot([line], title="t", x="games", y="loss", log_x=True)))


def test_few_points_are_marked_and_nothing_between_them():
    line = Series(name="a", x=[1, 2, 4], y=[3.0, 2.0, 1.0])
    marks = set(words(line_plot([line], title="t", x="plies", y="score", y_range=(5, 9))))
    assert {"1", "2", "4"} <= marks
    assert not {"1.5", "2.5", "3"} & marks


def test_lines_of_one_group_share_a_colour():
    pair = [Series(name=name, x=[0, 1], y=[0, 1], group="a", dashed=name == "raw") for name in ("raw", "combined")]
    svg = line_plot([*pair, Series(name="b", x=[0, 1], y=[1, 0])], title="t", x="x", y="y").decode()
    assert COLOURS[0] in svg
    assert COLOURS[1] in svg
    assert COLOURS[2] not in svg
    assert "stroke-dasharray" in svg


def test_panels_share_their_axes_and_equal_data_give_equal_bytes():
    grey = Series(name="augment", x=[0, 10], y=[3.0, 2.0], low=[2.9, 1.9], high=[3.1, 2.1])
    panels = {name: [grey, Series(name=name, x=[0, 10], y=[3.0, 1.0 + n])] for n, name in enumerate("abcd")}
    drawn = panel_plot(panels, title="Exam", x="games", y="loss")
    assert drawn == panel_plot(panels, title="Exam", x="games", y="loss")
    assert {*"abcd", "Exam", "games", "loss"} <= set(words(drawn))
    assert drawn.count(b"#777777") >= 4
