"""A network as one ONNX file, for programs that know nothing of Eightfold: `eightfold export RUN --onnx`.

The file holds the network alone, batch norms folded into the convolutions. What else there is to know about it (the
game, the encoder that makes the planes, the symmetry mode it was trained for) is in the file's metadata; turning
boards as that mode says is left to whoever runs it.
"""

from __future__ import annotations

import importlib.util
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from torch import nn

from eightfold import __version__
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, make_game
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.networks import Shape, network_text
from eightfold.nets.store.checkpoint import Description, find_checkpoint, load_checkpoint, replace_file
from eightfold.nets.store.description import EXPORTED
from eightfold.nets.store.exported import ANY_SIZE, INPUT, OUTPUTS, make_session
from eightfold.nets.store.onnx_graph import export_graph, put_weights

PRODUCER = "eightfold"
TOLERANCE = 1e-4  # between ONNX Runtime and torch, as a part of the largest logit where that is more than one
CHECKED_BATCHES = (1, 7)
PLAIN_MODES = ("none", "augment", "augment-eager")  # the network sees boards as they are


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What was written, and how far ONNX Runtime's answers are from torch's (None: it is not installed)."""

    path: Path
    size: int  # bytes
    description: Description
    any_size: bool
    difference: float | None

    def summary(self) -> str:
        """For people, a few lines."""
        about = self.description
        board = "any board size" if self.any_size else "this board size"
        lines = [
            f"wrote {self.path} ({self.size / 1000:,.0f} kB): {about.network} for {about.game}",
            f"input {INPUT} from encoder {about.encoder}, outputs {' and '.join(OUTPUTS)}, any batch size, {board}",
        ]
        if about.symmetry not in PLAIN_MODES:
            lines.append(f"note: trained with symmetry {about.symmetry}, which is not a part of the file")
        if self.difference is None:
            lines.append("not checked: onnxruntime is not installed (pip install 'eightfold[onnx]')")
        else:
            lines.append(f"checked: ONNX Runtime answers as torch does, largest difference {self.difference:.1e}")
        return "\n".join(lines)


def export_onnx(place: Path, output: Path | None = None, *, game: Game | None = None) -> Exported:
    """Write the network of a run or a checkpoint, by default into that folder. The file is whole or not there.

    `game`, where it is given, must be what the network was trained for.
    """
    if importlib.util.find_spec("onnx") is None:
        raise EightfoldError("the export needs the package onnx: pip install 'eightfold[onnx]'")
    network, description = load_checkpoint(find_checkpoint(place))
    if game is not None and make_game(description.game).text != game.text:
        raise EightfoldError(f"{place} was trained for {description.game}, not for {game.text}")
    path = place / EXPORTED if output is None else output
    check_output(path)
    any_size = bool(getattr(network, "any_size", False))
    data = onnx_bytes(network, description, any_size=any_size)
    difference = None
    if importlib.util.find_spec("onnxruntime") is not None:
        difference = largest_difference(data, network, description.shape(), any_size=any_size)
        if not difference <= TOLERANCE:  # this way round a difference that is no number counts as well
            raise EightfoldError(
                f"ONNX Runtime's answers differ from torch's by {difference:.1e}, more than {TOLERANCE:g};"
                f" {path} was not written"
            )
    replace_file(path, data)
    return Exported(path=path, size=len(data), description=description, any_size=any_size, difference=difference)


def onnx_bytes(network: nn.Module, description: Description, *, any_size: bool) -> bytes:
    """The file's content."""
    import onnx

    model = export_graph(network, description.shape(), any_size=any_size)
    put_weights(model, network)
    model.producer_name, model.producer_version = PRODUCER, __version__
    about = {
        **asdict(description),
        "network": network_text(description.network),
        ANY_SIZE: "yes" if any_size else "no",
        "eightfold_version": __version__,
    }
    onnx.helper.set_model_props(model, about)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def largest_difference(data: bytes, network: nn.Module, shape: Shape, *, any_size: bool) -> float:
    """Between the answers of ONNX Runtime and of torch, for random planes of zeros and ones."""
    session, reference = make_session(data), TorchBackend(network, shape)
    random, largest = np.random.default_rng(0), 0.0
    for size in (shape.size, shape.size + 3) if any_size else (shape.size,):
        for batch in CHECKED_BATCHES:
            planes = random.integers(0, 2, (batch, shape.planes, size, size)).astype(np.float32)
            for ours, theirs in zip(session.run(OUTPUTS, {INPUT: planes}), reference.run(planes), strict=True):
                scale = max(1.0, float(np.abs(theirs).max()))
                largest = float(np.maximum(largest, np.abs(ours - theirs).max() / scale))
    return largest


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
