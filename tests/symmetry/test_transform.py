"""Turning samples and batches, against NumPy's own rotations and flips one sample at a time."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eightfold.benchmarks.reference import symmetry as oracle
from eightfold.core.threads import WORTH_A_THREAD
from eightfold.symmetry import (
    BoardSymmetry,
    TransformedBatch,
    inverse,
    inverse_ids,
    transform_batch,
    transform_last_moves,
    transform_policies,
    transform_states,
)
from refusals import refusal

ALL = range(8)
SIZES = range(1, 20)
DTYPES = [np.bool_, np.uint8, np.int16, np.int64, np.float16, np.float32, np.float64]
TORCH_DTYPES = [
    torch.bool,
    torch.uint8,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
]
NONE = (-1, -1)
Batch = tuple[NDArray[Any], NDArray[Any], NDArray[np.int64], NDArray[np.int64]]


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Numbers that use the whole width of their type, so that nothing can pass through a narrower one."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return rng.normal(size=shape).astype(kind)
    if kind.kind == "b":
        return rng.random(shape) < 0.5
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max, shape, kind, endpoint=True)


def make_batch(seed: int, batch: int, planes: int, size: int, dtype: Any = np.float32, has_pass: bool = False) -> Batch:
    """States, policies, symmetries and last moves (one in four is none)."""
    rng = np.random.default_rng(seed)
    moves = rng.integers(0, size, (batch, 2))
    moves[rng.random(batch) < 0.25] = NONE
    states = numbers(rng, (batch, planes, size, size), dtype)
    policies = numbers(rng, (batch, size * size + has_pass), dtype)
    return states, policies, rng.integers(0, 8, batch), moves


def by_the_oracle(states: Any, policies: Any, ids: Any, moves: Any) -> tuple[Any, Any, Any]:
    return oracle.turn_batch(states, policies, ids, moves) if len(states) else (states, policies, moves)


def assert_same(given_back: Any, expected: Any) -> None:
    """Equal to the last bit, and of the same kind."""
    assert given_back.dtype == expected.dtype
    np.testing.assert_array_equal(given_back, expected)


def assert_same_batch(turned: TransformedBatch, expected: tuple[Any, Any, Any]) -> None:
    for part, right in zip(turned, expected, strict=True):
        assert_same(part, right)


# ---- one sample -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_boards_and_policies_turn_as_numpy_turns_them(dtype: Any, size: int) -> None:
    rng = np.random.default_rng(size)
    board, planes = numbers(rng, (size, size), dtype), numbers(rng, (3, size, size), dtype)
    flat, with_pass = numbers(rng, (size * size,), dtype), numbers(rng, (size * size + 1,), dtype)
    for g in ALL:
        assert_same(BoardSymmetry.transform_board_tensor(board, g), oracle.turn_planes(board, g))
        assert_same(BoardSymmetry.transform_board_tensor(planes, g), oracle.turn_planes(planes, g))
        assert_same(BoardSymmetry.transform_policy_grid(board, g), oracle.turn_planes(board, g))
        for policy in (flat, with_pass):
            assert_same(BoardSymmetry.transform_policy_flat(policy, size, g), oracle.turn_policy(policy, size, g))


@pytest.mark.parametrize("size", SIZES)
def test_coordinates_and_last_moves_go_where_a_mark_goes(size: int) -> None:
    for g, move in itertools.product(ALL, itertools.product(range(size), repeat=2)):
        expected = oracle.turn_move(move, size, g)
        assert BoardSymmetry.transform_coordinates(*move, size, g) == expected
        assert BoardSymmetry.transform_last_move(move, size, g) == expected


@pytest.mark.parametrize("g", ALL)
def test_no_last_move_stays_none(g: int) -> None:
    assert BoardSymmetry.transform_last_move(None, 9, g) is None


@pytest.mark.parametrize("g", ALL)
def test_the_pass_stays_in_the_last_place(g: int) -> None:
    policy = np.zeros(26)
    policy[25] = 1
    assert_same(BoardSymmetry.transform_policy_flat(policy, 5, g), policy)


@pytest.mark.parametrize("dtype", TORCH_DTYPES, ids=str)
@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_a_tensor_turns_like_an_array_and_keeps_its_type(dtype: torch.dtype, size: int) -> None:
    planes = torch.arange(3 * size * size).reshape(3, size, size).to(dtype)
    policy = torch.arange(size * size + 1).to(dtype)
    as_array = planes.double().numpy()
    for g in ALL:
        for tensor, array in ((planes, as_array), (planes[0], as_array[0])):
            turned = BoardSymmetry.transform_board_tensor(tensor, g)
            assert turned.dtype == dtype
            np.testing.assert_array_equal(turned.double().numpy(), oracle.turn_planes(array, g))
        turned = BoardSymmetry.transform_policy_flat(policy, size, g)
        assert turned.dtype == dtype
        np.testing.assert_array_equal(turned.double().numpy(), oracle.turn_policy(policy.double().numpy(), size, g))


def test_a_gradient_flows_back_through_a_turned_sample() -> None:
    planes, weights = torch.rand(2, 5, 5, requires_grad=True), torch.rand(2, 5, 5)
    for g in ALL:
        planes.grad = None
        (BoardSymmetry.transform_board_tensor(planes, g) * weights).sum().backward()
        assert_same(planes.grad, BoardSymmetry.transform_board_tensor(weights, inverse(g)))


@given(st.integers(1, 19), st.integers(0, 7), st.integers(0, 2**32), st.booleans())
def test_the_inverse_brings_a_sample_back(size: int, g: int, seed: int, has_pass: bool) -> None:
    [state], [policy], _, [move] = make_batch(seed, 1, 2, size, has_pass=has_pass)
    row, column = np.maximum(move, 0).tolist()
    there = BoardSymmetry.apply_symmetry(state, policy, 1.0, g, (row, column))
    back = BoardSymmetry.apply_symmetry(*there[:3], inverse(g), there[3])
    assert_same(back[0], state)
    assert_same(back[1], policy)
    assert back[3] == (row, column)


def test_the_answer_is_never_the_memory_that_was_given() -> None:
    board, policy = np.arange(9.0).reshape(3, 3), np.arange(9.0)
    for g in ALL:
        BoardSymmetry.transform_board_tensor(board, g)[:] = -1
        BoardSymmetry.transform_policy_flat(policy, 3, g)[:] = -1
        transform_states(board[None, None], [g])[:] = -1
    assert_same(board, np.arange(9.0).reshape(3, 3))
    assert_same(policy, np.arange(9.0))


def test_lists_are_taken_for_arrays() -> None:
    assert BoardSymmetry.transform_board_tensor([[1, 2], [3, 4]], 1).tolist() == [[3, 1], [4, 2]]
    assert BoardSymmetry.transform_policy_flat([1, 2, 3, 4, 5], 2, 1).tolist() == [3, 1, 4, 2, 5]


# ---- a whole example --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("layout", ["flat", "with a pass", "grid"])
@pytest.mark.parametrize("library", [np, torch], ids=["numpy", "torch"])
def test_state_policy_and_last_move_stay_on_one_square(library: Any, layout: str, size: int) -> None:
    metadata = {"game": 7}
    for row, column, g in itertools.product(range(size), range(size), ALL):
        state = library.zeros((3, size, size))
        state[:, row, column] = 1
        policy = library.zeros((size, size))
        policy[row, column] = 1
        if layout != "grid":
            policy = policy.reshape(-1)
        if layout == "with a pass":
            policy = library.concatenate([policy, library.full((1,), 5.0)])
        turned = BoardSymmetry.apply_symmetry(state, policy, -0.5, g, (row, column), 2, metadata)
        new_state, new_policy, value, last_move, player, same_metadata = turned
        place = oracle.turn_move((row, column), size, g)
        for channel in range(3):
            assert np.argwhere(np.asarray(new_state[channel])).tolist() == [list(place)]
        assert new_policy.shape == policy.shape
        squares = new_policy.reshape(-1)[: size * size]
        assert np.flatnonzero(np.asarray(squares)).tolist() == [place[0] * size + place[1]]
        assert float(new_policy.reshape(-1)[-1]) == 5.0 or layout != "with a pass"
        assert last_move == place
        assert (value, player) == (-0.5, 2)
        assert same_metadata is metadata


def test_what_an_example_lacks_stays_none() -> None:
    turned = BoardSymmetry.apply_symmetry(np.eye(3), np.zeros(9), 1.0, 5)
    assert turned[2:] == (1.0, None, None, None)


def test_an_example_with_gradients_keeps_them() -> None:
    state, policy = torch.rand(2, 3, 3, requires_grad=True), torch.rand(9, requires_grad=True)
    turned = BoardSymmetry.apply_symmetry(state, policy, 0.0, 1)
    (turned[0].sum() + turned[1].sum()).backward()
    assert torch.equal(state.grad, torch.ones(2, 3, 3))
    assert torch.equal(policy.grad, torch.ones(9))


# ---- chance -----------------------------------------------------------------------------------------


def test_random_symmetries_reach_all_eight_alike() -> None:
    random.seed(8)
    counts = Counter(BoardSymmetry.get_random_symmetry() for _ in range(8000))
    assert sorted(counts) == list(ALL)
    assert all(type(g) is int for g in counts)
    assert max(abs(count - 1000) for count in counts.values()) < 150  # five standard deviations


def test_random_symmetries_follow_the_seed() -> None:
    def draw(seed: int) -> list[int]:
        random.seed(seed)
        return [BoardSymmetry.get_random_symmetry() for _ in range(50)]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


# ---- batches ----------------------------------------------------------------------------------------

batches = st.builds(
    make_batch,
    seed=st.integers(0, 2**32),
    batch=st.integers(0, 9),
    planes=st.integers(1, 5),
    size=st.integers(1, 19),
    dtype=st.sampled_from(DTYPES),
    has_pass=st.booleans(),
)


@given(batches)
@settings(max_examples=200)
def test_a_batch_turns_as_its_samples_do(batch: Batch) -> None:
    before = [part.copy() for part in batch]
    states, policies, ids, moves = batch
    expected = by_the_oracle(*batch)
    assert_same_batch(transform_batch(states, policies, ids, moves), expected)
    assert_same(transform_states(states, ids), expected[0])
    assert_same(transform_policies(policies, states.shape[-1], ids), expected[1])
    assert_same(transform_last_moves(moves, states.shape[-1], ids), expected[2])
    for part, untouched in zip(batch, before, strict=True):
        assert_same(part, untouched)


@given(batches)
@settings(max_examples=50)
def test_the_inverse_symmetries_bring_a_batch_back(batch: Batch) -> None:
    states, policies, ids, moves = batch
    there = transform_batch(states, policies, ids, moves)
    back = transform_batch(there.states, there.policies, inverse_ids(ids), there.last_moves)
    assert_same_batch(back, (states, policies, moves))


@given(batches)
@settings(max_examples=50)
def test_tensors_and_arrays_turn_alike(batch: Batch) -> None:
    tensors = [torch.from_numpy(part) for part in batch]
    states, policies, ids, moves = tensors
    turned = transform_batch(states, policies, ids, moves)
    for part, given_part, expected in zip(turned, (states, policies, moves), by_the_oracle(*batch), strict=True):
        assert isinstance(part, torch.Tensor)
        assert part.dtype == given_part.dtype
        np.testing.assert_array_equal(part.numpy(), expected)
    for tensor, untouched in zip(tensors, batch, strict=True):
        np.testing.assert_array_equal(tensor.numpy(), untouched)


def test_every_symmetry_of_every_sample_of_a_board() -> None:
    """All ids in one batch, on every size: no symmetry may be right only where a random batch met it."""
    for size in SIZES:
        states, policies, _, moves = make_batch(size, 8, 2, size, has_pass=True)
        turned = transform_batch(states, policies, np.arange(8), moves)
        assert_same_batch(turned, by_the_oracle(states, policies, np.arange(8), moves))


@pytest.mark.parametrize(
    ("batch", "planes", "size"),
    [(1201, 4, 8), (2, 30, 60), (3, 30, 60), (700, 5, 19)],
)
def test_a_batch_for_two_threads_equals_its_samples(batch: int, planes: int, size: int) -> None:
    states, policies, ids, moves = make_batch(batch, batch, planes, size, np.float64)
    assert states.nbytes > WORTH_A_THREAD > states[0].nbytes
    turned = transform_batch(states, policies, ids, moves)
    alone = [transform_batch(states[k : k + 1], policies[k : k + 1], ids[k : k + 1]) for k in range(batch)]
    assert_same(turned.states, np.concatenate([one.states for one in alone]))
    assert_same(turned.policies, np.concatenate([one.policies for one in alone]))
    assert_same_batch(turned, by_the_oracle(states, policies, ids, moves))


VIEWS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda states: states.transpose(0, 1, 3, 2),
    "strided": lambda states: np.repeat(states, 2, axis=1)[:, ::2],
    "backwards": lambda states: states[::-1, :, ::-1],
    "broadcast": lambda states: np.broadcast_to(states[:, :1], states.shape),
    "Fortran": np.asfortranarray,
}
TENSOR_VIEWS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda states: states.mT,
    "strided": lambda states: states.repeat(1, 2, 1, 1)[:, ::2],
    "broadcast": lambda states: states[:, :1].expand(states.shape),
    "channels last": lambda states: states.contiguous(memory_format=torch.channels_last),
}


@pytest.mark.parametrize("view", VIEWS)
def test_arrays_in_any_order_of_memory_are_turned_alike(view: str) -> None:
    states, policies, ids, moves = make_batch(3, 6, 4, 7)
    states = VIEWS[view](states)
    assert not states.flags.c_contiguous
    turned = transform_batch(states, np.asfortranarray(policies), np.repeat(ids, 2)[::2], moves[:, ::-1])
    assert_same_batch(turned, by_the_oracle(states, policies, ids, moves[:, ::-1]))
    assert_same(BoardSymmetry.transform_board_tensor(states[0], 1), oracle.turn_planes(states[0], 1))


@pytest.mark.parametrize("view", TENSOR_VIEWS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_tensors_in_any_order_of_memory_are_turned_alike(dtype: torch.dtype, view: str) -> None:
    states, _, ids, _ = make_batch(3, 6, 4, 7)
    tensor = TENSOR_VIEWS[view](torch.from_numpy(states).to(dtype))
    assert not tensor.is_contiguous()
    expected = transform_states(tensor.float().contiguous().numpy(), ids)
    np.testing.assert_array_equal(transform_states(tensor, ids).float().numpy(), expected)


def test_a_read_only_array_can_be_turned() -> None:
    states, policies, ids, moves = make_batch(4, 6, 4, 7)
    expected = by_the_oracle(states, policies, ids, moves)
    for part in (states, policies, ids, moves):
        part.flags.writeable = False
    assert_same_batch(transform_batch(states, policies, ids, moves), expected)


def test_bits_are_moved_and_not_numbers() -> None:
    """Negative zeros and the payloads of not-a-numbers arrive as they were."""
    words = np.array([0x80000000, 0x7FC00001, 0xFFC12345, 0x7F800001], np.uint32)
    states = words.view(np.float32).reshape(1, 1, 2, 2)
    for g in ALL:
        turned = transform_states(states, [g])
        assert_same(turned.view(np.uint32)[0, 0], oracle.turn_planes(words.reshape(2, 2), g))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_ids_and_moves_of_any_integer_type_are_taken(dtype: Any) -> None:
    states, policies, ids, moves = make_batch(5, 20, 2, 6)
    moves = abs(moves)
    turned = transform_batch(states, policies, ids.astype(dtype), moves.astype(dtype))
    expected = by_the_oracle(states, policies, ids, moves)
    assert_same_batch(turned, (*expected[:2], expected[2].astype(dtype)))


def test_ids_may_come_as_a_list_an_array_or_a_tensor() -> None:
    states, _, ids, _ = make_batch(6, 5, 2, 4)
    expected = transform_states(states, ids)
    for same in (ids.tolist(), tuple(ids.tolist()), torch.from_numpy(ids), np.repeat(ids, 2)[::2]):
        assert_same(transform_states(states, same), expected)


def test_a_batch_without_last_moves_gives_none_back() -> None:
    states, policies, ids, _ = make_batch(7, 3, 1, 4)
    assert transform_batch(states, policies, ids).last_moves is None


def test_inverse_ids_are_the_inverses() -> None:
    assert inverse_ids(ALL).tolist() == [inverse(g) for g in ALL] == [0, 3, 2, 1, 4, 5, 6, 7]
    assert inverse_ids(torch.tensor([1, 3])).tolist() == [3, 1]


@pytest.mark.parametrize("nothing", [[], np.empty(0, int), torch.empty(0, dtype=torch.int64)], ids=type)
def test_an_empty_batch_needs_no_ids(nothing: Any) -> None:
    turned = transform_batch(np.zeros((0, 2, 5, 5), np.float32), np.zeros((0, 26), np.float32), nothing)
    assert (turned.states.shape, turned.policies.shape) == ((0, 2, 5, 5), (0, 26))
    assert list(inverse_ids(nothing)) == []


# ---- tensors that NumPy cannot see ------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("has_pass", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 8, 13])
def test_gradients_and_bfloat16_take_the_same_turn(size: int, has_pass: bool, dtype: torch.dtype) -> None:
    states, policies, ids, moves = make_batch(size, 12, 3, size, has_pass=has_pass)
    given_states = torch.from_numpy(states).to(dtype).requires_grad_()
    given_policies = torch.from_numpy(policies).to(dtype).requires_grad_()
    turned = transform_batch(given_states, given_policies, ids, moves)
    plain = by_the_oracle(given_states.detach().float().numpy(), given_policies.detach().float().numpy(), ids, moves)
    for part, expected in zip(turned[:2], plain[:2], strict=True):
        assert part.dtype == dtype
        np.testing.assert_array_equal(part.detach().float().numpy(), expected)
    np.testing.assert_array_equal(turned.last_moves, plain[2])
    weights = torch.rand_like(given_states), torch.rand_like(given_policies)
    sum((part * weight).sum() for part, weight in zip(turned[:2], weights, strict=True)).backward()
    back = inverse_ids(ids)
    assert torch.equal(given_states.grad, transform_states(weights[0], back))
    assert torch.equal(given_policies.grad, transform_policies(weights[1], size, back))


def test_bfloat16_without_gradient_keeps_its_type() -> None:
    states = torch.arange(8 * 9).reshape(8, 1, 3, 3)
    turned = transform_states(states.to(torch.bfloat16), ALL)
    assert turned.dtype == torch.bfloat16
    assert torch.equal(turned.long(), transform_states(states, ALL))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_an_empty_batch_of_tensors_stays_empty(dtype: torch.dtype) -> None:
    states = torch.zeros((0, 2, 5, 5), dtype=dtype, requires_grad=True)
    policies = torch.zeros((0, 26), dtype=dtype, requires_grad=True)
    turned = transform_batch(states, policies, np.empty(0, int), np.empty((0, 2), int))
    assert [tuple(part.shape) for part in turned] == [(0, 2, 5, 5), (0, 26), (0, 2)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_arrays_and_tensors_may_come_in_one_batch(dtype: torch.dtype) -> None:
    states, policies, ids, moves = make_batch(8, 10, 2, 5)
    expected = by_the_oracle(torch.from_numpy(states).to(dtype).float().numpy(), policies, ids, moves)
    turned = transform_batch(torch.from_numpy(states).to(dtype), policies, torch.from_numpy(ids), moves)
    assert turned.states.dtype == dtype
    np.testing.assert_array_equal(turned.states.float().numpy(), expected[0])
    assert_same(turned.policies, expected[1])
    assert_same(turned.last_moves, expected[2])


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", TORCH_DTYPES, ids=str)
def test_a_gpu_turns_as_this_processor_does(dtype: torch.dtype) -> None:
    states, policies, ids, moves = (torch.from_numpy(part) for part in make_batch(9, 100, 3, 9, has_pass=True))
    states, policies = states.to(dtype), policies.to(dtype)
    here = transform_batch(states, policies, ids, moves)
    there = transform_batch(states.cuda(), policies.cuda(), ids.cuda(), moves.cuda())
    for near, far in zip(here, there, strict=True):
        assert far.is_cuda
        assert near.dtype == far.dtype
        assert torch.equal(near, far.cpu())
    sample = BoardSymmetry.apply_symmetry(states[0].cuda(), policies[0].cuda(), 0.0, 1)
    assert sample[0].is_cuda
    assert sample[1].is_cuda
    assert torch.equal(sample[0].cpu(), BoardSymmetry.transform_board_tensor(states[0], 1))
    np.testing.assert_array_equal(inverse_ids(ids.cuda()), inverse_ids(ids))


# ---- refusals ---------------------------------------------------------------------------------------

BOARDS = np.zeros((3, 2, 5, 5), np.float32)
FLAT = np.zeros((3, 25), np.float32)
IDS = [0, 1, 2]
RAGGED = [[1, 2], [3]]


@pytest.mark.parametrize("wrap", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
@pytest.mark.parametrize("shape", [(), (5,), (2, 5), (3, 5, 4), (1, 2, 5, 5), (0, 0), (1, 0, 0)], ids=str)
def test_a_state_of_a_wrong_shape_is_refused(shape: tuple[int, ...], wrap: Callable[[Any], Any]) -> None:
    state = wrap(np.zeros(shape, np.float32))
    for turned in (BoardSymmetry.transform_board_tensor, BoardSymmetry.transform_policy_grid):
        text = refusal(lambda turned=turned: turned(state, 1))
        assert str(shape) in text or "board size 0" in text


@pytest.mark.parametrize("wrap", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
@pytest.mark.parametrize("shape", [(), (24,), (27,), (0,), (5, 5), (1, 25)], ids=str)
def test_a_policy_of_a_wrong_length_is_refused(shape: tuple[int, ...], wrap: Callable[[Any], Any]) -> None:
    text = refusal(lambda: BoardSymmetry.transform_policy_flat(wrap(np.zeros(shape, np.float32)), 5, 1))
    assert str(shape) in text
    assert "[25]" in text
    assert "[26]" in text


@pytest.mark.parametrize("bad", [8, -1, 1.5, "1", None, np.int64(9)], ids=repr)
@pytest.mark.parametrize(
    "call",
    [
        lambda g: BoardSymmetry.transform_board_tensor(np.eye(3), g),
        lambda g: BoardSymmetry.transform_board_tensor(torch.eye(3), g),
        lambda g: BoardSymmetry.transform_policy_grid(np.eye(3), g),
        lambda g: BoardSymmetry.transform_policy_flat(np.zeros(9), 3, g),
        lambda g: BoardSymmetry.transform_last_move((0, 0), 3, g),
        lambda g: BoardSymmetry.transform_last_move(None, 3, g),
        lambda g: BoardSymmetry.apply_symmetry(np.eye(3), np.zeros(9), 0.0, g),
    ],
    ids=["board", "tensor", "grid", "flat", "move", "no move", "example"],
)
def test_a_sample_refuses_what_is_no_symmetry(call: Callable[[Any], Any], bad: Any) -> None:
    assert repr(bad) in refusal(lambda: call(bad))


@pytest.mark.parametrize(
    "call",
    [
        lambda: BoardSymmetry.transform_board_tensor(RAGGED, 1),
        lambda: BoardSymmetry.transform_policy_grid(RAGGED, 1),
        lambda: BoardSymmetry.transform_policy_flat(RAGGED, 2, 1),
        lambda: BoardSymmetry.apply_symmetry(RAGGED, np.zeros(4), 0.0, 1),
        lambda: BoardSymmetry.apply_symmetry(np.eye(2), RAGGED, 0.0, 1),
        lambda: transform_states([[RAGGED]], [1]),
        lambda: transform_policies(RAGGED, 1, [1, 1]),
        lambda: transform_last_moves(RAGGED, 5, [1, 1]),
        lambda: transform_last_moves([(1, 2), None], 5, [1, 1]),
        lambda: transform_states(BOARDS, [[1], [2, 3], 1]),
        lambda: transform_batch(RAGGED, FLAT, IDS),
        lambda: transform_batch(BOARDS, [*FLAT.tolist()[:2], [1.0]], IDS),
        lambda: transform_batch(BOARDS, FLAT, IDS, [(1, 2), (1,), (1, 2)]),
        lambda: inverse_ids(RAGGED),
    ],
)
def test_ragged_lists_are_refused(call: Callable[[], Any]) -> None:
    assert "ragged" in refusal(call)


@pytest.mark.parametrize("bad", ["abc", np.array(["a"]), np.zeros(4, complex), np.full(4, None)], ids=str)
def test_what_is_not_numbers_is_refused_with_its_type(bad: Any) -> None:
    name = str(np.asarray(bad).dtype)
    assert name in refusal(lambda: BoardSymmetry.transform_policy_flat(bad, 2, 1))
    assert name in refusal(lambda: transform_states(bad, [1]))


@pytest.mark.parametrize("move", [(5, 0), (0, 5), (-1, 0), (0, -1), (-1, -1), (99, 99)], ids=str)
def test_a_last_move_off_the_board_is_refused(move: tuple[int, int]) -> None:
    culprit = next(part for part in move if part != 0)
    text = refusal(lambda: BoardSymmetry.transform_last_move(move, 5, 1))
    assert str(culprit) in text
    assert "5x5" in text


@pytest.mark.parametrize(
    ("move", "culprit"),
    [
        (7, "7"),
        ((1,), "(1,)"),
        ((1, 2, 3), "(1, 2, 3)"),
        ("e4", "'e"),
        ((1.5, 2), "1.5"),
        ((1, "2"), "2"),
        ((None, 2), "None"),
    ],
)
def test_a_last_move_that_is_no_row_and_column_is_refused(move: Any, culprit: str) -> None:
    assert culprit in refusal(lambda: BoardSymmetry.transform_last_move(move, 5, 1))
    assert culprit in refusal(lambda: BoardSymmetry.apply_symmetry(np.eye(5), np.zeros(25), 0.0, 1, move))


@pytest.mark.parametrize("wrong", [(16,), (6, 6), (4, 4)], ids=str)
def test_an_example_with_a_policy_of_another_board_is_refused(wrong: tuple[int, ...]) -> None:
    assert str(wrong) in refusal(lambda: BoardSymmetry.apply_symmetry(np.eye(5), np.zeros(wrong), 0.0, 1))


@pytest.mark.parametrize("shape", [(), (25,), (5, 5), (2, 5, 5), (3, 2, 5, 4), (1, 1, 2, 5, 5)], ids=str)
@pytest.mark.parametrize("wrap", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
def test_states_of_a_wrong_shape_are_refused(wrap: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
    states = wrap(np.zeros(shape, np.float32))
    for call in (lambda: transform_states(states, IDS), lambda: transform_batch(states, FLAT, IDS)):
        assert str(shape) in refusal(call)


def test_a_board_without_points_is_refused() -> None:
    assert "board size 0" in refusal(lambda: transform_states(np.zeros((1, 2, 0, 0)), [0]))
    assert "board size 0" in refusal(lambda: transform_policies(np.zeros((1, 0)), 0, [0]))
    assert "board size -5" in refusal(lambda: transform_policies(FLAT, -5, IDS))
    assert "board size 5.0" in refusal(lambda: transform_last_moves(np.zeros((3, 2), int), 5.0, IDS))


@pytest.mark.parametrize("shape", [(), (25,), (3, 24), (3, 27), (3, 5, 5)], ids=str)
@pytest.mark.parametrize("wrap", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
def test_policies_of_a_wrong_shape_are_refused(wrap: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
    policies = wrap(np.zeros(shape, np.float32))
    for call in (lambda: transform_policies(policies, 5, IDS), lambda: transform_batch(BOARDS, policies, IDS)):
        text = refusal(call)
        assert str(shape) in text
        assert "25" in text


BAD_IDS = [
    ([0, 8, 1], "8", "sample 1"),
    ([0, 1, -1], "-1", "sample 2"),
    (np.array([255, 0, 0], np.uint8), "255", "sample 0"),
    (torch.tensor([0, 0, 8]), "8", "sample 2"),
    ([0.0, 1.0, 2.0], "float64", "3 integers"),
    ([0, 1.5, 2], "float64", "3 integers"),
    (torch.rand(3), "float32", "3 integers"),
    ([True, False, True], "bool", "3 integers"),
    ([0, 1], "(2,)", "3 integers"),
    ([0, 1, 2, 3], "(4,)", "3 integers"),
    ([], "(0,)", "3 integers"),
    (1, "()", "3 integers"),
    ([[0, 1, 2]], "(1, 3)", "3 integers"),
    (["0", "1", "2"], "<U1", "numbers"),
    (None, "object", "numbers"),
]


@pytest.mark.parametrize(("ids", "culprit", "help_with_it"), BAD_IDS)
@pytest.mark.parametrize(
    "call",
    [
        lambda ids: transform_states(BOARDS, ids),
        lambda ids: transform_policies(FLAT, 5, ids),
        lambda ids: transform_last_moves(np.zeros((3, 2), int), 5, ids),
        lambda ids: transform_batch(BOARDS, FLAT, ids),
        lambda ids: transform_states(torch.as_tensor(BOARDS, dtype=torch.bfloat16), ids),
    ],
    ids=["states", "policies", "moves", "batch", "bfloat16"],
)
def test_a_batch_refuses_what_are_no_symmetries(
    call: Callable[[Any], Any], ids: Any, culprit: str, help_with_it: str
) -> None:
    text = refusal(lambda: call(ids))
    assert culprit in text
    assert help_with_it in text


@pytest.mark.parametrize(
    ("bad", "culprit"),
    [([1, 8], "8 of sample 1"), ([-1], "-1 of sample 0"), ([1.5], "float64"), (3, "()"), ([[3]], "(1, 1)")],
)
def test_only_symmetries_have_inverses(bad: Any, culprit: str) -> None:
    text = refusal(lambda: inverse_ids(bad))
    assert culprit in text
    assert "-1 integers" not in text


@pytest.mark.parametrize("bad", [(5, 0), (0, 5), (-1, 0), (0, -1), (-2, -2), (100, 3)], ids=str)
@pytest.mark.parametrize("wrap", [np.array, torch.tensor, list], ids=["numpy", "torch", "list"])
def test_a_last_move_off_the_board_is_named_with_its_sample(bad: tuple[int, int], wrap: Callable[[Any], Any]) -> None:
    moves = wrap([NONE, (4, 4), bad])
    for call in (
        lambda: transform_last_moves(moves, 5, IDS),
        lambda: transform_batch(BOARDS, FLAT, IDS, moves),
    ):
        text = refusal(call)
        assert str(bad) in text
        assert "sample 2" in text
        assert "5x5" in text


@pytest.mark.parametrize("shape", [(3,), (3, 1), (3, 3), (3, 2, 1)], ids=str)
def test_last_moves_of_a_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    moves = np.zeros(shape, int)
    assert str(shape) in refusal(lambda: transform_last_moves(moves, 5, IDS))
    assert str(shape) in refusal(lambda: transform_batch(BOARDS, FLAT, IDS, moves))


@pytest.mark.parametrize("bad", [5, np.array(5), torch.tensor(5)], ids=repr)
def test_a_lone_number_is_no_list_of_last_moves(bad: Any) -> None:
    refusal(lambda: transform_last_moves(bad, 5, IDS))
    refusal(lambda: transform_batch(BOARDS, FLAT, IDS, bad))


def test_last_moves_must_be_integers() -> None:
    assert "float64" in refusal(lambda: transform_last_moves(np.zeros((3, 2)), 5, IDS))


def test_the_parts_of_a_batch_must_be_equally_many() -> None:
    text = refusal(lambda: transform_batch(BOARDS, FLAT[:2], IDS))
    assert "3 states" in text
    assert "2 policies" in text
    text = refusal(lambda: transform_batch(BOARDS, FLAT, IDS, np.zeros((4, 2), int)))
    assert "3 states" in text
    assert "4 last moves" in text
