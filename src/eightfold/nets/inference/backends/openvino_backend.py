"""OpenVINO: Intel's runtime, which is the fastest on AMD processors as well.

Its conversion takes a second, so it happens once; new weights then replace the constants of the converted graph by
name, which costs a tenth of that.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from eightfold.nets.inference.backends.interface import Answer, Runner
from eightfold.nets.inference.runtimes import RequestRunner, import_openvino, openvino_settings
from eightfold.nets.networks import folded
from eightfold.nets.shape import Shape


class OpenVinoBackend:
    """A converted network; bf16 is what it computes with where the processor can, else fp32."""

    def __init__(self, network: nn.Module, shape: Shape, *, precision: str = "bf16", threads: int = 0) -> None:
        self._openvino = import_openvino()
        self._core = self._openvino.Core()
        self._shape, self._settings = shape, openvino_settings(precision, threads)
        self._model = self._convert(network)
        self.load(network)

    def _convert(self, network: nn.Module) -> Any:
        """The graph; `_constants` tells which of its constants is which parameter.

        Odd numbers take the place of the weights meanwhile: no constant is folded away, and each is known by them.
        """
        copy = folded(network)
        numbers = torch.Generator().manual_seed(0)
        for parameter in copy.parameters():
            parameter.data = torch.rand(parameter.shape, generator=numbers) + 0.5
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
        self._compiled = self._core.compile_model(self._model, "CPU", self._settings)
        self._runner = self.runner()

    def runner(self) -> Runner:
        return RequestRunner(self._compiled)

    def run(self, planes: NDArray[np.float32]) -> Answer:
        return self._runner.run(planes)
