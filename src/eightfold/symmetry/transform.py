"""Turning boards, policies and last moves: one sample at a time, or a batch with a symmetry for each.

`BoardSymmetry` turns one sample at a time; the `transform_*` functions below do the same for B samples at once and are
what training uses.
NumPy arrays and torch tensors are both taken, and given back as what they were, on their own device.

On this processor one kernel gathers through the table of the group, on two threads where the batch is
large; tensors elsewhere (a GPU) gather through the same table there. Shapes: B batch, C planes, N board
size, A actions (N*N, or N*N+1 with a pass in the last place, which stays there).
"""

from __future__ import annotations

import functools
import random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, shown
from eightfold.core.jit import Ints, kernel
from eightfold.core.threads import run_on_two_threads
from eightfold.symmetry.group import (
    COUNT,
    IDENTITY,
    INVERSE,
    check_size,
    check_symmetry,
    destinations,
    sources,
    turn,
    whole_number,
)

Array = Any  # a NumPy array or a torch tensor


class TransformedBatch(NamedTuple):
    states: Array  # [B, C, N, N]
    policies: Array  # [B, A]
    last_moves: Array | None  # [B, 2], (-1, -1) for none


class BoardSymmetry:
    """The eight symmetries for single samples.

    >>> BoardSymmetry.transform_coordinates(1, 2, 5, 1)
    (2, 3)
    """

    @staticmethod
    def transform_coordinates(r: int, c: int, board_size: int, sym_id: int) -> tuple[int, int]:
        """Where the point (r, c) goes."""
        size = check_size(board_size)
        row, column = _on_board("row", r, size), _on_board("column", c, size)
        to_row, to_column = divmod(int(destinations(size)[check_symmetry(sym_id), row * size + column]), size)
        return to_row, to_column

    @staticmethod
    def transform_board_tensor(state: Array, sym_id: int) -> Array:
        """A board [N, N] or a stack of planes [C, N, N], turned."""
        state = as_array("state", state)
        if state.ndim not in (2, 3) or state.shape[-1] != state.shape[-2]:
            raise EightfoldError(f"state has shape {tuple(state.shape)}, expected [N, N] or [C, N, N]")
        size = state.shape[-1]
        flat = state.reshape(*state.shape[:-2], size * size)
        return flat[..., _index(sources(check_size(size))[check_symmetry(sym_id)], state)].reshape(state.shape)

    @staticmethod
    def transform_policy_flat(policy: Array, board_size: int, sym_id: int) -> Array:
        """A policy [N*N], or [N*N+1] with a pass that stays in the last place, turned."""
        policy = as_array("policy", policy)
        size = check_size(board_size)
        if policy.ndim != 1 or policy.shape[0] not in (size * size, size * size + 1):
            raise EightfoldError(
                f"policy has shape {tuple(policy.shape)}, expected [{size * size}] for a {size}x{size} board"
                f" or [{size * size + 1}] with a pass"
            )
        return policy[_index(policy_sources(size, policy.shape[0])[check_symmetry(sym_id)], policy)]

    @staticmethod
    def transform_policy_grid(policy_grid: Array, sym_id: int) -> Array:
        """A policy laid out as a board [N, N], turned."""
        return BoardSymmetry.transform_board_tensor(policy_grid, sym_id)

    @staticmethod
    def transform_last_move(last_move: tuple[int, int] | None, board_size: int, sym_id: int) -> tuple[int, int] | None:
        """Where the last move (row, column) goes; None stays None."""
        if last_move is None:
            check_symmetry(sym_id)
            return None
        try:
            row, column = last_move
        except (TypeError, ValueError):
            raise EightfoldError(f"last move {shown(last_move)} is not a (row, column)") from None
        return BoardSymmetry.transform_coordinates(row, column, board_size, sym_id)

    @staticmethod
    def apply_symmetry(
        state: Array,
        policy: Array,
        value: Any,
        sym_id: int,
        last_move: tuple[int, int] | None = None,
        player: Any = None,
        metadata: Any = None,
    ) -> tuple[Array, Array, Any, tuple[int, int] | None, Any, Any]:
        """A whole example turned at once, so that nothing in it can turn differently from the rest."""
        state, policy = as_array("state", state), as_array("policy", policy)
        turned = BoardSymmetry.transform_board_tensor(state, sym_id)
        size = state.shape[-1]
        if policy.ndim == 2:
            if policy.shape[-1] != size:
                raise EightfoldError(
                    f"policy has shape {tuple(policy.shape)}, expected [{size}, {size}] like the state"
                )
            turned_policy = BoardSymmetry.transform_policy_grid(policy, sym_id)
        else:
            turned_policy = BoardSymmetry.transform_policy_flat(policy, size, sym_id)
        turned_move = BoardSymmetry.transform_last_move(last_move, size, sym_id)
        return turned, turned_policy, value, turned_move, player, metadata

    @staticmethod
    def get_random_symmetry() -> int:
        """A number from 0 to 7; `random.seed` makes it repeatable."""
        return random.randrange(COUNT)


