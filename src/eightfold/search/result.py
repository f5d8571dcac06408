"""What thinking about a position gives: the record that passes from a search to whoever asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eightfold.games.game import Position
from eightfold.jit import Ints


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """All of it in the board's own frame and from the side to move. A actions."""

    action: int
    policy: NDArray[np.float32]  # [A] sums to one
    value: float  # -1 (lost) to 1 (won)
    visits: Ints | None = None  # [A] where the search counts visits
    scores: NDArray[Any] | None = None  # [A] where it scores moves; nan or 0 for what was not scored
    principal_variation: tuple[int, ...] = ()
    effort: int = 0  # playouts, or positions looked at
    depth: int = 0


class Player(Protocol):
    """Anything that chooses moves. It may remember the game so far: `new_game` makes it forget."""

    def think(self, position: Position) -> SearchResult: ...

    def new_game(self) -> None: ...


def one_hot(actions: int, action: int) -> NDArray[np.float32]:
    policy = np.zeros(actions, np.float32)
    policy[action] = 1
    return policy
