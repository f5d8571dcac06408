"""What a network is taught, as losses: policy and value, and what its auxiliary heads predict.

    loss = (z - v)^2 - pi . log p   (+ L2 by weight decay), as Suen & Alonso
         + weights of ownership and score times their mean squared errors
         + weights of the soft policy and of the next move times their cross entropies

After KataGo (Wu 2019, sections 4.1 and 4.2, and what its author published since): the target of the soft policy is
that of the policy at a high temperature, pi^(1/T) over its sum. The next move is the one that the opponent played in
the game; where it is not known (a game's last position, a buffer of an earlier version) that sample does not count.

Shapes: B batch, A actions. Read before: `nets/auxiliary.py`. Read next: `trainer.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from eightfold.learning.config import TrainingConfig
from eightfold.learning.data.device_ring import TensorBatch
from eightfold.nets.auxiliary import AuxiliaryAnswer
from eightfold.nets.heads import NEXT, POINTS, SOFT

TAUGHT_BY = {"ownership": POINTS, "score": POINTS, "soft_policy": SOFT, "next_move": NEXT}  # the head of each loss


class Losses(NamedTuple):
    policy: float
    value: float
    ownership: float = 0.0
    score: float = 0.0
    soft_policy: float = 0.0
    next_move: float = 0.0

    @property
    def total(self) -> float:
        """Of what plays: the others only teach."""
        return self.policy + self.value


def taught(heads: tuple[str, ...]) -> list[str]:
    """The losses of a network with these auxiliary heads, in their order."""
    return [name for name in Losses._fields if name not in TAUGHT_BY or TAUGHT_BY[name] in heads]


@dataclass(frozen=True, kw_only=True)
class Teaching:
    """What each loss counts."""

    ownership_weight: float = 1.0
    score_weight: float = 1.0
    soft_policy_weight: float = 8.0
    soft_policy_temperature: float = 4.0
    next_move_weight: float = 0.15

    @classmethod
    def of(cls, settings: TrainingConfig) -> Teaching:
        return cls(**{name: getattr(settings, name) for name in cls.__dataclass_fields__})

    @property
    def weights(self) -> dict[str, float]:
        """Of every loss, in the order of `Losses`."""
        return {name: getattr(self, f"{name}_weight") if name in TAUGHT_BY else 1.0 for name in Losses._fields}

    def soft(self, policies: Tensor) -> Tensor:  # [B, A]
        """Policies at a high temperature; what has no share gets none."""
        powers = policies.clamp(min=0) ** (1 / self.soft_policy_temperature)
        return powers / powers.sum(dim=1, keepdim=True).clamp(min=1e-9)

    def each(self, batch: TensorBatch, answer: AuxiliaryAnswer | tuple[Tensor, Tensor]) -> dict[str, Tensor]:
        """The losses [B] by their names, as far as the network answers and the batch knows."""
        losses = {
            "policy": _cross_entropy(batch.policies, answer[0]),
            "value": _value_loss(batch.values, answer[1].float()),
        }
        if not isinstance(answer, AuxiliaryAnswer):
            return losses
        for name, target, predicted in (
            ("ownership", batch.ownership, answer.ownership),
            ("score", batch.scores, answer.scores),
        ):
            if target is not None and predicted is not None:
                losses[name] = ((target - predicted.float()) ** 2).reshape(len(target), -1).mean(dim=1)
        if answer.soft_policy is not None:
            losses["soft_policy"] = _cross_entropy(self.soft(batch.policies), answer.soft_policy)
        if batch.next_moves is not None and answer.next_move is not None:
            losses["next_move"] = _cross_entropy(batch.next_moves, answer.next_move)  # 0 where it is not known
        return losses


def means(losses: Mapping[str, Tensor], batch: TensorBatch) -> dict[str, Tensor]:
    """The means over a batch; those of next moves over the samples where they are known."""
    found = {name: loss.mean() for name, loss in losses.items()}
    if "next_move" in losses and batch.next_moves is not None:
        found["next_move"] = losses["next_move"].sum() / batch.next_moves.sum().clamp(min=1)
    return found


def _cross_entropy(targets: Tensor, logits: Tensor) -> Tensor:  # [B, A] both
    return -(targets * functional.log_softmax(logits.float(), dim=1)).sum(dim=1)


def _value_loss(values: Tensor, expected: Tensor) -> Tensor:
    if expected.ndim == 1:
        return (values - expected) ** 2
    # What a value leaves open is the chance of a draw: 1 if the game was drawn, 0 if it was not.
    targets = torch.stack([values, 1 - values.abs()], dim=1)
    return ((targets - expected) ** 2).sum(dim=1)