def transform_batch(
    states: Array, policies: Array, sym_ids: Array, last_moves: Array | None = None
) -> TransformedBatch:
    """B samples, each turned by its own symmetry: states, policies and last moves together.

    `last_moves` is an integer array [B, 2] of (row, column), with (-1, -1) for none.

    >>> states, policies = np.zeros((2, 4, 8, 8), np.float32), np.zeros((2, 64), np.float32)
    >>> states[:, 0, 1, 2] = policies[:, 10] = 1
    >>> turned = transform_batch(states, policies, [1, 6], np.array([[1, 2], [-1, -1]]))
    >>> turned.states[0, 0, 2, 6], turned.policies[1, 2 * 8 + 1], turned.last_moves.tolist()
    (np.float32(1.0), np.float32(1.0), [[2, 6], [-1, -1]])
    """
    states = check_states(states)
    batch, size = states.shape[0], states.shape[-1]
    policies = _check_policies(policies, size)
    if policies.shape[0] != batch:
        raise EightfoldError(f"{batch} states came with {policies.shape[0]} policies")
    if last_moves is not None:
        last_moves = _check_moves(last_moves)
        if last_moves.shape[0] != batch:
            raise EightfoldError(f"{batch} states came with {last_moves.shape[0]} last moves")
    ids = _check_ids(sym_ids, batch)
    moves = None if last_moves is None else transform_last_moves(last_moves, size, ids)
    turned_states, turned_policies = _turned([states, policies], size, ids)
    return TransformedBatch(turned_states, turned_policies, moves)


def transform_states(states: Array, sym_ids: Array) -> Array:
    """[B, C, N, N] planes, each sample turned by its own symmetry."""
    states = check_states(states)
    return _turned([states], states.shape[-1], _check_ids(sym_ids, states.shape[0]))[0]


def transform_policies(policies: Array, board_size: int, sym_ids: Array) -> Array:
    """[B, A] policies, each turned by its own symmetry."""
    size = check_size(board_size)
    policies = _check_policies(policies, size)
    return _turned([policies], size, _check_ids(sym_ids, policies.shape[0]))[0]


def transform_last_moves(last_moves: Array, board_size: int, sym_ids: Array) -> Array:
    """[B, 2] last moves, each turned by its own symmetry; (-1, -1) stays."""
    size = check_size(board_size)
    last_moves = _check_moves(last_moves)
    moves = last_moves.cpu().numpy() if is_tensor(last_moves) else last_moves
    ids = _check_ids(sym_ids, moves.shape[0])
    turned = np.empty(moves.shape, np.int64)
    bad = _turn_moves(np.ascontiguousarray(moves, np.int64), ids, size, turned)
    if bad >= 0:
        raise EightfoldError(
            f"last move {tuple(moves[bad].tolist())} of sample {bad} is off a {size}x{size} board;"
            " use (-1, -1) for none"
        )
    turned = turned.astype(moves.dtype, copy=False)
    return on_device(turned, last_moves) if is_tensor(last_moves) else turned


# ---- one kernel for every symmetry ------------------------------------------------------------------


