"""Wins by threats for a forest of games: the room that their search needs, and who is asked when.

`ForestSearch` has one of these if its settings ask for threats. Roots and leaves are shared among threads, each with
room of its own. Read next: `kernels/threats.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.specialise import specialise
from eightfold.core.threads import run_parts
from eightfold.games.game import Game
from eightfold.search.kernels.tree import Forest, Leaves
from eightfold.search.settings import SearchSettings

SHARE = 0.25  # of the time for a move that looking for threats at its root may take
NODES_A_SECOND = 100_000  # that a slow core manages; `eightfold bench threats` says what this one does
SEARCHES = 3  # that a root may ask for: one's own win, the other side's, and moves against it
LEAST = 50  # nodes, however little time there is: half a millisecond


class ThreatProofs:
    def __init__(self, game: Game, settings: SearchSettings, *, batch: int, parts: int) -> None:
        self._most, self._leaf_nodes = settings.threat_nodes, settings.leaf_threat_nodes
        self.root_nodes = self._most  # that each search at a root may take now
        self._kernels: Any = specialise("eightfold.search.kernels.threats", game.rules)
        self._rooms = [game.threat_room(self._most) for _ in range(parts)]
        self._leaf_rooms = [game.threat_room(self._leaf_nodes) for _ in range(parts)]
        self._states = np.zeros((parts, game.spec.state_length(game.size)), np.int64)
        self._won = np.zeros(batch, np.bool_)

    def suit(self, seconds: float | None) -> None:
        """Look at no more nodes of a root from now on than suits a time for its move; None: as the settings say."""
        nodes = self._most if seconds is None else max(LEAST, seconds * SHARE * NODES_A_SECOND / SEARCHES)
        self.root_nodes = int(min(nodes, self._most))

    def settle_roots(self, forest: Forest, numbers: list[int]) -> None:
        """Prove what can be proven of the expanded roots of these games."""
        parts = min(len(self._rooms), len(numbers))

        def settle(part: int) -> None:
            for number in numbers[part::parts]:
                self._kernels.threats_at_root(forest, number, self.root_nodes, self._states[part], self._rooms[part])

        run_parts(settle, parts)

    def settle_leaves(self, forest: Forest, leaves: Leaves, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The values and chances of a draw [B, 2] of the leaves, exact where their side to move wins by threats."""
        filled = len(values)
        parts = min(len(self._leaf_rooms), filled)

        def settle(part: int) -> None:
            first, stop = filled * part // parts, filled * (part + 1) // parts
            room = self._leaf_rooms[part]
            self._kernels.threats_at_leaves(forest, leaves, first, stop, self._leaf_nodes, self._won, room)

        run_parts(settle, parts)
        won = self._won[:filled, None]
        return np.where(won, np.array([1, 0], np.float32), values).astype(np.float32, copy=False)
