"""Many games that play themselves, each in a tree of its own, on a GPU or, for tests, on the CPU.

`GameForest` owns the arrays of `kernels/gpu_forest.py` and `kernels/gpu_moves.py` and says which kernel runs when; a
`Machine` makes the arrays and runs the kernels. `Host` does so on the CPU, tree after tree, with one lane;
`eightfold.learning.actors.gpu` does so on a GPU, a warp for each tree, and asks the network in between. The rules and
the search are the same text for both.

    hand_over     trees go to whom they wait for
    step          every tree goes on to its next leaf, which is written into a row of the network's batch
    (network)     all rows are answered; this and the step before it PERIOD times
    tend          meanwhile: moves, proofs and noise for the trees that wait

Shapes as in the kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eightfold.core.rng import make_random
from eightfold.core.specialise import specialise
from eightfold.games.game import Game
from eightfold.games.state import PLY
from eightfold.search.forest_arrays import constants_of, make_forest, make_leaves, make_roots, nodes_needed
from eightfold.search.settings import SearchSettings

PERIOD = 8  # steps between two moments at which trees are handed over
SPARE_SHARE = 8  # there is room to keep the trees of so small a part of all games at once


class Machine(Protocol):
    """Where the arrays lie, and what runs over all trees."""

    def zeros(self, shape: tuple[int, ...], number: Any) -> Any:
        """An array of zeros as kernels take it."""

    def view(self, tensor: Any) -> Any:
        """Memory of somebody else, such as a tensor of PyTorch, as kernels take it."""

    def write(self, array: Any, content: NDArray[Any]) -> None:
        """Fill such an array."""

    def read(self, array: Any, rows: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """An array, or some of its rows, as NumPy's."""

    def clear(self, array: Any) -> None:
        """Make it zeros again."""

    def run(self, kernel: Callable[..., None], trees: int, room: int, *arguments: Any) -> None:
        """Run a kernel for every tree, with room for so many numbers: `kernel(tree, lanes, room, *arguments)`."""


class Host:
    """The CPU: NumPy's arrays, one tree after the other, one lane."""

    def zeros(self, shape: tuple[int, ...], number: Any) -> NDArray[Any]:
        return np.zeros(shape, number)

    def view(self, tensor: Any) -> NDArray[Any]:
        return np.asarray(tensor)

    def write(self, array: NDArray[Any], content: NDArray[Any]) -> None:
        array[...] = content

    def read(self, array: NDArray[Any], rows: NDArray[np.int64] | None = None) -> NDArray[Any]:
        return array.copy() if rows is None else array[rows]

    def clear(self, array: NDArray[Any]) -> None:
        array[...] = 0

    def run(self, kernel: Callable[..., None], trees: int, room: int, *arguments: Any) -> None:
        state = np.empty(room, np.int64)
        for tree in range(trees):
            kernel(tree, 1, state, *arguments)


@dataclass(frozen=True)
class FinishedGame:
    """All that a game leaves behind: its moves, and what the full searches found."""

    moves: NDArray[np.int16]  # [moves]
    opening: int  # of which so many were random
    result: int
    plies: NDArray[np.int16]  # [searched]
    policies: NDArray[np.float32]  # [searched, A]
    values: NDArray[np.float32]  # [searched] for the side to move


