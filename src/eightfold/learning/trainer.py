"""The trainer: loss, optimiser, clipping; one step for each batch, as Suen & Alonso trained.

    loss = (z - v)^2 - pi . log p   (+ L2 by weight decay)

A network with auxiliary heads (`nets/auxiliary.py`) is also taught who owned the points at the end of the game, and by
how much it was won: a weight each, times the mean squared error.

`Trainer(model, lr, device).train_epoch(data_buffer, batch_size, steps_per_epoch)` trains on a buffer; the training loop
of a run calls `step` with batches of its own.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import check_values
from eightfold.learning.config import TrainConfig, TrainingConfig
from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.sample import Batch
from eightfold.learning.runs.torch_globals import seeded
from eightfold.nets.auxiliary import has_auxiliary

CLIP_HISTORY = 1000


class Losses(NamedTuple):
    policy: float
    value: float
    ownership: float = 0.0
    score: float = 0.0

    @property
    def total(self) -> float:
        """Of what plays: the other two only teach."""
        return self.policy + self.value


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
        ownership_weight: float = 1.0,
        score_weight: float = 1.0,
    ) -> None:
        check_values(
            TrainingConfig,
            learning_rate=lr,
            optimiser=optimiser,
            l2=l2,
            clip_quantile=clip_quantile,
            precision=precision,
            ownership_weight=ownership_weight,
            score_weight=score_weight,
        )
        self._weights = (1.0, 1.0, ownership_weight, score_weight)
        self.device = torch.device(device)
        self.model = model.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._bf16 = use_bf16(precision, self.device)
        # Weight decay for weights, not for biases and norms: those have no scale to keep small.
        groups = [
            {"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 2 * l2},
            {"params": [p for p in model.parameters() if p.ndim <= 1], "weight_decay": 0.0},
        ]
        if optimiser == "adam":
            self.optimiser: torch.optim.Optimizer = torch.optim.Adam(groups, lr)
        else:
            self.optimiser = torch.optim.SGD(groups, lr, momentum=0.9)
        self._clip = AutoClip(clip_quantile)
        self._random, self._seed = np.random.default_rng(seed), seed
        self._drops = any(isinstance(module, nn.Dropout) and module.p > 0 for module in model.modules())
        self._symmetry = symmetry
        self.steps = 0

    @classmethod
    def of_run(cls, model: nn.Module, config: TrainConfig) -> Trainer:
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
            ownership_weight=settings.ownership_weight,
            score_weight=settings.score_weight,
        )

    @property
    def clip_history(self) -> list[float]:
        """The gradient norms by which the next are clipped."""
        return list(self._clip.norms)

    @clip_history.setter
    def clip_history(self, norms: Iterable[float]) -> None:
        self._clip.norms.clear()
        self._clip.norms.extend(norms)

    def set_learning_rate(self, lr: float) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] = lr

    def step(self, batch: Batch) -> Losses:
        """One step of the optimiser; the losses before it."""
        self.model.train()
        with self._dropping():
            losses = self._losses(batch)
        self.optimiser.zero_grad(set_to_none=True)
        total = sum((weight * loss for weight, loss in zip(self._weights, losses, strict=False)), torch.zeros(()))
        total.backward()  # type: ignore[no-untyped-call]
        norm = self._clip.clip(self.model)
        if not np.isfinite(norm):
            raise EightfoldError(f"training diverged at step {self.steps}: a gradient is not a number; lower the rate")
        self.optimiser.step()
        self.steps += 1
        return Losses(*(float(loss.detach()) for loss in losses))

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
        return Losses(*map(float, self._losses(batch)))

    @torch.no_grad()
    def sample_losses(self, batch: Batch) -> NDArray[np.float32]:  # [B]
        """What policy and value cost on each sample of a batch, without learning from it."""
        self.model.eval()
        policy, value = self._losses_each(batch)[:2]
        return (policy + value).float().cpu().numpy()

    def _losses(self, batch: Batch) -> list[Tensor]:
        return [losses.mean() for losses in self._losses_each(batch)]

    def _losses_each(self, batch: Batch) -> list[Tensor]:
        """Policy and value, and with auxiliary heads ownership and score: [B] each."""
        states, policies, values = map(self._tensor, (batch.states, batch.policies, batch.values))
        states = states.contiguous(memory_format=torch.channels_last)
        auxiliary = (batch.ownership, batch.scores) if has_auxiliary(self.model) and batch.ownership is not None else ()
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self._bf16):
            answer = self.model.with_auxiliary(states) if auxiliary else self.model(states)
        logits, expected = answer[:2]
        log_policy = functional.log_softmax(logits.float(), dim=1)
        policy_loss = -(policies * log_policy).sum(dim=1)
        if expected.ndim == 1:
            value_loss = (values - expected.float()) ** 2
        else:
            # What a value leaves open is the chance of a draw: 1 if the game was drawn, 0 if it was not.
            targets = torch.stack([values, 1 - values.abs()], dim=1)
            value_loss = ((targets - expected.float()) ** 2).sum(dim=1)
        losses = [policy_loss, value_loss]
        for wanted, predicted in zip(auxiliary, answer[2:], strict=False):
            target = self._tensor(wanted)
            losses.append(((target - predicted.float()) ** 2).reshape(len(target), -1).mean(dim=1))
        return losses

    def _tensor(self, array: NDArray[np.float32] | None) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array, np.float32)).to(self.device)

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


def use_bf16(precision: str, device: torch.device) -> bool:
    """Whether to train in bf16: `auto` says yes with CUDA and on processors that have instructions for it."""
    if precision != "auto":
        return precision == "bf16"
    return device.type == "cuda" or (device.type == "cpu" and bool(torch.cpu._is_avx512_bf16_supported()))
