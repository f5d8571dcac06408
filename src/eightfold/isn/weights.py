"""The weights of an Internal Symmetry Network as plain arrays: what plays, exports and keeps one needs no PyTorch.

    layer        from           to        neighbourhood
    hidden       inputs         hidden    3x3, with biases
    shortcut     inputs         outputs   3x3, with biases
    output       hidden units   outputs   3x3
    recurrence   hidden units   hidden    the cross of five points; only where `recurrent` is not 0

Only the free weights are kept; `kernel` spreads them over the connections that share them. Read next:
`eightfold.isn.network` (the same network in PyTorch, to be trained), `eightfold.isn.fused` (the fast way on a CPU).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, shown
from eightfold.symmetry.group import whole_number
from eightfold.symmetry.kernel_bases import SharedKernel, share
from eightfold.symmetry.representations import TRIVIAL, Field, make_field

HIDDEN_TYPES = ("trivial", "symmetrical", "diagonal", "chiral", "faithful")
MOST = 128  # of anything that a configuration counts: a file may be a stranger's, and its kernels are made before its
# weights are looked at, pair by pair of units


@dataclass(frozen=True, kw_only=True)
class IsnConfig:
    """The make of a network: Blair's unless something else is said."""

    inputs: int = 14
    outputs: int = 7
    trivial: int = 4
    symmetrical: int = 2
    diagonal: int = 2
    chiral: int = 0
    faithful: int = 2
    bias: bool = True
    recurrent: int = 0  # how many times more the hidden units are computed, by links among themselves

    def __post_init__(self) -> None:
        counts = dict.fromkeys(HIDDEN_TYPES, 0)
        for name, least in {"inputs": 2, "outputs": 1, "recurrent": 0, **counts}.items():
            value = getattr(self, name)
            if not least <= whole_number(value) <= MOST:
                raise EightfoldError(f"ISN: {name}={shown(value)} is not a whole number from {least} to {MOST}")
        if not self.hidden_field:
            raise EightfoldError("ISN: no hidden units; give at least one type a count")

    @functools.cached_property
    def hidden_field(self) -> Field:
        return make_field(**{name: getattr(self, name) for name in HIDDEN_TYPES})

    @property
    def layers(self) -> Mapping[str, Layer]:
        return _layers(self)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True, eq=False)
class Layer:
    """How the connections of a layer share weights, and on which of its channels a bias is possible."""

    shared: SharedKernel
    bias_channels: NDArray[np.int64]  # [K]: the trivial ones; () where there are no biases

    def shapes(self, name: str) -> dict[str, tuple[int, ...]]:
        """Of the arrays that a file holds for this layer."""
        found: dict[str, tuple[int, ...]] = {f"{name}.weight": (self.shared.parameters,)}
        return {**found, f"{name}.bias": self.bias_channels.shape} if len(self.bias_channels) else found


@functools.lru_cache(maxsize=64)
def _layers(config: IsnConfig) -> Mapping[str, Layer]:
    given, asked = make_field(trivial=config.inputs), make_field(trivial=config.outputs)
    hidden = config.hidden_field
    parts = {
        "hidden": (given, hidden, "square", config.bias),
        "shortcut": (given, asked, "square", config.bias),
        "output": (hidden, asked, "square", False),
    }
    if config.recurrent:
        parts["recurrence"] = (hidden, hidden, "cross", False)
    return {
        name: Layer(
            shared=share(outputs, inputs, neighbourhood),
            bias_channels=_trivial_channels(outputs) if bias else np.zeros(0, np.int64),
        )
        for name, (inputs, outputs, neighbourhood, bias) in parts.items()
    }


def _trivial_channels(field: Field) -> NDArray[np.int64]:
    kinds = [kind for kind in field for _ in range(kind.dimension)]
    return np.array([channel for channel, kind in enumerate(kinds) if kind is TRIVIAL], np.int64)


class HasWeights(Protocol):
    """An ISN in any form: plain arrays or a PyTorch module."""

    def weights(self) -> IsnWeights: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class IsnWeights:
    """A network's make and its free weights, by the names that its file gives them."""

    config: IsnConfig
    arrays: Mapping[str, NDArray[Any]]

    def __post_init__(self) -> None:
        expected = {
            name: shape for key, layer in self.config.layers.items() for name, shape in layer.shapes(key).items()
        }
        given = {name: array.shape for name, array in self.arrays.items()}
        for name in sorted(expected.keys() | given.keys()):
            if expected.get(name) != given.get(name):
                raise EightfoldError(
                    f"{name} is {given.get(name, 'missing')}, expected {expected.get(name, 'nothing of that name')}"
                )

    def weights(self) -> IsnWeights:
        return self

    def kernel(self, layer: str) -> NDArray[np.float32]:
        """[O, I, 3, 3]: a layer's whole kernel, in which many connections share a weight."""
        free = np.asarray(self.arrays[f"{layer}.weight"], np.float64)
        return self.config.layers[layer].shared.expand(free).astype(np.float32)

    def bias(self, layer: str) -> NDArray[np.float32]:
        """[O]: a layer's biases, and zeros where there can be none."""
        made = self.config.layers[layer]
        whole = np.zeros(len(made.shared.sign), np.float32)
        if len(made.bias_channels):
            whole[made.bias_channels] = self.arrays[f"{layer}.bias"]
        return whole
