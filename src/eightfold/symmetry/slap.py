"""SLAP: of the eight variants of a position, always the same one (Suen & Alonso, section 3.1).

The canonical variant of a stack of planes is the one whose flattened list of numbers is largest, first
plane first. `slap` gives it with the symmetry `t` that leads there; every position of an orbit has the same
canonical variant, and each its own `t`. A network that only ever sees canonical positions answers
alike for all eight; its policy comes back to the board with `unslap`.

A position that is its own mirror image reaches the canonical variant by several symmetries. Which of
them one takes must not matter, so policies are averaged over all of them, both ways: `slap_frames`
gives the whole set as a bit mask (a "frame"), `into_frames` makes targets and `out_of_frames` brings
policies back. `SlapView` does the same for a search, in memory of its own and without checks on the way.

A game may have only some of the eight symmetries. Then only variants by those are compared: the canonical variant is
that of the smaller orbit, and no position is mistaken for one that plays differently.

Shapes: B batch, C planes, N board size, A actions (N*N, or one more for a pass).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.symmetry.group import ALL, COUNT, INVERSE, check_symmetry, read_symmetries, sources
from eightfold.symmetry.transform import (
    Array,
    BoardSymmetry,
    as_array,
    check_states,
    is_tensor,
    like,
    policy_sources,
    runs_here,
    unsigned_sources,
)


class SlapFrames(NamedTuple):
    stacks: Array  # [B, C, N, N], canonical
    ids: Array  # [B], the smallest symmetry that leads there
    frames: Array  # [B], bit g is set if symmetry g leads there


def slap(x: Array, symmetries: Sequence[int] = ALL) -> tuple[Array, int]:
    """The canonical variant `s` of planes [N, N] or [C, N, N], and a symmetry `t` that turns x into s.

    >>> s, t = slap(np.array([[0, 0], [0, 1]]))
    >>> s.tolist(), t
    ([[1, 0], [0, 0]], 2)
    """
    planes = as_array("the position", x)
    if planes.ndim not in (2, 3) or planes.shape[-1] != planes.shape[-2]:
        raise EightfoldError(f"the position has shape {tuple(planes.shape)}, expected [N, N] or [C, N, N]")
    stacks, ids = slap_batch(planes[None] if planes.ndim == 3 else planes[None, None], symmetries)
    return stacks.reshape(planes.shape), int(ids[0])


def unslap(policy: Array, t: int) -> Array:
    """A policy [A] for the canonical variant, back on the board that `t` came from.

    >>> unslap(np.array([1.0, 0, 0, 0]), 2).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    policy = as_array("policy", policy)
    if policy.ndim != 1:
        raise EightfoldError(f"policy has shape {tuple(policy.shape)}, expected [A]")
    size = _size_of_policy(policy.shape[0])
    return BoardSymmetry.transform_policy_flat(policy, size, int(INVERSE[check_symmetry(t)]))


def slap_batch(stacks: Array, symmetries: Sequence[int] = ALL) -> tuple[Array, Array]:
    """`slap` for every stack of [B, C, N, N]: the canonical stacks and their symmetry ids [B]."""
    canonical, ids, _ = slap_frames(stacks, symmetries)
    return canonical, ids


def slap_frames(stacks: Array, symmetries: Sequence[int] = ALL) -> SlapFrames:
    """`slap_batch`, and for each stack the mask of all symmetries that lead to its canonical variant."""
    stacks, group = check_states(stacks), read_symmetries(symmetries)
    if not runs_here(stacks):
        return _slap_tensor(stacks, group)
    if is_tensor(stacks):
        return SlapFrames(*(like(stacks, part) for part in slap_frames(stacks.numpy(), group)))
    # Numba compares neither half precision nor numbers in another machine's byte order.
    known = np.float32 if stacks.dtype == np.float16 else stacks.dtype.newbyteorder("=")
    source = np.ascontiguousarray(stacks, known)
    batch, planes, size, _ = source.shape
    canonical = np.empty_like(source)
    ids, frames = np.empty(batch, np.int64), np.empty(batch, np.uint8)
    _canonical(
        source.reshape(batch, planes, size * size),
        _sources_of(size, group),
        canonical.reshape(batch, planes, size * size),
        ids,
        frames,
    )
    if group != ALL:  # the kernel counts the members of the subgroup
        ids, frames = np.array(group, np.int64)[ids], _frames_of(group)[frames]
    return SlapFrames(canonical.astype(stacks.dtype, copy=False), ids, frames)


@functools.cache
def _sources_of(size: int, group: tuple[int, ...]) -> NDArray[np.uint32]:
    """[K, N*N]: `sources` of the K members of a subgroup."""
    table = unsigned_sources(size)
    return table if group == ALL else np.ascontiguousarray(table[list(group)])


