"""Internal Symmetry Networks for tests, with random weights larger than fresh ones, so that everything speaks."""

from __future__ import annotations

from pathlib import Path

import torch

from eightfold.isn.network import ISN
from eightfold.isn.store import isn_bytes


def strange(seed: int, scale: float = 0.5, **config: int) -> ISN:
    torch.manual_seed(seed)
    network = ISN(**config)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(scale * torch.randn_like(parameter))
    return network


def save_isn(network: ISN, path: Path, **notes: str) -> None:
    path.write_bytes(isn_bytes(network, **notes))
