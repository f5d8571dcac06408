"""SLAP-CC against `numpy.roll`, and what the centring is for: translations of a shape look alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eightfold.symmetry import slap_cc
from refusals import refusal


def centred_by_roll(planes: NDArray[Any]) -> NDArray[np.float64]:
    """Planes [C, N, N] the slow way: bounding box of all stones, shift, roll."""
    size = planes.shape[-1]
    rows, columns = np.nonzero((planes[0] != 0) | (planes[1] != 0))
    down = right = 0
    if rows.size:
        down = (size - 1 - rows.min() - rows.max()) // 2
        right = (size - 1 - columns.min() - columns.max()) // 2
    scale = np.linspace(1, -1, size)
    row_index, column_index = np.meshgrid(scale, scale, indexing="ij")
    extra = np.stack([planes[0], planes[1], row_index, column_index])
    return np.concatenate([planes, np.roll(extra, (down, right), axis=(-2, -1))])


def make_stack(seed: int, planes: int, size: int, stones: int) -> NDArray[np.float32]:
    """Own and opponent's stones, never two on a point, and any numbers in the other planes."""
    rng = np.random.default_rng(seed)
    stack = rng.normal(size=(planes, size, size)).astype(np.float32)
    stack[:2] = 0
    points = rng.permutation(size * size)[:stones]
    stack[:2].reshape(2, -1)[np.arange(points.size) % 2, points] = 1
    return stack


stacks = st.builds(
    make_stack,
    seed=st.integers(0, 2**32),
    planes=st.integers(2, 5),
    size=st.integers(1, 19),
    stones=st.integers(0, 12),
)


@given(stacks)
@settings(max_examples=200)
def test_stones_are_centred_as_numpy_rolls_them(planes: NDArray[np.float32]) -> None:
    before = planes.copy()
    centred = slap_cc(planes)
    expected = centred_by_roll(planes)
    assert centred.shape == (planes.shape[0] + 4, *planes.shape[1:])
    assert centred.dtype == np.float32
    np.testing.assert_array_equal(centred[:-2], expected[:-2])
    np.testing.assert_allclose(centred[-2:], expected[-2:], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(planes, before)


@given(st.integers(0, 2**32), st.integers(0, 6), st.integers(2, 4), st.integers(1, 15))
@settings(max_examples=50)
def test_a_batch_is_centred_sample_by_sample(seed: int, batch: int, planes: int, size: int) -> None:
    given_stacks = np.zeros((batch, planes, size, size), np.float32)
    for k in range(batch):
        given_stacks[k] = make_stack(seed + k, planes, size, (seed + k) % 9)
    centred = slap_cc(given_stacks)
    assert centred.shape == (batch, planes + 4, size, size)
    for one, many in zip(given_stacks, centred, strict=True):
        np.testing.assert_array_equal(slap_cc(one), many)


@pytest.mark.parametrize("size", [1, 2, 5, 8, 15, 19])
def test_an_empty_board_is_not_shifted(size: int) -> None:
    planes = np.zeros((4, size, size), np.float32)
    planes[2:] = 7  # what is in the other planes is no stone
    centred = slap_cc(planes)
    assert not centred[4:6].any()
    np.testing.assert_allclose(centred[6, :, 0], np.linspace(1, -1, size), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(centred[6], np.repeat(centred[6, :, :1], size, axis=1))
    np.testing.assert_array_equal(centred[7], centred[6].T)


@pytest.mark.parametrize("size", range(2, 26))
def test_the_index_planes_reach_from_plus_one_to_minus_one(size: int) -> None:
    rows, columns = slap_cc(np.zeros((2, size, size), np.float32))[-2:]
    assert (rows[0] == 1).all()
    assert (columns[:, 0] == 1).all()
    assert (rows[-1] == -1).all()
    assert (columns[:, -1] == -1).all()


def test_the_planes_that_came_stay_as_they_were() -> None:
    planes = make_stack(3, 5, 9, 7)
    np.testing.assert_array_equal(slap_cc(planes)[:5], planes)


def make_shape(seed: int, size: int) -> NDArray[np.float32]:
    """Stones in a box of at most size - 1 on a side: the box is [2, H, W], with stones on all four edges."""
    rng = np.random.default_rng(seed)
    height, width = rng.integers(1, size, 2)
    box = np.zeros((2, height, width), np.float32)
    box[rng.integers(2), 0, rng.integers(width)] = box[rng.integers(2), -1, rng.integers(width)] = 1
    box[rng.integers(2), rng.integers(height), 0] = box[rng.integers(2), rng.integers(height), -1] = 1
    return box


@given(st.integers(0, 2**32), st.integers(2, 15))
def test_a_shape_looks_the_same_wherever_it_stands(seed: int, size: int) -> None:
    box = make_shape(seed, size)
    _, height, width = box.shape
    seen = []
    for row in range(size - height + 1):
        for column in range(size - width + 1):
            planes = np.zeros((2, size, size), np.float32)
            planes[:, row : row + height, column : column + width] = box
            centred = slap_cc(planes)
            seen.append(centred[2:4])
            # The index planes, rolled along, still tell where each stone really stands.
            places = np.nonzero(centred[2:4].any(axis=0))
            told = (1 - centred[4:, *places]) * (size - 1) / 2
            assert set(zip(*told.round().astype(int).tolist(), strict=True)) == set(
                zip(*(part.tolist() for part in np.nonzero(planes.any(axis=0))), strict=True)
            )
    assert len(seen) >= 4
    assert all(np.array_equal(one, seen[0]) for one in seen)


@given(stacks.filter(lambda planes: planes[:2].any()))
def test_the_stones_stand_in_the_middle(planes: NDArray[np.float32]) -> None:
    """The margins around the bounding box differ by one at most, the larger below and on the right."""
    size = planes.shape[-1]
    for before, after in zip(
        np.nonzero(planes[:2].any(axis=0)), np.nonzero(slap_cc(planes)[-4:-2].any(axis=0)), strict=True
    ):
        assert np.ptp(before) == np.ptp(after), "no stone went over the edge"
        assert size - 1 - after.max() - after.min() in (0, 1)


def test_a_turn_comes_before_the_centring() -> None:
    """The rounding is not symmetric, as the module says: turning the centred planes is something else."""
    planes = np.zeros((2, 8, 8), np.float32)
    planes[0, 2, 2] = 1
    turned_first = slap_cc(np.rot90(planes, 2, axes=(-2, -1)))[2:4]
    centred_first = np.rot90(slap_cc(planes)[2:4], 2, axes=(-2, -1))
    assert np.argwhere(turned_first).tolist() == [[0, 3, 3]]
    assert np.argwhere(centred_first).tolist() == [[0, 4, 4]]


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.float16, np.float64])
def test_stones_of_any_type_become_single_precision(dtype: Any) -> None:
    planes = make_stack(4, 2, 9, 6)
    centred = slap_cc(planes.astype(dtype))
    assert centred.dtype == np.float32
    np.testing.assert_array_equal(centred, slap_cc(planes))


