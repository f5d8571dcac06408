"""Training steps that never wait for the host: forward, backward, clipping and Adam as one CUDA graph.

A step of a small network is a hundred small kernels, and a host that launches them one by one, and waits for a loss and
a norm each time, takes several times as long as the GPU. So a step is recorded once and launched as a whole; losses
stay on the device, and `settle` reads their means. AutoClip keeps its history there, too. A gradient that is not a
number changes no weight, and `settle` and `pace` tell of it.

Batches come from memory of a fixed place: `HostFeed`, into which the host copies one, or `data/device_feed.py`, which
draws from a window on the device inside the same graph.

On a CPU the same operations run one by one, so that tests need no GPU. Read before: `trainer.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from eightfold.core.cuda_machine import quiet_event
from eightfold.learning.averaging import AveragedWeights
from eightfold.learning.data.device_ring import TensorBatch
from eightfold.learning.data.sample import Batch, SampleShape

WARM_UPS = 3  # steps before the recording, in which the libraries choose kernels and take their memory
PRIORITY = -1  # of its stream: its kernels are short, and those of self-play fill the GPU
EPSILON = 1e-6  # as in `torch.nn.utils.clip_grad_norm_`


class Feed(Protocol):
    """Where the batch of a step comes from, in operations that a CUDA graph can record."""

    def next(self) -> TensorBatch: ...


class Settled(NamedTuple):
    """What the steps since the last time have said."""

    steps: int
    losses: list[float]  # their means, of each part of the loss
    diverged: bool  # a gradient was not a number


class DeviceClip:
    """AutoClip (Seetharaman and others, 2020) without the host: the norms of the last gradients, and their quantile."""

    def __init__(self, quantile: float, history: int, device: torch.device) -> None:
        self._quantile = quantile
        self._norms = torch.full((history,), torch.inf, dtype=torch.float64, device=device)  # those not yet there: last
        self._seen = torch.zeros(1, dtype=torch.int64, device=device)  # norms so far
        self.bad = torch.zeros((), device=device)  # 1 if the last gradient was not a number

    @property
    def history(self) -> list[float]:
        """The norms that are remembered, the oldest first."""
        seen, room = int(self._seen), len(self._norms)
        kept = self._norms.tolist()
        return kept[:seen] if seen <= room else kept[seen % room :] + kept[: seen % room]

    def remember(self, norms: Iterable[float]) -> None:
        """Begin with these norms, the oldest first."""
        given = torch.tensor(list(norms)[-len(self._norms) :], dtype=torch.float64)
        self._norms.fill_(torch.inf)
        self._norms[: len(given)] = given.to(self._norms.device)
        self._seen.fill_(len(given))

    def clip(self, gradients: list[Tensor]) -> None:
        """Scale the gradients down if their norm is above the quantile, this one counted in."""
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
        fine = torch.isfinite(norm)
        self.bad.copy_(~fine)
        if self._quantile <= 0:
            return
        place = self._seen % len(self._norms)
        kept = torch.where(fine, norm.double(), self._norms[place])
        self._norms.index_copy_(0, place, kept)
        self._seen.add_(fine)
        last = self._seen.clamp(1, len(self._norms)) - 1
        rank = self._quantile * last.double()
        low, ordered = rank.long(), self._norms.sort().values
        limit = torch.lerp(ordered[low], ordered[torch.minimum(low + 1, last)], rank - low)
        torch._foreach_mul_(gradients, (limit / (norm + EPSILON)).clamp(max=1)[0].float())


class DeviceSteps:
    """Steps of one network with one optimiser, Adam with `fused=True`."""

    def __init__(
        self,
        model: nn.Module,
        optimiser: torch.optim.Optimizer,
        losses: Callable[[TensorBatch], Mapping[str, Tensor]],
        *,
        weights: Mapping[str, float],
        quantile: float,
        history: int,
        device: torch.device,
        average: AveragedWeights | None = None,
    ) -> None:
        """`losses` gives means over a batch by their names, some of those in `weights`, which says what each counts."""
        self._model, self._optimiser, self._losses, self._weights = model, optimiser, losses, weights
        self._parts, self._average = len(weights), average
        self.device = device
        self.stream = torch.cuda.Stream(device, PRIORITY) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        self.clip = DeviceClip(quantile, history, device)
        optimiser.found_inf = self.clip.bad  # type: ignore[attr-defined]  # Adam then leaves the weights alone
        # Of every part of the loss, and of gradients that were bad.
        self._sums = torch.zeros(self._parts + 1, dtype=torch.float64, device=device)
        self._steps = 0  # launched since the sums were zero
        self._under_way: list[tuple[Tensor, Any, int]] = []  # sums on their way to the host
        self._heard: list[tuple[list[float], int]] = []
        self._graphs: dict[Feed, torch.cuda.CUDAGraph] = {}  # by the feed that each was recorded with

    def on_stream(self) -> Any:
        """Where all that belongs to steps is done."""
        return contextlib.nullcontext() if self.stream is None else torch.cuda.stream(self.stream)

    def advance(self, batch: TensorBatch) -> None:
        """One step on a batch, operation by operation."""
        losses = self._losses(batch)
        self._optimiser.zero_grad(set_to_none=True)
        weighted = [self._weights[name] * loss for name, loss in losses.items()]
        torch.stack(weighted).sum().backward()  # type: ignore[no-untyped-call]
        self.clip.clip([parameter.grad for parameter in self._model.parameters() if parameter.grad is not None])
        self._optimiser.step()
        if self._average is not None:
            self._average.update()
        bad = self.clip.bad.double()
        said = [losses[name].detach().double() if name in losses else torch.zeros_like(bad) for name in self._weights]
        self._sums.add_(torch.stack([*said, bad]))

    def record(self, feed: Feed) -> None:
        """Make ready for steps on the batches of a feed; nothing of the present state changes."""
        if self.stream is None:
            return
        self.stream.wait_stream(torch.cuda.current_stream(self.device))
        with self.on_stream(), _best_convolutions():
            self._model.train()
            before = self._state()
            for _ in range(WARM_UPS):
                self.advance(feed.next())
            self._put_back(before)
            self._sums.zero_()
            self.stream.synchronize()
            self._optimiser.zero_grad(set_to_none=True)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=self.stream, capture_error_mode="thread_local"):
                self.advance(feed.next())
        self._graphs[feed] = graph

    def launch(self, feed: Feed) -> None:
        """One step on the next batch of a feed, without waiting for it."""
        graph = self._graphs.get(feed)
        with self.on_stream():
            if graph is not None:
                graph.replay()
            else:
                self._model.train()
                self.advance(feed.next())
        self._steps += 1

    def pace(self) -> bool:
        """Let the host run ahead of the device by the steps since the last call, no further; whether all is well."""
        self._send_sums()
        while len(self._under_way) > 1:
            self._hear()
        return all(sums[-1] == 0 for sums, _ in self._heard)

    def wait(self) -> None:
        """Until all steps are done."""
        if self.stream is not None:
            self.stream.synchronize()

    def settle(self) -> Settled:
        """Wait for all steps; what they said since the last call."""
        self._send_sums()
        while self._under_way:
            self._hear()
        steps = sum(count for _, count in self._heard)
        sums = [sum(part) for part in zip(*(each for each, _ in self._heard), strict=True)]
        self._heard = []
        means = [part / max(1, steps) for part in sums[:-1]]
        return Settled(steps, means, diverged=bool(sums) and sums[-1] > 0)

    def _send_sums(self) -> None:
        if self._steps == 0:
            return
        with self.on_stream():
            told = torch.empty(self._sums.shape, dtype=self._sums.dtype, pin_memory=self.stream is not None)
            told.copy_(self._sums, non_blocking=True)
            self._sums.zero_()
            event = None if self.stream is None else quiet_event(self.stream)
        self._under_way.append((told, event, self._steps))
        self._steps = 0

    def _hear(self) -> None:
        told, event, steps = self._under_way.pop(0)
        if event is not None:
            event.synchronize()
        self._heard.append((told.tolist(), steps))

    # ---- the state before a recording -------------------------------------------------------------------

    def _tensors(self) -> dict[str, Tensor]:
        """All that a step changes, where it lies."""
        tensors = dict(self._model.state_dict())
        for number, parameter in enumerate(self._model.parameters()):
            for name, value in self._optimiser.state.get(parameter, {}).items():
                tensors[f"optimiser.{number}.{name}"] = value
        averaged = {} if self._average is None else self._average.tensors()
        return {**tensors, **averaged, "clip.norms": self.clip._norms, "clip.seen": self.clip._seen}

    def _state(self) -> dict[str, Tensor]:
        return {name: tensor.clone() for name, tensor in self._tensors().items()}

    def _put_back(self, before: dict[str, Tensor]) -> None:
        with torch.no_grad():
            for name, tensor in self._tensors().items():
                if name in before:
                    tensor.copy_(before[name])
                else:  # moments that the first step has made
                    tensor.zero_()


@contextlib.contextmanager
def _best_convolutions() -> Iterator[None]:
    """cuDNN tries its kernels on the first batch and keeps to the fastest."""
    before = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = True
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = before


class HostFeed:
    """A batch that the host copies to the device, one after another, from memory that the copy need not wait for."""

    def __init__(self, shape: SampleShape, batch_size: int, device: torch.device) -> None:
        self._batch = TensorBatch.zeros(shape, batch_size, device)
        self._pinned = device.type == "cuda"

    def __len__(self) -> int:
        return len(self._batch.values)

    def put(self, batch: Batch) -> None:
        """The next batch, on the present stream."""
        for target, source in zip(self._batch, TensorBatch.of(batch), strict=True):
            if target is not None and source is not None:
                target.copy_(source.pin_memory() if self._pinned else source, non_blocking=True)

    def next(self) -> TensorBatch:
        return self._batch
