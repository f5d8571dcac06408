"""Checkpoints: weights as safetensors, with what they are and how they came about beside them.

A checkpoint is a folder: `network.safetensors`, `network.json` (the network's text, game, encoder, symmetry
mode) and `card.md`, a model card for people. Nothing in it is code: loading a stranger's file can fail with one
clear line, and do nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn

from eightfold.errors import EightfoldError, not_written, shown
from eightfold.games.game import make_game
from eightfold.nets.evaluator import check_mode, planes_seen
from eightfold.nets.networks import Shape, make_network

WEIGHTS, DESCRIPTION, CARD = "network.safetensors", "network.json", "card.md"
MODELS = Path(__file__).resolve().parent.parent / "models"


@dataclass(frozen=True, kw_only=True)
class Description:
    """What a network is, apart from its weights."""

    network: str  # its text
    game: str
    encoder: str
    symmetry: str

    def shape(self) -> Shape:
        game = make_game(self.game)
        _, planes = game.encoder(self.encoder)
        seen = planes_seen(planes, check_mode(self.symmetry))
        return Shape(planes=seen, size=game.size, passes=game.actions - game.points)

    def make(self) -> nn.Module:
        """A network of this kind with fresh weights."""
        return make_network(self.network, self.shape())


def save_checkpoint(
    folder: Path,
    network: nn.Module,
    description: Description,
    card: str = "",
    *,
    beside: Mapping[str, bytes] | None = None,
) -> None:
    """Write a checkpoint, and the files `beside` it; a disk that is full leaves the one before as it was."""
    from safetensors.torch import save

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_written(folder, error.strerror) from None
    state = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    files = {WEIGHTS: save(state), DESCRIPTION: (json.dumps(asdict(description), indent=2) + "\n").encode()}
    if card:
        files[CARD] = card.encode()
    replace_files({folder / name: data for name, data in {**files, **(beside or {})}.items()})


def find_checkpoint(place: str | Path) -> Path:
    """The checkpoint's folder: of a run, the checkpoint's own, or a shipped network's by its name."""
    for folder in (Path(place) / "checkpoint", Path(place)):
        if (folder / DESCRIPTION).is_file():
            return folder
    shipped = shipped_networks()
    if str(place) in shipped:
        return MODELS / str(place)
    or_shipped = f", or a shipped one: {', '.join(shipped)}" if shipped else ""
    raise EightfoldError(f"{place} holds no network; give the folder of a run or of a checkpoint{or_shipped}")


def shipped_networks() -> list[str]:
    """The names of the networks that come with the package."""
    return sorted(folder.parent.name for folder in MODELS.glob(f"*/{DESCRIPTION}"))


def load_checkpoint(folder: Path) -> tuple[nn.Module, Description]:
    """The network of a checkpoint and its description."""
    description = load_description(folder)
    network = description.make()
    load_weights(network, folder / WEIGHTS)
    return network.eval(), description


def load_description(folder: Path) -> Description:
    path = folder / DESCRIPTION
    try:
        description = Description(**json.loads(path.read_text(encoding="utf-8")))
        for key, value in asdict(description).items():
            if not isinstance(value, str):
                raise ValueError(f"{key} is {shown(value)}, not a text")
        return description
    except OSError as error:
        raise EightfoldError(f"{folder} holds no network: {path.name}: {error.strerror}") from None
    except (ValueError, TypeError) as error:
        raise EightfoldError(f"{path} is not a network's description: {' '.join(str(error).split())}") from None


def load_weights(network: nn.Module, path: Path) -> None:
    """Put the weights of a safetensors file into a network of the same make."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        state = load(path.read_bytes())
    except OSError as error:
        raise EightfoldError(f"{path}: {error.strerror}") from None
    except (SafetensorError, ValueError) as error:
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


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, and see it to the disk."""
    replace_files({path: data})


def replace_files(files: Mapping[Path, bytes]) -> None:
    """Write files whole; all are on the disk before the first takes the place of an old one, in the order given."""
    drafts = {path: path.with_name(f".{path.name}.{os.getpid()}.draft") for path in files}
    path = next(iter(files))
    try:
        for path, data in files.items():
            with open(drafts[path], "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for path, draft in drafts.items():
            os.replace(draft, path)
    except OSError as error:
        raise not_written(path, error.strerror) from None
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
