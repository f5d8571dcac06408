"""Point maps: what somebody predicts for every point, drawn over the board.

There are three kinds of sources, all of them named by the server: random games (ownership, for any position of Go),
Internal Symmetry Networks (their seven outputs: likelihoods of eyes, territory and captures), and networks with an
ownership head. The values of a map go from 0 to 1; those of an ownership map go from -1 (white's) to 1 (black's).
Some maps are for one kind of point alone, `on`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, unknown
from eightfold.games.game import Position
from eightfold.games.state import BLACK, WHITE
from eightfold.isn.classes import liberty_classes
from eightfold.isn.fused import FusedEvaluator
from eightfold.isn.go_network import GoIsn
from eightfold.isn.reward import board_values
from eightfold.nets.store.open import open_network
from eightfold.nets.store.places import find_network, shipped_networks
from eightfold.nets.store.policy_value import PolicyValueNetwork
from eightfold.web.menu import Menu, MenuEntry

# The outputs of an ISN (`isn/reward.py`) as people read them: name, meaning, number, which points, whether 1 - x.
EYES_AND_CAPTURES = (
    ("White captured", "a white stone will be captured", 1, WHITE, True),
    ("Black captured", "a black stone will be captured", 2, BLACK, False),
    ("White's point", "an empty point will be white's, else black's", 0, 0, False),
    ("White eye", "an empty point will be an eye of white", 3, 0, False),
    ("Black eye", "an empty point will be an eye of black", 4, 0, False),
    ("White stone, black eye", "a white stone is taken and leaves an eye of black", 5, WHITE, False),
    ("Black stone, white eye", "a black stone is taken and leaves an eye of white", 6, BLACK, False),
)


class MapSource(Protocol):
    key: str
    summary: str

    def compute(self, start: Position, position: Position) -> dict[str, Any]:
        """The message for the page. It may take a while: not on the event loop."""


class RandomGames:
    """Ownership by random games."""

    key = "random games"
    summary = "who owns the points at the end of random games"

    def compute(self, start: Position, position: Position) -> dict[str, Any]:
        from eightfold.search.ownership import GAMES, estimate_ownership

        _check_scored(position, self.key)
        predicted = estimate_ownership(position)
        leader = "white" if predicted.lead < 0 else "black"
        return {
            "type": "maps",
            "source": self.key,
            "maps": [ownership_map(predicted.owners)],
            "note": f"{GAMES} random games: {leader} leads by {abs(predicted.lead):.1f} after komi",
        }


class SymmetryNetwork:
    """The seven outputs of an Internal Symmetry Network."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = find_network(path, GoIsn)[1], threading.Lock()
        self.key = f"isn:{path.stem if path.is_file() else path.name}"
        self.summary = "an Internal Symmetry Network: likelihoods of eyes, territory and captures"

    def check(self) -> None:
        """An error if the file holds no such network."""
        self._evaluator()

    def _evaluator(self) -> tuple[FusedEvaluator, bool]:
        """Of the newest network of a run: training replaces it now and then."""
        network = open_network(self._path, kind=GoIsn)
        if network.weights.config.outputs != len(EYES_AND_CAPTURES):
            raise EightfoldError(f"{self._path} has one output for a point and predicts no eyes and captures")
        return FusedEvaluator(network.weights, threads=1), network.by_count

    def compute(self, start: Position, position: Position) -> dict[str, Any]:
        _check_scored(position, self.key)
        with self._lock:
            try:
                outputs = self.outputs(start, position)
            except EightfoldError as error:
                raise EightfoldError(str(error).replace(str(self._path), self.key)) from None
        value = float(board_values(position.stones[None], outputs)[0])
        return {
            "type": "maps",
            "source": self.key,
            "maps": [
                _likelihoods(name, help, 1 - outputs[0, number] if inverted else outputs[0, number], on)
                for name, help, number, on, inverted in EYES_AND_CAPTURES
            ],
            "note": f"the network values the position at {-value:+.1f} for black",
        }

    def outputs(self, start: Position, position: Position) -> NDArray[np.float32]:
        """[1, 7, N, N] for the last position of a game; the classes of groups come from the outputs before."""
        (evaluator, by_count), size = self._evaluator(), position.game.size
        outputs = np.zeros((1, 7, size, size), np.float32)
        at = start
        for move in (None, *position.moves[len(start.moves) :]):
            at = at if move is None else at.play(move)
            classes = liberty_classes(at.stones[None], outputs, by_count=by_count, threads=1)
            outputs = evaluator.run(classes)
        return outputs


class NetworkOwnership:
    """Ownership by a network that was trained to predict it (`nets/auxiliary.py`)."""

    def __init__(self, entry: MenuEntry) -> None:
        self._entry = entry
        self.key = entry.key
        self.summary = f"who will own the points, as {entry.key} predicts it"

    def compute(self, start: Position, position: Position) -> dict[str, Any]:
        _check_scored(position, self.key)
        try:
            network = open_network(self._entry.network, position.game, kind=PolicyValueNetwork)
            owners, score = network.ownership(position)
        except EightfoldError as error:
            raise self._entry.without_place(error) from None
        sign = 1 if position.to_move == BLACK else -1
        return {
            "type": "maps",
            "source": self.key,
            "maps": [ownership_map(sign * owners)],
            "note": f"the network expects black to lead by {sign * score * position.game.points:+.1f}",
        }


class MapSources:
    """All sources of a server. Networks with an ownership head come and go with the menu."""

    def __init__(self, isns: Sequence[Path] = (), menu: Menu | None = None) -> None:
        self._menu = menu
        self._sources: list[MapSource] = [RandomGames()]
        for path in (*map(Path, shipped_networks(GoIsn)), *isns):
            source = SymmetryNetwork(path)
            if path in isns:  # an error now; the shipped ones are opened when somebody asks for them
                source.check()
            same = sum(known.key.split(" ")[0] == source.key for known in self._sources)
            source.key += f" ({same + 1})" if same else ""  # files of the same name in two folders
            self._sources.append(source)

    def _current(self) -> list[MapSource]:
        entries = [] if self._menu is None else self._menu.all()
        return [*self._sources, *(NetworkOwnership(entry) for entry in entries if entry.ownership)]

    def all(self) -> list[dict[str, str]]:
        return [{"key": source.key, "summary": source.summary, "game": "go"} for source in self._current()]

    def find(self, key: str) -> MapSource:
        """It reads files: not on the event loop."""
        sources = {source.key: source for source in self._current()}
        if key not in sources:
            raise unknown("source of point maps", key, sources)
        return sources[key]


def _check_scored(position: Position, source: str) -> None:
    if not position.game.counts_points:
        raise EightfoldError(f"{source} predicts points, and {position.game.text} has none")


def ownership_map(owners: NDArray[Any]) -> dict[str, Any]:
    """[N * N], from -1 (white's) to 1 (black's)."""
    return {
        "name": "Ownership",
        "help": "who will own the points",
        "ownership": True,
        "on": None,
        "values": [round(float(value), 2) for value in owners.reshape(-1)],
    }


def _likelihoods(name: str, help: str, values: NDArray[np.float32], on: int) -> dict[str, Any]:
    return {
        "name": name,
        "help": help,
        "ownership": False,
        "on": on,
        "values": [round(float(value), 3) for value in values.reshape(-1)],
    }