class GameForest:
    """`trees` games under way; the network is asked for `rows` leaves at a time."""

    def __init__(
        self,
        game: Game,
        settings: SearchSettings,
        ways: dict[str, Any],
        *,
        encoder: str,
        trees: int,
        rows: int,
        seed: tuple[int, ...],
        machine: Machine,
        planes: Any = None,  # [R, C, N, N]
        logits: Any = None,  # [R, A]
        values: Any = None,  # [R, 2]
    ) -> None:
        """`ways`: the fields of `kernels.gpu_moves.Ways`; arrays that a network reads and writes may be given."""
        self.game, self.trees, self.rows, self._machine = game, trees, rows, machine
        self.kernels: Any = specialise("eightfold.search.kernels.gpu_moves", game.rules)
        self.steps: Any = specialise("eightfold.search.kernels.gpu_forest", game.rules)
        self._encoder, channels = game.encoder(encoder)
        zeros, actions, length = machine.zeros, game.actions, game.spec.state_length(game.size)
        self._room = length  # a state, where it is quick to change
        nodes = nodes_needed(game, max(ways["playouts"], ways["fast_playouts"]))
        self.forest = make_forest(game, trees, nodes, zeros)
        spares = max(1, -(-trees // SPARE_SHARE))
        self._spare = make_forest(game, spares, nodes, zeros)
        self._spares = self.kernels.Spares(taken=zeros((1,), np.int32), origin=zeros((spares, nodes), np.int32))
        self.roots = make_roots(game, settings, trees, zeros)
        self._leaves = make_leaves(game, trees, nodes, zeros)
        self.plan = self.steps.Plan(
            phase=zeros((trees,), np.int8),
            due=zeros((trees,), np.int8),
            collected=zeros((trees,), np.int8),
            row=zeros((trees,), np.int32),
            rows=zeros((1,), np.int32),
            moves=zeros((trees, actions), np.int16),
            listed=zeros((trees,), np.int16),
            draw=zeros((trees,), np.float32),
            asked=zeros((trees,), np.int64),
        )
        longest = game.spec.longest(game.size)
        self.games = self.kernels.Games(
            random=zeros((trees, 1), np.uint64),
            moves=zeros((trees, longest), np.int16),
            opening=zeros((trees,), np.int16),
            searched=zeros((trees,), np.int16),
            plies=zeros((trees, longest), np.int16),
            policies=zeros((trees, longest, actions), np.float32),
            values=zeros((trees, longest), np.float32),
            result=zeros((trees,), np.int8),
            noisy=zeros((trees,), np.int8),
        )
        points = np.asarray(ways["opening_points"], np.int64)
        opening_points = zeros((len(points),), np.int64)
        machine.write(opening_points, points)
        self._ways = self.kernels.Ways(**{**ways, "opening_points": opening_points})
        self._constants = constants_of(settings)
        self._start = zeros((length,), np.int64)
        machine.write(self._start, game.start().state)
        self._scratch = zeros((trees, game.scratch), np.int64)
        self.planes = zeros((rows, channels, game.size, game.size), np.float32) if planes is None else planes
        self.logits = zeros((rows, actions), np.float32) if logits is None else logits
        self.values = zeros((rows, 2), np.float32) if values is None else values
        machine.write(self.games.random, np.stack([make_random(*seed, tree) for tree in range(trees)]))
        machine.write(self.plan.phase, np.full(trees, self.steps.BEGINS, np.int8))
        machine.write(self.plan.due, np.full(trees, self.steps.NOTHING, np.int8))

    # ---- a period ---------------------------------------------------------------------------------------

    def hand_over(self) -> None:
        self._machine.run(self.steps.hand_over, self.trees, 0, self.plan)

    def step(self) -> None:
        """Every tree that is not waiting goes on; the leaves of at most `rows` of them are written to `planes`."""
        self._machine.clear(self.plan.rows)
        self._machine.run(
            self.steps.step_tree,
            self.trees,
            self._room,
            self.forest,
            self.roots,
            self._leaves,
            self.plan,
            self._constants,
            self._encoder,
            self.planes,
            self.logits,
            self.values,
            self._scratch,
        )

    def tend(self) -> None:
        """Moves, proofs and noise for the trees that waited when they were handed over."""
        self._machine.clear(self._spares.taken)
        self._machine.run(
            self.kernels.tend_tree,
            self.trees,
            self._room,
            self.forest,
            self.roots,
            self.plan,
            self.games,
            self._start,
            self._constants,
            self._ways,
            self._spare,
            self._spares,
            self._scratch,
        )

    # ---- games that are over ----------------------------------------------------------------------------

    def finished(self) -> list[FinishedGame]:
        """The games that ended since the last call; others take their places."""
        machine, games = self._machine, self.games
        over = machine.read(self.plan.phase) == self.steps.OVER
        over &= machine.read(self.plan.collected) == 0
        numbers = np.flatnonzero(over)
        if not len(numbers):
            return []
        states, moves, opening, searched, plies, values, results = (
            machine.read(array, numbers)
            for array in (
                self.forest.states,
                games.moves,
                games.opening,
                games.searched,
                games.plies,
                games.values,
                games.result,
            )
        )
        policies = machine.read(games.policies, numbers)
        collected = machine.read(self.plan.collected)
        collected[numbers] = 1
        machine.write(self.plan.collected, collected)
        return [
            FinishedGame(
                moves=moves[k, : states[k, PLY]],
                opening=int(opening[k]),
                result=int(results[k]),
                plies=plies[k, : searched[k]],
                policies=policies[k, : searched[k]],
                values=values[k, : searched[k]],
            )
            for k in range(len(numbers))
        ]

    @property
    def simulations(self) -> int:
        """Leaves that the network was asked for."""
        return int(self._machine.read(self.plan.asked).sum())


def bytes_a_tree(game: Game, playouts: int) -> int:
    """Roughly what one more game takes: its tree and its share of the spare ones, its samples, its states."""
    nodes, actions = nodes_needed(game, playouts), game.actions
    tree = nodes * 17 + nodes * actions * 18
    samples = game.spec.longest(game.size) * (4 * actions + 8)
    states = 8 * (2 * game.spec.state_length(game.size) + game.scratch) + 14 * actions
    return tree + tree // SPARE_SHARE + samples + states + 8 * min(4 * actions, nodes)
