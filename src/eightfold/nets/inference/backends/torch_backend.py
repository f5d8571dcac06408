"""PyTorch itself: the reference on the CPU, and the way to a GPU."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eightfold.nets.inference.backends.interface import Answer, Runner
from eightfold.nets.networks import folded
from eightfold.nets.shape import Shape

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


class TorchBackend:
    """A folded network on a device; `precision` auto is bf16 on CUDA and fp32 elsewhere.

    bf16 on a CPU is several times faster in large batches where the processor has instructions for it, and slower
    where it has not, so it has to be asked for.
    """

    def __init__(self, network: nn.Module, shape: Shape, *, device: str = "cpu", precision: str = "auto") -> None:
        self._shape, self._device = shape, torch.device(device)
        if precision == "auto":
            precision = "bf16" if self._device.type == "cuda" else "fp32"
        self._type = TYPES[precision]
        self._network = folded(network).to(self._device, self._type)
        # Both oneDNN and cuDNN are faster with the filters of a point side by side.
        for parameter in self._network.parameters():
            if parameter.dim() == 4:
                parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)

    def load(self, network: nn.Module) -> None:
        # Copied into the tensors that are there: a CUDA graph goes on reading the same addresses.
        self._network.load_state_dict(folded(network).state_dict())

    def runner(self) -> Runner:
        return self  # nothing of an answer is kept

    @torch.inference_mode()
    def run(self, planes: NDArray[np.float32]) -> Answer:
        logits, values = self._answers(torch.from_numpy(planes).to(self._device))
        return logits.cpu().numpy(), values.cpu().numpy()

    def _answers(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Planes [B, C, N, N] on the device; logits [B, A] and values [B] there, in fp32."""
        logits, values = self._network(planes.to(self._type, memory_format=torch.channels_last))
        return logits.float(), values.float()
