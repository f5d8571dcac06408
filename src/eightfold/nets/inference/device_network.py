"""A network made ready to answer on a device: folded, in its precision, its convolutions fused where CUDA can do that.

The weights stay where they are for as long as it lives and `load` writes over them: a CUDA graph goes on reading the
same addresses. Read next: `eightfold.nets.convolutions`, then the backends for arrays on the host
(`backends/torch_backend.py`) and `device_evaluator.py` for what never leaves the device.

Shapes: B batch, C planes, N board size, A actions.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from eightfold.core.errors import EightfoldError
from eightfold.core.notes import tell_once
from eightfold.nets.networks import can_fuse, folded, planes_read
from eightfold.nets.networks import fused as fused_copy
from eightfold.nets.shape import Shape

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
# How far answers on CUDA may be from those in fp32 on a CPU: the largest difference, as a part of the largest answer
# where that is more than one. cuDNN computes fp32 as TF32.
BOUNDS = {"fp32": 0.02, "bf16": 0.1}
CHECKED = 8  # random positions that tell whether fused convolutions keep to the bound


class DeviceNetwork:
    """A network on a device; `precision` auto is bf16 on CUDA and fp32 elsewhere, `fused` matters on CUDA alone.

    bf16 on a CPU is several times faster in large batches where the processor has instructions for it, and slower
    where it has not, so it has to be asked for.
    """

    def __init__(
        self,
        network: nn.Module,
        shape: Shape,
        *,
        device: str = "cpu",
        precision: str = "auto",
        fused: str = "auto",
    ) -> None:
        self.device, self._shape = torch.device(device), shape
        if precision == "auto":
            precision = "bf16" if self.device.type == "cuda" else "fp32"
        self.type = TYPES[precision]
        self.is_fused = False
        self._module = self._placed(folded(network))
        if fused != "off" and self.device.type == "cuda" and can_fuse(self._module):
            self._fuse(network, BOUNDS[precision], wanted=fused == "on")

    @property
    def planes(self) -> int:
        """How many planes it is best given, zeros behind those that it was made for."""
        return planes_read(self._module, self._shape.planes)

    def __call__(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Planes [B, C, N, N] on the device; logits [B, A], and values [B] or with draws [B, 2], in its own type."""
        logits, values = self._module(planes.to(self.type, memory_format=torch.channels_last))
        return logits, values

    def room(self, batch: int, size: int) -> Tensor:
        """[B, planes, N, N]: zeros, in the type and the order of memory that the network reads as they are."""
        room = torch.empty(
            (batch, self.planes, size, size),
            dtype=self.type,
            device=self.device,
            memory_format=torch.channels_last,
        )
        return room.zero_()

    @torch.no_grad()
    def load(self, network: nn.Module) -> None:
        """Take the weights of a network of the same make, on the present stream."""
        given = folded(network).state_dict()
        for name, held in self._module.state_dict().items():
            fresh = given[name]
            # A layer that takes more planes than it needs has no weights for the others.
            (held if held.shape == fresh.shape else held[:, : fresh.shape[1]]).copy_(fresh)

    def _placed(self, module: nn.Module) -> nn.Module:
        module = module.to(self.device, self.type)
        # Both oneDNN and cuDNN are faster with the filters of a point side by side.
        for parameter in module.parameters():
            if parameter.dim() == 4:
                parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)
        return module

    def _fuse(self, network: nn.Module, bound: float, *, wanted: bool) -> None:
        """Take the fused form, unless it does not work here or, if it is not `wanted` anyway, strays too far."""
        try:
            module = self._placed(fused_copy(network))
            apart = self._apart(module, folded(network).to("cpu", torch.float32))
        except RuntimeError as error:  # cuDNN has no kernel for some convolution
            reason = str(error).partition("\n")[0]
            if wanted:
                raise EightfoldError(f"backend torch: fused=on does not work on {self.device}: {reason}") from None
        else:
            if wanted or apart <= bound:
                self._module, self.is_fused = module, True
                return
            reason = f"the answers would be {apart:.2g} off those in fp32, and {bound:g} is the bound"
        tell_once(f"the convolutions of this network are not fused on {self.device}: {reason}")

    @torch.inference_mode()
    def _apart(self, module: nn.Module, reference: nn.Module) -> float:
        """How far a module's answers are from another's on the CPU, as `BOUNDS` counts it."""
        shape, numbers = self._shape, torch.Generator().manual_seed(0)
        planes = torch.randint(0, 2, (CHECKED, shape.planes, shape.size, shape.size), generator=numbers).float()
        answers = module(planes.to(self.device, self.type, memory_format=torch.channels_last))
        differences = [
            (ours.float().cpu() - theirs).abs().max() / theirs.abs().max().clamp(min=1)
            for ours, theirs in zip(answers, reference(planes), strict=True)
        ]
        return float(torch.stack(differences).max())  # NaN if any is
