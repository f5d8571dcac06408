"""The first patterns of a library in every order, and the page that shows them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from eightfold.arena.ratings import wilson_interval
from eightfold.patterns.library import Library, Table
from eightfold.patterns.page import library_page
from eightfold.patterns.ranking import orders_of, show_pattern, tables_named, top_patterns
from patterns.libraries import combined_library, random_games_library
from refusals import refusal


def plain_order(library, names, order):
    """All patterns sorted as the definition says."""
    rows = []
    for name in names:
        table = library.tables[name]
        for k, code in enumerate(table.codes.tolist()):
            matches, plays = int(table.matches[k]), int(table.plays[k])
            key = {"matches": matches, "plays": plays, "posterior": wilson_interval(plays / matches, matches)[0]}
            key["elo"] = float(table.gammas[k]) if table.gammas is not None else 0.0
            if order != "elo" or key["elo"] > 0:
                rows.append((-key[order], -matches, name, code))
    return [(name, code) for _, _, name, code in sorted(rows)]


@pytest.mark.parametrize("order", ["posterior", "elo", "plays", "matches"])
def test_an_order_is_that_of_a_plain_sort(order):
    library = combined_library()
    for names in (["3x3-centre", "3x3-edge"], list(library.tables)):
        shown = top_patterns(library, tables=names, order=order, top=25)
        expected = plain_order(library, names, order)[:25]
        assert [(each.statistics.table, each.statistics.code) for each in shown] == expected


def test_what_was_seen_too_seldom_is_left_out():
    library = random_games_library()
    shown = top_patterns(library, tables=list(library.tables), order="posterior", top=1000, least_matches=20)
    assert shown
    assert min(each.statistics.matches for each in shown) >= 20
    assert top_patterns(library, tables=["3x3-centre"], least_matches=10**9) == []


def test_the_interval_is_wilsons():
    shown = show_pattern(combined_library(), "3x3-centre", 0)
    known = shown.statistics
    assert known.matches > known.plays > 0
    assert shown.interval == pytest.approx(wilson_interval(known.plays / known.matches, known.matches))
    assert show_pattern(combined_library(), "3x3-centre", 6560).interval == (0.0, 1.0), "it was never seen"


def test_tables_and_orders_are_named_or_refused():
    raw, combined = random_games_library(), combined_library()
    assert tables_named(combined, ["4x4-centre-b", "3x3-edge"]) == ("4x4-centre", "3x3-edge")
    assert tables_named(raw, ["4x4-edge"]) == ("4x4-edge-a", "4x4-edge-b")
    assert tables_named(raw, []) == tuple(raw.tables)
    assert "known: 3x3, 4x4" in refusal(lambda: tables_named(raw, ["5x5"]))
    small = random_games_library(sides=(3,))
    assert refusal(lambda: tables_named(small, ["4x4"])) == (
        "this library has no patterns of 4x4; it has 3x3-centre, 3x3-edge, 3x3-corner"
    )
    assert "no Elo ratings; order it by posterior, plays, matches" in refusal(
        lambda: top_patterns(raw, tables=["3x3-edge"], order="elo")
    )
    assert "unknown order" in refusal(lambda: top_patterns(raw, tables=["3x3-edge"], order="beauty"))
    assert orders_of(combined) == ("posterior", "elo", "plays", "matches")


class Tags(HTMLParser):
    """Every element of a page must be closed, and none may load anything."""

    def __init__(self):
        super().__init__()
        self.open, self.counts = [], {}

    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        assert not {"src", "onclick", "onload"} & dict(attributes).keys()
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_one_file_and_escapes_what_a_library_says():
    library = combined_library()
    strange = Library(
        game="<b>go</b>",
        combined=True,
        tables=library.tables,
        about={"games": 1234, "moves": "<script>", "sizes": {"9": 1}},
    )
    shown = {order: top_patterns(library, tables=["3x3-edge"], order=order, top=5) for order in orders_of(library)}
    text = library_page(strange, "a & b <i>", shown, first="plays", note="<u>")
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert "script" not in tags.counts
    assert "link" not in tags.counts
    assert "<b>go" not in text
    assert "a &amp; b &lt;i&gt;" in text
    assert "<u>" not in text
    assert "patterns, 1,234 games. Patterns" in text
    assert tags.counts["li"] == 4 * 5
    assert re.search(r'id="order-plays" checked', text)
    assert "http" not in text


def test_a_shape_that_looks_the_same_from_all_sides_says_so():
    table = Table(codes=np.array([0], np.uint32), matches=np.array([10]), plays=np.array([0]))
    library = Library(game="go", combined=True, tables={"3x3-centre": table})
    text = library_page(library, "x", {"matches": top_patterns(library, tables=["3x3-centre"])}, first="matches")
    assert "looks the same from all sides" in text
    assert "Elo" not in re.sub(r"<style>.*</style>", "", text, flags=re.DOTALL)
