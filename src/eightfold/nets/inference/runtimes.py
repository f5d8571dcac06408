"""ONNX Runtime and OpenVINO: the two libraries that run a network on a CPU. Nothing here needs PyTorch.

Either holds the weights once and may be asked from several threads: a session of ONNX Runtime as it is, a compiled
model of OpenVINO through a request for each thread. Used by exported files (`eightfold.nets.store.exported`) and by
the backends of the same names, which bring weights from PyTorch.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.extras import is_installed
from eightfold.nets.inference.backends.interface import Answer

INPUT, OUTPUTS = "planes", ("logits", "value")  # of an exported graph
RUNTIMES = ("openvino", "onnxruntime")  # the faster first: see `eightfold bench backends`
OPENVINO_TYPES = {"fp32": "f32", "bf16": "bf16"}


def installed_runtimes() -> list[str]:
    return [name for name in RUNTIMES if is_installed(name)]


def make_session(model: bytes, *, threads: int = 0) -> Any:
    """A session of ONNX Runtime on the CPU for a serialised model; `threads` 0: as many as it likes."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3  # errors: its warnings are about graphs, and nobody who calls this could act on them
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def import_openvino() -> Any:
    """OpenVINO, without the package through which it reports to its makers in a child process."""
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    import openvino

    return openvino


def openvino_settings(precision: str, threads: int = 0) -> dict[str, Any]:
    """bf16 is what it computes with where the processor can, else fp32."""
    settings: dict[str, Any] = {"INFERENCE_PRECISION_HINT": OPENVINO_TYPES[precision], "PERFORMANCE_HINT": "LATENCY"}
    settings["ENABLE_CPU_PINNING"] = False  # else every process on a machine runs its first thread on the first core
    return {**settings, "INFERENCE_NUM_THREADS": threads} if threads else settings


class SessionRunner:
    """A session of ONNX Runtime; its answers are fresh arrays."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(self, planes: NDArray[np.float32]) -> Answer:
        logits, values = self._session.run(OUTPUTS, {INPUT: planes})
        return logits, values


class RequestRunner:
    """A request to a compiled model of OpenVINO; its answers hold until the next run."""

    def __init__(self, compiled: Any) -> None:
        self._request = compiled.create_infer_request()

    def run(self, planes: NDArray[np.float32]) -> Answer:
        self._request.infer({0: planes}, share_inputs=True)
        logits, values = (self._request.get_output_tensor(k).data for k in range(2))
        return logits, values
