"""Orbit keys, carried along through whole games, against canonical forms found the slow way."""

from __future__ import annotations

import functools
import operator
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eightfold.benchmarks.reference import symmetry as oracle
from eightfold.games import BLACK, WHITE, Position, make_game
from eightfold.games.state import HASHES
from eightfold.symmetry import compose, destinations, inverse, orbit, orbit_key, slap, stabiliser, subgroup_name
from eightfold.symmetry.orbit import LARGEST_BOARD, MARKS, OTHER_SIDE, ZOBRIST, toggle, toggle_side
from refusals import refusal

ALL = range(8)
SUBGROUPS = [{0}, {0, 2}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 1, 2, 3}, {0, 2, 4, 5}, {0, 2, 6, 7}, set(ALL)]


def random_game(text: str, seed: int, plies: int = 10_000) -> list[Position]:
    """The positions of one random game, the start among them."""
    rng = np.random.default_rng(seed)
    line = [make_game(text).start()]
    while not line[-1].is_over and len(line) <= plies:
        line.append(line[-1].play(int(rng.choice(line[-1].legal_moves))))
    return line


def hashes_of(position: Position) -> NDArray[np.int64]:
    return position.state[HASHES : HASHES + 8]


def from_scratch(position: Position, rng: np.random.Generator) -> NDArray[np.int64]:
    """The eight hashes of the stones and the side alone, put down in any order."""
    size = position.game.size
    hashes = np.zeros(8, np.int64)
    if position.to_move == WHITE:
        toggle_side(hashes)
    for row, column in rng.permutation(np.argwhere(position.stones)):
        toggle(hashes, int(position.stones[row, column]) - BLACK, row, column, size)
    return hashes


def canonical_form(position: Position) -> tuple[int, bytes]:
    planes = np.stack([position.stones == BLACK, position.stones == WHITE])
    return position.to_move, slap(planes)[0].tobytes()


def make_board(seed: int, planes: int, size: int, subgroup: set[int], values: int) -> NDArray[np.int64]:
    """Planes [C, N, N], or a board [N, N] for no planes, that at least the symmetries of `subgroup` leave alone."""
    shape = (planes, size, size) if planes else (size, size)
    board = np.random.default_rng(seed).integers(0, values, shape)
    return np.maximum.reduce([oracle.turn_planes(board, g) for g in subgroup])


boards = st.builds(
    make_board,
    seed=st.integers(0, 2**32),
    planes=st.integers(0, 3),
    size=st.integers(1, 9),
    subgroup=st.sampled_from(SUBGROUPS),
    values=st.sampled_from([1, 2, 3, 1000]),
)


# ---- keys in games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [3, 4, 5, 8, 15, LARGEST_BOARD])
def test_a_turned_game_has_the_same_keys_all_along(size: int) -> None:
    game = f"gomoku:size={size}"
    line = random_game(game, seed=size, plies=40)
    for g in ALL:
        turned = make_game(game).start()
        assert turned.orbit_key == line[0].orbit_key
        for position in line[1:]:
            turned = turned.play(int(destinations(size)[g, position.moves[-1]]))
            assert turned.orbit_key == position.orbit_key
            np.testing.assert_array_equal(turned.stones, oracle.turn_planes(position.stones, g))


@pytest.mark.parametrize("size", [3, 6, 9])
def test_turning_a_position_permutes_its_eight_hashes(size: int) -> None:
    """Hash h of the position after g is the hash of the position after g and then h."""
    game = make_game(f"gomoku:size={size}")
    for seed in range(5):
        position = random_game(game.text, seed)[-1]
        for g in ALL:
            turned = game.after([int(move) for move in destinations(size)[g][list(position.moves)]])
            expected = [hashes_of(position)[compose(h, g)] for h in ALL]
            assert hashes_of(turned).tolist() == expected


@pytest.mark.parametrize("text", ["gomoku:size=3", "gomoku:size=8", "gomoku:size=15", "gomoku:size=25"])
def test_the_hashes_hang_on_the_stones_and_the_side_and_not_on_the_way_there(text: str) -> None:
    rng = np.random.default_rng(1)
    for seed in range(3):
        for position in random_game(text, seed, plies=60):
            assert hashes_of(position).tolist() == from_scratch(position, rng).tolist()


