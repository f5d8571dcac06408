"""Checkpoints: weights as safetensors, with what they are and how they came about beside them.

A checkpoint is a folder: `network.safetensors`, `network.json` (the network's text, game, encoder, symmetry
mode) and `card.md`, a model card for people. Nothing in it is code: loading a stranger's file can fail with one
clear line, and do nothing else.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

import torch
from torch import nn

from eightfold.core.errors import EightfoldError, not_written
from eightfold.core.files import replace_files
from eightfold.nets.store.description import CARD, DESCRIPTION, WEIGHTS, Description, load_description


def checkpoint_files(network: nn.Module, description: Description, card: str = "") -> dict[str, bytes]:
    """The files of a checkpoint by their names, for whoever saves it."""
    from safetensors.torch import save

    state = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    files = {WEIGHTS: save(state), DESCRIPTION: (json.dumps(asdict(description), indent=2) + "\n").encode()}
    return {**files, CARD: card.encode()} if card else files


def save_checkpoint(folder: Path, network: nn.Module, description: Description, card: str = "") -> None:
    """Write a checkpoint; a disk that is full leaves the one before as it was."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_written(folder, error.strerror) from None
    replace_files({folder / name: data for name, data in checkpoint_files(network, description, card).items()})


def load_checkpoint(folder: Path) -> tuple[nn.Module, Description]:
    """The network of a checkpoint and its description."""
    description = load_description(folder)
    network = description.make()
    load_weights(network, folder / WEIGHTS)
    return network.eval(), description


def load_weights(network: nn.Module, path: Path) -> None:
    """Put the weights of a safetensors file into a network of the same make."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        state = {_present_name(name): tensor for name, tensor in load(path.read_bytes()).items()}
    except OSError as error:
        raise EightfoldError(f"{path}: {error.strerror}") from None
    except (SafetensorError, ValueError, KeyError, RuntimeError) as error:
        raise EightfoldError(f"{path} is not a whole safetensors file: {' '.join(str(error).split())}") from None
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    given = {name: tuple(tensor.shape) for name, tensor in state.items()}
    for name in sorted(expected.keys() | given.keys()):
        if expected.get(name) != given.get(name):
            raise EightfoldError(
                f"{path} does not fit this network: {name} is {given.get(name, 'missing')},"
                f" expected {expected.get(name, 'nothing of that name')}"
            )
    if any(not bool(torch.isfinite(tensor).all()) for tensor in state.values() if tensor.is_floating_point()):
        raise EightfoldError(f"{path} holds weights that are not numbers")
    network.load_state_dict(state)


def _present_name(name: str) -> str:
    """A parameter's name, also where an earlier version wrote the file.

    >>> _present_name("foresight.2.owners.weight")
    'auxiliary.2.ownership.weight'
    """
    if not name.startswith("foresight."):
        return name
    return re.sub(r"\bowners\b", "ownership", name.replace("foresight.", "auxiliary.", 1))
