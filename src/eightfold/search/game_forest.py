"""Many games that play themselves, each in a tree of its own, on a GPU or, for tests, on the CPU.

`GameForest` owns the arrays of `kernels/gpu_forest.py` and `kernels/gpu_moves.py` and says which kernel runs when; a
`Machine` makes the arrays and runs the kernels. `Host` does so on the CPU, tree after tree, with one lane;
`eightfold.learning.actors.gpu` does so on a GPU, a warp for each tree, and asks the network in between. The rules and
the search are the same text for both.

    hand_over     trees go to whom they wait for
    step          every tree goes on to its next leaf, which is written into a row of the network's batch
    (network)     all rows are answered; this and the step before it PERIOD times
    tend          meanwhile: moves, proofs and noise for the trees that wait

A game that is over keeps its place until it is collected: `look` asks for what has ended, without waiting, and
`collect` takes it, when the next period is under way already.

Shapes as in the kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eightfold.core.constants import with_constants
from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints
from eightfold.core.rng import make_random
from eightfold.core.specialise import specialise
from eightfold.games.game import Game
from eightfold.games.state import PLY
from eightfold.search.forest_arrays import (
    constants_of,
    edges_needed,
    make_forest,
    make_leaves,
    make_roots,
    nodes_needed,
)
from eightfold.search.openings import Openings
from eightfold.search.settings import SearchSettings

PERIOD = 16  # steps between two moments at which trees are handed over
WAITING = 1.5  # times as many trees as wait for a move on average can be tended in a period, so that waves die down
LEAST_WAITING = 0.25  # of all trees, for where proofs end searches early
WORKERS = 4096  # at most, that look around the roots of those


class Machine(Protocol):
    """Where the arrays lie, and what runs over all trees."""

    one_board: bool  # whether kernels are compiled for the board that is played on, and not for any

    def zeros(self, shape: tuple[int, ...], number: Any) -> Any:
        """An array of zeros as kernels take it."""

    def view(self, tensor: Any) -> Any:
        """Memory of somebody else, such as a tensor of PyTorch, as kernels take it."""

    def write(self, array: Any, content: NDArray[Any]) -> None:
        """Fill such an array."""

    def read(self, array: Any, rows: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """An array, or some of its rows, as NumPy's."""

    def fetch(self, array: Any) -> Callable[[], NDArray[Any]]:
        """An array as it will be when all that was begun is done: ask for it now, wait for it later."""

    def mark(self, array: Any, rows: NDArray[np.int64], content: NDArray[Any]) -> None:
        """Change some rows alone."""

    def clear(self, array: Any) -> None:
        """Make it zeros again."""

    def run(self, kernel: Callable[..., None], trees: int, room: int, *arguments: Any) -> None:
        """Run a kernel for every tree, with room for so many numbers: `kernel(tree, lanes, room, *arguments)`."""


