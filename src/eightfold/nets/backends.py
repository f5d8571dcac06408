"""Backends: what runs a network. One small interface, so that everything above is the same for all.

    torch     any device; bf16 on CUDA
    openvino  the fastest on an x86 CPU: bf16 where the processor has it

A backend is made for a network once and takes new weights often (`load`), since self-play gets them every few
seconds. OpenVINO's conversion takes a second, so it happens once; new weights then replace the constants of
the converted graph by name, which costs a tenth of that.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import warnings
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from eightfold.errors import unknown
from eightfold.nets.networks import Shape, folded

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]  # logits [B, A], values [B]


class Backend(Protocol):
    def load(self, network: nn.Module) -> None:
        """Take the weights of a network of the same make."""

    def run(self, planes: NDArray[np.float32]) -> Answer:
        """Planes [B, C, N, N], any B up to the largest batch."""


class TorchBackend:
    """PyTorch itself: the reference, and the way to a GPU."""

    def __init__(self, network: nn.Module, shape: Shape, *, device: str = "cpu") -> None:
        self._device = torch.device(device)
        self.load(network)

    def load(self, network: nn.Module) -> None:
        self._network = folded(network).to(self._device)
        if self._device.type == "cuda":
            self._network = self._network.to(torch.bfloat16, memory_format=torch.channels_last)  # type: ignore[call-overload]

    @torch.inference_mode()
    def run(self, planes: NDArray[np.float32]) -> Answer:
        batch = torch.from_numpy(planes).to(self._device)
        if self._device.type == "cuda":
            batch = batch.to(torch.bfloat16, memory_format=torch.channels_last)
        logits, values = self._network(batch)
        return logits.float().cpu().numpy(), values.float().cpu().numpy()


class OpenVinoBackend:
    """Intel's runtime, which is the fastest on AMD processors as well."""

    def __init__(self, network: nn.Module, shape: Shape, *, precision: str = "bf16", threads: int = 0) -> None:
        # Its converter reports to its makers, through a child process, where this package is installed.
        sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
        import openvino

        self._openvino = openvino
        self._core = openvino.Core()
        self._shape = shape
        self._settings: dict[str, Any] = {"INFERENCE_PRECISION_HINT": precision, "PERFORMANCE_HINT": "LATENCY"}
        if threads:
            self._settings["INFERENCE_NUM_THREADS"] = threads
        self._model = self._convert(network)
        self.load(network)

    def _convert(self, network: nn.Module) -> Any:
        """The graph; `_constants` tells which of its constants is which parameter.

        Odd numbers take the place of the weights meanwhile: no constant is folded away, and each is known by them.
        """
        copy = folded(network)
        for parameter in copy.parameters():
            parameter.data = torch.rand_like(parameter) + 0.5
        size = self._shape.size
        example = torch.zeros(2, self._shape.planes, size, size)
        shape = self._openvino.PartialShape([-1, self._shape.planes, size, size])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of things that nobody who calls this could change
            model = self._openvino.convert_model(copy, example_input=example, input=[shape])
        by_content = {parameter.detach().numpy().tobytes(): name for name, parameter in copy.named_parameters()}
        self._constants = {
            by_content[node.data.tobytes()]: node
            for node in model.get_ops()
            if node.get_type_name() == "Constant" and node.data.tobytes() in by_content
        }
        missing = set(by_content.values()) - set(self._constants)
        if missing:
            raise RuntimeError(f"OpenVINO's graph has no constants for {sorted(missing)}")
        return model

    def load(self, network: nn.Module) -> None:
        for name, weights in folded(network).named_parameters():
            node = self._constants[name]
            data = weights.detach().numpy().reshape(tuple(node.shape))
            fresh = self._openvino.opset13.constant(np.ascontiguousarray(data, np.float32))
            node.output(0).replace(fresh.output(0))
            self._constants[name] = fresh
        compiled = self._core.compile_model(self._model, "CPU", self._settings)
        self._request = compiled.create_infer_request()

    def run(self, planes: NDArray[np.float32]) -> Answer:
        self._request.infer({0: planes}, share_inputs=True)
        logits, values = (self._request.get_output_tensor(k).data for k in range(2))
        return logits, values


BACKENDS = ("auto", "torch", "openvino")


@functools.cache
def has_openvino() -> bool:
    return importlib.util.find_spec("openvino") is not None


def make_backend(name: str, network: nn.Module, shape: Shape, *, device: str = "cpu", threads: int = 0) -> Backend:
    """A backend by name; `auto` is the fastest that there is for the device. `threads` 0: as many as it likes."""
    if name not in BACKENDS:
        raise unknown("backend", name, BACKENDS)
    if name == "openvino" or (name == "auto" and device == "cpu" and has_openvino()):
        return OpenVinoBackend(network, shape, threads=threads)
    return TorchBackend(network, shape, device=device)
