"""Internal Symmetry Networks with random weights, larger than fresh ones, so that everything in them speaks."""

from __future__ import annotations

import torch

from eightfold.isn.network import ISN


def strange(seed: int, scale: float = 0.5, **config: int) -> ISN:
    torch.manual_seed(seed)
    network = ISN(**config)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(scale * torch.randn_like(parameter))
    return network
