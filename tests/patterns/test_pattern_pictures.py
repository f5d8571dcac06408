"""Pictures of patterns: the very text, the edges of the board, and orbits as the symmetries make them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from eightfold.patterns.codes import encode_digits, orbit
from eightfold.patterns.combine import orbit_sizes
from eightfold.patterns.library import Table
from eightfold.patterns.pictures import orbit_pictures, picture_of, svg_picture, text_picture
from eightfold.patterns.templates import CLASSES, TEMPLATES, reference, templates_of
from refusals import refusal

DRAWN = {
    "3x3-centre": ("─┼─┼─┼─\n─●─◆─┼─\n─○─┼─○─", [2, 0, 2, 1, 0, 0, 0, 0]),
    "3x3-edge": ("─┼─┼─●─\n─○─┼─┼─\n─●─◆─┴─", [1, 0, 2, 0, 0, 0, 0, 1]),
    "3x3-corner": (" ├─┼─○─\n ├─●─┼─\n ◆─┴─┴─", [0, 0, 0, 1, 0, 0, 0, 2]),
    "4x4-centre-a": ("─┼─┼─┼─●─\n─┼─┼─┼─┼─\n─┼─◆─┼─┼─\n─○─┼─┼─┼─", [2] + [0] * 13 + [1]),
    # The same digits as of centre a, turned a quarter to the right: the anchor moves to another inner point.
    "4x4-centre-b": ("─○─┼─┼─┼─\n─┼─◆─┼─┼─\n─┼─┼─┼─┼─\n─┼─┼─┼─●─", [2] + [0] * 13 + [1]),
    "4x4-edge-b": ("─┼─┼─┼─┼─\n─┼─┼─┼─┼─\n─┼─┼─┼─┼─\n─●─○─◆─┴─", [1, 2] + [0] * 13),
    "4x4-corner": (" ●─┼─┼─┼─\n ├─┼─┼─┼─\n ├─┼─┼─┼─\n ◆─○─┴─┴─", [2] + [0] * 10 + [1, 0, 0, 0]),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_the_text_of_a_picture(name):
    text, digits = DRAWN[name]
    lines = text_picture(picture_of(TEMPLATES[name], encode_digits(digits)))
    assert "\n".join(lines) == text
    assert {len(line) for line in lines} == {2 * TEMPLATES[name].side + 1}


def test_a_template_at_the_edge_is_drawn_as_it_lies_on_the_board():
    drawn = {rotation: picture_of(TEMPLATES["3x3-edge"], 1, rotation) for rotation in (0, 1, 2, 3)}
    assert [drawn[rotation].edges for rotation in drawn] == [("bottom",), ("left",), ("top",), ("right",)]
    assert text_picture(drawn[1]) == [" ●─┼─┼─", " ◆─┼─┼─", " ├─┼─┼─"]
    assert text_picture(drawn[3]) == ["─┼─┼─┤ ", "─┼─┼─◆ ", "─┼─┼─● "]
    assert picture_of(TEMPLATES["4x4-corner"], 0).edges == ("bottom", "left")
    assert picture_of(TEMPLATES["4x4-centre-c"], 0).edges == ()
    assert drawn[0].rows == ["...", "...", "x?."]


def test_an_orbit_is_drawn_once_each_and_is_as_large_as_it_is_counted():
    rng = np.random.default_rng(1)
    for pattern_class in CLASSES:
        template = reference(pattern_class)
        codes = [0, *rng.integers(0, template.codes, 12).tolist()]
        table = Table(codes=np.array(codes), matches=np.ones(13, int), plays=np.ones(13, int))
        for code, size in zip(codes, orbit_sizes(pattern_class, table).tolist(), strict=True):
            pictures = orbit_pictures(picture_of(template, code))
            assert len(pictures) == len(set(pictures))
            assert pictures[0] == picture_of(template, code)
            # `orbit_sizes` counts codes of one block; there are as many blocks as images of the template.
            blocks = len(orbit_pictures(picture_of(template, 0)))
            assert len(pictures) == size * blocks, (pattern_class, code)


def test_every_member_of_an_orbit_has_the_same_pictures():
    for name, pattern_class in (("3x3-centre", "3x3-centre"), ("4x4-edge-b", "4x4-edge")):
        template = TEMPLATES[name]
        code = encode_digits(np.random.default_rng(2).integers(0, 3, template.digits).tolist())
        drawn = set(orbit_pictures(picture_of(template, code)))
        for equivalent in orbit(name, code):  # codes of the class's reference
            assert set(orbit_pictures(picture_of(templates_of(pattern_class)[0], equivalent))) == drawn


def test_an_svg_is_well_formed_and_has_every_stone():
    picture = picture_of(TEMPLATES["3x3-corner"], encode_digits([1, 2, 2, 0, 0, 0, 0, 1]))
    text = svg_picture(picture, width=100, label="pattern 1")
    root = ET.fromstring(text)
    kinds = [circle.get("class") for circle in root.iter("circle")]
    assert sorted(kinds) == ["opponent", "opponent", "own", "own"]
    assert [path.get("class") for path in root.iter("path")] == [None, "rim", "anchor"]
    assert re.search(r"#|rgb", text) is None, "colours are the page's"
    centre = ET.fromstring(svg_picture(picture_of(TEMPLATES["3x3-centre"], 0), width=9, label=""))
    assert [path.get("class") for path in centre.iter("path")] == [None, "anchor"]


def test_a_code_that_no_pattern_has_is_refused():
    assert refusal(lambda: picture_of(TEMPLATES["3x3-centre"], 6561)) == (
        "6561 is no code of 3x3-centre: they go from 0 to 6560"
    )
    assert "-1 is no code" in refusal(lambda: picture_of(TEMPLATES["4x4-corner"], -1))
