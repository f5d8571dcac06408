"""Maps of the points: numbers that somebody foresees for each of them, to be laid over the board.

Three kinds of sources, all of them named by the server: random games (owners, for any position of Go), Internal
Symmetry Networks that come with the package or that the server was started with (their seven outputs, read as what
they are: likelihoods of eyes, territory and captures), and networks whose training taught them to foresee owners. A
map's values go from 0 to 1, or from -1 (white's) to 1 (black's) where it shows owners; some are meant for one kind of
point alone, `on`.
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
from eightfold.isn.place import find_isn, shipped_isns
from eightfold.web.offers import Offer, Offers

# The outputs of an ISN (`isn/reward.py`) as people read them: name, what it says, number, where, whether 1 - x.
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

    def look(self, start: Position, position: Position) -> dict[str, Any]:
        """The message for the page. In a worker: it may take a while."""


class RandomGames:
    """Owners by random games."""

    key = "random games"
    summary = "whose the points are at the end of random games"

    def look(self, start: Position, position: Position) -> dict[str, Any]:
        from eightfold.search.ownership import GAMES, foresee

        check_go(position, self.key)
        seen = foresee(position)
        return {
            "type": "maps",
            "source": self.key,
            "maps": [owner_map(seen.owners)],
            "note": f"{GAMES} random games: black ahead by {seen.lead:+.1f}, komi taken off",
        }


class SymmetryNetwork:
    """The seven outputs of an Internal Symmetry Network."""

    def __init__(self, path: Path) -> None:
        # A run's is its newest network, which training replaces while it goes on.
        self._path, self._lock = find_isn(path), threading.Lock()
        self._loaded: tuple[int, Any, bool] | None = None  # time of the file, network, classes by count of liberties
        self.key = f"isn:{path.stem if path.is_file() else path.name}"
        self.summary = "an Internal Symmetry Network: likelihoods of eyes, territory and captures"

    def check(self) -> None:
        """An error if the file holds no such network."""
        self._evaluator()

    def _evaluator(self) -> tuple[Any, bool]:
        from eightfold.isn.fused import FusedEvaluator
        from eightfold.isn.place import load_go_isn

        try:
            written = self._path.stat().st_mtime_ns
        except OSError as error:
            raise EightfoldError(f"{self._path}: {error.strerror}") from None
        if self._loaded is None or self._loaded[0] != written:
            network, by_count = load_go_isn(self._path)
            if network.config["outputs"] != len(EYES_AND_CAPTURES):
                raise EightfoldError(f"{self._path} says one thing of a point, nothing of eyes and captures")
            self._loaded = (written, FusedEvaluator(network, threads=1), by_count)
        return self._loaded[1:]

    def look(self, start: Position, position: Position) -> dict[str, Any]:
        from eightfold.isn.reward import board_values

        check_go(position, self.key)
        with self._lock:
            try:
                outputs = self.outputs(start, position)
            except EightfoldError as error:
                raise EightfoldError(str(error).replace(str(self._path), self.key)) from None
        worth = float(board_values(position.stones[None], outputs)[0])
        return {
            "type": "maps",
            "source": self.key,
            "maps": [
                _likelihoods(name, help, 1 - outputs[0, number] if turned else outputs[0, number], on)
                for name, help, number, on, turned in EYES_AND_CAPTURES
            ],
            "note": f"the position is worth {-worth:+.1f} to black",
        }

    def outputs(self, start: Position, position: Position) -> NDArray[np.float32]:
        """[1, 7, N, N] for the last position of a game; the classes of groups come from the outputs before."""
        from eightfold.isn.classes import liberty_classes

        (evaluator, by_count), size = self._evaluator(), position.game.size
        outputs = np.zeros((1, 7, size, size), np.float32)
        at = start
        for move in (None, *position.moves[len(start.moves) :]):
            at = at if move is None else at.play(move)
            classes = liberty_classes(at.stones[None], outputs, by_count=by_count, threads=1)
            outputs = evaluator.run(classes)
        return outputs


class NetworkOwners:
    """Owners by a network that was trained to foresee them (`nets/foresight.py`)."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer
        self.key = offer.key
        self.summary = f"whose the points will be, as {offer.key} foresees it"

    def look(self, start: Position, position: Position) -> dict[str, Any]:
        from eightfold.nets.foresight import foreseen_owners

        check_go(position, self.key)
        try:
            owners, score = foreseen_owners(self._offer.network, position)
        except EightfoldError as error:
            raise self._offer.without_place(error) from None
        sign = 1 if position.to_move == BLACK else -1
        return {
            "type": "maps",
            "source": self.key,
            "maps": [owner_map(sign * owners)],
            "note": f"it expects black to lead by {sign * score * position.game.points:+.1f}",
        }


class MapSources:
    """All sources of a server. Networks with foresight come and go with the offers."""

    def __init__(self, isns: Sequence[Path] = (), offers: Offers | None = None) -> None:
        self._offers = offers
        self._sources: list[MapSource] = [RandomGames()]
        for path in (*map(Path, shipped_isns()), *isns):
            source = SymmetryNetwork(path)
            if path in isns:  # not when somebody looks; the shipped ones are opened then, with PyTorch
                source.check()
            same = sum(known.key.split(" ")[0] == source.key for known in self._sources)
            source.key += f" ({same + 1})" if same else ""  # files of the same name in two folders
            self._sources.append(source)

    def _now(self) -> list[MapSource]:
        offers = [] if self._offers is None else self._offers.all()
        return [*self._sources, *(NetworkOwners(offer) for offer in offers if offer.foresight)]

    def all(self) -> list[dict[str, str]]:
        return [{"key": source.key, "summary": source.summary, "game": "go"} for source in self._now()]

    def find(self, key: str) -> MapSource:
        """May take a while, where offers are looked up: not on the loop."""
        sources = {source.key: source for source in self._now()}
        if key not in sources:
            raise unknown("source of maps", key, sources)
        return sources[key]


def check_go(position: Position, source: str) -> None:
    if not position.game.counts_points:
        raise EightfoldError(f"{source} foresees points, and {position.game.text} has none")


def owner_map(owners: NDArray[Any]) -> dict[str, Any]:
    """[N * N], from -1 (white's) to 1 (black's)."""
    return {
        "name": "Owners",
        "help": "whose the points will be",
        "owners": True,
        "on": None,
        "values": [round(float(value), 2) for value in owners.reshape(-1)],
    }


def _likelihoods(name: str, help: str, values: NDArray[np.float32], on: int) -> dict[str, Any]:
    return {
        "name": name,
        "help": help,
        "owners": False,
        "on": on,
        "values": [round(float(value), 3) for value in values.reshape(-1)],
    }
