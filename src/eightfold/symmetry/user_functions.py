"""Calling a user's functions safely, for the audit: whatever they do becomes a sentence, not a traceback.

Shapes: B batch, C planes, N board size, A actions, V values.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.symmetry.transform import check_states, is_tensor

Function = Callable[..., Any]  # a user's
Floats = NDArray[np.float64]
SAMPLES = 4  # positions made up for a network when none are given


class Trouble(Exception):
    """A user's function did something that ends the check of this symmetry."""


def called(function: Function, *arguments: Any, name: str = "it") -> Any:
    try:
        return function(*arguments)
    except Exception as error:  # whatever it is, the user wants to hear of it, and of all the rest too
        raise Trouble(f"{name} raises {type(error).__name__}: {error}") from error


def as_array(answer: Any, name: str = "it") -> NDArray[Any]:
    if is_tensor(answer):
        answer = answer.detach().cpu()
        answer = answer.double() if answer.is_floating_point() else answer  # NumPy has no bfloat16
    with contextlib.suppress(ValueError, TypeError, RuntimeError):
        array = np.asarray(answer)
        if array.dtype.kind in "biuf":
            return array
    raise Trouble(f"{name} gives back {answer!r:.60}, which is not an array of numbers")


def turned_by(function: Function, given: NDArray[Any], sym: Hashable) -> NDArray[Any]:
    """The function's answer, if it kept the shape, the kind of number and the array that it was given."""
    before = given.copy()
    try:
        turned = as_array(called(function, given, sym))
    except Trouble:
        if "torch" not in sys.modules:
            raise
        turned = as_array(called(function, sys.modules["torch"].from_numpy(given), sym))  # it may want a tensor
    if not np.array_equal(given, before):
        raise Trouble("it changes the array that it was given, instead of making a new one")
    if turned.shape != given.shape or turned.dtype.kind != given.dtype.kind:
        expected = f"expected {given.dtype} {list(given.shape)}"
        raise Trouble(f"it gives back {turned.dtype} {list(turned.shape)}, {expected}")
    return turned


@contextlib.contextmanager
def asking(network: Any) -> Iterator[Function]:
    """The network as a function of arrays; a torch module is set to evaluation meanwhile."""
    if "torch" not in sys.modules or not isinstance(network, sys.modules["torch"].nn.Module):
        yield lambda planes: network(planes.copy())
        return
    import torch

    modes = [(module, module.training) for module in network.modules()]
    like = next(network.parameters(), torch.zeros(0))
    network.eval()
    try:
        with torch.no_grad():
            yield lambda planes: network(torch.tensor(planes).to(like))
    finally:
        for module, training in modes:
            module.training = training


def answers(ask: Function, planes: NDArray[Any], actions: int) -> tuple[Floats, Floats]:
    """Policies [B, A] and values [B, V]; V is 0 for a network without values."""
    answer, batch = called(ask, planes), len(planes)
    parts = [*(answer if isinstance(answer, tuple | list) else [answer]), None, None]
    policies, values = as_array(parts[0]), np.empty((batch, 0)) if parts[1] is None else as_array(parts[1])
    if policies.shape[:1] != (batch,) or policies.size != batch * actions or values.shape[:1] != (batch,):
        got = f"policies {list(policies.shape)} and values {list(values.shape)}"
        raise Trouble(f"it gives {got}, expected [{batch}, {actions}] and [{batch}]")
    return policies.reshape(batch, actions).astype(float), values.reshape(batch, -1).astype(float)


def gap_between(one: Floats, other: Floats) -> Floats:
    """The absolute differences; none between two infinities, and endless where something is not a number."""
    with np.errstate(invalid="ignore"):
        difference = np.where(one == other, 0.0, np.abs(one - other))
    return np.where(np.isnan(difference), np.inf, difference)


def positions(states: Any, channels: int, size: int, seed: int) -> NDArray[Any]:
    """[B, C, N, N]: those given, or random ones with half the squares empty and one channel's stone on the others."""
    if states is None:
        owners = np.random.default_rng(seed).integers(-channels, channels, (SAMPLES, 1, size, size))
        return (owners == np.arange(channels)[:, None, None]).astype(np.float32)
    planes = as_array(check_states(states))
    if planes.shape[-1] != size or len(planes) == 0:
        raise EightfoldError(f"states have shape {list(planes.shape)}, expected [B, C, {size}, {size}]")
    return planes