@kernel
def _turn_rows(
    source: NDArray[Any],  # [B, C, A]
    sym_ids: Ints,  # [B]
    table: NDArray[np.uint32],  # [8, N*N]
    packed: NDArray[np.uint64],  # [8, N*N // 4]
    first: int,
    stop: int,
    turned: NDArray[Any],  # [B, C, A]
) -> None:
    # All indices are unsigned: that spares Numba the check for an index from the end, which would double the time.
    # Loading indices is what limits the rest, so four of them come in one word.
    points, actions = table.shape[1], source.shape[2]
    low = np.uint64(0xFFFF)
    for sample in range(first, stop):
        symmetry = sym_ids[sample]
        words = packed.shape[1] if symmetry != IDENTITY else 0
        singles = points if symmetry != IDENTITY else 0
        for plane in range(source.shape[1]):
            old, new = source[sample, plane], turned[sample, plane]
            for word in range(words):
                four = packed[symmetry, np.uint64(word)]
                base = np.uint64(4) * np.uint64(word)
                new[base] = old[four & low]
                new[base + np.uint64(1)] = old[(four >> np.uint64(16)) & low]
                new[base + np.uint64(2)] = old[(four >> np.uint64(32)) & low]
                new[base + np.uint64(3)] = old[four >> np.uint64(48)]
            for point in range(4 * words, singles):
                new[np.uint64(point)] = old[table[symmetry, np.uint64(point)]]
            for point in range(singles, actions):  # the pass, or everything
                new[np.uint64(point)] = old[np.uint64(point)]


@kernel
def _turn_moves(moves: Ints, sym_ids: Ints, size: int, turned: Ints) -> int:  # [B, 2], [B], [B, 2]
    """Turn every last move; the number of the first that is off the board, or -1."""
    for sample in range(moves.shape[0]):
        row, column = moves[sample]
        if not (row == -1 and column == -1):
            if row < 0 or row >= size or column < 0 or column >= size:
                return sample
            row, column = turn(row, column, size, sym_ids[sample])
        turned[sample, 0] = row
        turned[sample, 1] = column
    return -1


def _turned(arrays: list[Array], size: int, ids: Ints) -> list[Array]:
    """Arrays [B, ..., A or N, N] of one batch, each sample turned by its id."""
    elsewhere = [not runs_here(array) for array in arrays]
    if any(elsewhere):
        return [
            _gathered(array, size, ids) if away else _turned([array], size, ids)[0]
            for array, away in zip(arrays, elsewhere, strict=True)
        ]
    # Bits are moved, not numbers, so the kernel is compiled once for a width and not once for a type.
    olds = [np.ascontiguousarray(_host(array)) for array in arrays]
    news = [np.empty_like(old) for old in olds]
    words = [f"u{old.dtype.itemsize}" for old in olds]
    jobs = [
        (_planes(old, size).view(word), _planes(new, size).view(word))
        for old, new, word in zip(olds, news, words, strict=True)
    ]
    table, packed = unsigned_sources(size), _packed_sources(size)

    def turn_samples(first: int, stop: int) -> None:
        for old, new in jobs:
            _turn_rows(old, ids, table, packed, first, stop, new)

    run_on_two_threads(turn_samples, len(ids), sum(old.nbytes for old in olds))
    return [like(array, new) for array, new in zip(arrays, news, strict=True)]


def _gathered(array: Array, size: int, ids: Ints) -> Array:
    """The same by a torch tensor's own gather, on its device and with its gradient."""
    planes = _planes(array, size)
    table = on_device(policy_sources(size, planes.shape[2]), array)
    index = table[on_device(ids, array)][:, None, :].expand(planes.shape)
    return planes.gather(2, index).reshape(array.shape)


def _planes(array: Array, size: int) -> Array:
    """[B, C, N, N] as [B, C, N*N], and [B, A] as [B, 1, A]."""
    return array.reshape(array.shape[0], array.shape[1] if array.ndim == 4 else 1, _actions(array, size))


def _actions(array: Array, size: int) -> int:
    return int(array.shape[1]) if array.ndim == 2 else size * size


@functools.lru_cache(maxsize=64)
def unsigned_sources(size: int) -> NDArray[np.uint32]:
    return sources(size).astype(np.uint32)


@functools.lru_cache(maxsize=64)
def _packed_sources(size: int) -> NDArray[np.uint64]:
    """[8, n*n // 4]: four indices in a word, the first lowest; none for boards too large for 16 bits."""
    words = size * size // 4 if size <= 256 else 0
    four = sources(size)[:, : 4 * words].reshape(COUNT, words, 4).astype(np.uint64)
    return np.bitwise_or.reduce(four << (np.uint64(16) * np.arange(4, dtype=np.uint64)), axis=2)


