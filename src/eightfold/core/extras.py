"""What is not in the base install, and which extra of `pip install "eightfold[EXTRA]"` brings it.

    >>> print(missing_extra("torch"))
    PyTorch is not installed: pip install "eightfold[train]"

Code that cannot go on without such a library calls `need` before it imports what uses it; the command line answers an
import that failed all the same with the same line.
"""

from __future__ import annotations

import importlib.util

from eightfold.core.errors import EightfoldError

# module: how people call it, and the extra that installs it ("": the base install)
EXTRAS = {
    "torch": ("PyTorch", "train"),
    "lmdb": ("the package lmdb", "train"),
    "matplotlib": ("Matplotlib", "studies"),
    "onnx": ("the package onnx", "onnx"),
    "tensorboard": ("TensorBoard", "tensorboard"),
    "openvino": ("OpenVINO", ""),
    "onnxruntime": ("ONNX Runtime", "onnx"),
    "fastapi": ("FastAPI", "web"),
    "uvicorn": ("Uvicorn", "web"),
    "websockets": ("the package websockets", "web"),
    "ray": ("Ray", "cluster"),
    "numba_cuda": ("numba-cuda", "cuda"),
    "zstandard": ("the package zstandard", "patterns"),
}


def is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def need(module: str, *, purpose: str = "", instead: str = "") -> None:
    """An error in one line unless a library is there; `instead`: what else would do."""
    if not is_installed(module):
        raise missing_extra(module, purpose=purpose, instead=instead)


def missing_extra(module: str, *, purpose: str = "", instead: str = "") -> EightfoldError:
    """The error for a library that is not installed; `purpose`: what it is needed for, as in 'training'."""
    name, extra = EXTRAS.get(module, (module, ""))
    missing = f"{purpose} needs {name}" if purpose else f"{name} is not installed"
    package = f'"eightfold[{extra}]"' if extra else module
    return EightfoldError(f"{missing}: pip install {package}{f', or {instead}' if instead else ''}")
