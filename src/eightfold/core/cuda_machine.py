"""A GPU as the machine of a `GameForest`: PyTorch's memory, numba-cuda's kernels, a warp for each tree.

Everything runs on PyTorch's present stream, so that the trees and the network can be recorded as one CUDA graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from eightfold.core.compiling import BURSTS
from eightfold.core.cuda import teach_cuda
from eightfold.core.lanes import WARP
from eightfold.core.launchers import launcher

SHARED_BYTES = 48 << 10  # that a block may have without asking


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """How a kernel is compiled and launched; the answers are the same for all of them."""

    warps: int = 4  # a block
    max_registers: int = 0  # a thread, 0: any number; fewer let more warps run at once, but values go to memory


# By the name of a kernel, where the usual is not the best: these wait for memory, or for the slowest warp of a block.
TUNING = {
    "walk_tree": Tuning(max_registers=80),
    "walk_tree_by_puct": Tuning(max_registers=80),
    "ask_leaf": Tuning(max_registers=64),
    "settle_leaf": Tuning(max_registers=64),
    "look_around": Tuning(warps=1, max_registers=64),
}


def quiet_event(stream: torch.cuda.Stream) -> torch.cuda.Event:
    """Marks the present end of a stream. Who waits for it sleeps; spinning, as is usual, would take a core a run."""
    event = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
    event.record(stream)
    return event


class CudaMachine:
    """See `eightfold.search.game_forest.Machine`. Arrays are views of tensors, which `tensor` gives back."""

    one_board = True  # for fewer instructions and registers: see `eightfold.core.constants`

    def __init__(self, device: str = "cuda") -> None:
        self.device = torch.device(device)
        self._cuda = teach_cuda()
        self._tensors: dict[int, Tensor] = {}
        self._launchers: dict[Any, Any] = {}

    def zeros(self, shape: tuple[int, ...], number: Any) -> Any:
        kept = np.dtype(number)
        like = np.dtype(np.int64) if kept == np.uint64 else kept  # PyTorch's own unsigned numbers can do little
        zeros = torch.zeros(shape, dtype=torch.from_numpy(np.zeros(0, like)).dtype, device=self.device)
        return self.view(zeros).view(kept) if kept != like else self.view(zeros)

    def view(self, tensor: Tensor) -> Any:
        """A tensor as kernels take it."""
        array = self._cuda.as_cuda_array(tensor)
        self._tensors[array.device_ctypes_pointer.value or 0] = tensor
        return array

    def tensor(self, array: Any) -> Tensor:
        return self._tensors[array.device_ctypes_pointer.value or 0]

    def write(self, array: Any, content: NDArray[Any]) -> None:
        tensor = self.tensor(array)
        signed = content.view(np.int64) if content.dtype == np.uint64 else content
        tensor.copy_(torch.from_numpy(np.ascontiguousarray(signed)))

    def read(self, array: Any, rows: NDArray[np.int64] | None = None) -> NDArray[Any]:
        tensor = self.tensor(array)
        chosen = tensor if rows is None else tensor[torch.from_numpy(rows).to(self.device)]
        return np.asarray(chosen.cpu().numpy())

    def fetch(self, array: Any) -> Callable[[], NDArray[Any]]:
        tensor = self.tensor(array)
        content = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
        content.copy_(tensor, non_blocking=True)
        arrived = quiet_event(torch.cuda.current_stream(self.device))

        def wait() -> NDArray[Any]:
            arrived.synchronize()
            return content.numpy()

        return wait

    def mark(self, array: Any, rows: NDArray[np.int64], content: NDArray[Any]) -> None:
        places, values = (torch.from_numpy(each).to(self.device) for each in (rows, content))
        self.tensor(array)[places] = values

    def clear(self, array: Any) -> None:
        self.tensor(array).zero_()

    def run(self, kernel: Callable[..., None], trees: int, room: int, *arguments: Any) -> None:
        """The room is shared memory, ten times as quick as what the arrays lie in."""
        stream = self._cuda.external_stream(torch.cuda.current_stream(self.device).cuda_stream)
        warps = self._tuned(kernel).warps
        warps = max(1, min(warps, SHARED_BYTES // (8 * room))) if room else warps
        shape = (-(-trees // warps), warps * WARP, stream, 8 * room * warps)
        if kernel in self._launchers:
            self._launchers[kernel][shape](trees, room, arguments)
        else:
            self._launch_first(kernel, shape, trees, room, arguments)

    def _launch_first(self, kernel: Callable[..., None], shape: tuple[Any, ...], *arguments: Any) -> None:
        """Compile the kernel, or take its machine code from the disk; people who wait for that are told."""
        registers = self._tuned(kernel).max_registers
        BURSTS.begin(kernel.__module__)
        try:
            launch = launcher(kernel, **({"max_registers": registers} if registers else {}))
            launch[shape](*arguments)
        finally:
            BURSTS.end()
        self._launchers[kernel] = launch

    def _tuned(self, kernel: Callable[..., None]) -> Tuning:
        return TUNING.get(kernel.__name__, Tuning())
