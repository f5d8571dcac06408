"""A backend by its text: `auto`, `torch:precision=bf16`, `onnxruntime`, `openvino:precision=fp32`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.extras import is_installed, need
from eightfold.core.settings import setting
from eightfold.core.specs import NoOptions, read_spec, split_name
from eightfold.nets.inference.backends.interface import Backend
from eightfold.nets.inference.device import check_device
from eightfold.nets.shape import Shape

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, kw_only=True)
class TorchOptions:
    precision: str = setting("auto", "auto: bf16 on CUDA, else fp32", choices=("auto", "fp32", "bf16"))
    graphs: str = setting("on", "CUDA graphs, on CUDA", choices=("on", "off"))
    fused: str = setting(
        "auto",
        "on CUDA, a convolution, its sum and its ReLU as one kernel; auto: where the answers stay close to fp32's",
        choices=("auto", "on", "off"),
    )


@dataclass(frozen=True, kw_only=True)
class OpenVinoOptions:
    precision: str = setting("bf16", "bf16: where the processor has it", choices=("fp32", "bf16"))


_OPTIONS: dict[str, type] = {
    "auto": NoOptions,
    "torch": TorchOptions,
    "onnxruntime": NoOptions,
    "openvino": OpenVinoOptions,
}
_NEEDS = {"torch": ("torch",), "onnxruntime": ("onnxruntime", "onnx"), "openvino": ("openvino",)}
BACKENDS = tuple(_OPTIONS)


def has_openvino() -> bool:
    return is_installed("openvino")


def has_onnxruntime() -> bool:
    """Whether its backend can work here: the graph is made with the package `onnx`."""
    return is_installed("onnxruntime") and is_installed("onnx")


def make_backend(text: str, network: nn.Module, shape: Shape, *, device: str = "cpu", threads: int = 0) -> Backend:
    """A backend by its text; `auto` is the fastest that there is for the device. `threads` 0: as many as it likes."""
    name, values = read_backend(text, device)
    if name == "openvino":
        from eightfold.nets.inference.backends.openvino_backend import OpenVinoBackend

        return OpenVinoBackend(network, shape, threads=threads, **values)
    if name == "onnxruntime":
        from eightfold.nets.inference.backends.onnxruntime_backend import OnnxRuntimeBackend

        return OnnxRuntimeBackend(network, shape, threads=threads)
    graphs = values.pop("graphs", "on") == "on"
    if graphs and device.startswith("cuda"):
        from eightfold.nets.inference.backends.cuda_graphs import CudaGraphBackend

        return CudaGraphBackend(network, shape, device=device, **values)
    from eightfold.nets.inference.backends.torch_backend import TorchBackend

    return TorchBackend(network, shape, device=device, **values)


def read_backend(text: str, device: str = "cpu") -> tuple[str, dict[str, Any]]:
    """The name and the options of a backend that there is here."""
    name, values = backend_options(text)
    check_device(device)
    if name == "auto":
        name = fastest(device)
    for module in _NEEDS[name]:
        need(module, purpose=f"backend {name}")
    return name, values


def backend_options(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the options that a text gives, whatever is installed here."""
    name, rest = split_name(text)
    if name not in BACKENDS:
        raise unknown("backend", name, BACKENDS)
    return name, asdict(read_spec(rest, _OPTIONS[name], f"backend {name}"))


def torch_options(text: str) -> TorchOptions:
    """What a backend's text asks of PyTorch, for what runs a network without any other: `auto`, `torch:fused=off`."""
    name, values = backend_options(text)
    if name not in ("auto", "torch"):
        raise EightfoldError(f"backend {name}: only torch runs a network on a device by itself; or say auto")
    return TorchOptions(**values)


def fastest(device: str) -> str:
    """What `auto` stands for. The order on a CPU is that of `eightfold bench backends`, with default options."""
    if device != "cpu":
        return "torch"
    return "openvino" if has_openvino() else "onnxruntime" if has_onnxruntime() else "torch"
