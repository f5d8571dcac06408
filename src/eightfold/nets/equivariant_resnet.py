"""`equivariant` of the registry: a residual network whose answers turn with the board, whatever its weights.

Features are regular fields (group convolutions, Cohen & Welling 2016): `width` channels are `width / 8` orbits, each
with one channel for every symmetry. Turning a board turns the planes of features and permutes the eight channels of
every orbit. Convolutions are those that commute with this (`eightfold.symmetry.kernel_bases`): between two orbits 72
free weights of 3x3 instead of 576. A ReLU acts on every channel by itself, so it commutes with permutations, and a
batch norm does if the eight channels of an orbit share its statistics. The heads are the residual network's, on plain
planes that a 3x3 convolution gathers from the orbits: the policy turns with the board, passing and the value stay.

Only the free weights are learned and stored. For inference and export they are spread out once: what then runs is
the residual network's graph with plain convolutions of `width` channels, on every backend, and costs what that costs
but for its heads, which read 3x3 points.

A single type of field is the simplest that folds to convolutions with a ReLU.

Shapes: B batch, N board size; M members of a field (1 or 8), F copies of it, K kernels of a basis. Channel m * F + f
holds member m of copy f, so that in memory the copies of a point lie side by side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.nets.auxiliary import make_auxiliary
from eightfold.nets.heads import AuxiliaryOption
from eightfold.nets.networks import NormalisedLayer, PooledNetwork, residual_blocks
from eightfold.nets.shape import Shape
from eightfold.symmetry.group import ALL, COUNT, subgroup_name
from eightfold.symmetry.kernel_bases import NEIGHBOURS, kernel_basis
from eightfold.symmetry.representations import REGULAR, TRIVIAL, Representation


@dataclass(frozen=True, kw_only=True)
class EquivariantOptions(AuxiliaryOption):
    blocks: int = setting(6, "residual blocks", least=1, most=100)
    width: int = setting(64, "channels of every convolution, eight for each orbit", least=COUNT, most=4096)


@dataclass(frozen=True, kw_only=True)
class Copies:
    """A field of several units of one type that the symmetries permute: M * F channels."""

    kind: Representation
    count: int

    @property
    def members(self) -> int:
        return self.kind.dimension

    @property
    def channels(self) -> int:
        return self.members * self.count


class SharedConvolution(nn.Module):
    """The convolutions that commute with all symmetries, without a bias: `weight` is [F_out, F_in, K]."""

    def __init__(self, inputs: Copies, outputs: Copies) -> None:
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        basis = np.array(kernel_basis(outputs.kind, inputs.kind), np.float32)  # [K, M_out, M_in, 3, 3]
        self.register_buffer("basis", torch.from_numpy(basis.reshape(len(basis), -1)), persistent=False)
        # He's initialisation: as many weights reach an output as in a plain convolution.
        deviation = math.sqrt(2 / (inputs.channels * NEIGHBOURS))
        self.weight = nn.Parameter(torch.randn(outputs.count, inputs.count, len(basis)) * deviation)

    def kernel(self) -> Tensor:
        """[M_out * F_out, M_in * F_in, 3, 3]: the whole kernel. Channels lie last in memory, as training wants them."""
        inputs, outputs = self.inputs, self.outputs
        whole = (self.weight @ self.get_buffer("basis")).reshape(
            outputs.count, inputs.count, outputs.members, inputs.members, 3, 3
        )
        whole = whole.permute(2, 0, 4, 5, 3, 1).reshape(outputs.channels, 3, 3, inputs.channels)
        return whole.permute(0, 3, 1, 2)

    def forward(self, features: Tensor) -> Tensor:
        return functional.conv2d(features, self.kernel(), padding=1)

    def spread(self) -> nn.Conv2d:
        """The same as a plain convolution."""
        plain = nn.Conv2d(self.inputs.channels, self.outputs.channels, 3, padding=1, bias=False)
        plain.weight.data = self.kernel().detach().contiguous()
        return plain


class SharedNorm(nn.BatchNorm2d):
    """Batch norm with one mean, variance, scale and shift for all members of a unit."""

    def __init__(self, field: Copies) -> None:
        super().__init__(field.count)
        self.members = field.members

    def forward(self, features: Tensor) -> Tensor:
        batch, channels, rows, columns = features.shape
        # Members take part as more points of the board do: [B, F, N, N * M], a view where channels lie last in memory.
        points = features.permute(0, 2, 3, 1).reshape(batch, rows, columns * self.members, self.num_features)
        normal = super().forward(points.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        return normal.reshape(batch, rows, columns, channels).permute(0, 3, 1, 2)

    def spread(self) -> nn.BatchNorm2d:
        """The same for every channel by itself."""
        plain = nn.BatchNorm2d(self.num_features * self.members, eps=self.eps, device=self.weight.device)
        own = self.state_dict()
        per_channel = {name: own[name].repeat(self.members) for name in plain.state_dict() if own[name].ndim}
        plain.load_state_dict({**own, **per_channel})
        return plain.to(self.weight.dtype)


class EquivariantLayer(NormalisedLayer):
    """A shared convolution with its norm; it folds to a plain one."""

    def __init__(self, inputs: Copies, outputs: Copies, *, relu: bool = True) -> None:
        super().__init__(SharedConvolution(inputs, outputs), SharedNorm(outputs), relu=relu)

    def _plain(self) -> tuple[nn.Conv2d, nn.BatchNorm2d]:
        assert isinstance(self.convolution, SharedConvolution)
        assert isinstance(self.norm, SharedNorm)
        return self.convolution.spread(), self.norm.spread()


class EquivariantResNet(PooledNetwork):
    """Residual blocks of regular fields."""

    Options = EquivariantOptions
    grows = ("blocks", "width")

    def __init__(self, shape: Shape, options: EquivariantOptions = EquivariantOptions()) -> None:  # noqa: B008 - frozen
        if shape.symmetries != ALL:
            has = subgroup_name(shape.symmetries)
            raise EightfoldError(f"network equivariant has all eight symmetries built in; the game has only: {has}")
        if options.width % COUNT:
            raise EightfoldError(
                f"network equivariant: width={options.width} is not a multiple of {COUNT}, a channel for each symmetry"
            )
        super().__init__()
        self._field = Copies(kind=REGULAR, count=options.width // COUNT)
        self.stem = EquivariantLayer(Copies(kind=TRIVIAL, count=shape.planes), self._field)
        self.blocks = residual_blocks([EquivariantLayer(self._field, self._field) for _ in range(2 * options.blocks)])
        self._add_heads(options.width, shape, options.auxiliary, "equivariant")

    def _features(self, planes: Tensor) -> Tensor:
        return self.blocks(self.stem(planes))

    def _gathering(self, filters: int, width: int, *, relu: bool = True) -> NormalisedLayer:
        # 3x3: at a single point all that is plain in an orbit is its sum.
        return EquivariantLayer(self._field, Copies(kind=TRIVIAL, count=width), relu=relu)

    def _predictors(self, filters: int, shape: Shape, wanted: str, name: str) -> nn.Module | None:
        width = filters // 2
        heads = make_auxiliary(wanted, width, shape, name)
        return None if heads is None else nn.Sequential(self._gathering(filters, width), heads)
