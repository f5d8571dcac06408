"""Averaged weights: a second set that follows the trained ones as a running mean, for play.

A step moves weights by what one batch says, and back again by what the next one says; their mean over some hundred
steps plays better than the last of them (Polyak & Juditsky 1992; Izmailov et al. 2018). Games, evaluations and exports
use the mean, training goes on with the last. After step t it moves by max(1 / steps, 9 / (t + 10)) of the way towards
the trained weights, so that a young run does not drag its first weights along.

The statistics of batch norms follow in the same way. They belong to the weights of their own step, and what lies
between two close sets of weights has, nearly, the statistics in between.

All of it is operations over memory of a fixed place, which a CUDA graph can record (`device_steps.py`).
"""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

SLOWNESS = 10  # how far the first steps move the mean: by 9/10, 9/11, and so on


class AveragedWeights:
    def __init__(self, model: nn.Module, steps: int) -> None:
        """`steps`: over about how many the mean goes, at least 1."""
        self.network = copy.deepcopy(model).eval()  # what plays
        self._model = model
        self._least = 1 / steps
        device = next(model.parameters()).device
        self._seen = torch.zeros((), dtype=torch.float64, device=device)  # steps so far
        self._numbers, self._counts = self._pairs(floating=True), self._pairs(floating=False)

    @property
    def steps(self) -> int:
        return int(self._seen)

    @torch.no_grad()
    def update(self) -> None:
        """One more step was taken."""
        ours, theirs = self._numbers
        weight = ((SLOWNESS - 1) / (self._seen + SLOWNESS)).clamp(min=self._least).float()
        self._seen.add_(1)
        apart = torch._foreach_sub(theirs, ours)
        torch._foreach_mul_(apart, weight)
        torch._foreach_add_(ours, apart)
        for mine, other in zip(*self._counts, strict=True):  # batches that norms have counted
            mine.copy_(other)

    @torch.no_grad()
    def restart(self) -> None:
        """The mean is what the model is now, and follows it quickly at first."""
        self.network.load_state_dict(self._model.state_dict())
        self._seen.zero_()

    def count(self, steps: int) -> None:
        """So many steps are in the mean."""
        self._seen.fill_(steps)

    def tensors(self) -> dict[str, Tensor]:
        """All that `update` changes, where it lies."""
        own = {f"average.{name}": tensor for name, tensor in self.network.state_dict().items()}
        return {**own, "average.seen": self._seen}

    def _pairs(self, *, floating: bool) -> tuple[list[Tensor], list[Tensor]]:
        """The tensors of both, where they lie and stay."""
        ours, theirs = self.network.state_dict(), self._model.state_dict()
        names = [name for name, tensor in ours.items() if tensor.is_floating_point() == floating]
        return [ours[name] for name in names], [theirs[name] for name in names]
