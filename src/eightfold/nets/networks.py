"""The networks: planes in, policy logits and a value out. A network is a name (`eightfold/parts.py`) and options.

    a1      three convolutions and two small heads, as in the appendix of Suen & Alonso, with its options
    resnet  residual blocks with batch norm; its heads pool over the board, so one network plays any size
    densenet  two dense blocks (Zhao & Zhang; Huang et al.) with the same heads; any size; `densenet.py`
    equivariant  residual blocks whose answers turn with the board; the same heads; any size; `equivariant_resnet.py`
    isn     layers of cells with internal symmetry (Blair): turned boards get turned answers; any size; `isn/policy.py`
    slap-net  any of the others with SLAP inside: turned boards get turned answers; `slap_net.py`

Shapes: B batch, C planes, N board size, A actions. `forward([B, C, N, N])` gives `([B, A], [B])`; logits are
for all actions, legal or not, and values are from the side to move, -1 to 1. A network that tells draws from
even chances gives values `[B, 2]`: the value, and the chance of a draw. With `auxiliary=` a network also learns who
will own the points of a game of Go, or what the opponent plays next: see `auxiliary.py`.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from eightfold.core.settings import setting
from eightfold.core.specs import read_spec, spec_values, split_name, write_spec
from eightfold.nets.auxiliary import AuxiliaryAnswer, AuxiliaryHeads, has_auxiliary, make_auxiliary
from eightfold.nets.convolutions import RectifiedConvolution
from eightfold.nets.equivariant import EquivariantConvolution
from eightfold.nets.heads import AuxiliaryOption
from eightfold.nets.shape import Shape
from eightfold.nets.slap_layer import SoftSlap
from eightfold.parts import NETWORKS


@dataclass(frozen=True, kw_only=True)
class A1Options(AuxiliaryOption):
    blocks: int = setting(0, "residual blocks instead of the three layers", least=0, most=100)
    filters: int = setting(256, "filters of the residual blocks", least=1, most=4096)
    policy_hidden: int = setting(0, "width of one more policy layer (Suen & Alonso: 64)", least=0, most=65_536)
    dropout: float = setting(0.0, "dropout in the heads, outputs excepted", least=0, most=0.95)


class A1(nn.Module):
    """Suen & Alonso, appendix: 32, 64 and 128 filters of 3x3, or residual blocks of 256 behind one convolution.

    The published code repeats one block's weights; here every block has its own.
    """

    any_size = False
    Options = A1Options

    def __init__(self, shape: Shape, options: A1Options = A1Options()) -> None:  # noqa: B008 - frozen
        blocks, filters, policy_hidden = options.blocks, options.filters, options.policy_hidden
        dropout, auxiliary = options.dropout, options.auxiliary
        super().__init__()
        points = shape.size * shape.size
        if blocks:
            body = _layer(shape.planes, filters) + [PlainBlock(filters) for _ in range(blocks)]
            width = filters
        else:
            body, before = [], shape.planes
            for width in (32, 64, 128):
                body += _layer(before, width)
                before = width
        self.body = nn.Sequential(*body)
        policy = [*_layer(width, 4, kernel=1), nn.Flatten(), nn.Dropout(dropout)]
        inputs = 4 * points
        if policy_hidden:
            policy += [nn.Linear(inputs, policy_hidden), nn.ReLU(), nn.Dropout(dropout)]
            inputs = policy_hidden
        self.policy = nn.Sequential(*policy, nn.Linear(inputs, shape.actions))
        self.value = nn.Sequential(
            *_layer(width, 2, kernel=1),
            nn.Flatten(),
            nn.Linear(2 * points, 64),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(64, 1),
            nn.Tanh(),
        )
        self.auxiliary = make_auxiliary(auxiliary, width, shape, "a1")
        initialise(self)

    @property
    def stem(self) -> nn.Module:
        return self.body[0]

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        return self._answer(self.body(planes))

    def with_auxiliary(self, planes: Tensor) -> AuxiliaryAnswer:
        features = self.body(planes)
        assert self.auxiliary is not None, "made without auxiliary heads"
        return AuxiliaryAnswer(*self._answer(features), *self.auxiliary(features))

    def _answer(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.policy(features), self.value(features).squeeze(1)


def _layer(inputs: int, outputs: int, *, kernel: int = 3) -> list[nn.Module]:
    """A convolution and its ReLU. They take two places of a sequence: files name layers by their places."""
    return [RectifiedConvolution(inputs, outputs, kernel=kernel), nn.Identity()]


class PlainBlock(nn.Module):
    """Two convolutions around which the input is added, without normalisation."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.first = RectifiedConvolution(filters, filters)
        self.second = RectifiedConvolution(filters, filters)

    def forward(self, features: Tensor) -> Tensor:
        return self.second(self.first(features), features)