@functools.cache
def _frames_of(group: tuple[int, ...]) -> NDArray[np.uint8]:
    """[2^K]: a mask over the members of a subgroup, in their order, as a mask over the eight."""
    return np.array([sum(1 << group[k] for k in frame_members(mask)) for mask in range(1 << len(group))], np.uint8)


def into_frames(policies: Array, frames: Array) -> Array:
    """Policies [B, A] of positions, as targets for their canonical variants: the mean over each frame."""
    return _mean_over_frames(policies, frames, back=False)


def out_of_frames(policies: Array, frames: Array) -> Array:
    """Policies [B, A] for canonical variants, back on their boards: the mean over each frame."""
    return _mean_over_frames(policies, frames, back=True)


class SlapView:
    """What a network sees with SLAP and what its answers mean on the board, one batch after another.

    The same as `slap_frames` and `out_of_frames`. A search asks for both hundreds of times a second, just after a
    network has emptied the processor's caches: then checks and fresh memory cost several times as much as the turning.
    """

    def __init__(self, symmetries: Sequence[int] = ALL) -> None:
        self._group = read_symmetries(symmetries)
        self._canonical = np.empty((0, 0, 0, 0), np.float32)
        self._ids, self._frames = np.empty(0, np.int64), np.empty(0, np.uint8)
        self._points = np.empty((len(self._group), 0), np.uint32)

    def enter(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """The canonical variants of planes [B, C, N, N]; valid until the next call."""
        batch, channels, size, _ = planes.shape
        if batch > len(self._canonical) or self._canonical.shape[1:] != planes.shape[1:]:
            self._canonical = np.empty(planes.shape, np.float32)
            self._ids, self._frames = np.empty(batch, np.int64), np.empty(batch, np.uint8)
            self._points = _sources_of(size, self._group)
        canonical = self._canonical[:batch]
        flat = (batch, channels, size * size)
        _canonical(planes.reshape(flat), self._points, canonical.reshape(flat), self._ids, self._frames)
        return canonical

    def leave(self, policies: NDArray[np.float32]) -> NDArray[np.float32]:
        """Policies [B, A] for what `enter` gave, back on the boards that it was given."""
        means = np.empty_like(policies)
        _average_turns(policies, self._frames, _turns_of_policies(policies.shape[1], self._group, back=True), means)
        return means


def frame_members(frame: int) -> tuple[int, ...]:
    """The symmetries in a bit mask.

    >>> frame_members(0b1000001)
    (0, 6)
    """
    return tuple(g for g in range(COUNT) if frame >> g & 1)


@kernel
def _canonical(
    stacks: NDArray[Any],  # [B, C, N*N]
    table: NDArray[np.uint32],  # [K, N*N], of the symmetries to choose from
    canonical: NDArray[Any],  # [B, C, N*N]
    ids: Ints,  # [B], or more, as are the frames: from 0 to K - 1
    frames: NDArray[np.uint8],
) -> None:
    leaders = np.empty(COUNT, np.int64)  # the variants that are still equal to the largest
    for sample in range(stacks.shape[0]):
        for g in range(COUNT):  # a constant, which the compiler unrolls; those beyond K are never looked at
            leaders[g] = g
        remaining = table.shape[0]
        for plane in range(stacks.shape[1]):
            values = stacks[sample, plane]
            for point in range(table.shape[1]):
                if remaining == 1:
                    break
                largest = values[table[leaders[0], point]]
                kept = 1
                for k in range(1, remaining):
                    value = values[table[leaders[k], point]]
                    if value > largest:
                        largest = value
                        leaders[0] = leaders[k]
                        kept = 1
                    elif value == largest:
                        leaders[kept] = leaders[k]
                        kept += 1
                remaining = kept
        chosen = leaders[0]
        frame = 0
        for k in range(remaining):
            frame |= 1 << leaders[k]
        ids[sample] = chosen
        frames[sample] = frame
        for plane in range(stacks.shape[1]):
            old, new = stacks[sample, plane], canonical[sample, plane]
            for point in range(table.shape[1]):
                new[np.uint64(point)] = old[table[chosen, np.uint64(point)]]


def _slap_tensor(stacks: Array, group: tuple[int, ...]) -> SlapFrames:
    """The same for torch tensors, on their device: a knockout of the variants."""
    import torch

    batch, planes, size, _ = stacks.shape
    table = torch.as_tensor(sources(size)[list(group)].astype(np.int64), device=stacks.device)
    flat = stacks.reshape(batch, planes, size * size)
    variants = flat[:, :, table].movedim(2, 1).reshape(batch, len(group), planes * size * size)
    best, ids = variants[:, 0], torch.zeros(batch, dtype=torch.int64, device=stacks.device)
    rows = torch.arange(batch, device=stacks.device)
    for k, g in list(enumerate(group))[1:]:
        rival = variants[:, k]
        first = (rival != best).int().argmax(dim=1)  # 0 where they are equal: then neither is larger there
        wins = rival[rows, first] > best[rows, first]
        best = torch.where(wins[:, None], rival, best)
        ids = torch.where(wins, g, ids)
    equal = (variants == best[:, None]).all(dim=2)  # [B, K]
    frames = (equal * (1 << torch.tensor(group, device=stacks.device))).sum(dim=1).to(torch.uint8)
    return SlapFrames(best.reshape(stacks.shape), ids, frames)


def _mean_over_frames(policies: Array, frames: Array, *, back: bool) -> Array:
    if is_tensor(policies):
        return _tensor_mean_over_frames(policies, frames, back=back)
    policies, frames = (np.asarray(as_array(*part)) for part in (("policies", policies), ("frames", frames)))
    if policies.ndim != 2 or frames.shape != policies.shape[:1] or frames.dtype.kind not in "iu":
        raise EightfoldError(
            f"policies {policies.shape} and frames {frames.dtype} {frames.shape} do not belong together:"
            " expected [B, A] and [B] integers"
        )
    for bad in np.flatnonzero((frames < 1) | (frames >= 1 << COUNT)):
        raise EightfoldError(f"frame {frames[bad]} of sample {bad} is not a mask of the eight symmetries (1 to 255)")
    policies = np.ascontiguousarray(policies, np.result_type(policies.dtype, np.float32))
    means = np.empty_like(policies)
    table = _turns_of_policies(policies.shape[1], ALL, back=back)
    _average_turns(policies, np.ascontiguousarray(frames, np.uint8), table, means)
    return means


@functools.cache
def _turns_of_policies(actions: int, group: tuple[int, ...], *, back: bool) -> NDArray[np.uint32]:
    """[K, A]: for each symmetry g of a subgroup the table that turns a policy by g, or back."""
    table = policy_sources(_size_of_policy(actions), actions)
    return np.ascontiguousarray((table[INVERSE] if back else table)[list(group)], np.uint32)


@kernel
def _average_turns(
    policies: NDArray[Any],  # [B, A]
    frames: NDArray[np.uint8],  # [B], or more
    table: NDArray[np.uint32],  # [K, A], of the symmetries that bits 0 to K - 1 of a frame stand for
    means: NDArray[Any],  # [B, A]
) -> None:
    for sample in range(policies.shape[0]):
        old, new = policies[sample], means[sample]
        members = 0
        for g in range(table.shape[0]):
            if frames[sample] >> g & 1:
                members += 1
                for action in range(policies.shape[1]):
                    value = old[table[g, np.uint64(action)]]
                    new[np.uint64(action)] = value if members == 1 else new[np.uint64(action)] + value
        if members > 1:
            for action in range(policies.shape[1]):
                new[action] /= members


def _tensor_mean_over_frames(policies: Array, frames: Array, *, back: bool) -> Array:
    """The same on a tensor's device and with its gradient: all eight turns, weighted by who is in the frame."""
    import torch

    frames = torch.as_tensor(frames, device=policies.device)
    if policies.ndim != 2 or frames.shape != policies.shape[:1] or not bool((frames > 0).all()):
        raise EightfoldError(
            f"policies {tuple(policies.shape)} and frames {tuple(frames.shape)} do not belong together:"
            " expected [B, A] and [B] masks of at least one symmetry"
        )
    if not policies.is_floating_point():
        policies = policies.float()  # a mean of whole numbers is none
    table = torch.as_tensor(_turns_of_policies(policies.shape[1], ALL, back=back).astype(np.int64))
    members = (frames.long()[:, None] >> torch.arange(COUNT, device=policies.device)) & 1  # [B, 8]
    weights = (members / members.sum(dim=1, keepdim=True)).to(policies.dtype)
    return (policies[:, table.to(policies.device)] * weights[:, :, None]).sum(dim=1)


def _size_of_policy(actions: int) -> int:
    """The board size of a policy with or without a pass.

    >>> _size_of_policy(64), _size_of_policy(82)
    (8, 9)
    """
    for points in (actions, actions - 1):
        size = round(points**0.5) if points > 0 else 0
        if size and size * size == points:
            return size
    raise EightfoldError(f"a policy of {actions} entries fits no square board, with or without a pass")
