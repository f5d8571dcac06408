"""PyTorch itself: the reference on the CPU, and the way to a GPU."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eightfold.nets.inference.backends.interface import Answer, Runner
from eightfold.nets.inference.device_network import DeviceNetwork
from eightfold.nets.shape import Shape


class TorchBackend:
    """A network on a device, with the options of `DeviceNetwork`; batches come from the host and go back there."""

    def __init__(
        self,
        network: nn.Module,
        shape: Shape,
        *,
        device: str = "cpu",
        precision: str = "auto",
        fused: str = "auto",
    ) -> None:
        self._shape, self._device = shape, torch.device(device)
        self._network = DeviceNetwork(network, shape, device=device, precision=precision, fused=fused)

    @property
    def is_fused(self) -> bool:
        """Whether it runs the fused form of the network."""
        return self._network.is_fused

    def load(self, network: nn.Module) -> None:
        self._network.load(network)

    def runner(self) -> Runner:
        return self  # nothing of an answer is kept

    @torch.inference_mode()
    def run(self, planes: NDArray[np.float32]) -> Answer:
        logits, values = self._answers(torch.from_numpy(planes).to(self._device))
        return logits.cpu().numpy(), values.cpu().numpy()

    def _answers(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Planes [B, C, N, N] on the device; logits [B, A] and values [B] there, in fp32."""
        logits, values = self._network(planes)
        return logits.float(), values.float()