@dataclass(frozen=True, kw_only=True)
class ResNetOptions(AuxiliaryOption):
    blocks: int = setting(6, "residual blocks", least=1, most=100)
    filters: int = setting(64, "filters of every convolution", least=1, most=4096)


class PooledNetwork(nn.Module, ABC):
    """A network whose heads pool over the board, so that the same weights play any board size.

    A kind of it makes its body, calls `_add_heads` and says what the body's features are.
    """

    any_size = True
    grows: tuple[str, ...] = ()  # options in which one may become larger, see `growing.py`
    body_parts: tuple[str, ...] = ()  # the modules that the planes go through on their way to the heads, by name

    @staticmethod
    def why_not_grow(before: Any, after: Any) -> str:
        """Why one with the first options cannot become one with the second, in words; empty if it can."""
        return ""

    def _add_heads(self, filters: int, shape: Shape, auxiliary: str, name: str) -> None:
        width = filters // 2 or 1
        self.policy_features = self._gathering(filters, width, relu=False)
        self.policy_pool = nn.Linear(2 * width, width)
        self.policy = nn.Conv2d(width, 1, 1)
        self.policy_pass = nn.Linear(2 * width, shape.passes) if shape.passes else None
        self.value_features = self._gathering(filters, width)
        self.value = nn.Sequential(nn.Linear(2 * width, 64), nn.ReLU(), nn.Linear(64, 3))
        self.auxiliary = self._predictors(filters, shape, auxiliary, name)
        initialise(self)

    def _gathering(self, filters: int, width: int, *, relu: bool = True) -> NormalisedLayer:
        """What a head takes from the features: `width` plain planes."""
        return NormalisedConvolution(filters, width, kernel=1, relu=relu)

    def _predictors(self, filters: int, shape: Shape, wanted: str, name: str) -> nn.Module | None:
        """The auxiliary heads, from features to what they predict."""
        return make_auxiliary(wanted, filters, shape, name)

    @abstractmethod
    def _features(self, planes: Tensor) -> Tensor:
        """What the heads see: [B, C, N, N] to [B, F, N, N]."""

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        return self._answer(self._features(planes))

    def with_auxiliary(self, planes: Tensor) -> AuxiliaryAnswer:
        features = self._features(planes)
        assert self.auxiliary is not None, "made without auxiliary heads"
        return AuxiliaryAnswer(*self._answer(features), *self.auxiliary(features))

    def _answer(self, features: Tensor) -> tuple[Tensor, Tensor]:
        local = self.policy_features(features)
        pooled = _pool(functional.relu(local))
        # What is going on elsewhere shifts every point's features alike.
        local = functional.relu(local + self.policy_pool(pooled)[:, :, None, None])
        policy = self.policy(local).flatten(1)
        if self.policy_pass is not None:
            policy = torch.cat([policy, self.policy_pass(pooled)], dim=1)
        outcomes = self.value(_pool(self.value_features(features))).softmax(dim=1)
        win, draw, loss = outcomes[:, 0:1], outcomes[:, 1:2], outcomes[:, 2:3]
        return policy, torch.cat([win - loss, draw], dim=1)


class ResNet(PooledNetwork):
    """Residual blocks with batch norm."""

    Options = ResNetOptions
    grows = ("blocks", "filters")
    body_parts = ("stem", "blocks")

    def __init__(self, shape: Shape, options: ResNetOptions = ResNetOptions()) -> None:  # noqa: B008 - frozen
        super().__init__()
        self.stem = NormalisedConvolution(shape.planes, options.filters)
        layers = [NormalisedConvolution(options.filters, options.filters) for _ in range(2 * options.blocks)]
        self.blocks = residual_blocks(layers)
        self._add_heads(options.filters, shape, options.auxiliary, "resnet")

    def _features(self, planes: Tensor) -> Tensor:
        return self.blocks(self.stem(planes))


class NormalisedLayer(nn.Module):
    """A convolution with its norm and, unless told otherwise, a ReLU; `fold` makes one convolution of all, for
    inference."""

    def __init__(self, convolution: nn.Module, norm: nn.Module, *, relu: bool = True) -> None:
        super().__init__()
        self.convolution, self.norm, self.relu = convolution, norm, relu

    def forward(self, features: Tensor, other: Tensor | None = None) -> Tensor:
        """`other` is added before the ReLU."""
        if isinstance(self.convolution, RectifiedConvolution):
            return self.convolution(features, other)
        total = self.norm(self.convolution(features))
        if other is not None:
            total = total + other
        return functional.relu(total) if self.relu else total

    def _plain(self) -> tuple[nn.Conv2d, nn.BatchNorm2d]:
        """The convolution and the norm that it folds, as plain ones."""
        return cast(nn.Conv2d, self.convolution), cast(nn.BatchNorm2d, self.norm)

    def fold(self) -> None:
        convolution, norm = self._plain()
        mean, variance = cast(Tensor, norm.running_mean), cast(Tensor, norm.running_var)
        scale = norm.weight / torch.sqrt(variance + norm.eps)
        inputs, outputs, kernel = convolution.in_channels, convolution.out_channels, convolution.kernel_size[0]
        plain = (
            RectifiedConvolution(inputs, outputs, kernel=kernel)
            if self.relu
            else nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2)
        )
        plain.weight.data = convolution.weight.data * scale[:, None, None, None]
        plain.bias = nn.Parameter((norm.bias - mean * scale).detach())
        self.convolution, self.norm = plain, nn.Identity()


