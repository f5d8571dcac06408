"""Devices by their names: `cpu`, `cuda`, one of several GPUs as `cuda:1`, or `mps` for the GPU of Apple silicon."""

from __future__ import annotations

import re

from eightfold.core.errors import EightfoldError
from eightfold.core.extras import need


def check_device(name: str) -> None:
    """A device that is not known, or not here, is an error in one line."""
    if name == "cpu":
        return
    found = re.fullmatch(r"mps|cuda(?::(\d{1,4}))?", name)
    if found is None:
        raise EightfoldError(f"unknown device {name!r}; known: cpu, cuda, cuda:NUMBER, mps")
    need("torch", purpose=f"device {name}")
    import torch

    if name == "mps":
        if not torch.backends.mps.is_available():
            raise EightfoldError("device 'mps': there is no Apple GPU here that PyTorch can use")
        return
    if not torch.cuda.is_available():
        raise EightfoldError(f"device {name!r}: there is no CUDA here")
    if int(found[1] or 0) >= torch.cuda.device_count():
        raise EightfoldError(f"device {name!r}: there are {torch.cuda.device_count()} GPUs here, counted from 0")
