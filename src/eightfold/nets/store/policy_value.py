"""Networks with a policy and a value, opened: checkpoints and exported files, run by whatever is installed.

A checkpoint beside which an export of the very same weights lies is run from that, without PyTorch; where PyTorch is
not installed, any export beside it will do. Read before: `network.py`; read next: `description.py`, `exported.py`.

Shapes: B batch, A actions, N board size.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.extras import is_installed, need
from eightfold.core.specs import split_name
from eightfold.games.game import Game, Position, make_game
from eightfold.nets.inference.backends.choice import make_backend
from eightfold.nets.inference.backends.interface import Runner
from eightfold.nets.inference.evaluator import AS_IS, NetworkEvaluator, policies_of
from eightfold.nets.inference.runtimes import INPUT, OUTPUTS, RUNTIMES, installed_runtimes
from eightfold.nets.store import places
from eightfold.nets.store.description import (
    DESCRIPTION,
    EXPORTED,
    WEIGHTS,
    Description,
    distance,
    load_description,
    plays,
)
from eightfold.nets.store.exported import is_exported, load_exported, read_description, read_facts
from eightfold.nets.store.network import Evaluations, Network, OnnxFile
from eightfold.nets.store.onnx_metadata import SOURCE

if TYPE_CHECKING:
    from torch import nn


class PolicyValueNetwork(Network):
    """A network whose weights are loaded when somebody first asks for a runner, or for the PyTorch module."""

    KIND, PLAYER = "a network with a policy and a value", "net"

    def __init__(
        self, file: Path, description: Description, *, any_size: bool, backend: str = "auto", device: str = "cpu"
    ) -> None:
        self.file, self.description, self.any_size = file, description, any_size
        self.game = make_game(description.game)
        self.summary = f"{description.network}, symmetry {description.symmetry}, trained on {description.game}"
        self.backend, self.device = backend, device
        self._lock = threading.RLock()
        self._more_runners: Callable[[], Runner] | None = None
        self._module: nn.Module | None = None

    @classmethod
    def file_in(cls, path: Path) -> Path | None:
        if path.is_file():
            weights = path.name == WEIGHTS and (path.parent / DESCRIPTION).is_file()
            return path if weights or is_exported(path) else None
        return path / WEIGHTS if (path / DESCRIPTION).is_file() else None

    @classmethod
    def version(cls, file: Path) -> tuple[int, ...]:
        described = file.parent / DESCRIPTION
        beside = [described] if described.is_file() else []
        return *super().version(file), *(path.stat().st_mtime_ns for path in [*beside, *exports_beside(file)])

    @classmethod
    def files(cls, file: Path) -> list[Path]:
        if is_exported(file):
            return [file]
        return [file, file.parent / DESCRIPTION, *exports_beside(file)[:1]]

    @classmethod
    def open(cls, file: Path, game: Game | None, *, place: str, backend: str, device: str) -> Self:
        description, any_size = describe(file)
        if game is not None:
            description = description.fitted_to(game, who=place, any_size=any_size)
        return cls(file, description, any_size=any_size, backend=backend, device=device)

    def runner(self) -> Runner:
        """What runs the network, for one thread; all runners share the weights."""
        with self._lock:
            if self._more_runners is None:
                self._more_runners = self._load()
            return self._more_runners()

    def evaluator(self, *, symmetry: str | None = None, random: np.random.Generator | None = None) -> NetworkEvaluator:
        """A runner that turns boards as the network was trained to see them, or as another mode says."""
        mode = self.description.symmetry if symmetry is None else symmetry
        return NetworkEvaluator(
            self.runner(),
            encoder=self.description.encoder,
            symmetry=mode,
            symmetries=self.game.symmetries,
            random=random,
        )

    def evaluate(self, positions: Sequence[Position]) -> Evaluations:
        self.check_positions(positions)
        if not positions:
            return np.zeros((0, self.game.actions), np.float32), np.zeros(0, np.float32)
        planes = np.stack([position.encode(self.description.encoder) for position in positions])  # [B, C, N, N]
        logits, values = self.evaluator().evaluate(planes)
        legal = np.stack([position.legal_mask for position in positions])  # [B, A]
        policies = policies_of(logits, legal).astype(np.float32)
        return policies, np.array(values if values.ndim == 1 else values[:, 0], np.float32)

    @property
    def checkpoint(self) -> Path:
        """The file with the weights as PyTorch reads them; an exported network has none."""
        if is_exported(self.file):
            raise EightfoldError(f"{self.file} is an exported network, which PyTorch cannot read; give its checkpoint")
        return self.file

    @property
    def module(self) -> nn.Module:
        """The network in PyTorch, for evaluation alone: all who ask share it. Exported files have none."""
        with self._lock:  # the only lock, for `runner` asks for this while it holds it
            if self._module is None:
                weights = self.checkpoint
                place = self.file.parent
                need("torch", purpose=f"the checkpoint {place}", instead="export it where PyTorch is installed")
                from eightfold.nets.store.checkpoint import load_weights

                network = self.description.make()
                load_weights(network, weights)
                self._module = network.eval()
            return self._module

    def ownership(self, position: Position) -> tuple[NDArray[np.float32], float]:
        """Who will own the points [N * N], -1 to 1, and the lead as a share of the board, for the side to move.

        The game may be over: after two passes people want to see whose the points are.
        """
        from eightfold.nets.auxiliary import predict_ownership

        self.check_game(position)
        return predict_ownership(self.module, self.description, position)

    def onnx(self) -> OnnxFile:
        from eightfold.nets.store import onnx_graph

        about, network, any_size = self.description, self.module, self.any_size
        data = onnx_graph.onnx_bytes(network, about, any_size=any_size, facts={SOURCE: _digest(self.file)})
        board = "any board size" if any_size else "this board size"
        notes = [
            f"{about.network} for {about.game}",
            f"input {INPUT} from encoder {about.encoder}, outputs {' and '.join(OUTPUTS)}, any batch size, {board}",
        ]
        if about.symmetry not in AS_IS:
            notes.append(f"note: trained with symmetry {about.symmetry}, which is not a part of the file")
        difference = None
        if is_installed("onnxruntime"):
            difference = onnx_graph.largest_difference(data, network, about.shape(), any_size=any_size)
        return OnnxFile(data=data, notes=tuple(notes), difference=difference)

    def check_trained_for(self, game: Game) -> None:
        if self.game.text != game.text:
            raise EightfoldError(f"{self.file} was trained for {self.description.game}, not for {game.text}")

    def _load(self) -> Callable[[], Runner]:
        """Load the weights; what makes runners with them."""
        exported = self._exported()
        if exported is not None:
            return load_exported(exported, self.description, self.backend, self.device)
        return make_backend(self.backend, self.module, self.description.shape(), device=self.device).runner

    def _exported(self) -> Path | None:
        """The exported file to run, if that is what to run."""
        if is_exported(self.file):
            return self.file
        name = split_name(self.backend)[0]
        if self.device != "cpu" or name not in ("auto", *RUNTIMES) or not installed_runtimes():
            return None
        found = readable_exports(self.file, self.description)
        return next((path for path, _ in found if is_current(path, self.file)), None)


def describe(file: Path) -> tuple[Description, bool]:
    """What the network of a file is, and whether it plays any board size; the weights are not looked at."""
    if is_exported(file):
        return read_description(file)
    description = load_description(file.parent)
    for _, any_size in readable_exports(file, description):
        return description, any_size
    need("torch", purpose=f"the checkpoint {file.parent}", instead="export it where PyTorch is installed")
    from eightfold.nets.networks import plays_any_size

    return description, plays_any_size(description.network)


def describe_network(place: str | Path) -> Description:
    """What the network at a place is."""
    return describe(places.find_network(place, PolicyValueNetwork)[1])[0]


def exports_beside(weights: Path) -> list[Path]:
    """The exports of a checkpoint: in its folder, or in that of its run."""
    folders = [weights.parent, *([weights.parent.parent] if weights.parent.name == "checkpoint" else [])]
    return [folder / EXPORTED for folder in folders if (folder / EXPORTED).is_file()]


def readable_exports(weights: Path, description: Description) -> list[tuple[Path, bool]]:
    """Those of them that are of such a network, and whether they play any board size.

    Any other file of that name is passed over: the checkpoint can be used without it.
    """
    found: list[tuple[Path, bool]] = []
    for path in exports_beside(weights):
        try:
            own, any_size = read_description(path)
        except EightfoldError:
            continue
        if split_name(own.network)[0] == split_name(description.network)[0]:
            found.append((path, any_size))
    return found


def is_current(exported: Path, weights: Path) -> bool:
    """Whether an export is of these very weights; where PyTorch is not installed there is no choice."""
    return not is_installed("torch") or read_facts(exported).get(SOURCE) == _digest(weights)


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise EightfoldError(f"{file}: {error.strerror}") from None


def weights_digest(file: Path) -> str:
    """A text that the weights of a network share with their export; '' for an export that does not say whose it is."""
    return str(read_facts(file).get(SOURCE, "")) if is_exported(file) else _digest(file)


def find_exported(place: str | Path) -> Path:
    """The exported file at a place, for programs that must stay small: the file itself or one beside a checkpoint.

    A folder may hold nothing but an exported file.
    """
    for folder in (Path(place) / "checkpoint", Path(place)):
        if (folder / EXPORTED).is_file():
            return folder / EXPORTED
    _, file = places.find_network(place, PolicyValueNetwork)
    found = [file] if is_exported(file) else exports_beside(file)
    if not found:
        raise EightfoldError(f"{place} has no {EXPORTED} yet; write it with: eightfold export {place} --onnx")
    return found[0]


def best_shipped(game: Game) -> Path | None:
    """The exported file of the strongest shipped network for a game, if there is one and it can be run here.

    Of several the one that was trained for what is nearest to it, and of those the largest: they are trained for as
    long as they keep getting better, so more weights play better. One that is not the usual player on boards of such
    a size (`usual_on`) is left out.
    """
    found: list[Any] = []
    for name in places.shipped_networks(PolicyValueNetwork) if installed_runtimes() else []:
        path = places.MODELS / name / EXPORTED
        if path.is_file():
            description, any_size = describe(path)
            if game.size in description.usual_sizes() and plays(description.game, game, any_size=any_size):
                far = distance(description.game, game)
                found.append((*(-part for part in far), path.stat().st_size, name, path))
    return max(found)[-1] if found else None
