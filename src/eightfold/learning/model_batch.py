"""Many small networks of one kind, trained as one: a model axis in front of everything.

    loss of a model = mean of (z - v)^2 - pi . log p     (Suen & Alonso; L2 by the optimiser's weight decay)

All parameters are rows of one tensor [M, P], and so are the optimiser's moments: a step of Adam for all models is a few
operations, and every model has its own learning rate and weight decay. There are three ways to run the networks, which
give the same numbers up to rounding:

    each      one model after another. Best on a CPU, whose convolutions fill it with one model's batch.
    grouped   all at once by `torch.func.vmap`, which makes a grouped convolution of the models' convolutions.
    matrix    all at once, every convolution written as a product of matrices: large batched products fill a GPU,
              while kernels for grouped convolutions with few filters do not.

On a GPU a step is recorded once and launched as a whole, since it is a thousand operations for a host to launch. (What
dropout drops is drawn anew every step, so it is not recorded.)

`eightfold bench models` measures all three beside a plain loop (`benchmarks/reference/one_by_one.py`).

Shapes: M models, P parameters of a model, B batch, C planes, N board size, A actions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from eightfold.learning.runs.torch_globals import seeded
from eightfold.learning.trainer import use_bf16
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape

FORMS = ("auto", "each", "grouped", "matrix")
INITIALISATIONS = ("own", "torch")
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # Adam's, as PyTorch has them
WARM_UPS = 3  # steps before the recording, in which the libraries choose kernels and take their memory
DROPPING = 2  # of the seeds of random numbers: what dropout draws


class ModelBatch:
    """M networks that one text names, each with weights from a seed of its own."""

    def __init__(
        self,
        network: str,
        shape: Shape,
        seeds: Sequence[int],  # [M]; equal seeds give equal weights
        *,
        rates: Sequence[float],  # [M]
        l2: Sequence[float],  # [M]
        optimiser: str = "adam",
        device: str = "cpu",
        precision: str = "fp32",
        form: str = "auto",
        initialisation: str = "own",
    ) -> None:
        self.device = torch.device(device)
        self.form = form_of(form, device)
        networks = [fresh_network(network, shape, seed, initialisation) for seed in seeds]
        parameters, buffers = stack_module_state(networks)
        self._network = networks[0].to(self.device)
        self._names = list(parameters)
        self._shapes = [each.shape[1:] for each in parameters.values()]
        self._sizes = [shape.numel() for shape in self._shapes]
        self._buffers = {name: each.to(self.device) for name, each in buffers.items()}
        self.weights = torch.cat([each.detach().flatten(1) for each in parameters.values()], 1).to(
            self.device
        )  # [M, P]
        self._moments = [torch.zeros_like(self.weights) for _ in range(2 if optimiser == "adam" else 0)]
        self.rates = self._column(rates)  # [M, 1], for a schedule to change
        self._l2 = self._column(l2)
        self._bf16 = use_bf16(precision, self.device)
        self._drops = any(isinstance(module, nn.Dropout) and module.p > 0 for module in self._network.modules())
        self._seed = int(np.random.SeedSequence(list(seeds)).generate_state(1)[0])
        self.steps = 0
        self._corrections = torch.zeros(2, device=self.device)  # of Adam's moments, for the present step
        self._records = self.device.type == "cuda" and not self._drops
        self._warm_ups = WARM_UPS
        self._recorded: RecordedStep | None = None

    def __len__(self) -> int:
        return len(self.weights)

    # ---- learning -------------------------------------------------------------------------------------

    def step(self, states: Tensor, policies: Tensor, values: Tensor) -> Tensor:
        """One step of every model on its own batch [M, B, ...]; the losses [M] before it, not waited for.

        They are valid until the next step. All batches have one size.
        """
        self._network.train()
        with self._dropping():
            self.steps += 1
            for correction, beta in zip(self._corrections, (BETA1, BETA2), strict=True):
                correction.fill_(1 - beta**self.steps)
            if self._records and self._warm_ups == 0 and self._recorded is None:
                self._recorded = RecordedStep(self._advance, states, policies, values)
            if self._recorded is not None:
                return self._recorded.run(states, policies, values)
            self._warm_ups = max(0, self._warm_ups - 1)
            return self._advance(states, policies, values)

    def _advance(self, states: Tensor, policies: Tensor, values: Tensor) -> Tensor:
        losses, gradients = self._gradients(states, policies, values)
        self._update(gradients)
        return losses

    def _gradients(self, states: Tensor, policies: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        if self.form != "each":
            weights = self.weights.detach().requires_grad_()
            losses = sum_of_losses(*self._answers(weights, self._buffers, states), policies, values).mean(dim=1)
            losses.sum().backward()  # type: ignore[no-untyped-call]
            assert weights.grad is not None
            return losses.detach(), weights.grad
        found = []
        for model in range(len(self)):  # their activations are needed for one model at a time
            one = slice(model, model + 1)
            weights = self.weights[one].detach().requires_grad_()
            answers = self._answers(weights, self._rows_of_buffers(one), states[one])
            losses = sum_of_losses(*answers, policies[one], values[one]).mean(dim=1)
            losses.sum().backward()  # type: ignore[no-untyped-call]
            found.append((losses.detach(), weights.grad))
        losses, gradients = (torch.cat(each) for each in zip(*found, strict=True))
        return losses, gradients

    @torch.no_grad()
    def _update(self, gradients: Tensor) -> None:
        gradients = gradients.addcmul_(self.weights, self._l2)
        if not self._moments:
            self.weights.addcmul_(gradients, -self.rates)
            return
        first, second = self._moments
        first.lerp_(gradients, 1 - BETA1)
        second.mul_(BETA2).addcmul_(gradients, gradients, value=1 - BETA2)
        spread = (second / self._corrections[1]).sqrt_().add_(EPSILON)
        self.weights.addcmul_(first / spread, -self.rates / self._corrections[0])

    def _dropping(self) -> contextlib.AbstractContextManager[None]:
        """What is dropped depends on the models' seeds and the step, so that training that goes on drops the same."""
        if not self._drops:
            return contextlib.nullcontext()
        seed = np.random.SeedSequence([self._seed, self.steps, DROPPING]).generate_state(1)[0]
        return seeded(int(seed), self.device)

    # ---- answering ------------------------------------------------------------------------------------

    @torch.no_grad()
    def answer(self, states: Tensor, models: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Log policies [M, B, A] and values [M, B] of all models, or of those with these numbers: [M, B, C, N, N]."""
        self._network.eval()
        weights = self.weights if models is None else self.weights[models]
        buffers = self._buffers if models is None else {name: each[models] for name, each in self._buffers.items()}
        if self.form != "each":
            return self._answers(weights, buffers, states)
        numbers = range(len(weights)) if models is None else models.tolist()
        found = [
            self._answers(weights[at : at + 1], self._rows_of_buffers(slice(model, model + 1)), states[at : at + 1])
            for at, model in enumerate(numbers)
        ]
        policies, values = (torch.cat(each) for each in zip(*found, strict=True))
        return policies, values

    def _answers(self, weights: Tensor, buffers: dict[str, Tensor], states: Tensor) -> tuple[Tensor, Tensor]:
        parameters = {
            name: part.view(-1, *shape)
            for name, part, shape in zip(
                self._names, torch.split(weights, self._sizes, dim=1), self._shapes, strict=True
            )
        }
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self._bf16):
            if self.form == "each":
                rows = ({name: each[0] for name, each in of.items()} for of in (parameters, buffers))
                batch = states[0].contiguous(memory_format=torch.channels_last)
                answers = [each[None] for each in functional_call(self._network, tuple(rows), (batch,))]
            else:
                with ConvolutionsAsProducts() if self.form == "matrix" else contextlib.nullcontext():
                    answers = vmap(self._answer_of_one, randomness="different")(parameters, buffers, states)
        logits, values = (each.float() for each in answers)
        return functional.log_softmax(logits, dim=-1), values if values.ndim == 2 else values[..., 0]

    def _answer_of_one(self, parameters: Any, buffers: Any, states: Tensor) -> Any:
        return functional_call(self._network, (parameters, buffers), (states,))

    # ---- as tensors, to be stored ---------------------------------------------------------------------

    def state(self) -> dict[str, Tensor]:
        """Everything that goes on changing, but for the number of steps."""
        moments = {f"moment{number}": each for number, each in enumerate(self._moments)}
        buffers = {f"buffer.{name}": each for name, each in self._buffers.items()}
        return {"weights": self.weights, "rates": self.rates, **moments, **buffers}

    def restore(self, state: dict[str, Tensor], steps: int) -> None:
        for name, own in self.state().items():
            own.copy_(state[name])
        self.steps = steps

    def _rows_of_buffers(self, models: slice) -> dict[str, Tensor]:
        return {name: each[models] for name, each in self._buffers.items()}

    def _column(self, numbers: Sequence[float]) -> Tensor:
        return torch.tensor(numbers, dtype=torch.float32, device=self.device)[:, None]


def form_of(form: str, device: str) -> str:
    """How models are run together on a device, where `auto` stands for what is fastest there."""
    if form != "auto":
        return form
    return "matrix" if torch.device(device).type == "cuda" else "each"


def fresh_network(network: str, shape: Shape, seed: int, initialisation: str = "own") -> nn.Module:
    """A network with weights from a seed: as the network makes them, or PyTorch's defaults for its layers."""
    with seeded(seed):
        made = make_network(network, shape)
        for module in made.modules() if initialisation == "torch" else ():
            if isinstance(module, nn.Conv2d | nn.Linear):
                module.reset_parameters()
        return made


def sum_of_losses(log_policies: Tensor, values: Tensor, policies: Tensor, results: Tensor) -> Tensor:
    """(z - v)^2 - pi . log p of every position: [..., A], [...] and their targets to [...]."""
    return (results - values) ** 2 - (policies * log_policies).sum(dim=-1)


class RecordedStep:
    """A step on a GPU as a CUDA graph: the same operations, on batches in memory of a fixed place."""

    def __init__(self, step: Callable[..., Tensor], *batch: Tensor) -> None:
        """Record the step on such batches, without doing it."""
        self._batch = [each.clone() for each in batch]
        self._graph = torch.cuda.CUDAGraph()
        device = batch[0].device
        with torch.cuda.device(device):
            stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            with torch.cuda.graph(self._graph, stream=stream, capture_error_mode="thread_local"):
                self._losses = step(*self._batch)

    def run(self, *batch: Tensor) -> Tensor:
        """The step on a batch; its losses, valid until the next."""
        for own, each in zip(self._batch, batch, strict=True):
            assert own.shape == each.shape, "all batches have one size"
            own.copy_(each)
        self._graph.replay()
        return self._losses


class ConvolutionsAsProducts(TorchFunctionMode):
    """While it holds, a convolution that keeps the board's size is a product of matrices: patches times kernels.

    The features of a point lie next to each other all the way, so that patches are the only copies.
    """

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if function is not torch.conv2d or not _keeps_size(*args, **kwargs):
            return function(*args, **kwargs)
        features, weight, bias = args[0], args[1], args[2] if len(args) > 2 else kwargs.get("bias")
        if torch.is_autocast_enabled(features.device.type):
            features = features.to(torch.bfloat16)
        kernel = weight.shape[-1]
        size, edge = features.shape[-1], kernel // 2
        points = features.permute(0, 2, 3, 1)  # [B, N, N, C]
        if edge:
            padded = functional.pad(points, (0, 0, edge, edge, edge, edge))
            shifts = [padded[:, row : row + size, column : column + size] for row, column in np.ndindex(kernel, kernel)]
            points = torch.cat(shifts, dim=3)  # [B, N, N, 9C]
        found = points.flatten(0, 2) @ weight.permute(2, 3, 1, 0).flatten(0, 2)  # [B * N * N, F]
        if bias is not None:
            found = found + bias
        return found.view(-1, size, size, found.shape[-1]).permute(0, 3, 1, 2)  # [B, F, N, N]


def _keeps_size(
    features: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> bool:
    def both(given: Any) -> tuple[Any, ...]:
        return (given, given) if isinstance(given, int) else tuple(given)

    rows, columns = weight.shape[2:]
    return (
        groups == 1
        and rows == columns
        and both(stride) == both(dilation) == (1, 1)
        and both(padding) == (rows // 2, rows // 2)
        and rows % 2 == 1
        and features.ndim == 4
    )
