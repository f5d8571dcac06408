"""A backend by its text: `auto`, `torch:precision=bf16`, `onnxruntime`, `openvino:precision=fp32`."""

from __future__ import annotations

import functools
import importlib.util
from dataclasses import asdict, dataclass
from typing import Any

from torch import nn

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.settings import setting
from eightfold.core.specs import read_spec, split_name
from eightfold.nets.inference.backends.cuda_graphs import CudaGraphBackend
from eightfold.nets.inference.backends.interface import Backend
from eightfold.nets.inference.backends.onnxruntime_backend import OnnxRuntimeBackend
from eightfold.nets.inference.backends.openvino_backend import OpenVinoBackend
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.inference.device import check_device
from eightfold.nets.networks import Shape


@dataclass(frozen=True, kw_only=True)
class NoOptions:
    """Of a backend that takes none."""


@dataclass(frozen=True, kw_only=True)
class TorchOptions:
    precision: str = setting("auto", "auto: bf16 on CUDA, else fp32", choices=("auto", "fp32", "bf16"))
    graphs: str = setting("on", "CUDA graphs, on CUDA", choices=("on", "off"))


@dataclass(frozen=True, kw_only=True)
class OpenVinoOptions:
    precision: str = setting("bf16", "bf16: where the processor has it", choices=("fp32", "bf16"))


_OPTIONS: dict[str, type] = {
    "auto": NoOptions,
    "torch": TorchOptions,
    "onnxruntime": NoOptions,
    "openvino": OpenVinoOptions,
}
BACKENDS = tuple(_OPTIONS)


@functools.cache
def has_openvino() -> bool:
    return importlib.util.find_spec("openvino") is not None


@functools.cache
def has_onnxruntime() -> bool:
    """Whether its backend can work here: the graph is made with the package `onnx`."""
    return all(importlib.util.find_spec(package) is not None for package in ("onnx", "onnxruntime"))


def make_backend(text: str, network: nn.Module, shape: Shape, *, device: str = "cpu", threads: int = 0) -> Backend:
    """A backend by its text; `auto` is the fastest that there is for the device. `threads` 0: as many as it likes."""
    name, values = read_backend(text, device)
    if name == "openvino":
        return OpenVinoBackend(network, shape, threads=threads, **values)
    if name == "onnxruntime":
        return OnnxRuntimeBackend(network, shape, threads=threads)
    graphs = values.pop("graphs", "on") == "on"
    if graphs and device.startswith("cuda"):
        return CudaGraphBackend(network, shape, device=device, **values)
    return TorchBackend(network, shape, device=device, **values)


def read_backend(text: str, device: str = "cpu") -> tuple[str, dict[str, Any]]:
    """The name and the options of a backend that there is here."""
    name, rest = split_name(text)
    if name not in BACKENDS:
        raise unknown("backend", name, BACKENDS)
    values: dict[str, Any] = asdict(read_spec(rest, _OPTIONS[name], f"backend {name}"))
    check_device(device)
    if name == "auto":
        name = fastest(device)
    if name == "openvino" and not has_openvino():
        raise EightfoldError("the backend openvino is not installed: pip install openvino")
    if name == "onnxruntime" and not has_onnxruntime():
        raise EightfoldError("the backend onnxruntime is not installed: pip install 'eightfold[onnx]'")
    return name, values


def fastest(device: str) -> str:
    """What `auto` stands for. The order on a CPU is that of `eightfold bench backends`, with default options."""
    if device != "cpu":
        return "torch"
    return "openvino" if has_openvino() else "onnxruntime" if has_onnxruntime() else "torch"
