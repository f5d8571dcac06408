"""The table of AlphaGomoku, written down a second time, and the laws of the group of eight."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.symmetry import (
    COUNT,
    NAMES,
    BoardSymmetry,
    compose,
    destinations,
    inverse,
    sources,
    subgroup_name,
    turn,
)
from refusals import refusal

ALL = range(8)
SIZES = range(1, 20)
PAIRS = list(itertools.product(ALL, repeat=2))

# The law, from AlphaGomoku's documentation and not from the code.
FORMULAS: tuple[Callable[[int, int, int], tuple[int, int]], ...] = (
    lambda r, c, n: (r, c),
    lambda r, c, n: (c, n - 1 - r),
    lambda r, c, n: (n - 1 - r, n - 1 - c),
    lambda r, c, n: (n - 1 - c, r),
    lambda r, c, n: (r, n - 1 - c),
    lambda r, c, n: (n - 1 - r, c),
    lambda r, c, n: (c, r),
    lambda r, c, n: (n - 1 - c, n - 1 - r),
)
ORDERS = (1, 4, 2, 4, 2, 2, 2, 2)
QUARTER, MIRROR = 1, 4


def generated_by(*generators: int) -> frozenset[int]:
    members = {0, *generators}
    while more := {compose(a, b) for a in members for b in members} - members:
        members |= more
    return frozenset(members)


# ---- the table --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_every_point_goes_where_the_document_says(size: int) -> None:
    table = destinations(size)
    assert table.shape == (8, size * size)
    for g, formula in enumerate(FORMULAS):
        for row, column in itertools.product(range(size), repeat=2):
            to_row, to_column = formula(row, column, size)
            assert turn(row, column, size, g) == (to_row, to_column)
            assert BoardSymmetry.transform_coordinates(row, column, size, g) == (to_row, to_column)
            assert table[g, row * size + column] == to_row * size + to_column


@given(st.data(), st.integers(20, 200), st.integers(0, 7))
def test_the_formulas_hold_on_boards_of_any_size(data: st.DataObject, size: int, g: int) -> None:
    row, column = data.draw(st.tuples(*[st.integers(0, size - 1)] * 2))
    assert turn(row, column, size, g) == FORMULAS[g](row, column, size)


@pytest.mark.parametrize(
    ("g", "expected"),
    list(enumerate([(1, 2), (2, 3), (3, 2), (2, 1), (1, 2), (3, 2), (2, 1), (2, 3)])),
)
def test_the_worked_examples_of_the_document(g: int, expected: tuple[int, int]) -> None:
    assert BoardSymmetry.transform_coordinates(1, 2, 5, g) == expected


def test_the_names_say_what_is_done() -> None:
    """Where the corner (0, 0) and its right-hand neighbour (0, 1) go on a board of nine points."""
    expected = {
        "identity": [(0, 0), (0, 1)],
        "rotate 90° clockwise": [(0, 2), (1, 2)],
        "rotate 180°": [(2, 2), (2, 1)],
        "rotate 270° clockwise": [(2, 0), (1, 0)],
        "mirror left and right": [(0, 2), (0, 1)],
        "mirror top and bottom": [(2, 0), (2, 1)],
        "mirror in the main diagonal": [(0, 0), (1, 0)],
        "mirror in the anti-diagonal": [(2, 2), (1, 2)],
    }
    assert len(NAMES) == COUNT == 8
    assert {name: [turn(0, 0, 3, g), turn(0, 1, 3, g)] for g, name in enumerate(NAMES)} == expected


def test_coordinates_come_back_as_plain_integers() -> None:
    point = BoardSymmetry.transform_coordinates(np.int64(1), np.int8(2), 5, np.uint8(1))
    assert point == (2, 3)
    assert [type(part) for part in point] == [int, int]


# ---- the group --------------------------------------------------------------------------------------


def test_composing_is_doing_one_after_the_other() -> None:
    """Closure comes with it: each pair of formulas makes one of the eight, and `compose` names that one."""
    size = 3
    points = list(itertools.product(range(size), repeat=2))
    number = {tuple(formula(*point, size) for point in points): g for g, formula in enumerate(FORMULAS)}
    assert len(number) == 8
    for then, first in PAIRS:
        both = tuple(FORMULAS[then](*FORMULAS[first](*point, size), size) for point in points)
        assert compose(then, first) == number[both]


def test_the_eight_are_a_group() -> None:
    for a, b, c in itertools.product(ALL, repeat=3):
        assert compose(a, compose(b, c)) == compose(compose(a, b), c)
    for a in ALL:
        assert compose(a, 0) == compose(0, a) == a
        assert compose(a, inverse(a)) == compose(inverse(a), a) == 0
        assert sorted(compose(a, b) for b in ALL) == sorted(compose(b, a) for b in ALL) == list(ALL)


def test_the_order_matters() -> None:
    assert compose(1, 4) == 7
    assert compose(4, 1) == 6
    centre = {a for a in ALL if all(compose(a, b) == compose(b, a) for b in ALL)}
    assert centre == {0, 2}


def test_each_element_has_the_order_it_has_in_the_dihedral_group() -> None:
    for g, order in enumerate(ORDERS):
        powers = list(itertools.accumulate([g] * 8, compose))
        assert powers.index(0) + 1 == order


def test_a_quarter_turn_and_a_mirror_make_the_dihedral_group() -> None:
    """The presentation of D4: r^4 = s^2 = 1, s r s = r^-1; each element is r^a or r^a s, each product known."""
    turns = [0, QUARTER, compose(QUARTER, QUARTER), compose(QUARTER, compose(QUARTER, QUARTER))]
    spelled = {(a, b): compose(turns[a], MIRROR if b else 0) for a in range(4) for b in range(2)}
    assert sorted(spelled.values()) == list(ALL)
    assert compose(MIRROR, MIRROR) == compose(QUARTER, turns[3]) == 0
    for (a, b), (c, d) in itertools.product(spelled, repeat=2):
        product = ((a + (-c if b else c)) % 4, b ^ d)
        assert compose(spelled[a, b], spelled[c, d]) == spelled[product]


def test_answers_of_the_group_are_plain_integers() -> None:
    assert type(compose(np.int32(1), np.uint8(1))) is int
    assert type(inverse(np.int64(1))) is int
    assert inverse(np.int64(1)) == 3


# ---- the tables -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_destinations_and_sources_undo_each_other(size: int) -> None:
    points = np.arange(size * size)
    to, back = destinations(size), sources(size)
    assert to.shape == back.shape == (8, size * size)
    for g in ALL:
        assert sorted(to[g]) == sorted(back[g]) == points.tolist()
        np.testing.assert_array_equal(back[g][to[g]], points)
        np.testing.assert_array_equal(to[g][back[g]], points)


@pytest.mark.parametrize("size", SIZES)
def test_the_tables_compose_as_the_group_does(size: int) -> None:
    to, back = destinations(size), sources(size)
    for then, first in PAIRS:
        both = compose(then, first)
        np.testing.assert_array_equal(to[then][to[first]], to[both])
        np.testing.assert_array_equal(back[first][back[then]], back[both])


def test_the_eight_differ_on_every_board_of_two_or_more() -> None:
    assert [len(np.unique(destinations(size), axis=0)) for size in range(1, 6)] == [1, 8, 8, 8, 8]


@pytest.mark.parametrize("table", [destinations, sources])
def test_nobody_can_spoil_the_shared_tables(table: Callable[[int], Any]) -> None:
    with pytest.raises(ValueError, match="read-only"):
        table(5)[0, 0] = 1


# ---- subgroups --------------------------------------------------------------------------------------


def test_there_are_ten_subgroups_and_each_has_its_own_name() -> None:
    subgroups = {generated_by(a, b) for a, b in PAIRS}
    names = {members: subgroup_name(members) for members in subgroups}
    assert len(subgroups) == len(set(names.values())) == 10
    assert names == {
        generated_by(): "none",
        generated_by(2): "half turn",
        generated_by(4): NAMES[4],
        generated_by(5): NAMES[5],
        generated_by(6): NAMES[6],
        generated_by(7): NAMES[7],
        generated_by(1): "quarter turns",
        generated_by(4, 5): "both straight mirrors",
        generated_by(6, 7): "both diagonal mirrors",
        generated_by(1, 4): "all eight",
    }


def test_every_other_set_of_symmetries_is_refused() -> None:
    subgroups = {generated_by(a, b) for a, b in PAIRS}
    refused = 0
    for count in range(9):
        for members in map(frozenset, itertools.combinations(ALL, count)):
            if members not in subgroups:
                assert str(sorted(members)) in refusal(lambda members=members: subgroup_name(members))
                refused += 1
    assert refused == 256 - 10


def test_a_number_that_is_no_symmetry_is_in_no_subgroup() -> None:
    assert "[0, 8]" in refusal(lambda: subgroup_name(frozenset({0, 8})))


# ---- refusals ---------------------------------------------------------------------------------------

NO_SYMMETRIES = [8, -1, 1.5, 1.0, "1", None, np.int64(8), np.float32(1), [1], 10**30]


@pytest.mark.parametrize("bad", NO_SYMMETRIES, ids=repr)
@pytest.mark.parametrize(
    "call",
    [
        inverse,
        lambda bad: compose(bad, 0),
        lambda bad: compose(0, bad),
        lambda bad: BoardSymmetry.transform_coordinates(0, 0, 5, bad),
    ],
    ids=["inverse", "compose then", "compose first", "coordinates"],
)
def test_what_is_no_symmetry_is_refused_by_name(call: Callable[[Any], Any], bad: Any) -> None:
    assert repr(bad) in refusal(lambda: call(bad))


def test_an_array_for_a_symmetry_is_refused_in_one_line() -> None:
    refusal(lambda: inverse(np.arange(100)))
    refusal(lambda: inverse(np.zeros((2, 2), int)))


@pytest.mark.parametrize("good", [np.int8(7), np.uint8(7), np.int32(7), np.int64(7), np.uint64(7), 7], ids=repr)
def test_integers_of_any_kind_are_symmetries(good: Any) -> None:
    assert inverse(good) == compose(good, 0) == compose(0, good) == 7


@pytest.mark.parametrize("bad", [0, -1, -3, 1.5, "3", None, np.int64(0)], ids=repr)
@pytest.mark.parametrize(
    "call",
    [destinations, sources, lambda bad: BoardSymmetry.transform_coordinates(0, 0, bad, 1)],
    ids=["destinations", "sources", "coordinates"],
)
def test_what_is_no_board_size_is_refused_by_name(call: Callable[[Any], Any], bad: Any) -> None:
    assert repr(bad) in refusal(lambda: call(bad))


@pytest.mark.parametrize("point", [(5, 0), (0, 5), (-1, 0), (0, -1), (1.5, 0), (0, "2"), (None, 0)], ids=repr)
def test_a_point_off_the_board_is_refused_by_name(point: tuple[Any, Any]) -> None:
    culprit = next(part for part in point if part != 0)
    assert str(culprit) in refusal(lambda: BoardSymmetry.transform_coordinates(*point, 5, 1))
