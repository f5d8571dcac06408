"""The evaluator for what never leaves a device: planes there in, logits and values there out, by any symmetry mode.

As `evaluator.py`, mode by mode, in tensor operations over batches of one size in memory of its own. `answer` waits for
nothing and reads nothing back, so it may be a part of a CUDA graph: the trees of a GPU write `planes`, the graph runs
on, and they read `logits` and `values`. On a CPU the same operations run one by one. Run it once or twice before it is
recorded: cuDNN chooses its kernels then.

A turn is a gather by the table of the group; SLAP and SLAP-CC are kernels of our own where a GPU can run them
(`lane_symmetry.py`), else tensor operations (`device_symmetry.py`). In the mode `random` every
row draws its own symmetries from a multiplicative congruential generator (Steele & Vigna 2022), whose state is on the
device: the same seed gives the same turns on every device, inside a graph or not.

Shapes: B batch, C planes, N board size, P points (N * N), A actions, K symmetries of the game.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eightfold.core.errors import EightfoldError
from eightfold.nets.inference.backends.choice import TorchOptions
from eightfold.nets.inference.device import check_device
from eightfold.nets.inference.device_network import DeviceNetwork
from eightfold.nets.inference.device_symmetry import CentringByTensors, SlapByTensors
from eightfold.nets.inference.evaluator import AS_IS, check_mode
from eightfold.nets.inference.lane_symmetry import CentringByLanes, Machine, SlapByLanes, machine_for
from eightfold.nets.shape import Shape
from eightfold.symmetry.group import ALL, INVERSE, read_symmetries, sources
from eightfold.symmetry.slap_cc import EXTRA_PLANES
from eightfold.symmetry.transform import policy_sources

MULTIPLIER = 0xF1357AEA2E62A9C5 - (1 << 64)  # Steele & Vigna's for 64 bits, as a signed number
DRAWN_BITS = 61  # a state's bits from here on choose a symmetry: the highest are the best


class DeviceEvaluator:
    """A network, a symmetry mode and the symmetries of a game, for B positions at a time on a device.

    `shape` is what the network was made for, so with `slap-cc` its planes are more than those of the encoder.
    """

    def __init__(
        self,
        network: nn.Module,
        shape: Shape,
        *,
        encoder: str,
        batch: int,
        symmetry: str = "none",
        symmetries: Sequence[int] = ALL,
        device: str = "cpu",
        options: TorchOptions = TorchOptions(),  # noqa: B008 - frozen
        seed: int = 0,
        machine: Machine | None = None,
    ) -> None:
        """`machine`: what runs kernels for SLAP and SLAP-CC; None: the device, if it can."""
        check_device(device)
        if batch < 1:
            raise EightfoldError(f"a batch of {batch} positions: at least one is needed")
        self.encoder, self.symmetry, self.symmetries = encoder, check_mode(symmetry), read_symmetries(symmetries)
        self.network = DeviceNetwork(network, shape, device=device, precision=options.precision, fused=options.fused)
        self._size, self._count = shape.size, len(self.symmetries)
        self._encoded = shape.planes - (EXTRA_PLANES if symmetry == "slap-cc" else 0)
        place = self.network.device
        self.planes = torch.zeros(batch, self._encoded, shape.size, shape.size, device=place)  # [B, C, N, N]
        self.logits = torch.zeros(batch, shape.actions, device=place)  # [B, A]
        self.values = torch.zeros(batch, 2, device=place)  # [B, 2]: for the side to move, and the chance of a draw
        self.turns = torch.zeros(batch, dtype=torch.int64, device=place)  # [B]: in `random`, the last, 0 to K - 1
        self.trouble = torch.zeros((), device=place)  # 0, and NaN as soon as `check` has met a bad answer
        self._seen = self.network.room(batch * (self._count if symmetry == "average" else 1), shape.size)
        members = list(self.symmetries)
        self._into = _table(sources(shape.size)[members], place)  # [K, P]
        self._back = _table(policy_sources(shape.size, shape.actions)[INVERSE[members]], place)  # [K, A]
        if symmetry == "slap":
            given = self.planes, self._into, self._back, self.logits
            machine = machine or machine_for(place)
            self._slap = SlapByTensors(*given) if machine is None else SlapByLanes(machine, *given)
        elif symmetry == "slap-cc":
            machine = machine or machine_for(place)
            self._centring = (
                CentringByTensors(self.planes) if machine is None else CentringByLanes(machine, self.planes)
            )
        # Odd numbers, as the generator asks for.
        self._drawn = _table(np.random.default_rng(seed).integers(0, 1 << 62, batch) * 2 + 1, place)  # [B]

    def load(self, network: nn.Module) -> None:
        """Take new weights into the memory of the old ones, on the present stream."""
        self.network.load(network)

    @torch.inference_mode()
    def answer(self) -> None:
        """From `planes` to `logits` and `values`, on the present stream and without waiting for it."""
        if self.symmetry in AS_IS:
            self._answer_as_is()
        elif self.symmetry == "random":
            self._answer_turned()
        elif self.symmetry == "average":
            self._answer_averaged()
        elif self.symmetry == "slap":
            self._answer_canonical()
        else:
            self._answer_centred()

    @torch.inference_mode()
    def check(self) -> None:
        """Note in `trouble` if a number of the present answer is not finite, without waiting to know."""
        # A sum is finite if all its numbers are; zero times anything else is NaN, and NaN it stays.
        self.trouble.add_((self.logits.sum() + self.values.sum()) * 0)

    @property
    def is_sound(self) -> bool:
        """Whether `check` has found finite numbers alone. Waits for the device."""
        return bool(torch.isfinite(self.trouble))

    # ---- one mode each ----------------------------------------------------------------------------------

    def _answer_as_is(self) -> None:
        self._show(self.planes)
        logits, values = self.network(self._seen)
        self.logits.copy_(logits)
        self._keep_values(values)

    def _answer_turned(self) -> None:
        self._drawn.mul_(MULTIPLIER)
        self.turns.copy_((self._drawn >> DRAWN_BITS) & (self._count - 1))  # subgroups have 1, 2, 4 or 8 members
        index = self._into[self.turns]  # [B, P]
        self._show(self._points().gather(2, index[:, None].expand(-1, self._encoded, -1)))
        logits, values = self.network(self._seen)
        self.logits.copy_(logits.gather(1, self._back[self.turns]))
        self._keep_values(values)

    def _answer_averaged(self) -> None:
        batch = len(self.planes)
        variants = self._points()[:, :, self._into]  # [B, C, K, P]
        seen = self._seen.view(self._count, batch, *self._seen.shape[1:])
        seen[:, :, : self._encoded].copy_(variants.movedim(2, 0).view(self._count, *self.planes.shape))
        logits, values = self.network(self._seen)
        turned = logits.view(self._count, batch, -1)  # [K, B, A]
        back = turned.gather(2, self._back[:, None].expand(-1, batch, -1))
        torch.log(back.softmax(dim=2, dtype=torch.float32).mean(dim=0) + 1e-30, out=self.logits)
        self._keep_values(values.view(self._count, batch, *values.shape[1:]).mean(dim=0, dtype=torch.float32))

    def _answer_canonical(self) -> None:
        self._show(self._slap.enter())
        logits, values = self.network(self._seen)
        self._slap.leave(logits)
        self._keep_values(values)

    def _answer_centred(self) -> None:
        self._show(self.planes)
        self._show(self._centring.enter(), first=self._encoded)
        logits, values = self.network(self._seen)
        self.logits.copy_(logits)
        self._keep_values(values)

    # ---- their parts ------------------------------------------------------------------------------------

    def canonical(self) -> tuple[Tensor, Tensor]:
        """The canonical variants of `planes` [B, C, N, N], and which symmetries lead there [B, K], as SLAP has them."""
        stacks = self._slap.enter()
        return stacks, self._slap.members

    def _points(self) -> Tensor:
        return self.planes.flatten(2)  # [B, C, P]

    def _show(self, planes: Tensor, first: int = 0) -> None:
        """Put planes [B, C, N, N] or [B, C, P] where the network reads them: in its type and its order of memory."""
        count = planes.shape[1]
        self._seen[:, first : first + count].copy_(planes.view(-1, count, self._size, self._size))

    def _keep_values(self, values: Tensor) -> None:
        if values.dim() == 2:
            self.values.copy_(values)
        else:  # a network that does not tell draws: what it leaves open may be one
            self.values[:, 0].copy_(values)
            self.values[:, 1].copy_(1 - self.values[:, 0].abs())


def _table(numbers: NDArray[np.integer], device: torch.device) -> Tensor:
    return torch.as_tensor(numbers.astype(np.int64), device=device)