class NormalisedConvolution(NormalisedLayer):
    """A plain convolution with batch norm."""

    def __init__(self, inputs: int, outputs: int, *, kernel: int = 3, relu: bool = True) -> None:
        convolution = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False)
        super().__init__(convolution, nn.BatchNorm2d(outputs), relu=relu)


def residual_blocks(layers: Sequence[NormalisedLayer]) -> nn.Sequential:
    """Blocks of two layers each, in their order."""
    return nn.Sequential(*map(ResidualBlock, layers[::2], layers[1::2]))


class ResidualBlock(nn.Module):
    def __init__(self, first: NormalisedLayer, second: NormalisedLayer) -> None:
        super().__init__()
        self.first, self.second = first, second

    def forward(self, features: Tensor) -> Tensor:
        return self.second(self.first(features), features)


def _pool(features: Tensor) -> Tensor:
    """[B, F, N, N] to [B, 2F]: the mean and the largest of every plane."""
    return torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)


def initialise(network: nn.Module) -> None:
    """He's initialisation; the defaults of torch left Suen & Alonso's two-filter value head dead for minutes."""
    for module in network.modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    last = [
        layer for module in network.modules() if isinstance(module, AuxiliaryHeads) for layer in module.last_layers()
    ]
    for head in (getattr(network, name, None) for name in ("policy", "policy_pass", "value")):
        last += [m for m in head.modules() if isinstance(m, nn.Linear | nn.Conv2d)][-1:] if head is not None else []
    for layer in last:
        layer.weight.data.mul_(0.1)  # start undecided: a flat policy and values near zero


def folded(network: nn.Module) -> nn.Module:
    """A copy for inference of plain convolutions: batch norms are part of theirs, shared weights are spread out.

    What only teaches, the auxiliary heads, is left out.
    """
    network = copy.deepcopy(network).eval()
    if has_auxiliary(network):
        network.auxiliary = None  # type: ignore[assignment]
    for module in list(network.modules()):
        if isinstance(module, NormalisedLayer | EquivariantConvolution | SoftSlap):
            module.fold()
    return network


def fused(network: nn.Module) -> nn.Module:
    """A folded copy that runs each convolution with its ReLU, and the sum before that, as one kernel on CUDA.

    It may be given more planes than it was made for, zeros behind the others: `planes_read` says how many.
    """
    network = folded(network)
    for module in network.modules():
        if isinstance(module, RectifiedConvolution):
            module.fuse()
    return network


def can_fuse(network: nn.Module) -> bool:
    """Whether a folded network has anything that `fused` would change."""
    return any(isinstance(module, RectifiedConvolution) for module in network.modules())


def planes_read(network: nn.Module, planes: int) -> int:
    """How many planes it is best to give a folded or fused network that was made for `planes`."""
    stem = _stem(network)
    return planes if stem is None else stem.in_channels


def _stem(network: nn.Module) -> RectifiedConvolution | None:
    """The one layer that reads the planes, if a folded network says which that is."""
    stem = getattr(network, "stem", None)
    layer = stem.convolution if isinstance(stem, NormalisedLayer) else stem
    return layer if isinstance(layer, RectifiedConvolution) else None


def make_network(text: str, shape: Shape) -> nn.Module:
    """The network that a text names (`a1`, `resnet:blocks=6,filters=64`), with fresh weights."""
    kind, options = read_network(text)
    return kind(shape, options)


def read_network(text: str) -> tuple[Any, Any]:
    """The class that a text names, and its options."""
    name, rest = split_name(text)
    kind = NETWORKS.find(name)
    return kind, read_spec(rest, kind.Options, f"network {name}")


def network_text(text: str) -> str:
    """The text with every option written out."""
    _, options = read_network(text)
    return write_spec(split_name(text)[0], spec_values(options))


def plays_any_size(text: str) -> bool:
    """Whether the weights of the network that a text names fit every board size."""
    kind, options = read_network(text)
    # Where one network is made of another, the options tell.
    return bool(options.any_size if hasattr(options, "any_size") else kind.any_size)
