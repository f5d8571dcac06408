"""Networks trained in a plain loop, one after another: PyTorch's modules, optimisers and nothing else."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class OneByOne:
    def __init__(self, networks: list[nn.Module], rates: list[float], l2: list[float], optimiser: str = "adam") -> None:
        kind = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}[optimiser]
        self.networks = networks
        self.optimisers: list[torch.optim.Optimizer] = [
            kind(network.parameters(), lr=rate, weight_decay=decay)
            for network, rate, decay in zip(networks, rates, l2, strict=True)
        ]

    def step(self, states: Tensor, policies: Tensor, values: Tensor) -> list[float]:
        """One step of every network on its own batch [M, B, ...]; the losses before it."""
        losses = []
        for number, (network, optimiser) in enumerate(zip(self.networks, self.optimisers, strict=True)):
            optimiser.zero_grad()
            logits, answers = network(states[number])
            expected = answers if answers.ndim == 1 else answers[:, 0]
            log_policies = functional.log_softmax(logits, dim=1)
            loss = ((values[number] - expected) ** 2 - (policies[number] * log_policies).sum(dim=1)).mean()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        return losses
