"""Backends: what runs a network. One small interface, so that everything above is the same for all.

    torch        any device; bf16 on CUDA, captured as CUDA graphs
    onnxruntime  any CPU, fp32
    openvino     the fastest on an x86 CPU: bf16 where the processor has it

A backend is made for a network once and takes new weights often (`load`), since self-play gets them every few
seconds. A backend is a text like everything else: `openvino`, `torch:precision=bf16`. Read next: `interface.py`,
then `choice.py`; `eightfold bench backends` compares them. A network that was exported needs none of them, and no
PyTorch: `eightfold.nets.store.exported`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from eightfold.nets.inference.backends.interface import Answer, Backend, Runner

if TYPE_CHECKING:
    from eightfold.nets.inference.backends.choice import BACKENDS, has_onnxruntime, has_openvino, make_backend
    from eightfold.nets.inference.backends.onnxruntime_backend import OnnxRuntimeBackend
    from eightfold.nets.inference.backends.openvino_backend import OpenVinoBackend
    from eightfold.nets.inference.backends.torch_backend import TorchBackend

__all__ = [
    "BACKENDS",
    "Answer",
    "Backend",
    "OnnxRuntimeBackend",
    "OpenVinoBackend",
    "Runner",
    "TorchBackend",
    "has_onnxruntime",
    "has_openvino",
    "make_backend",
]

# These bring PyTorch along, so they are imported when they are asked for.
_HOMES = {
    "BACKENDS": "choice",
    "has_onnxruntime": "choice",
    "has_openvino": "choice",
    "make_backend": "choice",
    "OnnxRuntimeBackend": "onnxruntime_backend",
    "OpenVinoBackend": "openvino_backend",
    "TorchBackend": "torch_backend",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