class Host:
    """The CPU: NumPy's arrays, one tree after the other, one lane."""

    one_board = False

    def zeros(self, shape: tuple[int, ...], number: Any) -> NDArray[Any]:
        return np.zeros(shape, number)

    def view(self, tensor: Any) -> NDArray[Any]:
        return np.asarray(tensor)

    def write(self, array: NDArray[Any], content: NDArray[Any]) -> None:
        array[...] = content

    def read(self, array: NDArray[Any], rows: NDArray[np.int64] | None = None) -> NDArray[Any]:
        return array.copy() if rows is None else array[rows]

    def fetch(self, array: NDArray[Any]) -> Callable[[], NDArray[Any]]:
        content = array.copy()
        return lambda: content

    def mark(self, array: NDArray[Any], rows: NDArray[np.int64], content: NDArray[Any]) -> None:
        array[rows] = content

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
    game: Game  # of those that are drawn from


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
        variants: Sequence[Game] = (),
        planes: Any = None,  # [R, C, N, N]
        logits: Any = None,  # [R, A]
        values: Any = None,  # [R, 2]
    ) -> None:
        """`ways`: the fields of `kernels.gpu_moves.Ways`, of a book how many rows it may have (`open_with`).

        `variants`: games to draw from that are the game with other rules; none: the game itself. Arrays that a network
        reads and writes may be given.
        """
        self.game, self.trees, self.rows, self._machine = game, trees, rows, machine
        self._variants = tuple(variants) or (game,)
        rules = _rules_of(self._variants) if machine.one_board else game.rules
        self.kernels: Any = specialise("eightfold.search.kernels.gpu_moves", rules)
        self.steps: Any = specialise("eightfold.search.kernels.gpu_forest", rules)
        self._encoder, channels = game.encoder(encoder)
        zeros, actions, length = machine.zeros, game.actions, game.spec.state_length(game.size)
        self._room = length  # a state, where it is quick to change
        nodes = nodes_needed(game, max(ways["playouts"], ways["fast_playouts"]))
        self.forest = make_forest(game, trees, nodes, zeros)
        places = math.ceil(trees * waiting_share(ways))
        self._spare = make_forest(game, places, nodes, zeros)
        self._lists = zeros((places, 2, nodes), np.int32)
        self.roots = make_roots(game, settings, trees, zeros)
        self._leaves = make_leaves(game, trees, nodes, zeros)
        self.plan = self.steps.Plan(
            phase=zeros((trees,), np.int8),
            due=zeros((trees,), np.int8),
            waiting=zeros((places,), np.int32),
            waiters=zeros((1,), np.int32),
            ended=zeros((trees,), np.int32),
            collected=zeros((trees,), np.int32),
            states=zeros((trees, nodes, length), np.int64),
            place=zeros((trees, nodes), np.int32),
            row=zeros((trees,), np.int32),
            rows=zeros((1,), np.int32),
            moves=zeros((trees, actions), np.int16),
            listed=zeros((trees,), np.int16),
            draw=zeros((trees,), np.float32),
            asked=zeros((trees,), np.int64),
        )
        self._workers = min(WORKERS, places * (actions + 1))
        self._tasks = self.kernels.Tasks(
            taken=zeros((1,), np.int32),
            winner=zeros((trees,), np.int64),
            scratch=zeros((max(self._workers, places), game.scratch), np.int64),
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
            variant=zeros((trees,), np.int16),
        )
        points = np.asarray(ways["opening_points"], np.int64)
        opening_points = zeros((len(points),), np.int64)
        machine.write(opening_points, points)
        book_rows = max(ways.get("book_rows", 0), 1)
        self._ways = self.kernels.Ways(
            **{
                **ways,
                "opening_points": opening_points,
                "book": zeros((book_rows, max(ways["opening_stones"], 1)), np.int16),
                "book_lengths": zeros((book_rows,), np.int16),
                "book_rows": zeros((1,), np.int32),
            }
        )
        self._constants = constants_of(settings)
        by_puct = not ways["by_halving"] and settings.forced_playouts <= 0
        self._walk_tree = self.steps.walk_tree_by_puct if by_puct else self.steps.walk_tree
        self._starts, starts = zeros((len(self._variants), length), np.int64), _starts_of(self._variants)
        machine.write(self._starts, starts)
        self._fixed = starts[:, list(game.spec.fixed)]
        self._scratch = zeros((trees, game.scratch), np.int64)
        self.planes = zeros((rows, channels, game.size, game.size), np.float32) if planes is None else planes
        self.logits = zeros((rows, actions), np.float32) if logits is None else logits
        self.values = zeros((rows, 2), np.float32) if values is None else values
        self._collected = np.zeros(trees, np.int32)
        machine.write(self.games.random, np.stack([make_random(*seed, tree) for tree in range(trees)]))
        machine.write(self.plan.place, np.tile(np.arange(nodes, dtype=np.int32), (trees, 1)))
        machine.write(self.plan.phase, np.full(trees, self.steps.BEGINS, np.int8))
        machine.write(self.plan.due, np.full(trees, self.steps.NOTHING, np.int8))

    def open_with(self, openings: Openings) -> None:
        """From now on games begin with these openings; with none, by random stones."""
        book, lengths = (np.zeros(array.shape, np.int16) for array in (self._ways.book, self._ways.book_lengths))
        rows, stones = openings.moves.shape
        book[:rows, :stones], lengths[:rows] = openings.moves, openings.lengths
        self._machine.write(self._ways.book, book)
        self._machine.write(self._ways.book_lengths, lengths)
        self._machine.write(self._ways.book_rows, np.array([rows], np.int32))

    # ---- a period ---------------------------------------------------------------------------------------

    def hand_over(self) -> None:
        self._machine.clear(self.plan.waiters)
        self._machine.run(self.steps.hand_over, self.trees, 0, self.plan)

    def step(self) -> None:
        """Every tree that is not waiting goes on; the leaves of at most `rows` of them are written to `planes`."""
        self.walk()
        self.settle()
        self.ask()

    def walk(self) -> None:
        self._machine.run(
            self._walk_tree,
            self.trees,
            0,
            self.forest,
            self.roots,
            self._leaves,
            self.plan,
            self._constants,
            self.logits,
            self.values,
        )

    def settle(self) -> None:
        self._machine.run(
            self.steps.settle_leaf,
            self.trees,
            self._room,
            self.forest,
            self._leaves,
            self.plan,
            self._constants,
            self._scratch,
        )

    def ask(self) -> None:
        plan = self.plan
        self._machine.clear(plan.rows)
        self._machine.run(
            self.steps.ask_leaf,
            self.trees,
            0,
            self.forest,
            self._leaves,
            plan,
            self._encoder,
            self.planes,
            self._scratch,
        )

    def tend(self) -> None:
        """Moves, proofs and noise for the trees that waited when they were handed over."""
        run, forest, plan, places = self._machine.run, self.forest, self.plan, self._lists.shape[0]
        self._machine.clear(self._tasks.taken)
        run(
            self.kernels.tend_tree,
            places,
            0,
            forest,
            self.roots,
            plan,
            self.games,
            self._starts,
            self._constants,
            self._ways,
            self._spare,
            self._lists,
            self._tasks.scratch,
        )
        run(self.kernels.look_around, self._workers, self._room, forest, plan, self._tasks, self._constants)
        run(self.kernels.ripen_tree, places, 0, forest, self.roots, plan, self.games, self._tasks, self._ways)

    # ---- games that are over ----------------------------------------------------------------------------

    def look(self) -> Callable[[], NDArray[np.int32]]:
        """Ask how many games of each tree are over; the answer is for `collect`."""
        return self._machine.fetch(self.plan.ended)

    def collect(self, ended: NDArray[np.int32]) -> list[FinishedGame]:
        """The games that are over and that nobody has taken yet; others take their places."""
        machine, games = self._machine, self.games
        numbers = np.flatnonzero(ended > self._collected)
        if not len(numbers):
            return []
        states, moves, opening, searched, plies, values, results, policies, variants = (
            machine.read(array, numbers)
            for array in (
                self.forest.states,
                games.moves,
                games.opening,
                games.searched,
                games.plies,
                games.values,
                games.result,
                games.policies,
                games.variant,
            )
        )
        if (states[:, list(self.game.spec.fixed)] != self._fixed[variants]).any():
            raise EightfoldError(f"{self.game.name}: what GameSpec.fixed names has changed in a game")
        self._collected[numbers] = ended[numbers]
        machine.mark(self.plan.collected, numbers, ended[numbers])
        return [
            FinishedGame(
                moves=moves[k, : states[k, PLY]],
                opening=int(opening[k]),
                result=int(results[k]),
                plies=plies[k, : searched[k]],
                policies=policies[k, : searched[k]],
                values=values[k, : searched[k]],
                game=self._variants[int(variants[k])],
            )
            for k in range(len(numbers))
        ]

    @property
    def simulations(self) -> int:
        """Leaves that the network was asked for."""
        return int(self._machine.read(self.plan.asked).sum())

    @property
    def plies(self) -> int:
        """Moves of all games that are here now, their random openings included."""
        return int(self._machine.read(self.forest.states)[:, PLY].sum())

    @property
    def depth(self) -> float:
        """How far below their roots the leaves lie that the trees came to last, on average."""
        return float(self._machine.read(self._leaves.depth).mean())


