"""The player `mcts`: pure Monte Carlo tree search, by which Suen & Alonso measure networks.

Uniform priors, C = 5, one random game for every playout, the most visited move; the tree below the moves
that were played is kept. The tree itself is in `eightfold.search.kernels.uct`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints
from eightfold.core.rng import Random, make_random, random_below
from eightfold.core.settings import setting
from eightfold.core.specialise import specialise
from eightfold.core.specs import check_spec
from eightfold.games.game import Game, Position
from eightfold.search.kind import Levels, PlayerKind
from eightfold.search.limits import Limits
from eightfold.search.result import (
    LONGEST_VARIATION,
    Progress,
    SearchResult,
    check_position,
    check_seed,
    most_looked_at,
)

LARGEST_TREE = 1 << 23  # places; memory is taken only as the tree grows into them
PLACE = 48  # bytes of a place: in the tree, in the other one that a part of it is copied to, and while copying
CHUNK = 256  # playouts between two looks at the clock
INTERRUPTIBLE = 50_000  # playouts after which Ctrl-C is noticed at the latest


@dataclass(frozen=True, kw_only=True)
class MctsOptions:
    playouts: int = setting(1000, "random games for a move", least=1, most=1e9)
    seconds: float = setting(0.0, "time for a move, instead of a number of playouts", least=0, most=1e6)
    exploration: float = setting(5.0, "C in Q + C P sqrt(N) / (1 + n)", least=0, most=1e6, former=("c",))
    memory: int = setting(0, "megabytes for the tree (0: up to 400)", least=0, most=1e6)


class Mcts:
    """Plays random games from promising positions and takes the most visited move."""

    KIND = PlayerKind(
        summary="pure Monte Carlo tree search: one random game a playout, no knowledge but the rules",
        example="mcts:playouts=3000",
        levels=Levels(
            option="playouts", values=(100, 1000, 3000, 10_000, 30_000), usual=1, unit=("playout", "playouts")
        ),
        has_tree=True,
    )
    Options = MctsOptions

    def __init__(self, game: Game, options: MctsOptions = MctsOptions(), *, seed: int = 0) -> None:  # noqa: B008
        check_spec(options, "player mcts")
        playouts, seconds, memory = options.playouts, options.seconds, options.memory
        self._game, self._options = game, options
        self._kernels = specialise("eightfold.search.kernels.uct", game.rules)
        self._playouts, self._seconds, self._exploration = playouts, seconds, options.exploration
        self._random = make_random(check_seed(seed))
        self._state = np.zeros(game.spec.state_length(game.size), np.int64)
        self._scratch = np.zeros(game.actions, np.int64)
        self._path = np.zeros(4 * game.actions, np.int64)  # deeper than that no playout goes in the tree
        self._largest = min(LARGEST_TREE, memory * 1_000_000 // PLACE) if memory else LARGEST_TREE
        needed = self._largest if seconds else min(2 * playouts * game.actions + 1, self._largest)
        self._tree, self._spare = self._make_tree(needed), self._make_tree(needed)
        self._root: tuple[int, ...] | None = None  # the moves that lead to the root of the tree
        self.timed, self.bytes_a_game = seconds > 0, needed * PLACE

    def _make_tree(self, places: int) -> Any:
        return self._kernels.Tree(
            move=np.zeros(places, np.int16),
            visits=np.zeros(places, np.int32),
            value=np.zeros(places, np.float64),
            first=np.zeros(places, np.int32),
            children=np.zeros(places, np.int16),
            tried=np.zeros(places, np.int16),
            used=np.zeros(1, np.int32),
        )

    def new_game(self) -> None:
        self._root = None

    def fork(self, seed: int) -> Mcts:
        return Mcts(self._game, self._options, seed=seed)

    def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, "mcts")
        limits = Limits(self._seconds, seconds, stop, on_progress)
        if limits.timed:
            self._make_room()
        self._take_up(position)
        before = int(self._tree.visits[0])
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
        return self._result(position, before, ties=self._random, told=limits.told)

    def _result(
        self, position: Position, before: int, *, ties: Random | None = None, told: bool = False
    ) -> SearchResult:
        """What the tree says; equally good moves are chosen from by `ties`, and in a snapshot the first is taken."""
        visits = self._root_visits(position.game.actions)
        if visits.sum() == 0:  # a single playout ends at the root
            visits[position.legal_moves] = 1
        best = np.flatnonzero(visits == visits.max())
        action = int(best[0 if ties is None else random_below(ties, len(best))])
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

    def _run(self, position: Position, playouts: int) -> None:
        self._kernels.run_playouts(
            self._tree,
            position.state,
            playouts,
            self._exploration,
            self._random,
            self._state,
            self._scratch,
            self._path,
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
        block = self._tried_children(node)
        found = np.flatnonzero(self._tree.move[block] == move)
        return block.start + int(found[0]) if found.size else -1

    def _tried_children(self, node: int) -> slice:
        first = int(self._tree.first[node])
        return slice(first, first + int(self._tree.tried[node])) if first >= 0 else slice(0, 0)

    def _root_visits(self, actions: int) -> Ints:
        visits = np.zeros(actions, np.int64)
        block = self._tried_children(0)
        visits[self._tree.move[block]] = self._tree.visits[block]
        return visits

    def _root_values(self, actions: int) -> NDArray[np.float32]:
        values = np.full(actions, np.nan, np.float32)
        block = self._tried_children(0)
        visits = self._tree.visits[block]
        looked = visits > 0
        values[self._tree.move[block][looked]] = self._tree.value[block][looked] / visits[looked]
        return values

    def _variation(self, action: int) -> tuple[int, ...]:
        """A move, and what is most visited after it."""
        moves, node = [action], self._child(0, action)
        while len(moves) < LONGEST_VARIATION and node > 0 and (block := self._tried_children(node)).stop > block.start:
            node = block.start + int(self._tree.visits[block].argmax())
            moves.append(int(self._tree.move[node]))
        return tuple(moves)
