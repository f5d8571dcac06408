"""Internal Symmetry Networks on a GPU: two convolutions in half precision, recorded as a CUDA graph.

Channels are filled up to multiples of eight, which tensor cores ask for, and lie side by side for each point. Hidden
units and outputs stay together in one tensor: tanh is taken of all, and the second convolution has no weights where
the shortcut lies. On a CPU the same steps run as they are, in single precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from eightfold.core.errors import unknown
from eightfold.isn.network import ISN
from eightfold.nets.inference.device import check_device

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
EIGHT = 8
WARM_UPS = 3  # runs before the recording, in which the libraries choose kernels and take their memory


def _filled(count: int) -> int:
    return -(-count // EIGHT) * EIGHT


class PaddedISN(nn.Module):
    """Classes [B, H, W] to outputs [B, O, H, W], by plain convolutions of padded channels."""

    def __init__(self, network: ISN) -> None:
        super().__init__()
        fused = network.fused().float().cpu()
        units, outputs, inputs = fused.units, network.config.outputs, network.config.inputs
        self.units, self.outputs, self.recurrent = _filled(units), outputs, network.recurrent
        width = self.units + _filled(outputs)
        with torch.no_grad():
            # A row for each class, the last input lowered by one as `FusedISN` does, so that zeros are the ring.
            rows = torch.zeros(inputs, _filled(inputs))
            rows[:, :inputs] = torch.eye(inputs)
            rows[:, inputs - 1] -= 1
            self.rows = nn.Parameter(rows, requires_grad=False)
            self.first = nn.Conv2d(_filled(inputs), width, 3, padding=1)
            self.second = nn.Conv2d(width, _filled(outputs), 3, padding=1, bias=False)
            self.again = nn.Conv2d(width, width, 3, padding=1, bias=False) if fused.again is not None else None
            for parameter in (self.first.weight, self.first.bias, self.second.weight):
                parameter.zero_()  # type: ignore[union-attr]
            for to, part in ((0, slice(0, units)), (self.units, slice(units, units + outputs))):
                count = part.stop - part.start
                self.first.weight[to : to + count, :inputs] = fused.first.weight[part]
                self.first.bias[to : to + count] = fused.first.bias[part]  # type: ignore[index]
            self.second.weight[:outputs, :units] = fused.second.weight
            if self.again is not None and fused.again is not None:
                self.again.weight.zero_()
                self.again.weight[:units, :units] = fused.again.weight

    def planes(self, classes: Tensor) -> Tensor:
        """[B, C, H, W] with the channels of a point side by side."""
        return functional.embedding(classes, self.rows).permute(0, 3, 1, 2)

    def from_planes(self, planes: Tensor) -> Tensor:
        both = self.first(planes)
        hidden = torch.tanh(both)
        if self.again is not None:
            for _ in range(self.recurrent):
                hidden = torch.tanh(both + self.again(hidden))
        return torch.sigmoid(self.second(hidden) + both[:, self.units :])[:, : self.outputs]

    def forward(self, classes: Tensor) -> Tensor:
        return self.from_planes(self.planes(classes))


class DeviceISN:
    """An ISN for batches of one shape on a device; a CUDA graph where there is CUDA."""

    def __init__(self, network: ISN, *, batch: int, size: int, device: str = "cuda", precision: str = "auto") -> None:
        check_device(device)
        self._device = torch.device(device)
        if precision == "auto":
            precision = "fp16" if self._device.type == "cuda" else "fp32"
        if precision not in TYPES:
            raise unknown("precision", precision, ("auto", *TYPES))
        self._network = PaddedISN(network).to(self._device, TYPES[precision]).eval()
        for parameter in self._network.parameters():
            if parameter.dim() == 4:
                parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)
        self.classes = torch.full((batch, size, size), 12, dtype=torch.int32, device=self._device)
        with torch.inference_mode():
            self.planes = self._network.planes(self.classes).clone(memory_format=torch.channels_last)
            self._whole = self._record(lambda: self._network(self.classes))
            self._alone = self._record(lambda: self._network.from_planes(self.planes))

    def run(self, classes: NDArray[np.uint8]) -> Tensor:
        """Classes [B, H, W] from the host; outputs on the device, which the next call overwrites."""
        with torch.inference_mode():
            self.classes.copy_(torch.from_numpy(classes))
            return self._whole()

    def replay(self, *, alone: bool = False) -> Tensor:
        """Once more with the classes that are there; `alone`: the planes made from them are there as well."""
        with torch.inference_mode():
            return self._alone() if alone else self._whole()

    def _record(self, job: Any) -> Any:
        if self._device.type != "cuda":
            return job
        stream = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream(self._device))
        with torch.cuda.stream(stream):
            for _ in range(WARM_UPS):
                job()
        torch.cuda.current_stream(self._device).wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            answer = job()

        def replay() -> Tensor:
            graph.replay()
            return answer

        return replay
