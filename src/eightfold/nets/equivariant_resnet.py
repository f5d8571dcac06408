"""`equivariant` of the registry: a residual network whose answers turn with the board, whatever its weights.

Its features are fields (`feature_fields.py`): turning a board turns the planes of features, and permutes channels or
changes their signs as the fields' types say. With regular fields (group convolutions, Cohen & Welling 2016) `width`
channels are `width / 8` orbits, each with one channel for every symmetry, and convolutions that commute with this have
72 free weights of 3x3 between two orbits instead of 576. A ReLU acts on every channel by itself, so it commutes
with permutations, and a batch norm does if the eight channels of an orbit share its statistics. The heads are the
residual network's, on plain planes that a 3x3 convolution gathers from the fields: the policy turns with the board,
passing and the value stay. Other `features` are other fields, by the same layers (`equivariant_layers.py`).

Only the free weights are learned and stored. For inference and export they are spread out once: what then runs is
the residual network's graph with plain convolutions of `width` channels, on every backend, and costs what that costs
but for its heads, which read 3x3 points. Steerable features keep their gates in that graph.

Which features to take is measured by `eightfold study equivariant-features`.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.nets.auxiliary import make_auxiliary
from eightfold.nets.equivariant_layers import EquivariantLayer, GatedLayer
from eightfold.nets.feature_fields import KINDS, features_of, fields, signed
from eightfold.nets.heads import AuxiliaryOption
from eightfold.nets.networks import NormalisedLayer, PooledNetwork, residual_blocks
from eightfold.nets.shape import Shape
from eightfold.symmetry.group import ALL, subgroup_name
from eightfold.symmetry.representations import TRIVIAL


@dataclass(frozen=True, kw_only=True)
class EquivariantOptions(AuxiliaryOption):
    blocks: int = setting(6, "residual blocks", least=1, most=100)
    width: int = setting(64, "channels of every convolution, a multiple of 8", least=8, most=4096)
    features: str = setting("regular", "what its features are made of", choices=KINDS)


class EquivariantResNet(PooledNetwork):
    """Residual blocks of fields."""

    Options = EquivariantOptions
    grows = ("blocks", "width")

    def __init__(self, shape: Shape, options: EquivariantOptions = EquivariantOptions()) -> None:  # noqa: B008 - frozen
        if shape.symmetries != ALL:
            has = subgroup_name(shape.symmetries)
            raise EightfoldError(f"network equivariant has all eight symmetries built in; the game has only: {has}")
        self._fields = features_of(options.features, options.width)
        super().__init__()
        layer = GatedLayer if signed(self._fields) else EquivariantLayer
        self.stem = layer(fields((TRIVIAL, shape.planes)), self._fields)
        self.blocks = residual_blocks([layer(self._fields, self._fields) for _ in range(2 * options.blocks)])
        self._add_heads(options.width, shape, options.auxiliary, "equivariant")

    @staticmethod
    def why_not_grow(before: EquivariantOptions, after: EquivariantOptions) -> str:
        """A gate scales what a new block passes on; and between several types the weights of all pairs lie in one row,
        which does not grow in its middle."""
        made_of = features_of(before.features, before.width)
        if signed(made_of):
            return f"networks with features={before.features} do not grow"
        if len(made_of) > 1 and before.width != after.width:
            return f"features={before.features} can have more blocks, but no other width"
        return ""

    def _features(self, planes: Tensor) -> Tensor:
        return self.blocks(self.stem(planes))

    def _gathering(self, filters: int, width: int, *, relu: bool = True) -> NormalisedLayer:
        # 3x3: at a single point all that is plain in an orbit is its sum.
        return EquivariantLayer(self._fields, fields((TRIVIAL, width)), relu=relu)

    def _predictors(self, filters: int, shape: Shape, wanted: str, name: str) -> nn.Module | None:
        width = filters // 2
        heads = make_auxiliary(wanted, width, shape, name)
        return None if heads is None else nn.Sequential(self._gathering(filters, width), heads)
