"""A convolution with the ReLU behind it, which is what most convolutions of a network are: one layer, two forms.

The plain form is a convolution, a sum if there is something to add (the way around a residual block), and a ReLU. The
fused form hands all of it to cuDNN as one kernel, so that a batch of features is written once and not three times; on
an H200 that doubles what a network answers in a second. Networks are built of this layer, or fold to it, and are
trained in the plain form; `eightfold.nets.networks.fused` asks for the other, which only CUDA has.

Shapes: B batch, C planes in, F filters, N board size.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

EIGHT = 8  # tensor cores read the planes of a point in groups of eight


class RectifiedConvolution(nn.Conv2d):
    """relu(convolution(features) + other): [B, C, N, N] to [B, F, N, N]. Weights are named as those of `nn.Conv2d`."""

    def __init__(self, inputs: int, outputs: int, *, kernel: int = 3) -> None:
        super().__init__(inputs, outputs, kernel, padding=kernel // 2)
        self.inputs = inputs  # those that matter; `in_channels` may be more, see `fuse`
        self.fused = False

    def forward(self, features: Tensor, other: Tensor | None = None) -> Tensor:
        if self.in_channels > self.inputs and features.shape[1] == self.inputs:
            features = functional.pad(features, (0, 0, 0, 0, 0, self.in_channels - self.inputs))
        if self.fused and features.is_cuda:
            one, around = (1, 1), (self.kernel_size[0] // 2, self.kernel_size[1] // 2)  # strides, dilations; padding
            if other is None:
                return torch.cudnn_convolution_relu(features, self.weight, self.bias, one, around, one, 1)
            return torch.cudnn_convolution_add_relu(features, self.weight, other, 1.0, self.bias, one, around, one, 1)
        total = super().forward(features)
        return functional.relu(total if other is None else total + other)

    def fuse(self) -> None:
        """Become one kernel on CUDA, for inference; do this to a copy.

        It reads planes in eights then. Those behind the ones that matter have no weight, and may be left out.
        """
        missing = -self.inputs % EIGHT
        self.weight = nn.Parameter(functional.pad(self.weight.detach(), (0, 0, 0, 0, 0, missing)))
        self.in_channels, self.fused = self.inputs + missing, True
