"""What every backend offers: take weights, answer planes. Nothing here needs PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import nn

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]  # logits [B, A], values [B] or [B, 2] with draws


class Runner(Protocol):
    """A network that answers one thread; all that an evaluator needs."""

    def run(self, planes: NDArray[np.float32]) -> Answer:
        """Planes [B, C, N, N], any B. The answer may be the runner's own memory: it holds until the next run."""


class Backend(Runner, Protocol):
    def load(self, network: nn.Module) -> None:
        """Take the weights of a network of the same make. Never while `run` is at work in another thread."""

    def runner(self) -> Runner:
        """One more runner with these weights, for another thread; a later `load` may or may not reach it."""