def test_moves_in_another_order_lead_to_the_same_hashes() -> None:
    game = make_game("gomoku:size=9")
    rng = np.random.default_rng(2)
    for seed in range(20):
        position = random_game(game.text, seed, plies=8)[-1]
        black, white = (rng.permutation(position.moves[first::2]) for first in (0, 1))
        again = [0] * len(position.moves)
        again[0::2], again[1::2] = black.tolist(), white.tolist()
        assert hashes_of(game.after(again)).tolist() == hashes_of(position).tolist()


def test_each_hash_is_the_sum_of_its_stones_on_the_turned_board() -> None:
    """The definition, without `toggle`: exclusive or over one number for each stone, and one for white to move."""
    for position in random_game("gomoku:size=7", seed=3):
        for g in ALL:
            turned = oracle.turn_planes(position.stones, g)
            words = [ZOBRIST[turned[r, c] - BLACK, r * LARGEST_BOARD + c] for r, c in np.argwhere(turned)]
            side = OTHER_SIDE if position.to_move == WHITE else np.int64(0)
            assert hashes_of(position)[g] == functools.reduce(operator.xor, words, side)


@pytest.mark.parametrize(("text", "games"), [("gomoku:size=5", 200), ("gomoku:size=3", 150), ("gomoku:size=6", 50)])
def test_keys_are_equal_exactly_where_canonical_forms_are(text: str, games: int) -> None:
    forms, keys, positions = defaultdict(set), defaultdict(set), 0
    for seed in range(games):
        for position in random_game(text, seed):
            form, key = canonical_form(position), position.orbit_key
            forms[key].add(form)
            keys[form].add(key)
            positions += 1
    assert all(len(same) == 1 for same in forms.values()), "one key, two orbits"
    assert all(len(same) == 1 for same in keys.values()), "one orbit, two keys"
    assert 100 < len(keys) < positions  # many orbits, and some of them met more than once


def test_the_first_moves_of_a_game_have_as_many_keys_as_orbits() -> None:
    for size, orbits in ((3, 3), (4, 3), (5, 6), (15, 36), (19, 55)):
        start = make_game(f"gomoku:size={size}").start()
        assert len({start.play(move).orbit_key for move in range(size * size)}) == orbits


# ---- the steps --------------------------------------------------------------------------------------


@given(st.integers(1, LARGEST_BOARD), st.data())
@settings(max_examples=100)
def test_a_mark_taken_away_leaves_no_trace(size: int, data: st.DataObject) -> None:
    points = data.draw(st.lists(st.tuples(*[st.integers(0, size - 1)] * 2), min_size=1, max_size=6, unique=True))
    marks = [data.draw(st.integers(0, MARKS - 1)) for _ in points]
    hashes = np.zeros(8, np.int64)
    for mark, (row, column) in zip(marks, points, strict=True):
        before = hashes.copy()
        toggle(hashes, mark, row, column, size)
        assert (hashes != before).all()
    for mark, (row, column) in zip(marks, points, strict=True):
        toggle(hashes, mark, row, column, size)
    assert not hashes.any()


def test_the_side_to_move_is_part_of_the_key() -> None:
    hashes = hashes_of(random_game("gomoku:size=5", seed=4, plies=6)[-1]).copy()
    before = hashes.copy()
    toggle_side(hashes)
    assert (hashes != before).all()
    assert orbit_key(hashes) != orbit_key(before)
    toggle_side(hashes)
    assert hashes.tolist() == before.tolist()


def test_the_colour_and_kind_of_a_mark_are_part_of_the_key() -> None:
    keys = []
    for mark in range(MARKS):
        hashes = np.zeros(8, np.int64)
        toggle(hashes, mark, 1, 2, 5)
        keys.append(orbit_key(hashes))
    assert len(set(keys)) == MARKS


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=8, max_size=8))
def test_the_key_is_the_least_of_the_eight(hashes: list[int]) -> None:
    assert orbit_key(np.array(hashes, np.int64)) == min(hashes)


