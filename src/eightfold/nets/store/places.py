"""Where networks lie, by a short text: the folder of a run or a checkpoint, a file, or the name of a shipped one.

    runs/first                        the newest network of a run, of any kind
    runs/first/checkpoint             a checkpoint's folder: `network.json` and `network.safetensors`
    runs/isn/snapshots/000020000.safetensors
    runs/first/network.onnx           an exported network
    gomoku-8                          a network that comes with the package

Which of these hold what is for the kinds of networks to say (`eightfold/parts.py`). Read next: `open.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eightfold.core.errors import EightfoldError
from eightfold.nets.store.network import Network
from eightfold.parts import NETWORK_KINDS

MODELS = Path(__file__).resolve().parents[2] / "models"


def find_network(place: str | Path, kind: type[Network] = Network) -> tuple[type[Network], Path]:
    """The kind of the network at a place and its file; an error if it is not of the kind that is wanted."""
    found = _look_up(place, kind)
    if found is not None:
        return found
    other = _look_up(place, Network)  # type: ignore[type-abstract]  # any kind
    if other is not None:
        raise EightfoldError(
            f"{place} holds {other[0].KIND}, which plays as {other[0].PLAYER}:{place}; this takes {kind.KIND}"
        )
    shipped = shipped_networks(kind)
    or_shipped = f", or a shipped one: {', '.join(shipped)}" if shipped else ""
    raise EightfoldError(
        f"{place} holds no network; give the folder of a run or of a checkpoint, or a network's file{or_shipped}"
    )


def _look_up(place: str | Path, kind: type[Network]) -> tuple[type[Network], Path] | None:
    paths = (Path(place) / "checkpoint", Path(place), MODELS / str(place))
    for path in filter(Path.exists, paths):
        for each in _kinds(kind):
            file = each.file_in(path)
            if file is not None:
                return each, file
    return None


def shipped_networks(kind: type[Network] = Network) -> list[str]:
    """The names of the networks that come with the package."""
    folders = sorted(MODELS.iterdir()) if MODELS.is_dir() else []
    return [folder.name for folder in folders if any(each.file_in(folder) is not None for each in _kinds(kind))]


def _kinds(kind: type[Network]) -> Iterator[type[Network]]:
    """Those that are wanted; one that is not asked for is not even imported."""
    return iter(NETWORK_KINDS.values()) if kind is Network else iter((kind,))
