"""PyTorch on CUDA without its overhead: a network's kernels are recorded once and replayed for every batch.

A small network on a large GPU spends most of its time being launched, kernel by kernel. A CUDA graph launches them
all at once, but only for the batch size and the addresses it was recorded with. So there is one graph for each of
a few batch sizes, recorded when it is first needed; a batch runs in the next larger one; and new weights are
copied into the tensors that the graphs read.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eightfold.nets.inference.backends.interface import Answer, Runner
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.shape import Shape

LARGEST = 4096  # a larger batch runs in parts
WARM_UPS = 3  # runs before the recording, in which the libraries choose kernels and take their memory


def padded(count: int) -> int:
    """The size of the graph for a batch: a power of two, or the middle between two of them.

    >>> [padded(count) for count in (1, 2, 3, 4, 5, 7, 12, 13, 128, 129)]
    [1, 2, 3, 4, 6, 8, 12, 16, 128, 192]
    """
    power = 1 << max(0, count - 1).bit_length()
    middle = 3 * power // 4
    return middle if power >= 4 and count <= middle else power


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A graph for S positions, the memory on the device that it reads and writes, and its image on the host."""

    graph: torch.cuda.CUDAGraph
    planes: Tensor  # [S, C, N, N]
    logits: Tensor  # [S, A]
    values: Tensor  # [S], or [S, 2] with draws
    host_planes: Tensor  # pinned, as are the next two: only such memory is copied without a detour
    host_logits: Tensor
    host_values: Tensor


class CudaGraphBackend(TorchBackend):
    """As `TorchBackend` on CUDA, with the same answers."""

    def __init__(
        self,
        network: nn.Module,
        shape: Shape,
        *,
        device: str = "cuda",
        precision: str = "auto",
        fused: str = "auto",
    ) -> None:
        super().__init__(network, shape, device=device, precision=precision, fused=fused)
        self._begin()

    def _begin(self) -> None:
        # A stream of its own: the trainer, which may use the same GPU from another thread, is not waited for.
        self._stream = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
        self._pool = torch.cuda.graph_pool_handle()
        self._recordings: dict[int, Recording] = {}
        torch.cuda.synchronize(self._device)  # the weights were written on another stream

    def load(self, network: nn.Module) -> None:
        self._stream.wait_stream(torch.cuda.current_stream(self._device))  # a step that still writes the weights
        with torch.cuda.stream(self._stream):
            super().load(network)
        self._stream.synchronize()

    def runner(self) -> Runner:
        """With graphs of its own, in whose memory an answer lies, over the same weights."""
        twin = copy.copy(self)
        twin._begin()
        return twin

    @torch.inference_mode()
    def run(self, planes: NDArray[np.float32]) -> Answer:
        if len(planes) > LARGEST:
            parts = [self._run_part(planes[first : first + LARGEST]) for first in range(0, len(planes), LARGEST)]
            return np.concatenate([logits for logits, _ in parts]), np.concatenate([values for _, values in parts])
        return self._run_part(planes, copied=False)

    def _run_part(self, planes: NDArray[np.float32], *, copied: bool = True) -> Answer:
        count, size = len(planes), padded(len(planes))
        if size not in self._recordings:
            self._recordings[size] = self._record(size)
        recording = self._recordings[size]
        recording.host_planes[:count].copy_(torch.from_numpy(planes))
        with torch.cuda.stream(self._stream):
            # What an earlier batch left in the rows behind `count` is computed too and looked at by nobody.
            recording.planes[:count].copy_(recording.host_planes[:count], non_blocking=True)
            recording.graph.replay()
            recording.host_logits[:count].copy_(recording.logits[:count], non_blocking=True)
            recording.host_values[:count].copy_(recording.values[:count], non_blocking=True)
        self._stream.synchronize()
        logits, values = recording.host_logits[:count].numpy(), recording.host_values[:count].numpy()
        return (logits.copy(), values.copy()) if copied else (logits, values)

    def _record(self, size: int) -> Recording:
        shape = self._shape
        with torch.cuda.stream(self._stream):
            planes = torch.zeros(
                size, shape.planes, shape.size, shape.size, dtype=self._network.type, device=self._device
            )
            for _ in range(WARM_UPS):
                self._answers(planes)
        self._stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        # One pool for all graphs, because no two of them ever run at once. `thread_local`: what other threads do on
        # the GPU meanwhile must not spoil the recording.
        with torch.cuda.graph(graph, pool=self._pool, stream=self._stream, capture_error_mode="thread_local"):
            logits, values = self._answers(planes)
        return Recording(
            graph=graph,
            planes=planes,
            logits=logits,
            values=values,
            host_planes=torch.zeros(planes.shape, dtype=planes.dtype, pin_memory=True),
            host_logits=torch.zeros(logits.shape, pin_memory=True),
            host_values=torch.zeros(values.shape, pin_memory=True),
        )