def _rules_of(variants: Sequence[Game]) -> ModuleType:
    """The rules of games that differ in nothing but what is drawn, with all that they share as numbers."""
    starts = _starts_of(variants)
    shared = [place for place in variants[0].spec.fixed if (starts[:, place] == starts[0, place]).all()]
    return with_constants(variants[0].rules, {place: int(starts[0, place]) for place in shared})


def _starts_of(variants: Sequence[Game]) -> Ints:
    return np.stack([each.start().state for each in variants])


def waiting_share(ways: dict[str, Any]) -> float:
    """The part of all trees that can be tended in one period."""
    mean = ways["full_share"] * ways["playouts"] + (1 - ways["full_share"]) * ways["fast_playouts"]
    return min(1.0, max(LEAST_WAITING, WAITING * PERIOD / mean))


def bytes_a_tree(game: Game, ways: dict[str, Any]) -> int:
    """Roughly what one more game takes: its tree and its share of the spare ones, its samples, its scratch."""
    nodes = nodes_needed(game, max(ways["playouts"], ways["fast_playouts"]))
    actions, length = game.actions, game.spec.state_length(game.size)
    tree = 17 * nodes + 18 * edges_needed(game, nodes)
    samples = game.spec.longest(game.size) * (4 * actions + 8)
    rest = 8 * (2 * length + 2 * game.scratch + 2 * actions)
    return int(tree * (1 + waiting_share(ways))) + nodes * (8 * length + 5) + samples + rest
