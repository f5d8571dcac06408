"""`isn` of the registry: cells with internal symmetry as in Blair's networks, with a policy and a value.

The same layers as `eightfold.isn.network`, several of them, for any game's planes: the answers to a turned board are
the turned answers, exactly, whatever the weights. Heads pool over the board, so one network plays any size.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.isn.weights import HIDDEN_TYPES
from eightfold.nets.auxiliary import AuxiliaryAnswer, make_auxiliary
from eightfold.nets.equivariant import EquivariantConvolution
from eightfold.nets.heads import AuxiliaryOption
from eightfold.nets.shape import Shape
from eightfold.symmetry.group import ALL, subgroup_name
from eightfold.symmetry.representations import make_field


@dataclass(frozen=True, kw_only=True)
class IsnPolicyOptions(AuxiliaryOption):
    layers: int = setting(6, "layers of hidden units", least=1, most=100)
    trivial: int = setting(24, "trivial units", least=0, most=1024)
    symmetrical: int = setting(6, "symmetrical units", least=0, most=1024)
    diagonal: int = setting(6, "diagonal units", least=0, most=1024)
    chiral: int = setting(4, "chiral units", least=0, most=1024)
    faithful: int = setting(12, "faithful units", least=0, most=1024)
    heads: int = setting(32, "plain numbers that a cell gives each head", least=1, most=1024)


class ISNPolicy(nn.Module):
    """Layers of cells with units of five types; a policy from each cell, a value from their mean and maximum."""

    any_size = True
    Options = IsnPolicyOptions

    def __init__(self, shape: Shape, options: IsnPolicyOptions = IsnPolicyOptions()) -> None:  # noqa: B008 - frozen
        if shape.symmetries != ALL:
            has = subgroup_name(shape.symmetries)
            raise EightfoldError(f"network isn has all eight symmetries built in; the game has only: {has}")
        layers, heads, auxiliary = options.layers, options.heads, options.auxiliary
        super().__init__()
        hidden = make_field(**{kind: getattr(options, kind) for kind in HIDDEN_TYPES})
        if not hidden:
            raise EightfoldError("network isn: no hidden units; give at least one type a count")
        # One plane more than given, all ones: what it lacks outside tells a cell where the edge is.
        given = make_field(trivial=shape.planes + 1)
        self.stem = EquivariantConvolution(given, hidden)
        self.layers = nn.ModuleList(EquivariantConvolution(hidden, hidden) for _ in range(layers - 1))
        self.policy_features = EquivariantConvolution(hidden, make_field(trivial=heads))
        self.policy_shortcut = EquivariantConvolution(given, make_field(trivial=heads), bias=False)
        self.policy_pool = nn.Linear(2 * heads, heads)
        self.policy = nn.Conv2d(heads, 1, 1)
        self.policy_pass = nn.Linear(2 * heads, shape.passes) if shape.passes else None
        self.value_features = EquivariantConvolution(hidden, make_field(trivial=heads))
        outcomes = nn.Linear(64, 3)
        self.value = nn.Sequential(nn.Linear(2 * heads, 64), nn.ReLU(), outcomes)
        for last in (self.policy, self.policy_pass, outcomes):  # start undecided: a flat policy and values near zero
            if last is not None:
                last.weight.data.mul_(0.1)
        self.auxiliary: nn.Sequential | None = None
        predictors = make_auxiliary(auxiliary, heads, shape, "isn")
        if predictors is not None:
            # From plain numbers, as the other heads: ownership turns with the board, and the score does not change.
            plain = EquivariantConvolution(hidden, make_field(trivial=heads))
            for layer in predictors.last_layers():
                layer.weight.data.mul_(0.1)
            self.auxiliary = nn.Sequential(plain, nn.ReLU(), predictors)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        return self._answer(*self._hidden(planes))

    def with_auxiliary(self, planes: Tensor) -> AuxiliaryAnswer:
        given, hidden = self._hidden(planes)
        assert self.auxiliary is not None, "made without auxiliary heads"
        return AuxiliaryAnswer(*self._answer(given, hidden), *self.auxiliary(hidden))

    def _hidden(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """What the layers are given, the planes and one more, and what they make of it."""
        planes = torch.cat([planes, torch.ones_like(planes[:, :1])], dim=1)
        hidden = torch.tanh(self.stem(planes))
        for layer in self.layers:
            hidden = hidden + torch.tanh(layer(hidden))
        return planes, hidden

    def _answer(self, planes: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        local = self.policy_features(hidden) + self.policy_shortcut(planes)
        pooled = _pool(functional.relu(local))
        local = functional.relu(local + self.policy_pool(pooled)[:, :, None, None])
        policy = self.policy(local).flatten(1)
        if self.policy_pass is not None:
            policy = torch.cat([policy, self.policy_pass(pooled)], dim=1)
        outcomes = self.value(_pool(functional.relu(self.value_features(hidden)))).softmax(dim=1)
        win, draw, loss = outcomes[:, 0:1], outcomes[:, 1:2], outcomes[:, 2:3]
        return policy, torch.cat([win - loss, draw], dim=1)


def _pool(features: Tensor) -> Tensor:
    """[B, F, N, N] to [B, 2F]: the mean and the largest of every plane, which turning does not change."""
    return torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)