def test_lists_and_memory_in_another_order_are_taken() -> None:
    planes = make_stack(5, 3, 7, 5)
    for same in (planes.tolist(), np.asfortranarray(planes), np.repeat(planes, 2, axis=0)[::2]):
        np.testing.assert_array_equal(slap_cc(same), slap_cc(planes))


# ---- refusals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (5,), (5, 5), (2, 5, 4), (3, 2, 5, 4), (1, 1, 2, 5, 5)], ids=str)
def test_planes_of_a_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    assert f" {shape}" in refusal(lambda: slap_cc(np.zeros(shape)))


@pytest.mark.parametrize("shape", [(1, 5, 5), (3, 1, 5, 5)], ids=str)
def test_one_plane_is_too_few(shape: tuple[int, ...]) -> None:
    assert "1 plane" in refusal(lambda: slap_cc(np.zeros(shape)))


def test_a_board_without_points_is_refused() -> None:
    assert "board size 0" in refusal(lambda: slap_cc(np.zeros((2, 0, 0))))


def test_ragged_lists_are_refused() -> None:
    assert "ragged" in refusal(lambda: slap_cc([[[1, 2], [3]], [[1, 2], [3, 4]]]))


def test_words_are_no_stones() -> None:
    assert "<U1" in refusal(lambda: slap_cc(np.full((2, 3, 3), "a")))


@pytest.mark.parametrize("dtype", [torch.int8, torch.bool, torch.float64])
def test_tensors_of_any_type_tell_the_original_place(dtype: torch.dtype) -> None:
    stacks = torch.zeros(2, 4, 4, dtype=dtype)
    stacks[0, 0, 1] = 1
    np.testing.assert_allclose(slap_cc(stacks).numpy(), slap_cc(stacks.numpy().astype(np.float32)), rtol=1e-6)
