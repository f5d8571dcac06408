"""`slap-net` of the registry: another network with SLAP inside, so that turned boards get turned answers, exactly.

    slap-net:inner=a1                                        SLAP around the whole network: as the symmetry mode `slap`
    slap-net:inner=[resnet:blocks=2,filters=32],at=layers    around its first layer, and around every block by itself
    slap-net:inner=a1,temperature=0.5                        the soft form: the mean over all variants, weighted

With `at=layers` the first layer chooses among variants of the planes, each block among variants of its features by a
fixed score of them; the heads pool over the board or look at single points, which turning does not change. The soft
form has learned scores, and runs what it is around once for each symmetry. The symmetries are the game's own. The inner
network says whether any board size will do and whether there are auxiliary heads. The layers are in `slap_layer.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from torch import Tensor, nn

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.core.specs import split_name
from eightfold.nets.auxiliary import AuxiliaryAnswer, heads_of
from eightfold.nets.heads import HEADS
from eightfold.nets.networks import PooledNetwork, make_network, network_text, plays_any_size
from eightfold.nets.shape import Shape
from eightfold.nets.slap_layer import (
    MAP,
    MOST_TEMPERATURE,
    POINTS,
    SAME,
    Kinds,
    MomentScore,
    Slap,
    SoftSlap,
    TurningLayer,
)


@dataclass(frozen=True, kw_only=True)
class SlapNetOptions:
    inner: str = setting("a1", "the network inside; with several options in brackets: [resnet:blocks=2,filters=32]")
    at: str = setting(
        "planes", "planes: around the whole network; layers: around each layer", choices=("planes", "layers")
    )
    temperature: float = setting(
        0.0,
        "0: SLAP; more: the mean over all variants, weighted by softmax(score / temperature)",
        least=0,
        most=MOST_TEMPERATURE,
    )
    learned: int = setting(0, "1: the temperature is learned too", least=0, most=1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inner", network_text(self.inner))  # an error now if there is none such
        if self.learned and not self.temperature:
            raise EightfoldError("network slap-net: learned=1 needs a temperature above 0 to start from")

    @property
    def any_size(self) -> bool:
        return plays_any_size(self.inner)


class SlapNet(nn.Module):
    """A network inside a turning layer, or one whose layers are inside such layers."""

    Options = SlapNetOptions

    def __init__(self, shape: Shape, options: SlapNetOptions = SlapNetOptions()) -> None:  # noqa: B008 - frozen
        super().__init__()
        self._shape, self._options = shape, options
        network = make_network(options.inner, shape)
        if options.at == "planes":
            network = self._wrapped(network, (POINTS, SAME), shape.planes, first=True)
        else:
            self._wrap_layers(network)
        self.inner = network

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        return cast(tuple[Tensor, Tensor], self.inner(planes))

    def with_auxiliary(self, planes: Tensor) -> AuxiliaryAnswer:
        ask = cast(Callable[[Tensor], AuxiliaryAnswer], self._network.with_auxiliary)
        if not isinstance(self.inner, TurningLayer):
            return ask(planes)
        there = [index for index, kind in enumerate(self._predicts) if kind]
        kinds = tuple(self._predicts[index] for index in there)
        given = self.inner.run(lambda turned: [ask(turned)[index] for index in there], planes, kinds)
        whole: list[Any] = [None] * len(self._predicts)
        for index, part in zip(there, given, strict=True):
            whole[index] = part
        return AuxiliaryAnswer(*whole)

    @property
    def _predicts(self) -> tuple[str, ...]:
        """How each part of an auxiliary answer turns; nothing for those that the inner network lacks."""
        heads = heads_of(self._network)
        points, soft, following = (head in heads for head in HEADS)
        owned = (POINTS, SAME) if points else ("", "")
        return (POINTS, SAME, *owned, POINTS if soft else "", POINTS if following else "")

    @property
    def auxiliary(self) -> nn.Module | None:
        """The inner network's auxiliary heads."""
        return getattr(self._network, "auxiliary", None)

    @auxiliary.setter
    def auxiliary(self, heads: None) -> None:
        self._network.auxiliary = heads  # type: ignore[assignment]

    @property
    def _network(self) -> nn.Module:
        return self.inner.module if isinstance(self.inner, TurningLayer) else self.inner

    def _wrapped(self, module: nn.Module, answers: Kinds, channels: int, *, first: bool) -> TurningLayer:
        """A module in a layer that turns; the first is given planes, in which SLAP has its own order."""
        options, symmetries = self._options, self._shape.symmetries
        if options.temperature:
            return SoftSlap(
                module,
                answers,
                score=MomentScore(channels),
                temperature=options.temperature,
                learned=bool(options.learned),
                symmetries=symmetries,
            )
        score = None if first else MomentScore(channels, learned=False)
        return Slap(module, answers, score=score, symmetries=symmetries)

    def _wrap_layers(self, network: nn.Module) -> None:
        if not isinstance(network, PooledNetwork) or not network.body_parts:
            name, _ = split_name(self._options.inner)
            raise EightfoldError(
                f"network slap-net: at=layers is for networks with pooled heads, such as resnet; {name} is none"
            )
        first = True
        for name in network.body_parts:
            part = getattr(network, name)
            wrapped = []
            for layer in part if isinstance(part, nn.Sequential) else [part]:
                wrapped.append(self._wrapped(layer, MAP, _channels_into(layer), first=first))
                first = False
            setattr(network, name, nn.Sequential(*wrapped))


def _channels_into(layer: nn.Module) -> int:
    """How many channels a layer reads: as many as its first convolution."""
    return next(module.in_channels for module in layer.modules() if isinstance(module, nn.Conv2d))
