"""What the two styles of Monte Carlo search have in common: limits, a tree that is kept between moves, the answer.

A tree lies in flat arrays, a node is a place in them, the root is place 0. Read next: `uct.py` (the plain style) and
`rave.py` (the full one).
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints
from eightfold.core.rng import Random, make_random, random_below
from eightfold.games.game import Game, Position
from eightfold.search.limits import Limits
from eightfold.search.mcts_options import MctsOptions
from eightfold.search.move_time import Seconds
from eightfold.search.result import (
    LONGEST_VARIATION,
    Progress,
    SearchResult,
    check_position,
    check_seed,
    most_looked_at,
)

CHUNK = 256  # playouts between two looks at the clock
INTERRUPTIBLE = 200 * CHUNK  # playouts after which Ctrl-C is noticed at the latest; whole chunks, as when watched


class TreePlayer(ABC):
    """Plays games out from promising positions and takes the most visited move."""

    _kernels: Any  # those of the tree, bound to the game
    _tree: Any  # with arrays `move`, `visits`, `value`, `first` and `children`
    _spare: Any  # where a part of the tree is copied to
    _largest: int  # places that a tree may have

    def __init__(self, game: Game, options: MctsOptions, seed: int) -> None:
        self._game, self._playouts, self._seconds = game, options.playouts, options.seconds
        self._random = make_random(check_seed(seed))
        self._root: tuple[int, ...] | None = None  # the moves that lead to the root of the tree

    # What a style has of its own.

    @abstractmethod
    def _make_tree(self, places: int) -> Any:
        """An empty tree with room for so many nodes."""

    @abstractmethod
    def _run(self, position: Position, playouts: int) -> None:
        """Grow the tree by so many playouts."""

    @abstractmethod
    def _visited(self, node: int) -> slice:
        """The places of the children of a node that may have been visited."""

    def _begin(self, timed: bool) -> None:  # noqa: B027 (a style may have nothing to do here)
        """Get ready for a move, of a number of playouts or by the clock."""

    def _finish(self, position: Position) -> None:  # noqa: B027
        """Bring what is still under way to its end."""

    def _choose(self, position: Position, visits: Ints, ties: Random | None) -> int:
        """The most visited move; among equals `ties` draws, and in a snapshot the first is taken."""
        best = np.flatnonzero(visits == visits.max())
        return int(best[0 if ties is None else random_below(ties, len(best))])

    # The same for both.

    def new_game(self) -> None:
        self._root = None

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, "mcts")
        limits = Limits(self._seconds, seconds, stop, on_progress)
        if limits.timed:
            self._make_room()
        self._begin(limits.timed)
        self._take_up(position)
        before = int(self._tree.visits[0])
        try:
            if limits.timed:
                self._run(position, 1)
                while not limits.reached():
                    self._run(position, CHUNK)
                    limits.report(lambda: self._result(position, before, told=True))
            else:
                chunk = CHUNK if limits.watched else INTERRUPTIBLE
                for done in range(0, self._playouts, chunk):
                    self._run(position, min(chunk, self._playouts - done))
                    if limits.reached():
                        break
                    limits.report(lambda: self._result(position, before, told=True))
        finally:
            self._finish(position)
        return self._result(position, before, ties=self._random, told=limits.told)

    def _result(
        self, position: Position, before: int, *, ties: Random | None = None, told: bool = False
    ) -> SearchResult:
        """What the tree says."""
        visits = self._root_visits(position.game.actions)
        if visits.sum() == 0:  # a single playout ends at the root
            visits[position.legal_moves] = 1
        action = self._choose(position, visits, ties)
        return SearchResult(
            action=action,
            policy=(visits / visits.sum()).astype(np.float32),
            value=-float(self._tree.value[0]) / int(self._tree.visits[0]),
            visits=visits,
            values=self._root_values(position.game.actions),
            principal_variation=self._variation(action),
            variations=tuple(map(self._variation, most_looked_at(visits))) if told else (),
            effort=int(self._tree.visits[0]) - before,
        )

    def _make_room(self) -> None:
        """A tree as large as there may be, for a search that only time ends."""
        if self._tree.move.shape[0] >= self._largest:
            return
        tree = self._make_tree(self._largest)
        if self._root is not None:
            self._kernels.keep_subtree(self._tree, 0, tree)
        self._tree, self._spare = tree, self._make_tree(self._largest)

    def _take_up(self, position: Position) -> None:
        """Go down the kept tree to `position`, or start a new one if it does not lead there."""
        known = self._root
        self._root = position.moves
        if known is not None and position.moves[: len(known)] == known:
            node = 0
            for move in position.moves[len(known) :]:
                node = self._child(node, move)
                if node < 0:
                    break
            if node == 0:
                return
            if node > 0:
                self._kernels.keep_subtree(self._tree, node, self._spare)
                self._tree, self._spare = self._spare, self._tree
                return
        self._kernels.clear(self._tree)

    def _child(self, node: int, move: int) -> int:
        """The place of the visited child that `move` leads to, or -1."""
        block = self._visited(node)
        found = np.flatnonzero(self._tree.move[block] == move)
        return block.start + int(found[0]) if found.size else -1

    def _root_visits(self, actions: int) -> Ints:
        visits = np.zeros(actions, np.int64)
        block = self._visited(0)
        visits[self._tree.move[block]] = self._tree.visits[block]
        return visits

    def _root_values(self, actions: int) -> NDArray[np.float32]:
        values = np.full(actions, np.nan, np.float32)
        block = self._visited(0)
        visits = self._tree.visits[block]
        looked = visits > 0
        values[self._tree.move[block][looked]] = self._tree.value[block][looked] / visits[looked]
        return values

    def _variation(self, action: int) -> tuple[int, ...]:
        """A move, and what is most visited after it."""
        moves, node = [action], self._child(0, action)
        while len(moves) < LONGEST_VARIATION and node > 0 and (block := self._visited(node)).stop > block.start:
            node = block.start + int(self._tree.visits[block].argmax())
            if self._tree.visits[node] == 0:
                break
            moves.append(int(self._tree.move[node]))
        return tuple(moves)
