"""The trainer: loss, optimiser, clipping; one step for each batch, as Suen & Alonso trained.

What is taught is in `losses.py`. With averaged weights (`averaging.py`) the network that plays is not the one that is
trained: `playing` is the one for games.

`Trainer(model, lr, device).train_epoch(data_buffer, batch_size, steps_per_epoch)` trains on a buffer; the training loop
of a run calls `step` with batches of its own.

On CUDA a step is one CUDA graph (`device_steps.py`), and a loop that has its batches there (`record`, `launch`) waits
for none of them: `pace` and `settle` tell what they cost. Networks that drop, and SGD, are stepped the plain way.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import check_values
from eightfold.learning.averaging import AveragedWeights
from eightfold.learning.config import TrainConfig, TrainingConfig
from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.device_ring import TensorBatch
from eightfold.learning.data.sample import Batch, SampleShape
from eightfold.learning.device_steps import DeviceSteps, Feed, HostFeed
from eightfold.learning.losses import Losses, Teaching, means
from eightfold.learning.runs.torch_globals import seeded
from eightfold.nets.auxiliary import heads_of
from eightfold.nets.heads import NEXT, POINTS
from eightfold.nets.shape import Shape

CLIP_HISTORY = 1000


class AutoClip:
    """Gradient norms are clipped at a quantile of their own history (Seetharaman and others, 2020)."""

    def __init__(self, quantile: float) -> None:
        self._quantile = quantile
        self.norms: deque[float] = deque(maxlen=CLIP_HISTORY)

    def clip(self, network: nn.Module) -> float:
        """The norm before clipping."""
        gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
        norm = float(torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in gradients])))
        if self._quantile > 0 and np.isfinite(norm):
            self.norms.append(norm)
            limit = float(np.quantile(self.norms, self._quantile))
            torch.nn.utils.clip_grad_norm_(network.parameters(), limit)
        return norm


class Trainer:
    def __init__(
        self,
        model: nn.Module,
        lr: float = 1e-3,
        device: str = "cpu",
        *,
        optimiser: str = "adam",
        l2: float = 1e-4,
        clip_quantile: float = 0.9,
        precision: str = "auto",
        symmetry: str = "augment",
        seed: int = 0,
        average_weights: int = 0,
        waits: bool | None = None,
        **teaching: float,
    ) -> None:
        """`teaching`: what the losses of auxiliary heads count, as in the settings of a run (`losses.Teaching`).

        `waits`: whether every step waits for the one before; None: not on CUDA, where that pays.
        """
        check_values(
            TrainingConfig,
            learning_rate=lr,
            optimiser=optimiser,
            l2=l2,
            clip_quantile=clip_quantile,
            precision=precision,
            average_weights=average_weights,
            **teaching,
        )
        self._teaching = Teaching(**teaching)
        self._weights, self._heads = self._teaching.weights, heads_of(model)
        self.device = torch.device(device)
        self.model = model.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._bf16 = use_bf16(precision, self.device)
        # Weight decay for weights, not for biases and norms: those have no scale to keep small.
        groups = [
            {"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 2 * l2},
            {"params": [p for p in model.parameters() if p.ndim <= 1], "weight_decay": 0.0},
        ]
        self._drops = any(isinstance(module, nn.Dropout) and module.p > 0 for module in model.modules())
        waits = self.device.type != "cuda" if waits is None else waits
        ahead = not waits and optimiser == "adam" and not self._drops
        if ahead:
            rate = torch.tensor(lr, device=self.device)  # where a graph reads it
            self.optimiser: torch.optim.Optimizer = torch.optim.Adam(
                groups, rate, fused=True, capturable=self.device.type == "cuda"
            )
        elif optimiser == "adam":
            self.optimiser = torch.optim.Adam(groups, lr)
        else:
            self.optimiser = torch.optim.SGD(groups, lr, momentum=0.9)
        self._clip = AutoClip(clip_quantile)
        self.average = AveragedWeights(self.model, average_weights) if average_weights else None
        self._device_steps = self._steps_on_device(clip_quantile) if ahead else None
        self._host_feed: HostFeed | None = None
        self._random, self._seed = np.random.default_rng(seed), seed
        self._symmetry = symmetry
        self.steps = 0

    @classmethod
    def of_run(cls, model: nn.Module, config: TrainConfig, *, waits: bool | None = None) -> Trainer:
        """As the settings of a run say."""
        settings = config.training
        return cls(
            model,
            settings.learning_rate,
            config.device,
            optimiser=settings.optimiser,
            l2=settings.l2,
            clip_quantile=settings.clip_quantile,
            precision=settings.precision,
            symmetry=config.symmetry,
            seed=config.seed,
            average_weights=settings.average_weights,
            waits=waits,
            **asdict(Teaching.of(settings)),
        )

    @property
    def playing(self) -> nn.Module:
        """The network for games, evaluations and exports, with averaged weights where they are wanted."""
        return self.model if self.average is None else self.average.network

    @property
    def clip_history(self) -> list[float]:
        """The gradient norms by which the next are clipped."""
        return list(self._clip.norms) if self._device_steps is None else self._device_steps.clip.history

    @clip_history.setter
    def clip_history(self, norms: Iterable[float]) -> None:
        if self._device_steps is not None:
            self._device_steps.clip.remember(norms)
            return
        self._clip.norms.clear()
        self._clip.norms.extend(norms)

    def set_learning_rate(self, lr: float) -> None:
        with contextlib.nullcontext() if self._device_steps is None else self._device_steps.on_stream():
            for group in self.optimiser.param_groups:
                if isinstance(group["lr"], Tensor):
                    group["lr"].fill_(lr)
                else:
                    group["lr"] = lr

    # ---- steps that do not wait -----------------------------------------------------------------------

    def _steps_on_device(self, quantile: float) -> DeviceSteps:
        return DeviceSteps(
            self.model,
            self.optimiser,
            self._losses,
            weights=self._weights,
            quantile=quantile,
            history=CLIP_HISTORY,
            device=self.device,
            average=self.average,
        )

    @property
    def steps_do_not_wait(self) -> bool:
        """Whether `record` and `launch` are offered."""
        return self._device_steps is not None

    def record_host_batches(self, shape: Shape, batch_size: int) -> None:
        """Make ready for `step` with batches of one size, for a network of this shape; nothing to do without CUDA."""
        if self._device_steps is not None:
            planes, heads = (shape.planes, shape.size, shape.size), self._heads
            sample = SampleShape(planes, shape.actions, POINTS in heads, NEXT in heads)
            self._host_feed = HostFeed(sample, batch_size, self.device)
            self._device_steps.record(self._host_feed)

    def record(self, feed: Feed) -> None:
        """Make ready for steps on the batches of a feed on the device. The optimiser's state is there by now."""
        assert self._device_steps is not None
        self._device_steps.record(feed)

    def launch(self, feed: Feed) -> None:
        """One step on the next batch of a feed, without waiting for it."""
        assert self._device_steps is not None
        self._device_steps.launch(feed)
        self.steps += 1

    def pace(self) -> None:
        """Wait until the steps before the last call are done."""
        if self._device_steps is not None and not self._device_steps.pace():
            raise self._diverged()

    def wait(self) -> None:
        """Until all steps that were launched are done: then weights and optimiser are of one moment."""
        if self._device_steps is not None:
            self._device_steps.wait()

    def settle(self) -> list[Losses]:
        """Wait for all steps that were launched; their losses, each the mean, since the last call."""
        if self._device_steps is None:
            return []
        settled = self._device_steps.settle()
        if settled.diverged:
            raise self._diverged()
        return [Losses(*settled.losses)] * settled.steps if settled.steps else []

    def on_stream(self) -> contextlib.AbstractContextManager[Any]:
        """Where a feed on the device is filled."""
        return contextlib.nullcontext() if self._device_steps is None else self._device_steps.on_stream()

    def _launch_host_batch(self, steps: DeviceSteps, batch: Batch) -> Losses:
        feed = self._host_feed or HostFeed(_shape_of(batch), len(batch), self.device)
        if self._host_feed is None:  # most batches have the size of the first
            self._host_feed = feed
            steps.record(feed)
        with steps.on_stream():  # its zeros, too: another stream might write them over the batch
            if len(feed) != len(batch):
                feed = HostFeed(_shape_of(batch), len(batch), self.device)
            feed.put(batch)
        self.launch(feed)
        return self.settle()[-1]

    # ---- steps ----------------------------------------------------------------------------------------

    def step(self, batch: Batch) -> Losses:
        """One step of the optimiser; the losses before it."""
        if self._device_steps is not None:
            return self._launch_host_batch(self._device_steps, batch)
        self.model.train()
        with self._dropping():
            losses = self._losses(self._tensors(batch))
        self.optimiser.zero_grad(set_to_none=True)
        total = sum((self._weights[name] * loss for name, loss in losses.items()), torch.zeros(()))
        total.backward()  # type: ignore[no-untyped-call]
        norm = self._clip.clip(self.model)
        if not np.isfinite(norm):
            raise self._diverged()
        self.optimiser.step()
        if self.average is not None:
            self.average.update()
        self.steps += 1
        return Losses(**{name: float(loss.detach()) for name, loss in losses.items()})

    def _diverged(self) -> EightfoldError:
        return EightfoldError(f"training diverged at step {self.steps}: a gradient is not a number; lower the rate")

    def _dropping(self) -> contextlib.AbstractContextManager[None]:
        """What is dropped depends on the seed and on the step, not on who else draws random numbers of PyTorch."""
        if not self._drops:
            return contextlib.nullcontext()
        seed = np.random.SeedSequence([self._seed, self.steps]).generate_state(1)[0]
        return seeded(int(seed), self.device)

    @torch.no_grad()
    def losses(self, batch: Batch) -> Losses:
        """The losses on a batch, without learning from it."""
        self.model.eval()
        return Losses(**{name: float(loss) for name, loss in self._losses(self._tensors(batch)).items()})

    @torch.no_grad()
    def sample_losses(self, batch: Batch) -> NDArray[np.float32]:  # [B]
        """What policy and value cost on each sample of a batch, without learning from it."""
        self.model.eval()
        losses = self._losses_each(self._tensors(batch))
        return (losses["policy"] + losses["value"]).float().cpu().numpy()

    def _losses(self, batch: TensorBatch) -> dict[str, Tensor]:
        return means(self._losses_each(batch), batch)

    def _losses_each(self, batch: TensorBatch) -> dict[str, Tensor]:
        """The losses of every sample [B], by their names."""
        states = batch.states.contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self._bf16):
            answer = self.model.with_auxiliary(states) if self._heads else self.model(states)
        return self._teaching.each(batch, answer)

    def _tensors(self, batch: Batch) -> TensorBatch:
        columns: list[Any] = [None if each is None else each.to(self.device) for each in TensorBatch.of(batch)]
        return TensorBatch(*columns)

    def train_epoch(
        self, data_buffer: DataBuffer, batch_size: int = 512, steps_per_epoch: int = 1000
    ) -> dict[str, float]:
        """So many steps on batches from a buffer; the mean losses."""
        mode = self._symmetry if data_buffer.lazy_augmentation else "augment-eager"
        maker = BatchMaker(mode, random=self._random, symmetries=data_buffer.symmetries)
        taken = [self.step(maker.make(data_buffer.sample_stored(batch_size))) for _ in range(steps_per_epoch)]
        policy, value = np.mean(taken, axis=0)[:2]
        return {
            "loss": float(policy + value),
            "policy_loss": float(policy),
            "value_loss": float(value),
            "steps": float(self.steps),
            "learning_rate": float(self.optimiser.param_groups[0]["lr"]),
        }


def _shape_of(batch: Batch) -> SampleShape:
    kept = batch.ownership is not None, batch.next_moves is not None
    return SampleShape(batch.states.shape[1:], batch.policies.shape[1], *kept)


def use_bf16(precision: str, device: torch.device) -> bool:
    """Whether to train in bf16: `auto` says yes with CUDA and on processors that have instructions for it."""
    if precision != "auto":
        return precision == "bf16"
    return device.type == "cuda" or (device.type == "cpu" and bool(torch.cpu._is_avx512_bf16_supported()))
