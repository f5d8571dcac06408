"""A network that was opened, whatever its kind: what plays, measures, shows and exports one works with this.

`eightfold.nets.store.open.open_network` makes them, once for all who ask for the same one, so nothing in here changes
and everything may be called from several threads. Kinds of networks are listed in `eightfold/parts.py`.

Shapes: B batch, A actions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position
from eightfold.nets.store.description import CARD

Evaluations = tuple[NDArray[np.float32], NDArray[np.float32]]  # policies [B, A], values [B]


PRODUCER = "eightfold"  # of ONNX files


@dataclass(frozen=True, kw_only=True)
class OnnxFile:
    """A network as an ONNX file."""

    data: bytes
    notes: tuple[str, ...]  # lines for people: what it is, then how to use it
    difference: float | None  # between ONNX Runtime's answers and torch's, at most; None: it is not installed


class Network(ABC):
    """A network and the game that it is opened for."""

    KIND: ClassVar[str] = "a network"  # in errors
    PLAYER: ClassVar[str] = ""  # the player that uses such networks: `net:PLACE`

    file: Path  # what holds the weights
    game: Game
    any_size: bool  # whether the weights fit every board size
    summary: str  # one line for people

    @classmethod
    def file_in(cls, path: Path) -> Path | None:
        """The file of such a network, if `path` is one or is a folder that has one."""
        return None

    @classmethod
    def version(cls, file: Path) -> tuple[int, ...]:
        """Numbers that change with the network: a run that goes on replaces it every minute."""
        state = file.stat()
        return state.st_mtime_ns, state.st_size

    @classmethod
    def files(cls, file: Path) -> list[Path]:
        """All that a copy of the network elsewhere needs, each with a name of its own."""
        return [file]

    @classmethod
    @abstractmethod
    def open(cls, file: Path, game: Game | None, *, place: str, backend: str, device: str) -> Self:
        """The network of a file for a game, by default the one that it was trained for."""

    @abstractmethod
    def evaluate(self, positions: Sequence[Position]) -> Evaluations:
        """Policies [B, A], each adding up to 1 over the legal moves, and values [B] from -1 to 1, for the side to move.

        The network is asked once for all positions, and no search is done.
        """

    @abstractmethod
    def onnx(self) -> OnnxFile:
        """The network for other programs; needs PyTorch."""

    @abstractmethod
    def check_trained_for(self, game: Game) -> None:
        """An error if the network was trained for something else than this very game."""

    @property
    def card(self) -> str:
        """The model card for people, in Markdown; empty if there is none."""
        path = self.file.parent / CARD
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def check_positions(self, positions: Sequence[Position]) -> None:
        """An error for positions of another game, and for finished ones, which have no policy."""
        for position in positions:
            self.check_game(position)
            if position.is_over:
                raise EightfoldError(f"a game that is over has no moves to choose from: {position.outcome}")

    def check_game(self, position: Position) -> None:
        """An error for a position of another game."""
        if position.game.text != self.game.text:
            raise EightfoldError(
                f"a position of {position.game.text} for a network that was opened for {self.game.text};"
                " name the game when you open it"
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.file}: {self.summary}>"
