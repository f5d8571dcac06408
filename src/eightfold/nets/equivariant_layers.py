"""Layers of `equivariant` networks: convolutions with shared weights, norms with shared statistics, gates.

Between two types of units the convolutions that commute with all symmetries are sums of a few kernels
(`eightfold.symmetry.kernel_bases`), whose entries are 1, -1 and 0 and do not overlap. So every entry of a whole kernel
is one of the free weights, or its negative, or 0, and a table says which. Only the free weights are learned and stored;
for inference and export they are spread out once, with the norm behind them, to a plain convolution.

`eightfold.nets.equivariant` has the convolutions of Internal Symmetry Networks, by the same bases: with biases, without
norms. Read before: `feature_fields.py`. Read next: `equivariant_resnet.py`.

Shapes: B batch, N board size, I and O channels in and out, U units; M members of a unit, F copies of it, K kernels of
a basis.
"""

from __future__ import annotations

import functools
import math
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from eightfold.nets.feature_fields import Fields, channels, fields, signed, units
from eightfold.nets.networks import NormalisedLayer
from eightfold.symmetry.kernel_bases import kernel_basis
from eightfold.symmetry.representations import TRIVIAL

Numbers = NDArray[Any]


@functools.lru_cache(maxsize=32)
def _table(inputs: Fields, outputs: Fields) -> tuple[Numbers, Numbers, Numbers]:
    """Which weight each entry of a kernel [O, 3, 3, I] is, its sign, and for each weight [P] its deviation at first.

    The weights of one pair of types follow those of another, [F_out, F_in, K] each.
    """
    rows, signs, first = [], [], 0
    deviations: list[float] = []
    for onto in outputs:
        blocks = []
        for given in inputs:
            basis = kernel_basis(onto.kind, given.kind).transpose(0, 1, 3, 4, 2)  # [K, M_out, 3, 3, M_in]
            kinds = len(basis)
            pairs = first + kinds * np.arange(onto.count * given.count).reshape(onto.count, given.count)
            which = np.einsum("k,koyxi->oyxi", np.arange(kinds), abs(basis))
            index = pairs[None, :, None, None, None, :] + which[:, None, :, :, :, None]
            sign = np.broadcast_to(basis.sum(axis=0)[:, None, :, :, :, None], index.shape)
            shape = (onto.channels, 3, 3, given.channels)
            blocks.append((np.where(sign == 0, 0, index).reshape(shape), sign.reshape(shape)))
            first += kinds * pairs.size
        index, sign = (np.concatenate(each, axis=3) for each in zip(*blocks, strict=True))
        rows.append(index)
        signs.append(sign)
        # He's initialisation, by how many weights reach an output of this type.
        reaching = max(1.0, np.count_nonzero(sign) / onto.channels)  # from planes, none may
        deviations += [math.sqrt(2 / reaching)] * (first - len(deviations))
    return np.concatenate(rows), np.concatenate(signs).astype(np.int8), np.array(deviations, np.float32)


class SharedConvolution(nn.Module):
    """The 3x3 convolutions that commute with all symmetries, without a bias.

    `weight` is [F_out, F_in, K] between two single types, else [1, P] with all pairs of types one after another.
    """

    def __init__(self, inputs: Fields, outputs: Fields) -> None:
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        index, sign, deviation = map(torch.from_numpy, _table(inputs, outputs))
        self.register_buffer("index", index, persistent=False)
        self.register_buffer("sign", None if bool((sign == 1).all()) else sign, persistent=False)
        single = len(inputs) == len(outputs) == 1
        shape = (outputs[0].count, inputs[0].count, -1) if single else (1, -1)
        deviation = deviation.reshape(shape)
        # More than one dimension either way: weight decay is for those.
        self.weight = nn.Parameter(torch.randn(deviation.shape) * deviation)

    def kernel(self) -> Tensor:
        """[O, I, 3, 3]: the whole kernel. Channels lie last in memory, as training wants them."""
        whole = self.weight.flatten()[self.get_buffer("index")]
        if self.sign is not None:
            whole = whole * self.get_buffer("sign").to(whole.dtype)
        return whole.permute(0, 3, 1, 2)

    def forward(self, features: Tensor) -> Tensor:
        return functional.conv2d(features, self.kernel(), padding=1)

    def spread(self) -> nn.Conv2d:
        """The same as a plain convolution."""
        plain = nn.Conv2d(channels(self.inputs), channels(self.outputs), 3, padding=1, bias=False)
        plain.weight.data = self.kernel().detach().contiguous()
        return plain


