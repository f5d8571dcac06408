"""The dense network of Zhao & Zhang, section 3.3: two dense blocks of few channels, 31 convolutions before the heads.

In a dense block every layer sees the planes of all layers before it and adds `growth` of its own (Huang et al. 2017).
A layer is a 1x1 convolution down to a few planes and a 3x3 one; a 1x1 convolution behind each block halves what has
gathered: 1 + 2 * (2 * 7 + 1) = 31. Zhao & Zhang give the number of convolutions and of blocks; the widths are ours.
Every convolution is followed by its batch norm, not preceded by one as in Huang et al.: so the norm becomes part of the
convolution when the network only plays.

Its board is that of the encoder `history`: both sides' stones now and one move earlier. The heads are the residual
network's, so the same weights play any board size.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from eightfold.core.settings import setting
from eightfold.nets.heads import AuxiliaryOption
from eightfold.nets.networks import NormalisedConvolution, PooledNetwork
from eightfold.nets.shape import Shape

BOTTLENECK = 4  # planes between the two convolutions of a layer, for each that it adds (Huang et al.)


@dataclass(frozen=True, kw_only=True)
class DenseNetOptions(AuxiliaryOption):
    blocks: int = setting(2, "dense blocks", least=1, most=10)
    layers: int = setting(7, "layers of a block, of two convolutions each", least=1, most=100)
    growth: int = setting(8, "planes that every layer adds", least=1, most=1024)


class DenseNet(PooledNetwork):
    """Dense blocks, each followed by a convolution that halves its planes."""

    Options = DenseNetOptions
    body_parts = ("stem", "body")

    def __init__(self, shape: Shape, options: DenseNetOptions = DenseNetOptions()) -> None:  # noqa: B008 - frozen
        super().__init__()
        planes = 2 * options.growth
        self.stem = NormalisedConvolution(shape.planes, planes)
        body: list[nn.Module] = []
        for _ in range(options.blocks):
            body.append(DenseBlock(planes, options.layers, options.growth))
            gathered = planes + options.layers * options.growth
            planes = gathered // 2
            body.append(Halving(gathered, planes))
        self.body = nn.Sequential(*body)
        self._add_heads(planes, shape, options.auxiliary, "densenet")

    def _features(self, planes: Tensor) -> Tensor:
        return self.body(self.stem(planes))


class DenseBlock(nn.Module):
    def __init__(self, planes: int, layers: int, growth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DenseLayer(planes + k * growth, growth) for k in range(layers))

    def forward(self, features: Tensor) -> Tensor:
        for layer in self.layers:
            features = torch.cat([features, layer(features)], dim=1)
        return features


class DenseLayer(nn.Module):
    def __init__(self, planes: int, growth: int) -> None:
        super().__init__()
        self.narrow = NormalisedConvolution(planes, BOTTLENECK * growth, kernel=1)
        self.look = NormalisedConvolution(BOTTLENECK * growth, growth)

    def forward(self, features: Tensor) -> Tensor:
        return self.look(self.narrow(features))


class Halving(nn.Module):
    """The transition behind a block. The board keeps its size: a move is a point."""

    def __init__(self, planes: int, outputs: int) -> None:
        super().__init__()
        self.narrow = NormalisedConvolution(planes, outputs, kernel=1)

    def forward(self, features: Tensor) -> Tensor:
        return self.narrow(features)
