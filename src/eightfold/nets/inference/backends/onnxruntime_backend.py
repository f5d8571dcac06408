"""ONNX Runtime: on any CPU, also where OpenVINO is not made for it.

The network is exported once. New weights are put into that graph, of which a session is then made: some ten
milliseconds for a small network, most of it ONNX Runtime laying out the weights as its kernels want them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from torch import nn

from eightfold.nets.inference.backends.interface import Answer, Runner
from eightfold.nets.inference.runtimes import SessionRunner, make_session
from eightfold.nets.shape import Shape
from eightfold.nets.store.onnx_graph import export_graph, put_weights


class OnnxRuntimeBackend:
    def __init__(self, network: nn.Module, shape: Shape, *, threads: int = 0) -> None:
        self._threads = threads
        self._model = export_graph(network, shape, any_size=False)
        self.load(network)

    def load(self, network: nn.Module) -> None:
        put_weights(self._model, network)
        self._runner = SessionRunner(make_session(self._model.SerializeToString(), threads=self._threads))

    def runner(self) -> Runner:
        return self._runner

    def run(self, planes: NDArray[np.float32]) -> Answer:
        return self._runner.run(planes)
