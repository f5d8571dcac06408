"""What belongs to the whole process, borrowed for a while and put back: PyTorch's threads and random numbers, and how
long a thread of Python may go on before another gets its turn."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

import torch

from eightfold.core.threads import usable_cores

CPU = torch.device("cpu")


def half_of_the_cores() -> int:
    """Threads for each of self-play and training, which go on side by side."""
    return max(1, usable_cores() // 2)


@contextlib.contextmanager
def with_half_of_the_cores() -> Iterator[None]:
    """PyTorch's threads for as long as a run works, also as a decorator of what does the work."""
    before = torch.get_num_threads()
    torch.set_num_threads(half_of_the_cores())
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def with_short_turns(seconds: float = 2e-4) -> Iterator[None]:
    """Threads of Python take turns often: one that keeps a GPU busy cannot wait for one that stores games."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextlib.contextmanager
def seeded(seed: int, device: torch.device = CPU) -> Iterator[None]:
    """Random numbers of the CPU and a GPU that is named, from a seed; afterwards they go on as if none was drawn."""
    on_gpu = device.type == "cuda"
    with torch.random.fork_rng(devices=[device] if on_gpu else []):
        torch.default_generator.manual_seed(seed)  # `torch.manual_seed` would reach every GPU as well
        if on_gpu:
            with torch.cuda.device(device):
                torch.cuda.manual_seed(seed)
        yield
