"""Exported networks, `network.onnx`: what they are, and running them without PyTorch.

What a file is (the game, the encoder, the symmetry mode) stands in its metadata, which `eightfold export` wrote.
OpenVINO runs it where it is installed, else ONNX Runtime. This is how the protocol engines run networks: they start in
a second and stay small. Nothing here, and nothing that it imports, imports torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.core.extras import missing_extra, need
from eightfold.core.specs import split_name
from eightfold.nets.inference.backends.choice import backend_options
from eightfold.nets.inference.backends.interface import Runner
from eightfold.nets.inference.runtimes import (
    INPUT,
    RUNTIMES,
    RequestRunner,
    SessionRunner,
    import_openvino,
    installed_runtimes,
    make_session,
    openvino_settings,
)
from eightfold.nets.shape import Shape
from eightfold.nets.store.description import Description, checked
from eightfold.nets.store.onnx_metadata import ANY_SIZE, KIND, read_metadata

SUFFIX = ".onnx"


def load_exported(
    path: Path, description: Description, backend: str = "auto", device: str = "cpu", *, threads: int = 0
) -> Callable[[], Runner]:
    """What makes runners of an exported file for the game of a description; one has answered already.

    `threads` 0: as many as the library likes.
    """
    runtime, values = _runtime(path, backend, device)
    shape, game = description.shape(), description.game
    more: Callable[[], Runner]
    try:
        if runtime == "openvino":
            more = _with_openvino(path, shape, threads, **values)
        else:
            shared = SessionRunner(make_session(path.read_bytes(), threads=threads))
            more = lambda: shared  # noqa: E731 - one for all threads
        logits, _ = more().run(np.zeros((1, shape.planes, shape.size, shape.size), np.float32))
    except Exception as error:  # each runtime has its own ways to say that it cannot use a file
        words = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise EightfoldError(f"{path} is not a network that can be run: {words[:200]}") from None
    if logits.shape != (1, shape.actions):
        raise EightfoldError(f"{path} answers with shape {logits.shape}; {game} needs (1, {shape.actions})")
    return more


def _runtime(path: Path, backend: str, device: str) -> tuple[str, dict[str, str]]:
    """Which of the two runs a file, and with what options."""
    name = split_name(backend)[0]
    if name == "auto":
        installed = installed_runtimes()
        if not installed:
            raise missing_extra("onnxruntime", purpose=str(path), instead="pip install openvino")
        return installed[0], {}
    if device != "cpu" or name not in RUNTIMES:
        raise EightfoldError(f"{path} is an exported network, which runs on the CPU by {' or '.join(RUNTIMES)}")
    need(name, purpose=f"backend {name}")  # and no more: the package `onnx` is for making a graph
    return backend_options(backend)


def _with_openvino(path: Path, shape: Shape, threads: int, *, precision: str = "bf16") -> Callable[[], Runner]:
    openvino = import_openvino()
    core = openvino.Core()
    model = core.read_model(str(path))
    model.reshape({INPUT: openvino.PartialShape([-1, shape.planes, shape.size, shape.size])})
    compiled = core.compile_model(model, "CPU", openvino_settings(precision, threads))
    return lambda: RequestRunner(compiled)


def is_exported(place: str | Path) -> bool:
    """Whether a network's place is an exported file, by its name."""
    return Path(place).suffix.lower() == SUFFIX


def read_facts(path: Path) -> dict[str, str]:
    """The metadata of an exported file."""
    try:
        return read_metadata(path.read_bytes())
    except OSError as error:
        raise EightfoldError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise EightfoldError(f"{path} is not an ONNX file: {error}") from None


def read_description(path: Path) -> tuple[Description, bool]:
    """What an exported file says of itself, and whether it plays any board size."""
    facts = read_facts(path)
    if KIND in facts:
        raise EightfoldError(f"{path} is {facts[KIND]}, exported for other programs; play what it was exported from")
    about = {field.name: facts.get(field.name, field.default) for field in fields(Description)}
    missing = [key for key, value in about.items() if value is MISSING]
    if missing:
        raise EightfoldError(f"{path} does not say its {missing[0]}; write it with: eightfold export RUN --onnx")
    try:
        description = checked(Description(**{key: str(value) for key, value in about.items()}))
    except EightfoldError as error:
        raise EightfoldError(f"{path}: {error}") from None
    return description, facts.get(ANY_SIZE) == "yes"