@functools.lru_cache(maxsize=64)
def policy_sources(size: int, actions: int) -> Ints:
    """[8, A]: `sources` with the pass, if there is one, in its place."""
    table = np.tile(np.arange(actions), (COUNT, 1))
    table[:, : size * size] = sources(size)
    return table


# ---- arrays and tensors -----------------------------------------------------------------------------


def is_tensor(array: Any) -> bool:
    return type(array).__module__.partition(".")[0] == "torch"


def runs_here(array: Array) -> bool:
    """True if NumPy can see the memory of `array` as it lies."""
    if not is_tensor(array):
        return True
    return array.device.type == "cpu" and not array.requires_grad and "bfloat16" not in str(array.dtype)


def _host(array: Array) -> NDArray[Any]:
    return np.asarray(array)


def like(original: Array, result: NDArray[Any]) -> Array:
    if not is_tensor(original):
        return result
    import torch

    return torch.from_numpy(result)


def _index(table: NDArray[Any], beside: Array) -> Array:
    return on_device(table.astype(np.int64), beside) if is_tensor(beside) else table


def on_device(array: NDArray[Any], beside: Array) -> Array:
    import torch

    return torch.as_tensor(array, device=beside.device)


def _on_board(name: str, value: Any, size: int) -> int:
    number = whole_number(value)
    if not 0 <= number < size:
        raise EightfoldError(f"{name} {shown(value)} is off a {size}x{size} board (0 to {size - 1})")
    return number


def check_states(states: Array) -> Array:
    states = as_array("states", states)
    if states.ndim != 4 or states.shape[2] != states.shape[3]:
        raise EightfoldError(f"states have shape {tuple(states.shape)}, expected [B, C, N, N]")
    check_size(states.shape[3])
    return states


def _check_policies(policies: Array, size: int) -> Array:
    policies = as_array("policies", policies)
    points = size * size
    if policies.ndim != 2 or policies.shape[1] not in (points, points + 1):
        raise EightfoldError(
            f"policies have shape {tuple(policies.shape)}, expected [B, {points}] for a {size}x{size} board"
            f" or [B, {points + 1}] with a pass"
        )
    return policies


def _check_moves(last_moves: Array) -> Array:
    moves = as_array("last moves", last_moves)
    whole = moves.dtype.kind in "iu" if not is_tensor(moves) else "int" in str(moves.dtype)
    if moves.ndim != 2 or moves.shape[1] != 2 or not whole:
        raise EightfoldError(f"last moves are {moves.dtype} {tuple(moves.shape)}, expected integers [B, 2]")
    return moves


def as_array(name: str, given: Any) -> Array:
    """`given` as it is if it is a tensor, or as an array of numbers."""
    if is_tensor(given):
        return given
    try:
        array = np.asarray(given)
    except ValueError:
        array = np.empty(0, object)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise EightfoldError(f"{name}: not a plain array of numbers (ragged, or {array.dtype})")
    return array


def _check_ids(sym_ids: Array, batch: int) -> Ints:
    ids = as_array("symmetry ids", sym_ids)
    if is_tensor(ids):
        ids = ids.cpu().numpy()
    if ids.shape == (0,) and not isinstance(sym_ids, np.ndarray):
        ids = ids.astype(np.int64)  # an empty list has no type of its own
    if ids.dtype.kind not in "iu" or ids.shape != (batch,):
        raise EightfoldError(f"symmetry ids are {ids.dtype} {ids.shape}, expected {batch} integers, one a sample")
    if batch and (ids.min() < 0 or ids.max() >= COUNT):
        bad = int(np.argmax((ids < 0) | (ids >= COUNT)))
        raise EightfoldError(f"symmetry id {ids[bad]} of sample {bad} is not one of the integers 0 to 7")
    return np.ascontiguousarray(ids, np.int64)


def inverse_ids(sym_ids: Array) -> Ints:
    """The symmetries that bring a batch back: [B] ids in, [B] ids out."""
    ids = as_array("symmetry ids", sym_ids)
    return INVERSE[_check_ids(sym_ids, ids.shape[0] if ids.ndim else 1)].astype(np.int64)
