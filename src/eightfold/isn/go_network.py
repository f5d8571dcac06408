"""An Internal Symmetry Network for Go, opened: a run's newest, a snapshot, or a shipped one. Nothing needs PyTorch.

    >>> from eightfold.nets.store.open import open_network
    >>> network = open_network("isn-9", kind=GoIsn)
    >>> network.weights.config.outputs, network.any_size
    (7, True)

It plays Go on any board and by any rules. Read next: `eightfold.isn.assessment`, what it says of a position.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from eightfold.games.game import Game, Position, make_game
from eightfold.isn.assessment import IsnEvaluator, check_go
from eightfold.isn.store import NETWORK, read_isn
from eightfold.isn.tables import IsnTables, playing_tables
from eightfold.isn.weights import IsnWeights
from eightfold.nets.store.description import DESCRIPTION
from eightfold.nets.store.network import Evaluations, Network, OnnxFile

USUAL_GAME = "go:size=9"
SUFFIX = ".safetensors"
BETA = 20.0  # of the policy that `evaluate` gives: Blair's tournament


class GoIsn(Network):
    KIND, PLAYER = "an Internal Symmetry Network for Go", "isn"

    def __init__(self, file: Path, game: Game, weights: IsnWeights, *, by_count: bool = False) -> None:
        self.file, self.game, self.weights, self.any_size = file, game, weights, True
        self.by_count = by_count  # classes of groups by the number of liberties
        self.summary = "an Internal Symmetry Network for Go, without look-ahead or with alpha-beta"
        self._lock = threading.Lock()
        self._evaluator: IsnEvaluator | None = None

    @classmethod
    def file_in(cls, path: Path) -> Path | None:
        if path.is_file():
            return path if path.suffix.lower() == SUFFIX else None
        held = (path / NETWORK).is_file() and not (path / DESCRIPTION).is_file()
        return path / NETWORK if held else None

    @classmethod
    def open(cls, file: Path, game: Game | None, *, place: str, backend: str, device: str) -> Self:
        """`backend` and `device` are for other networks: this one has kernels of its own, on the CPU."""
        weights, notes = read_isn(file)
        wanted = make_game(USUAL_GAME) if game is None else game
        check_go(wanted)
        return cls(file, wanted, weights, by_count=notes.get("classes") == "count")

    def tables(self, *, c: float = 0.4, s: float = 0.4) -> IsnTables:
        """As kernels read it, for what captures and stones are worth."""
        return playing_tables(self.weights, c=c, s=s, by_count=self.by_count)

    def evaluator(self, *, c: float = 0.4, s: float = 0.4) -> IsnEvaluator:
        """What it says of positions of the game, for one thread."""
        return IsnEvaluator(self.game, self.weights, c=c, s=s, by_count=self.by_count)

    def evaluate(self, positions: Sequence[Position]) -> Evaluations:
        """A move is as likely as exp(20 R), R being what the board after it is worth; values are of the lead."""
        self.check_positions(positions)
        with self._lock:
            self._evaluator = self._evaluator or self.evaluator()
            policies = [self._evaluator.policy(position, BETA) for position in positions]
            values = [self._evaluator.value(position) for position in positions]
        shape = len(positions), self.game.actions
        return np.array(policies, np.float32).reshape(shape), np.array(values, np.float32)

    def onnx(self) -> OnnxFile:
        from eightfold.isn.export import export_isn
        from eightfold.isn.network import ISN

        return export_isn(ISN.from_weights(self.weights))

    def check_trained_for(self, game: Game) -> None:
        check_go(game)
