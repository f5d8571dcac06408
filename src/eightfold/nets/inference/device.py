"""Devices by their names: `cpu`, `cuda`, or one of several GPUs as `cuda:1`."""

from __future__ import annotations

import torch

from eightfold.core.errors import EightfoldError


def check_device(name: str) -> torch.device:
    """The device; one that is not known, or not here, is an error in one line."""
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise EightfoldError(f"unknown device {name!r}; known: cpu, cuda, cuda:NUMBER")
    if device.type == "cuda":
        if not torch.cuda.is_available():
            raise EightfoldError(f"device {name!r}: there is no CUDA here")
        if (device.index or 0) >= torch.cuda.device_count():
            raise EightfoldError(f"device {name!r}: there are {torch.cuda.device_count()} GPUs here, counted from 0")
    return device
