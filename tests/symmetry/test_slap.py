"""SLAP: one canonical variant for each orbit, and policies that follow it there and back."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eightfold.benchmarks.reference import symmetry as oracle
from eightfold.symmetry import (
    BoardSymmetry,
    compose,
    frame_members,
    into_frames,
    inverse,
    out_of_frames,
    slap,
    slap_batch,
    slap_frames,
    unslap,
)
from eightfold.symmetry.slap import SlapView
from refusals import refusal

ALL = range(8)
DTYPES = [np.bool_, np.uint8, np.int64, np.float16, np.float32, np.float64]
TORCH_DTYPES = [torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64]
SUBGROUPS = [{0}, {0, 2}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 1, 2, 3}, {0, 2, 4, 5}, {0, 2, 6, 7}, set(ALL)]


def make_planes(seed: int, planes: int, size: int, subgroup: set[int], density: float) -> NDArray[np.float64]:
    """Planes [C, N, N] that at least the symmetries of `subgroup` leave alone; density 0 stands for any numbers."""
    rng = np.random.default_rng(seed)
    shape = (planes, size, size)
    stones = rng.normal(size=shape).round(2) if density == 0 else (rng.random(shape) < density).astype(np.float64)
    return np.maximum.reduce([oracle.turn_planes(stones, g) for g in subgroup])


def planes_of(sizes: st.SearchStrategy[int]) -> st.SearchStrategy[NDArray[np.float64]]:
    return st.builds(
        make_planes,
        seed=st.integers(0, 2**32),
        planes=st.integers(1, 4),
        size=sizes,
        subgroup=st.sampled_from(SUBGROUPS),
        density=st.sampled_from([0, 0.05, 0.3, 1]),
    )


positions = planes_of(st.integers(1, 9))
large_positions = planes_of(st.integers(10, 19))


def symmetries_to(planes: NDArray[Any], goal: NDArray[Any]) -> set[int]:
    """By brute force: the symmetries that turn one stack into another."""
    return {g for g in ALL if np.array_equal(oracle.turn_planes(planes, g), goal)}


def a_network(canonical: NDArray[Any], actions: int) -> NDArray[np.float64]:
    """Any policy at all, but always the same for the same input."""
    return np.random.default_rng(zlib.crc32((canonical + 0.0).tobytes())).dirichlet(np.ones(actions))


def answer_through_slap(planes: NDArray[Any], actions: int) -> NDArray[np.float64]:
    canonical, _, frames = slap_frames(planes[None])
    return out_of_frames(a_network(canonical[0], actions)[None], frames)[0]


# ---- the canonical variant --------------------------------------------------------------------------


@given(positions | large_positions)
@settings(max_examples=200)
def test_slap_gives_what_the_oracle_gives(x: NDArray[np.float64]) -> None:
    before = x.copy()
    s, t = slap(x)
    expected, symmetry = oracle.slap(x)
    np.testing.assert_array_equal(s, expected)
    assert t == symmetry
    assert type(t) is int
    assert s.dtype == x.dtype
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(BoardSymmetry.transform_board_tensor(x, t), s)


@given(positions)
def test_the_canonical_variant_has_the_largest_list(x: NDArray[np.float64]) -> None:
    s, _ = slap(x)
    assert s.ravel().tolist() == max(oracle.turn_planes(x, g).ravel().tolist() for g in ALL)


@given(positions)
def test_every_variant_of_an_orbit_has_one_canonical_variant(x: NDArray[np.float64]) -> None:
    s, _ = slap(x)
    for g in ALL:
        variant = oracle.turn_planes(x, g)
        same, t = slap(variant)
        np.testing.assert_array_equal(same, s)
        np.testing.assert_array_equal(oracle.turn_planes(variant, t), s)


@given(positions)
def test_the_canonical_variant_is_its_own(x: NDArray[np.float64]) -> None:
    s, _ = slap(x)
    again, t = slap(s)
    np.testing.assert_array_equal(again, s)
    assert t == 0


def test_each_corner_comes_to_the_first_place_by_its_own_symmetry() -> None:
    """One stone and its neighbour on the right of the corner: all eight variants differ, and so do their t."""
    corner = np.zeros((3, 3))
    corner[0, :2] = 2, 1
    found = [slap(oracle.turn_planes(corner, g)) for g in ALL]
    assert [t for _, t in found] == [inverse(g) for g in ALL]
    assert all(np.array_equal(s, corner) for s, _ in found)


def test_the_first_plane_decides_before_the_second() -> None:
    x = np.zeros((2, 3, 3))
    x[0, 0, 0] = 1  # where it should be already, up to the mirror in the main diagonal
    x[1, 2, 0] = 1
    s, t = slap(x)
    assert t == 6
    assert np.argwhere(s).tolist() == [[0, 0, 0], [1, 0, 2]]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5, 5), (1, 5, 5), (3, 4, 4), (2, 1, 1)], ids=str)
def test_numbers_of_any_type_can_be_compared(dtype: Any, shape: tuple[int, ...]) -> None:
    for seed in range(20):
        x = np.random.default_rng(seed).integers(0, 2 + seed % 2, shape).astype(dtype)
        s, t = slap(x)
        expected, symmetry = oracle.slap(x)
        assert t == symmetry
        assert s.dtype == x.dtype
        np.testing.assert_array_equal(s, expected)


def test_negative_numbers_and_wide_integers_keep_their_order() -> None:
    for x in (np.array([[-1, -2], [-3, -4]]), np.array([[2**62, 2**62 + 1], [-(2**63), 0]])):
        for g in ALL:
            variant = oracle.turn_planes(x, g)
            np.testing.assert_array_equal(slap(variant)[0], oracle.slap(x)[0])


def test_lists_and_memory_in_another_order_are_taken() -> None:
    x = make_planes(1, 3, 6, {0}, 0.3)
    for same in (np.asfortranarray(x), x.tolist(), np.repeat(x, 2, axis=2)[:, :, ::2]):
        s, t = slap(same)
        np.testing.assert_array_equal(s, slap(x)[0])
        assert t == slap(x)[1]


def test_a_transposed_view_is_read_as_it_looks() -> None:
    x = make_planes(2, 3, 6, {0}, 0.3)
    np.testing.assert_array_equal(slap(x.transpose(0, 2, 1))[0], slap(x)[0])


@given(st.lists(st.integers(0, 2**32), max_size=12), st.integers(1, 3), st.integers(1, 9), st.sampled_from([0, 0.2]))
@settings(max_examples=50)
def test_a_batch_is_slapped_as_its_stacks_are(seeds: list[int], planes: int, size: int, density: float) -> None:
    stacks = np.zeros((len(seeds), planes, size, size))
    for k, seed in enumerate(seeds):
        stacks[k] = make_planes(seed, planes, size, SUBGROUPS[seed % 10], density)
    canonical, ids = slap_batch(stacks)
    framed = slap_frames(stacks)
    assert canonical.shape == stacks.shape
    assert ids.shape == framed.frames.shape == (len(seeds),)
    for k, stack in enumerate(stacks):
        s, t = slap(stack)
        np.testing.assert_array_equal(canonical[k], s)
        assert ids[k] == t
    np.testing.assert_array_equal(framed.stacks, canonical)
    np.testing.assert_array_equal(framed.ids, ids)


# ---- a policy there and back ------------------------------------------------------------------------


@given(positions, st.booleans(), st.integers(0, 2**32))
def test_unslap_brings_a_policy_back(x: NDArray[np.float64], has_pass: bool, seed: int) -> None:
    size = x.shape[-1]
    policy = np.random.default_rng(seed).dirichlet(np.ones(size * size + has_pass))
    _, t = slap(x)
    there = oracle.turn_policy(policy, size, t)
    back = unslap(there, t)
    np.testing.assert_array_equal(back, policy)
    assert back.dtype == policy.dtype
    np.testing.assert_array_equal(unslap(torch.from_numpy(there), t).numpy(), policy)


def test_a_move_found_on_the_canonical_board_comes_back_to_its_own_square() -> None:
    x = np.zeros((2, 8, 8))
    x[0, 6, 5] = x[1, 3, 2] = 1
    for g in ALL:
        variant = oracle.turn_planes(x, g)
        s, t = slap(variant)
        back = unslap(np.append(s[1].ravel(), 0.25), t)  # "play where the other's stone is", and a pass
        np.testing.assert_array_equal(back[:-1].reshape(8, 8), variant[1])
        assert back[-1] == 0.25


# ---- frames -----------------------------------------------------------------------------------------


@given(positions)
def test_a_frame_holds_exactly_the_symmetries_that_lead_to_the_canonical_variant(x: NDArray[np.float64]) -> None:
    for g in ALL:
        variant = oracle.turn_planes(x, g)
        stacks, ids, frames = slap_frames(variant[None])
        members = symmetries_to(variant, stacks[0])
        assert set(frame_members(int(frames[0]))) == members
        assert ids[0] == min(members)


@pytest.mark.parametrize("size", [1, 2, 3, 8, 19])
def test_all_eight_lead_to_an_empty_board(size: int) -> None:
    stacks, ids, frames = slap_frames(np.zeros((2, 4, size, size), np.float32))
    assert frames.tolist() == [255, 255]
    assert ids.tolist() == [0, 0]
    assert not stacks.any()


@pytest.mark.parametrize("subgroup", SUBGROUPS, ids=str)
def test_a_symmetric_position_has_a_frame_as_large_as_its_symmetry(subgroup: set[int]) -> None:
    x = make_planes(5, 2, 6, subgroup, 0)
    assert symmetries_to(x, x) == subgroup
    _, ids, frames = slap_frames(x[None])
    assert set(frame_members(int(frames[0]))) == {compose(int(ids[0]), g) for g in subgroup}


def test_frame_members_read_the_mask() -> None:
    assert [frame_members(1 << g) for g in ALL] == [(g,) for g in ALL]
    assert frame_members(255) == tuple(ALL)
    assert frame_members(0) == ()


@given(positions | large_positions, st.booleans())
@settings(max_examples=150)
def test_the_answer_turns_with_the_board(x: NDArray[np.float64], has_pass: bool) -> None:
    """The law that SLAP is for: whatever the network, the answer for g.x is g applied to the answer for x."""
    size = x.shape[-1]
    actions = size * size + has_pass
    answer = answer_through_slap(x, actions)
    for g in ALL:
        turned = answer_through_slap(oracle.turn_planes(x, g), actions)
        np.testing.assert_allclose(turned, oracle.turn_policy(answer, size, g), rtol=0, atol=1e-15)


def test_without_the_average_a_symmetric_position_breaks_the_law() -> None:
    """Stones that the mirror in the main diagonal leaves alone: g = 6 gives the same board, so the same answer."""
    x = np.zeros((2, 4, 4))
    x[0, 0, 0] = x[1, 1, 2] = x[1, 2, 1] = 1
    np.testing.assert_array_equal(oracle.turn_planes(x, 6), x)
    policy = a_network(slap(x)[0], 16)

    def plain(planes: NDArray[np.float64]) -> NDArray[np.float64]:
        return unslap(policy, slap(planes)[1])

    np.testing.assert_array_equal(plain(oracle.turn_planes(x, 6)), plain(x))
    assert not np.allclose(oracle.turn_policy(plain(x), 4, 6), plain(x))  # the law asks for this, and it fails
    averaged = answer_through_slap(x, 16)
    np.testing.assert_allclose(oracle.turn_policy(averaged, 4, 6), averaged, rtol=0, atol=1e-15)
    np.testing.assert_allclose(averaged, (plain(x) + oracle.turn_policy(plain(x), 4, 6)) / 2, rtol=0, atol=1e-15)


@given(positions, st.booleans(), st.integers(0, 2**32))
def test_every_variant_of_a_sample_makes_one_target(x: NDArray[np.float64], has_pass: bool, seed: int) -> None:
    size = x.shape[-1]
    policy = np.random.default_rng(seed).dirichlet(np.ones(size * size + has_pass))
    target = into_frames(policy[None], slap_frames(x[None]).frames)[0]
    for g in ALL:
        frames = slap_frames(oracle.turn_planes(x, g)[None]).frames
        same = into_frames(oracle.turn_policy(policy, size, g)[None], frames)[0]
        np.testing.assert_allclose(same, target, rtol=0, atol=1e-15)


@given(positions, st.booleans(), st.integers(0, 2**32))
def test_there_and_back_is_the_mean_over_the_stabiliser(x: NDArray[np.float64], has_pass: bool, seed: int) -> None:
    size = x.shape[-1]
    policy = np.random.default_rng(seed).dirichlet(np.ones(size * size + has_pass))
    frames = slap_frames(x[None]).frames
    mean = np.mean([oracle.turn_policy(policy, size, g) for g in symmetries_to(x, x)], axis=0)
    back = out_of_frames(into_frames(policy[None], frames), frames)[0]
    np.testing.assert_allclose(back, mean, rtol=0, atol=1e-15)


@given(st.integers(1, 9), st.booleans(), st.lists(st.integers(1, 255), max_size=8), st.integers(0, 2**32))
def test_frames_keep_the_sum_and_the_pass(size: int, has_pass: bool, masks: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    policies, frames = rng.random((len(masks), size * size + has_pass)), np.array(masks, np.uint8)
    before = policies.copy()
    for change in (into_frames, out_of_frames):
        changed = change(policies, frames)
        assert changed.shape == policies.shape
        np.testing.assert_allclose(changed.sum(axis=1), policies.sum(axis=1), rtol=1e-12)
        np.testing.assert_allclose(changed[:, size * size :], policies[:, size * size :], rtol=1e-12)
    np.testing.assert_array_equal(policies, before)


@given(st.integers(1, 6), st.booleans(), st.lists(st.integers(1, 255), min_size=1, max_size=8), st.integers(0, 2**32))
def test_frames_are_means_over_their_members(size: int, has_pass: bool, masks: list[int], seed: int) -> None:
    policies = np.random.default_rng(seed).random((len(masks), size * size + has_pass))
    into, out = (change(policies, np.array(masks, np.uint8)) for change in (into_frames, out_of_frames))
    for k, mask in enumerate(masks):
        members = [g for g in ALL if mask & 1 << g]
        there = [oracle.turn_policy(policies[k], size, g) for g in members]
        back = [oracle.turn_policy(policies[k], size, inverse(g)) for g in members]
        np.testing.assert_allclose(into[k], np.mean(there, axis=0), rtol=1e-12)
        np.testing.assert_allclose(out[k], np.mean(back, axis=0), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
@pytest.mark.parametrize("change", [into_frames, out_of_frames])
def test_the_type_of_the_answer_does_not_hang_on_the_positions(change: Callable[..., Any], dtype: Any) -> None:
    policies = np.ones((2, 9), dtype)
    plain, symmetric = np.array([1, 2], np.uint8), np.array([1, 255], np.uint8)
    assert change(policies, plain).dtype == change(policies, symmetric).dtype


def test_single_precision_stays_single() -> None:
    policies = np.random.default_rng(1).dirichlet(np.ones(10), 4).astype(np.float32)
    frames = np.array([1, 255, 3, 64], np.uint8)
    assert into_frames(policies, frames).dtype == out_of_frames(policies, frames).dtype == np.float32


def test_a_view_gives_what_the_checked_functions_give_batch_after_batch() -> None:
    random, view = np.random.default_rng(2), SlapView()
    for batch, planes, size, passes in (
        (3, 4, 8, 0),
        (10, 4, 8, 0),
        (1, 4, 8, 0),
        (10, 2, 9, 1),
        (2, 2, 9, 1),
        (5, 4, 8, 1),
    ):
        stacks = np.stack([make_planes(k, planes, size, SUBGROUPS[k], 0.3) for k in range(batch)]).astype(np.float32)
        policies = random.dirichlet(np.ones(size * size + passes), batch).astype(np.float32)
        canonical, _, frames = slap_frames(stacks)
        np.testing.assert_array_equal(view.enter(stacks), canonical)
        np.testing.assert_array_equal(view.leave(policies), out_of_frames(policies, frames))


# ---- tensors ----------------------------------------------------------------------------------------


@given(st.lists(positions, min_size=1, max_size=4), st.sampled_from(TORCH_DTYPES))
@settings(max_examples=60)
def test_tensors_and_arrays_have_the_same_canonical_variants(
    stacks: list[NDArray[np.float64]], dtype: torch.dtype
) -> None:
    for stack in stacks:
        variants = torch.from_numpy(np.stack([oracle.turn_planes(stack, g) for g in ALL])).to(dtype)
        turned = slap_frames(variants)
        expected = slap_frames(variants.double().numpy())
        assert turned.stacks.dtype == dtype
        np.testing.assert_array_equal(turned.stacks.double().numpy(), expected.stacks)
        np.testing.assert_array_equal(turned.ids.numpy(), expected.ids)
        np.testing.assert_array_equal(turned.frames.numpy(), expected.frames)
        s, t = slap(variants[3])
        assert torch.equal(s, turned.stacks[3])
        assert t == int(expected.ids[3])


def test_a_gradient_flows_back_from_a_canonical_tensor() -> None:
    x, weights = torch.rand(3, 2, 5, 5, requires_grad=True), torch.rand(3, 2, 5, 5)
    canonical, ids = slap_batch(x)
    (canonical * weights).sum().backward()
    for k in range(3):
        expected = BoardSymmetry.transform_board_tensor(weights[k], inverse(int(ids[k])))
        assert torch.equal(x.grad[k], expected)


def test_an_empty_batch_of_tensors_is_slapped_as_one_of_arrays() -> None:
    for stacks in (np.zeros((0, 2, 5, 5), np.float32), torch.zeros((0, 2, 5, 5))):
        assert [tuple(part.shape) for part in slap_frames(stacks)] == [(0, 2, 5, 5), (0,), (0,)]


@pytest.mark.gpu
@pytest.mark.parametrize("density", [0, 0.05, 0.3])
def test_a_gpu_slaps_as_this_processor_does(density: float) -> None:
    stacks = np.stack([make_planes(seed, 3, 9, SUBGROUPS[seed % 10], density) for seed in range(200)])
    expected = slap_frames(stacks)
    for far, near in zip(slap_frames(torch.from_numpy(stacks).cuda()), expected, strict=True):
        assert far.is_cuda
        np.testing.assert_array_equal(far.cpu().numpy(), near)


# ---- refusals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
@pytest.mark.parametrize("shape", [(), (9,), (3, 4), (2, 3, 4), (1, 2, 3, 3)], ids=str)
def test_a_position_of_a_wrong_shape_is_refused(shape: tuple[int, ...], wrap: Callable[[Any], Any]) -> None:
    assert f" {shape}" in refusal(lambda: slap(wrap(np.zeros(shape))))


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (1, 2, 3, 4), (1, 1, 2, 3, 3)], ids=str)
def test_stacks_of_a_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    for call in (slap_batch, slap_frames):
        for wrap in (np.asarray, torch.as_tensor):
            assert str(shape) in refusal(lambda call=call, wrap=wrap: call(wrap(np.zeros(shape))))


@pytest.mark.parametrize(
    "call",
    [
        lambda: slap([[1, 2], [3]]),
        lambda: slap_batch([[[[1, 2], [3]]]]),
        lambda: slap_frames([[[[1, 2], [3]]]]),
        lambda: unslap([[1, 2], [3]], 1),
        lambda: into_frames([[1, 2], [3]], [1, 1]),
        lambda: out_of_frames([[1, 2], [3]], [1, 1]),
        lambda: out_of_frames(np.zeros((2, 4)), [[1], [1, 2]]),
    ],
    ids=["slap", "slap_batch", "slap_frames", "unslap", "into_frames", "out_of_frames", "frames"],
)
def test_ragged_lists_are_refused(call: Callable[[], Any]) -> None:
    assert "ragged" in refusal(call)


def test_a_board_without_points_is_refused() -> None:
    assert "board size 0" in refusal(lambda: slap_batch(np.zeros((1, 2, 0, 0))))


def test_words_are_no_stones() -> None:
    assert "<U1" in refusal(lambda: slap(np.array([["a", "b"], ["c", "d"]])))


@pytest.mark.parametrize("actions", [0, 3, 6, 8, 11])
def test_a_policy_that_fits_no_board_is_refused(actions: int) -> None:
    assert f"{actions} entries" in refusal(lambda: unslap(np.zeros(actions), 0))
    assert f"{actions} entries" in refusal(lambda: into_frames(np.zeros((1, actions)), np.ones(1, np.uint8)))


@pytest.mark.parametrize("shape", [(), (2, 9)], ids=str)
def test_unslap_takes_one_policy_at_a_time(shape: tuple[int, ...]) -> None:
    assert str(shape) in refusal(lambda: unslap(np.zeros(shape), 0))


@pytest.mark.parametrize("bad", [8, -1, 1.5, "1", None], ids=repr)
def test_unslap_refuses_what_is_no_symmetry(bad: Any) -> None:
    assert repr(bad) in refusal(lambda: unslap(np.zeros(9), bad))


@pytest.mark.parametrize("change", [into_frames, out_of_frames])
@pytest.mark.parametrize(
    ("policies", "frames", "culprit"),
    [
        ((9,), (1,), "(9,)"),
        ((2, 3, 3), (2,), "(2, 3, 3)"),
        ((2, 9), (3,), "(3,)"),
        ((2, 9), (), "()"),
        ((2, 9), (2, 8), "(2, 8)"),
    ],
)
def test_policies_and_frames_must_belong_together(
    change: Callable[..., Any], policies: tuple[int, ...], frames: tuple[int, ...], culprit: str
) -> None:
    assert culprit in refusal(lambda: change(np.zeros(policies), np.ones(frames, np.uint8)))


@pytest.mark.parametrize("change", [into_frames, out_of_frames])
@pytest.mark.parametrize("bad", [0, 256, 512, -1])
def test_a_frame_is_a_mask_of_some_of_the_eight(change: Callable[..., Any], bad: int) -> None:
    text = refusal(lambda: change(np.zeros((2, 9)), np.array([1, bad])))
    assert f"{bad} of sample 1" in text


def test_frames_must_be_integers() -> None:
    assert "float64" in refusal(lambda: into_frames(np.zeros((2, 9)), np.array([1.0, 2.0])))


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool])
def test_a_mean_of_whole_numbers_is_that_of_arrays(dtype: torch.dtype) -> None:
    """The corner of a position that looks the same from all sides: an eighth of a move, or a half, is not nothing."""
    policies = torch.zeros(1, 25, dtype=dtype)
    policies[0, 0] = 1
    frames = np.array([255])
    found = into_frames(policies, frames)
    np.testing.assert_allclose(found.numpy(), into_frames(policies.numpy().astype(np.float64), frames))
    assert float(found.sum()) == 1