def test_the_random_numbers_of_the_hashes_all_differ() -> None:
    assert ZOBRIST.shape == (MARKS, LARGEST_BOARD**2)
    assert np.unique(np.append(ZOBRIST.ravel(), [0, OTHER_SIDE])).size == ZOBRIST.size + 2


# ---- orbits and stabilisers -------------------------------------------------------------------------


@given(boards)
@settings(max_examples=200)
def test_orbit_and_stabiliser_by_brute_force(x: NDArray[np.int64]) -> None:
    variants = [oracle.turn_planes(x, g) for g in ALL]
    same = {g for g in ALL if np.array_equal(variants[g], x)}
    first = [g for g in ALL if not any(np.array_equal(variants[g], variants[h]) for h in range(g))]
    found = orbit(x)
    assert stabiliser(x) == same
    assert len(found) == len(first)
    for variant, g in zip(found, first, strict=True):
        np.testing.assert_array_equal(variant, variants[g])
        assert variant.dtype == x.dtype
    assert len(found) * len(stabiliser(x)) == 8


@pytest.mark.parametrize("subgroup", SUBGROUPS, ids=str)
@pytest.mark.parametrize("size", [4, 5])
def test_each_subgroup_is_the_stabiliser_of_some_board(subgroup: set[int], size: int) -> None:
    x = make_board(1, 0, size, subgroup, 1_000_000)
    assert stabiliser(x) == subgroup
    assert len(orbit(x)) == 8 // len(subgroup)


@given(boards, st.integers(0, 7))
def test_the_stabiliser_of_a_turned_board_is_the_conjugate(x: NDArray[np.int64], g: int) -> None:
    turned = stabiliser(oracle.turn_planes(x, g))
    assert turned == {compose(g, compose(h, inverse(g))) for h in stabiliser(x)}
    assert subgroup_name(turned)  # it is a subgroup, or this would raise


@given(boards)
def test_each_variant_of_an_orbit_has_the_same_orbit(x: NDArray[np.int64]) -> None:
    variants = {variant.tobytes() for variant in orbit(x)}
    for variant in orbit(x):
        assert {other.tobytes() for other in orbit(variant)} == variants


def test_boards_that_everybody_knows() -> None:
    empty, centre, corner, edge = (np.zeros((5, 5), int) for _ in range(4))
    centre[2, 2] = corner[0, 0] = edge[0, 2] = 1
    assert [len(orbit(x)) for x in (empty, centre, corner, edge)] == [1, 1, 4, 4]
    assert [subgroup_name(stabiliser(x)) for x in (empty, centre, corner, edge)] == [
        "all eight",
        "all eight",
        "mirror in the main diagonal",
        "mirror left and right",
    ]


def test_every_plane_counts() -> None:
    """Each plane is a mirror image of itself, but not in the same mirror."""
    x = np.zeros((2, 3, 3))
    x[0, 0, 0] = x[1, 0, 1] = 1
    assert [sorted(stabiliser(plane)) for plane in x] == [[0, 6], [0, 4]]
    assert stabiliser(x) == {0}
    assert len(orbit(x)) == 8


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.float32])
def test_boards_of_any_type_have_orbits(dtype: Any) -> None:
    x = np.eye(4).astype(dtype)
    assert stabiliser(x) == {0, 2, 6, 7}
    assert [variant.dtype for variant in orbit(x)] == [x.dtype] * 2


@pytest.mark.parametrize("shape", [(), (4,), (3, 4), (2, 3, 4), (1, 2, 3, 3)], ids=str)
@pytest.mark.parametrize("call", [orbit, stabiliser])
def test_boards_of_a_wrong_shape_are_refused(call: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
    assert f" {shape}" in refusal(lambda: call(np.zeros(shape)))


@pytest.mark.parametrize("call", [orbit, stabiliser])
def test_ragged_lists_are_refused(call: Callable[[Any], Any]) -> None:
    assert "ragged" in refusal(lambda: call([[1, 2], [3]]))
