"""Layers that commute with the eight symmetries: convolutions with shared weights, biases where they are allowed.

Only the free parameters are learned; the whole kernel is spread out from them for every batch in training, and once
and for all by `fold` for inference, after which the layer is a plain convolution.

tanh may follow on every type: it is odd, and the symmetries only permute channels and change signs. ReLU may follow
on trivial channels only. Read next: `eightfold.isn.network`.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from eightfold.symmetry.kernel_bases import share
from eightfold.symmetry.representations import TRIVIAL, Field


class EquivariantConvolution(nn.Module):
    """A 3x3 convolution from one field to another, zeros outside the board, with `parameters` that are free.

    `scale` is the standard deviation of fresh weights; by default such that sums over random activations of size
    one have size one.
    """

    def __init__(
        self,
        inputs: Field,
        outputs: Field,
        *,
        neighbourhood: str = "square",
        bias: bool = True,
        scale: float | None = None,
    ) -> None:
        super().__init__()
        shared = share(outputs, inputs, neighbourhood)
        self.connections = shared.connections
        self._plain: nn.Conv2d | None = None
        self.register_buffer("index", torch.from_numpy(shared.index), persistent=False)
        self.register_buffer("sign", torch.from_numpy(shared.sign).to(torch.int8), persistent=False)
        busiest = int((shared.sign != 0).sum(axis=(1, 2, 3)).max(initial=1))
        deviation = 1 / math.sqrt(max(1, busiest)) if scale is None else scale
        self.weight = nn.Parameter(torch.randn(shared.parameters) * deviation)
        # A bias on a channel that changes its sign under some symmetry would break that symmetry.
        places = [channel for channel, kind in enumerate(_kinds(outputs)) if kind == TRIVIAL.name]
        self.register_buffer("places", torch.tensor(places, dtype=torch.int64), persistent=False)
        self.bias = nn.Parameter(torch.zeros(len(places))) if bias and places else None

    def kernel(self) -> Tensor:
        """[O, I, 3, 3]: the whole kernel, in which many connections share a weight."""
        index, sign = self.get_buffer("index"), self.get_buffer("sign")
        if not self.weight.numel():
            return sign.to(self.weight.dtype)
        return self.weight[index] * sign.to(self.weight.dtype)

    def whole_bias(self) -> Tensor:
        """[O]: the biases, and zeros where there can be none."""
        whole = torch.zeros(self.get_buffer("sign").shape[0], dtype=self.weight.dtype, device=self.weight.device)
        return whole if self.bias is None else whole.index_copy(0, self.get_buffer("places"), self.bias)

    def forward(self, features: Tensor) -> Tensor:
        if self._plain is not None:
            return self._plain(features)
        return functional.conv2d(features, self.kernel(), self.whole_bias(), padding=1)

    def fold(self) -> None:
        """Become a plain convolution; there is no way back, so do this to a copy."""
        kernel, bias = self.kernel().detach(), self.whole_bias().detach()
        plain = nn.Conv2d(kernel.shape[1], kernel.shape[0], 3, padding=1, device=kernel.device, dtype=kernel.dtype)
        plain.weight.data, plain.bias = kernel, nn.Parameter(bias)
        self._plain, self.bias = plain, None
        del self.weight, self.index, self.sign, self.places


def _kinds(field: Field) -> list[str]:
    """The type's name for every channel."""
    return [kind.name for kind in field for _ in range(kind.dimension)]