class SharedNorm(nn.BatchNorm2d):
    """Batch norm with one mean, variance, scale and shift for all members of a unit.

    A unit that changes its sign has the mean 0 and no shift: its variance is the mean of its squares.
    """

    def __init__(self, made_of: Fields) -> None:
        super().__init__(units(made_of))
        self.made_of = made_of
        self._shifted = units(made_of) - units(signed(made_of))  # these come first
        if self._shifted < self.num_features:
            self.bias = nn.Parameter(torch.zeros(self._shifted))
            self.running_mean = torch.zeros(self._shifted)
        of_unit = [torch.arange(each.count).repeat(each.members) for each in made_of]
        starts = np.cumsum([0, *(each.count for each in made_of)]).tolist()
        unit = torch.cat([numbers + start for numbers, start in zip(of_unit, starts, strict=False)])
        members = torch.tensor([float(each.members) for each in made_of for _ in range(each.count)])
        self.register_buffer("unit", unit, persistent=False)  # [C]: the unit of each channel
        self.register_buffer("members", members, persistent=False)  # [U]

    def forward(self, features: Tensor) -> Tensor:
        if not self.training:
            return functional.batch_norm(features, *self._by_channel(), training=False, eps=self.eps)
        given = features, self.weight, self.padded(self.bias), self
        normal, mean, variance = _Normalised.apply(*given)  # type: ignore[no-untyped-call]
        self._observe(mean, variance, features.numel() // features.shape[1])
        return cast(Tensor, normal)

    @torch.no_grad()
    def _observe(self, mean: Tensor, variance: Tensor, points: int) -> None:
        """Follow the statistics [U] of a batch in which every channel has so many points."""
        assert self.momentum is not None
        cast(Tensor, self.num_batches_tracked).add_(1)
        seen = points * self.get_buffer("members")
        unbiased = variance * seen / (seen - 1).clamp(min=1)
        for running, own in ((self.running_mean, mean[: self._shifted]), (self.running_var, unbiased)):
            cast(Tensor, running).mul_(1 - self.momentum).add_(own, alpha=self.momentum)

    def spread(self) -> nn.BatchNorm2d:
        """The same for every channel by itself."""
        plain = nn.BatchNorm2d(channels(self.made_of), eps=self.eps, device=self.weight.device)
        mean, variance, scale, shift = self._by_channel()
        plain.running_mean, plain.running_var = mean, variance
        plain.weight.data, plain.bias.data = scale.detach(), shift.detach()
        return plain

    def _by_channel(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """[C] each: mean, variance, scale and shift."""
        mean, variance = self.padded(cast(Tensor, self.running_mean)), cast(Tensor, self.running_var)
        unit = self.get_buffer("unit")
        return mean[unit], variance[unit], self.weight[unit], self.padded(self.bias)[unit]

    def sums(self, by_channel: Tensor) -> Tensor:
        """[C] to [U]: added up over the members of each unit."""
        parts = torch.split(by_channel, [each.channels for each in self.made_of])
        return torch.cat([f.reshape(each.members, -1).sum(dim=0) for f, each in zip(parts, self.made_of, strict=True)])

    def padded(self, by_unit: Tensor) -> Tensor:
        """[U] with 0 for the units that change their signs, whatever was there."""
        return functional.pad(by_unit[: self._shifted], (0, self.num_features - self._shifted))


class _Normalised(torch.autograd.Function):
    """Features [B, C, N, N] normalised by the statistics of their units, and these: mean and variance, [U] each.

    PyTorch's own kernels do it channel by channel: once to learn the statistics of channels, from which those of units
    follow, and once with the latter as given.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(features: Tensor, scale: Tensor, shift: Tensor, norm: SharedNorm) -> tuple[Tensor, Tensor, Tensor]:
        unit, members = norm.get_buffer("unit"), norm.get_buffer("members")
        scales, shifts = scale[unit], shift[unit]
        _, means, inverses = torch.native_batch_norm(features, scales, shifts, None, None, True, 0.0, norm.eps)
        mean = norm.padded(norm.sums(means) / members)
        variance = norm.sums(inverses**-2 - norm.eps + means**2) / members - mean**2
        normal = functional.batch_norm(features, mean[unit], variance[unit], scales, shifts, False, 0.0, norm.eps)
        return normal, mean, variance

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
        features, scale, _, ctx.norm = inputs
        _, mean, variance = output
        ctx.mark_non_differentiable(mean, variance)
        ctx.save_for_backward(features, scale, mean, variance)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (features, scale, mean, variance), norm = ctx.saved_tensors, ctx.norm
        unit, members = norm.get_buffer("unit"), norm.get_buffer("members")
        gradient, inverse = gradients[0], (variance + norm.eps).rsqrt()
        given = features, scale[unit], None, None, mean[unit], inverse[unit], True, norm.eps
        # Of the gradient times the normalised features, and of the gradient, the sums by channel, without their own.
        _, *by_channel = torch.ops.aten.native_batch_norm_backward(gradient, *given, [False, True, True])
        to_scale, to_shift = map(norm.sums, by_channel)
        to_shift = norm.padded(to_shift)
        # With x the normalised features and means over all points of a unit:
        # factor * (gradient - mean of the gradient - x * mean of x times the gradient), x written out.
        factor, points = scale * inverse, members * (features.numel() // features.shape[1])
        slope = -factor * inverse * to_scale / points
        offset = -factor * to_shift / points - slope * mean
        factor, slope, offset = (each[unit][:, None, None].to(gradient.dtype) for each in (factor, slope, offset))
        into = torch.addcmul(torch.addcmul(offset, features, slope), gradient, factor)
        return into, to_scale, to_shift, None


class EquivariantLayer(NormalisedLayer):
    """A shared convolution with its norm and, on types that the symmetries permute, a ReLU; it folds to a plain one."""

    def __init__(self, inputs: Fields, outputs: Fields, *, relu: bool = True) -> None:
        super().__init__(SharedConvolution(inputs, outputs), SharedNorm(outputs), relu=relu)

    def _plain(self) -> tuple[nn.Conv2d, nn.BatchNorm2d]:
        assert isinstance(self.convolution, SharedConvolution)
        assert isinstance(self.norm, SharedNorm)
        return self.convolution.spread(), self.norm.spread()


class GatedLayer(EquivariantLayer):
    """The same onto types of which some change their signs: a ReLU for the others, a gate for each unit of these."""

    def __init__(self, inputs: Fields, outputs: Fields) -> None:
        self._gated = signed(outputs)
        gates = units(self._gated)
        plain = outputs[: len(outputs) - len(self._gated)]
        super().__init__(inputs, (*fields((TRIVIAL, gates)), *outputs), relu=False)
        self._sizes = [gates, channels(plain), channels(self._gated)]

    def forward(self, features: Tensor, other: Tensor | None = None) -> Tensor:
        """`other` is added to all but the gates."""
        total = super().forward(features)
        gates, plain, rest = torch.split(total, self._sizes, dim=1)
        if other is not None:
            more_plain, more_rest = torch.split(other, self._sizes[1:], dim=1)
            plain, rest = plain + more_plain, rest + more_rest
        parts = torch.split(gates.sigmoid(), [copies.count for copies in self._gated], dim=1)
        open_by = [part for part, copies in zip(parts, self._gated, strict=True) for _ in range(copies.members)]
        return torch.cat([functional.relu(plain), rest * torch.cat(open_by, dim=1)], dim=1)
