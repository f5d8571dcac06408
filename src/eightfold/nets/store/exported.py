"""Running a network from its exported file, `network.onnx`, without PyTorch.

OpenVINO is asked where it is installed, else ONNX Runtime. What the file is (the game, the encoder, the symmetry mode)
stands in its metadata, which `eightfold export` wrote. This is how the protocol engines run networks: they start in
a second and stay small. Nothing here, and nothing that it imports, imports torch.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.nets.inference.backends.interface import Answer, Runner
from eightfold.nets.shape import Shape
from eightfold.nets.store import description as place_of
from eightfold.nets.store.description import (
    DESCRIPTION,
    EXPORTED,
    Description,
    find_checkpoint,
    load_description,
    plays,
)
from eightfold.nets.store.onnx_metadata import read_metadata

INPUT, OUTPUTS = "planes", ("logits", "value")  # of the exported graph
SUFFIX = ".onnx"
RUNTIMES = ("openvino", "onnxruntime")
ANY_SIZE = "any_size"  # in the metadata, yes or no: whether the weights fit every board size


def load_exported(path: Path, game: Game) -> tuple[Runner, Description]:
    """The network of an exported file, for a game, and its description; it has answered once."""
    description, any_size = read_description(path)
    description = description.fitted_to(game, who=path, any_size=any_size)
    shape = description.shape()
    runner: Runner
    try:
        runner = _OpenVino(path, shape) if _is_installed("openvino") else _OnnxRuntime(path)
        logits, _ = runner.run(np.zeros((1, shape.planes, shape.size, shape.size), np.float32))
    except EightfoldError:
        raise
    except Exception as error:  # each runtime has its own ways to say that it cannot use a file
        words = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise EightfoldError(f"{path} is not a network that can be run: {words[:200]}") from None
    if logits.shape != (1, game.actions):
        raise EightfoldError(f"{path} answers with shape {logits.shape}; {game.text} needs (1, {game.actions})")
    return runner, description


def is_exported(place: str | Path) -> bool:
    """Whether a network's place is an exported file, by its name."""
    return Path(place).suffix.lower() == SUFFIX


def read_description(path: Path) -> tuple[Description, bool]:
    """What an exported file says of itself, and whether it plays any board size."""
    try:
        metadata = read_metadata(path.read_bytes())
    except OSError as error:
        raise EightfoldError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise EightfoldError(f"{path} is not an ONNX file: {error}") from None
    about = {field.name: metadata.get(field.name, field.default) for field in fields(Description)}
    missing = [key for key, value in about.items() if value is MISSING]
    if missing:
        raise EightfoldError(f"{path} does not say its {missing[0]}; write it with: eightfold export RUN --onnx")
    description = Description(**{key: str(value) for key, value in about.items()})
    try:
        description.play_settings()
    except EightfoldError as error:
        raise EightfoldError(f"{path}: {error}") from None
    return description, metadata.get(ANY_SIZE) == "yes"


def find_exported(place: str | Path) -> Path:
    """The exported file itself, or the one in the folder of a run, a checkpoint or a shipped network."""
    path = Path(place)
    if is_exported(path):
        return path
    folders = [path, path / "checkpoint", place_of.MODELS / str(place)]
    for folder in folders:
        if (folder / EXPORTED).is_file():
            return folder / EXPORTED
    find_checkpoint(place)  # which says so if there is no network at all
    raise EightfoldError(f"{place} has no {EXPORTED} yet; write it with: eightfold export {place} --onnx")


def best_shipped(game: Game) -> Path | None:
    """The exported file of the strongest shipped network for a game, if there is one and it can be run here.

    Of several one for this very game, with its komi and its rules, and of those the largest: they are trained for as
    long as they keep getting better, so more weights play better.
    """
    if not any(map(_is_installed, RUNTIMES)):
        return None
    found = []
    for path in place_of.MODELS.glob(f"*/{EXPORTED}"):
        if (path.parent / DESCRIPTION).is_file():
            trained = load_description(path.parent).game
            if plays(trained, game, any_size=False):
                found.append((trained == game.text, path.stat().st_size, path.parent.name, path))
    return max(found)[-1] if found else None


def make_session(model: bytes, *, threads: int = 0) -> Any:
    """A session of ONNX Runtime on the CPU for a serialised model."""
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


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


class _OnnxRuntime:
    def __init__(self, path: Path) -> None:
        if not _is_installed("onnxruntime"):
            raise EightfoldError(f"{path} needs OpenVINO or ONNX Runtime: pip install openvino, or onnxruntime")
        self._session = make_session(path.read_bytes())

    def run(self, planes: NDArray[np.float32]) -> Answer:
        logits, values = self._session.run(OUTPUTS, {INPUT: planes})
        return logits, values


class _OpenVino:
    """bf16 is what it computes with where the processor can, else fp32."""

    def __init__(self, path: Path, shape: Shape) -> None:
        openvino = import_openvino()
        core = openvino.Core()
        settings = {"INFERENCE_PRECISION_HINT": "bf16", "PERFORMANCE_HINT": "LATENCY"}
        model = core.read_model(str(path))
        model.reshape({INPUT: openvino.PartialShape([-1, shape.planes, shape.size, shape.size])})
        compiled = core.compile_model(model, "CPU", settings)
        self._request = compiled.create_infer_request()
        self._outputs = [compiled.output(name) for name in OUTPUTS]

    def run(self, planes: NDArray[np.float32]) -> Answer:
        self._request.infer({INPUT: planes}, share_inputs=True)
        logits, values = (self._request.get_tensor(output).data for output in self._outputs)
        return logits, values
