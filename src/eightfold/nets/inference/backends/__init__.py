"""Backends: what runs a network. One small interface, so that everything above is the same for all.

    torch        any device; bf16 on CUDA, with fused convolutions and captured as CUDA graphs
    onnxruntime  any CPU, fp32
    openvino     the fastest on an x86 CPU: bf16 where the processor has it

A backend is made for a network once and takes new weights often (`load`), since self-play gets them every few
seconds. A backend is a text like everything else: `openvino`, `torch:precision=bf16`. Read next: `interface.py`,
then `choice.py`; `eightfold bench backends` compares them. A network that was exported needs no PyTorch:
`eightfold.nets.inference.runtimes`.
"""

from __future__ import annotations

from eightfold.nets.inference.backends.choice import BACKENDS, has_onnxruntime, has_openvino, make_backend
from eightfold.nets.inference.backends.interface import Answer, Backend, Runner

__all__ = ["BACKENDS", "Answer", "Backend", "Runner", "has_onnxruntime", "has_openvino", "make_backend"]
