"""Where an Internal Symmetry Network for Go is kept, by a short text: a run, a snapshot's file, or a shipped one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from eightfold.core.errors import EightfoldError
from eightfold.nets.store.description import MODELS

if TYPE_CHECKING:
    from eightfold.isn.network import ISN

NETWORK, SNAPSHOTS = "network.safetensors", "snapshots"
SHIPPED = "isn.safetensors"


def find_isn(place: str | Path) -> Path:
    """The file of a network: given itself, the newest of a run, or a shipped network's by its name."""
    path = Path(place)
    for file in (path, path / NETWORK, MODELS / str(place) / SHIPPED):
        if file.is_file():
            return file
    shipped = shipped_isns()
    or_shipped = f", or a shipped one: {', '.join(shipped)}" if shipped else ""
    raise EightfoldError(
        f"{place} holds no Internal Symmetry Network; give the folder of a run or a snapshot{or_shipped}"
    )


def shipped_isns() -> list[str]:
    return sorted(file.parent.name for file in MODELS.glob(f"*/{SHIPPED}"))


def load_go_isn(place: str | Path) -> tuple[ISN, bool]:
    """The network, and whether its classes are by the number of liberties."""
    from eightfold.isn.network import isn_notes, load_isn  # here, because it brings PyTorch along

    file = find_isn(place)
    network = load_isn(file)
    return network, isn_notes(file).get("classes") == "count"


def snapshots_of(run: Path) -> dict[int, Path]:
    """The snapshots of a run by the number of games, ascending."""
    found = {}
    for file in sorted((run / SNAPSHOTS).glob("*.safetensors")):
        if re.fullmatch(r"[0-9]+", file.stem):
            found[int(file.stem)] = file
    return found
