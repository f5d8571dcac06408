"""Internal Symmetry Networks on disk: one safetensors file with the weights, the make and notes; no PyTorch needed.

A run of TD(λ) training (`eightfold train-isn`) keeps its newest network as `network.safetensors` and earlier ones in
`snapshots/`, by the number of games. Nothing in a file is code. Read next: `eightfold.isn.go_network`, which opens one.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from eightfold.core.errors import EightfoldError, shown
from eightfold.isn.weights import HasWeights, IsnConfig, IsnWeights

NETWORK, SNAPSHOTS = "network.safetensors", "snapshots"
FORMAT = "eightfold-isn"


def isn_bytes(network: HasWeights, **notes: str) -> bytes:
    """What such a file holds; `notes` are kept with it."""
    from safetensors.numpy import save

    weights = network.weights()
    arrays = {name: np.ascontiguousarray(array) for name, array in weights.arrays.items()}
    return save(arrays, {**notes, "format": FORMAT, "config": json.dumps(weights.config.as_dict())})


def read_isn(path: Path) -> tuple[IsnWeights, dict[str, str]]:
    """The network of a file and its notes; a file that is something else is named in one line."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as file:
            notes: dict[str, str] = file.metadata() or {}
            config = _config_of(notes, path)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
    except OSError as error:
        raise EightfoldError(f"{path}: {error.strerror or error}") from None
    except (SafetensorError, TypeError) as error:
        raise EightfoldError(f"{path} is not a whole safetensors file: {' '.join(str(error).split())}") from None
    try:
        weights = IsnWeights(config=config, arrays=arrays)
    except EightfoldError as error:
        raise EightfoldError(f"{path} does not fit its network: {error}") from None
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise EightfoldError(f"{path} holds weights that are not numbers")
    return weights, notes


def _config_of(notes: dict[str, str], path: Path) -> IsnConfig:
    try:
        config = json.loads(notes.get("config", "null"))
    except (ValueError, RecursionError):
        config = None
    if notes.get("format") != FORMAT or not isinstance(config, dict) or config.keys() != IsnConfig().as_dict().keys():
        raise EightfoldError(f"{path} holds no Internal Symmetry Network")
    if not isinstance(config["bias"], bool):
        raise EightfoldError(f"{path}: bias={shown(config['bias'])} is not true or false")
    try:
        return IsnConfig(**config)
    except EightfoldError as error:
        raise EightfoldError(f"{path}: {error}") from None


def snapshots_of(run: Path) -> dict[int, Path]:
    """The snapshots of a run by the number of games, ascending."""
    found = {}
    for file in sorted((run / SNAPSHOTS).glob("*.safetensors")):
        if re.fullmatch(r"[0-9]+", file.stem):
            found[int(file.stem)] = file
    return found
