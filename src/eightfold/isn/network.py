"""Internal Symmetry Networks (Blair): the same tiny network in every cell, knowing what turning does to it.

    H = tanh(B_H + V_HI * I)                      hidden units of five types, on the 3x3 neighbourhood
    O = sigmoid(B_O + V_OI * I + V_OH * H)        seven outputs, all from white's view
    recurrent: H = tanh(B_H + V_HI * I + V_HH * H), so many times more; V_HH on the five-point neighbourhood

The cells outside the board have their last input set and their hidden units at zero. The weights know nothing of the
board's size. With Blair's numbers there are 714 free parameters, 725 with biases.

Shapes: B batch, H W board. Read next: `eightfold.isn.weights` (the same without PyTorch), `eightfold.isn.classes` (the
inputs), `eightfold.isn.reward` (what the outputs are worth), `eightfold.isn.fused` (the fast way on a CPU).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from eightfold.isn.weights import IsnConfig, IsnWeights
from eightfold.nets.equivariant import EquivariantConvolution
from eightfold.symmetry.representations import Field, channels, make_field

ACTIVE_INPUTS = 9  # one of a cell's inputs is set, so this many reach a hidden unit


class ISN(nn.Module):
    """[B, inputs, H, W] to [B, outputs, H, W], between 0 and 1; any board size.

    The last input stands for "off the board": it is 0 on the board, and the ring around it is added here.
    """

    def __init__(
        self,
        inputs: int = 14,
        outputs: int = 7,
        trivial: int = 4,
        symmetrical: int = 2,
        diagonal: int = 2,
        chiral: int = 0,
        faithful: int = 2,
        bias: bool = True,
        recurrent: int = 0,
    ) -> None:
        super().__init__()
        self.config = IsnConfig(
            inputs=inputs,
            outputs=outputs,
            trivial=trivial,
            symmetrical=symmetrical,
            diagonal=diagonal,
            chiral=chiral,
            faithful=faithful,
            bias=bool(bias),
            recurrent=recurrent,
        )
        self.recurrent = recurrent
        self.hidden_field: Field = self.config.hidden_field
        given, asked = make_field(trivial=inputs), make_field(trivial=outputs)
        self.hidden = EquivariantConvolution(given, self.hidden_field, bias=bias, scale=ACTIVE_INPUTS**-0.5)
        self.shortcut = EquivariantConvolution(given, asked, bias=bias, scale=0.1 * ACTIVE_INPUTS**-0.5)
        self.output = EquivariantConvolution(self.hidden_field, asked, bias=False)
        self.recurrence = (
            EquivariantConvolution(self.hidden_field, self.hidden_field, neighbourhood="cross", bias=False)
            if recurrent
            else None
        )

    @classmethod
    def from_weights(cls, weights: IsnWeights) -> ISN:
        """The network of plain arrays, ready to be trained further."""
        network = cls(**weights.config.as_dict())
        network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.arrays.items()})
        return network.eval()

    def weights(self) -> IsnWeights:
        """The free weights as plain arrays, copied."""
        state = {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}
        return IsnWeights(config=self.config, arrays=state)

    def forward(self, classes: Tensor) -> Tensor:
        wide = with_ring(classes)
        given = _inside(wide, self.hidden)  # [B, hidden, H, W]
        hidden = torch.tanh(given)
        if self.recurrence is not None:
            for _ in range(self.recurrent):
                hidden = torch.tanh(given + self.recurrence(hidden))
        return torch.sigmoid(_inside(wide, self.shortcut) + self.output(hidden))

    @property
    def connections(self) -> int:
        """Connections of a cell as Blair counts them, recurrent ones among them."""
        return sum(module.connections for module in self.modules() if isinstance(module, EquivariantConvolution))

    def fused(self) -> FusedISN:
        """The same function for inference, from plain convolutions: one for each layer."""
        return FusedISN(self)


class FusedISN(nn.Module):
    """An ISN for inference: hidden units and shortcut in one convolution, the ring folded into a bias.

    Off the board only the last input is set. Counted from there, that is with the last input lowered by one
    everywhere, the ring is all zeros, which is what a convolution pads with; the difference is a constant.
    """

    def __init__(self, network: ISN) -> None:
        super().__init__()
        inputs, outputs, self.units = network.config.inputs, network.config.outputs, channels(network.hidden_field)
        self.recurrent = network.recurrent
        with torch.no_grad():
            kernel = torch.cat([network.hidden.kernel(), network.shortcut.kernel()])
            bias = torch.cat([network.hidden.whole_bias(), network.shortcut.whole_bias()])
            kind: dict[str, Any] = {"device": kernel.device, "dtype": kernel.dtype}
            self.first = nn.Conv2d(inputs, self.units + outputs, 3, padding=1, **kind)
            self.first.weight.copy_(kernel)
            self.first.bias.copy_(bias + kernel[:, -1].sum(dim=(1, 2)))  # type: ignore[union-attr]
            self.second = nn.Conv2d(self.units, outputs, 3, padding=1, bias=False, **kind)
            self.second.weight.copy_(network.output.kernel())
            self.again = None
            if network.recurrence is not None:
                self.again = nn.Conv2d(self.units, self.units, 3, padding=1, bias=False, **kind)
                self.again.weight.copy_(network.recurrence.kernel())
            lowered = torch.zeros(1, inputs, 1, 1, **kind)
            lowered[0, -1] = 1
            self.register_buffer("lowered", lowered)

    def forward(self, classes: Tensor) -> Tensor:
        both = self.first(classes - self.get_buffer("lowered"))
        given, shortcut = both[:, : self.units], both[:, self.units :]
        hidden = torch.tanh(given)
        if self.again is not None:
            for _ in range(self.recurrent):
                hidden = torch.tanh(given + self.again(hidden))
        return torch.sigmoid(shortcut + self.second(hidden))


def with_ring(classes: Tensor) -> Tensor:
    """[B, C, H, W] to [B, C, H + 2, W + 2]: around the board, cells with the last input set."""
    off_board = functional.pad(torch.zeros_like(classes[:, -1:]), (1, 1, 1, 1), value=1.0)
    wide = functional.pad(classes, (1, 1, 1, 1))
    return torch.cat([wide[:, :-1], wide[:, -1:] + off_board], dim=1)


def _inside(wide: Tensor, layer: EquivariantConvolution) -> Tensor:
    """A layer on the board alone, its ring given."""
    return functional.conv2d(wide, layer.kernel(), layer.whole_bias())


def one_hot(classes: Tensor, inputs: int = 14) -> Tensor:
    """Classes [B, H, W], numbers from 0, to planes [B, inputs, H, W] of zeros and ones."""
    planes = torch.zeros(classes.shape[0], inputs, *classes.shape[1:], device=classes.device)
    return planes.scatter_(1, classes.long()[:, None], 1.0)
