"""Templates and codes: derived from the geometry, and the numbers of equivalence classes found in three ways."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.core.errors import EightfoldError
from eightfold.patterns.codes import (
    canonical,
    code_tables,
    count_by_burnside,
    count_by_enumeration,
    count_placed,
    digits_of,
    encode_digits,
    orbit,
    swapped,
)
from eightfold.patterns.templates import (
    CLASSES,
    TEMPLATES,
    place_of,
    placements,
    read_names,
    small_neighbourhoods,
    templates_of,
)
from eightfold.symmetry.group import destinations

COUNTS = {  # the true numbers of classes, which the paper does not give
    "3x3-centre": 954,
    "3x3-edge": 3402,
    "3x3-corner": 3402,
    "4x4-centre": 7_184_295,
    "4x4-edge": 14_348_907,
    "4x4-corner": 7_184_295,
}


@pytest.mark.parametrize("pattern_class", CLASSES)
def test_classes_are_counted_by_enumeration_and_by_burnside(pattern_class: str) -> None:
    assert count_by_enumeration(pattern_class) == COUNTS[pattern_class]
    assert count_by_burnside(pattern_class) == COUNTS[pattern_class]


def test_patterns_in_all_orientations() -> None:
    assert [count_placed(each) for each in CLASSES] == [
        3**8,
        4 * 3**8,
        4 * 3**8,
        4 * 3**15,
        8 * 3**15,
        4 * 3**15,
    ]


@pytest.mark.parametrize("pattern_class", ["3x3-centre", "3x3-edge", "3x3-corner"])
def test_small_classes_on_turned_boards(pattern_class: str) -> None:
    """Every pattern laid on a board and turned eight ways, without a table of the package: boards that can be turned
    into each other are one class, and they are exactly those that share a canonical code."""
    (template,) = templates_of(pattern_class)
    size, moves = 3, destinations(3)
    table = placements(template, size)
    anchor = int(np.flatnonzero(table[:, 0] >= 0)[0])
    canonical_of: dict[tuple[int, bytes], int] = {}
    tables = code_tables(template.name)
    for digits in itertools.product(range(3), repeat=template.digits):
        board = np.zeros(size * size, np.int8)
        board[table[anchor]] = digits
        code = canonical(tables, encode_digits(digits))
        seen = set()
        for g in range(8):
            turned = np.empty_like(board)
            turned[moves[g]] = board
            seen.add((int(moves[g][anchor]), turned.tobytes()))
        first = min(seen)
        assert canonical_of.setdefault(first, code) == code
    assert len(canonical_of) == len(set(canonical_of.values())) == COUNTS[pattern_class]


@pytest.mark.parametrize("name", TEMPLATES)
@given(st.data())
def test_a_turned_board_has_the_same_canonical_codes(name: str, data: st.DataObject) -> None:
    """Of a point and of the point that a symmetry takes it to: over all templates of the class, the same codes."""
    size, template = 7, TEMPLATES[name]
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    board = rng.integers(0, 3, size * size)
    point = int(rng.choice(np.flatnonzero(placements(template, size)[:, 0] >= 0)))
    g = data.draw(st.integers(0, 7))
    turned = np.empty_like(board)
    turned[destinations(size)[g]] = board

    def codes(stones: np.ndarray, at: int) -> list[int]:
        tables = [(each, placements(each, size)[at]) for each in templates_of(template.pattern_class)]
        return sorted(
            canonical(code_tables(each.name), encode_digits(stones[points].tolist()))
            for each, points in tables
            if points[0] >= 0
        )

    assert codes(board, point) == codes(turned, int(destinations(size)[g][point]))


@pytest.mark.parametrize("name", TEMPLATES)
@given(st.data())
def test_laws_of_codes(name: str, data: st.DataObject) -> None:
    template, tables = TEMPLATES[name], code_tables(name)
    code = data.draw(st.integers(0, template.codes - 1))
    digits = digits_of(np.array([code]), template.digits)[0]
    assert encode_digits(digits.tolist()) == code
    assert encode_digits([(0, 2, 1)[digit] for digit in digits]) == swapped(tables, code)
    assert swapped(tables, swapped(tables, code)) == code
    reached = orbit(name, code)
    assert canonical(tables, code) == min(reached)
    first = templates_of(template.pattern_class)[0].name
    assert {canonical(code_tables(first), each) for each in reached} == {min(reached)}
    assert sum(digits_of(np.array([min(reached)]), template.digits)[0]) == sum(digits)


@pytest.mark.parametrize("size", [4, 5, 9, 19])
def test_every_point_matches_what_fits(size: int) -> None:
    found = {name: placements(template, size)[:, 0] >= 0 for name, template in TEMPLATES.items()}
    places = np.array([place_of(row, column, size) for row in range(size) for column in range(size)])
    assert found["3x3-centre"].sum() == (size - 2) ** 2
    assert (found["3x3-corner"] == (places == 2)).all()
    assert (found["4x4-corner"] == (places == 2)).all()
    assert (found["3x3-edge"] == (places == 1)).all()
    centre = np.array([found[f"4x4-centre-{letter}"] for letter in "abcd"])
    assert (centre.any(0) == (places == 0)).all()
    assert centre.sum() == 4 * (size - 3) ** 2
    edge = np.array([found["4x4-edge-a"], found["4x4-edge-b"]])
    assert (edge.any(0) == (places == 1)).all()
    assert edge.sum() == 8 * (size - 3)


def test_small_neighbourhoods_are_the_placements() -> None:
    kinds, points = small_neighbourhoods(9)
    assert kinds.tolist()[:10] == [2, 1, 1, 1, 1, 1, 1, 1, 2, 1]
    assert points[10].tolist() == [18, 19, 20, 9, 11, 0, 1, 2]  # row by row from the bottom
    bottom_edge = 8 * 9 + 4
    assert points[bottom_edge].tolist() == [75, 77, 66, 67, 68, 57, 58, 59]
    top_edge = 4
    assert points[top_edge].tolist() == [5, 3, 14, 13, 12, 23, 22, 21]  # the same, turned half round


def test_templates_by_name() -> None:
    assert [each.name for each in read_names(["4x4-edge", "3x3-corner"])] == ["4x4-edge-a", "4x4-edge-b", "3x3-corner"]
    assert len(read_names(["3x3", "4x4"])) == 10
    with pytest.raises(EightfoldError, match="5x5"):
        read_names(["5x5"])
    with pytest.raises(EightfoldError, match="digits"):
        encode_digits([0, 3])
