"""A network as one ONNX file, for programs that know nothing of Eightfold: `eightfold export PLACE --onnx`.

The file holds the network alone. What else there is to know about it (for a network with a policy and a value the game,
the encoder that makes the planes, the symmetry mode it was trained for) is in the file's metadata; turning boards as
that mode says is left to whoever runs it. Read next: `onnx_graph.py`, and `eightfold.isn.export` for Go.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from eightfold.core.errors import EightfoldError
from eightfold.core.extras import need
from eightfold.core.files import replace_file
from eightfold.games.game import Game
from eightfold.nets.store.description import EXPORTED
from eightfold.nets.store.network import PRODUCER, Network, OnnxFile
from eightfold.nets.store.open import open_network

TOLERANCE = 1e-4  # between ONNX Runtime and torch, as a part of the largest logit where that is more than one


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What was written and where."""

    path: Path
    content: OnnxFile

    def summary(self) -> str:
        """For people, a few lines."""
        about, *notes = self.content.notes
        lines = [f"wrote {self.path} ({len(self.content.data) / 1000:,.0f} kB): {about}", *notes]
        if self.content.difference is None:
            lines.append('not checked: onnxruntime is not installed (pip install "eightfold[onnx]")')
        else:
            found = f"{self.content.difference:.1e}"
            lines.append(f"checked: ONNX Runtime answers as torch does, largest difference {found}")
        return "\n".join(lines)


def export_onnx(place: str | Path, output: Path | None = None, *, game: Game | None = None) -> Exported:
    """Write the network at a place, by default beside it. The file is whole or not there.

    `game`, where it is given, must be what the network was trained for.
    """
    for module in ("torch", "onnx"):
        need(module, purpose="the export")
    network: Network = open_network(place)
    if game is not None:
        network.check_trained_for(game)
    path = usual_output(place) if output is None else output
    check_output(path)
    content = network.onnx()
    # This way round a difference that is no number counts as well.
    if content.difference is not None and not content.difference <= TOLERANCE:
        raise EightfoldError(
            f"ONNX Runtime's answers differ from torch's by {content.difference:.1e}, more than {TOLERANCE:g};"
            f" {path} was not written"
        )
    replace_file(path, content.data)
    return Exported(path=path, content=content)


def usual_output(place: str | Path) -> Path:
    """In the folder of a run or a checkpoint, beside a file, and here for a shipped network."""
    path = Path(place)
    if path.is_dir():
        return path / EXPORTED
    return path.with_suffix(".onnx") if path.is_file() else Path(f"{place}.onnx")


def check_output(path: Path) -> None:
    """Refuse what cannot be written, and what somebody else wrote."""
    if not path.parent.is_dir():
        raise EightfoldError(f"cannot write {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise EightfoldError(f"cannot write {path}: it is a folder; give the name of a file")
    if path.exists() and not _is_ours(path):
        raise EightfoldError(f"{path} exists and is no earlier export; choose another name or remove it")


def _is_ours(path: Path) -> bool:
    """Whether a file begins as our exports do: an ONNX model opens with its format's version and its producer."""
    if not path.is_file():
        return False
    producer = PRODUCER.encode()
    with open(path, "rb") as file:
        return bytes([0x12, len(producer)]) + producer in file.read(16)
