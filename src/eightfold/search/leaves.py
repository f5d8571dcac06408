"""Leaves valued by games that are played from them, beside the network or in its place (Zhao & Zhang, section 3.4.2).

    leaves=network   v, what the network says
    leaves=random    the mean result of N random games
    leaves=minmax    the mean result of N games between greedy players, or players who look some plies ahead
    leaves=mixed     theta * R + (1 - theta) * v, R being one of the two

The games are kernels on other threads, which run while the network thinks; the thread that asked the network helps
with what is left when it is done. A game of a forest has a stream of random numbers of its own, so its rollouts depend
neither on the games beside it nor on the threads.

Read before: `kernels/random_leaves.py`, `kernels/minmax_leaves.py`. Read next: `forest.py`, which asks for values here.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.rng import make_random
from eightfold.core.settings import settings_of
from eightfold.core.specialise import specialise
from eightfold.core.threads import run_parts
from eightfold.games.game import Game
from eightfold.search.alphabeta import make_work
from eightfold.search.kernels.leaf_values import draw_generators, mix_values
from eightfold.search.settings import LEAF_EVALUATORS, WITH_LEAVES, LeafSettings

NEAR = 2  # how far from a stone the candidates of players with look-ahead lie, as with the player alphabeta
TABLE_ENTRIES = 1 << 12  # of their transposition table: it must fit a core's own cache
PIECES = 8  # that a batch is divided into, so that whoever is free takes the next of them

Answers = tuple[NDArray[np.float32], NDArray[np.float32]]  # logits [B, A], values [B, 2]


def check_leaves(settings: LeafSettings, game: Game) -> None:
    """An error if the game cannot play such games, or if a setting is given that only other leaves have."""
    for declared in settings_of(LeafSettings):
        value, kinds = getattr(settings, declared.field), WITH_LEAVES.get(declared.field, LEAF_EVALUATORS)
        if settings.leaves not in kinds and value != declared.default:
            raise EightfoldError(
                f"{declared.name}={value} goes with leaves={' or '.join(kinds)}, and leaves={settings.leaves} has none"
                f" of it; set leaves={kinds[-1]}, or leave {declared.name} out"
            )
    if settings.rollouts_wanted == "minmax" and not game.scores_moves:
        how = f"leaves={settings.leaves}" + (",rollout=minmax" if settings.leaves == "mixed" else "")
        raise EightfoldError(
            f"{how} needs a game that scores moves; {game.name} offers no score_moves, and has random rollouts alone"
        )


class Rollouts:
    """Games from the leaves of a forest of `games` trees, `batch` leaves at a time."""

    def __init__(
        self, game: Game, settings: LeafSettings, *, games: int, batch: int, seed: int, threads: int = 1
    ) -> None:
        """`threads` play while another asks the network. Whether the game can is checked before (`check_leaves`)."""
        self._threads = threads
        self._games_a_leaf = settings.rollouts
        self._streams = np.concatenate([make_random(seed, number) for number in range(games)])  # [G]
        self._randoms = np.ones(batch, np.uint64)  # [B]
        self._values = np.zeros((batch, 2), np.float32)
        self.games = 0  # played so far
        self.seconds = 0.0  # of processor time that they took
        kind = settings.rollouts_wanted
        self._kernels: Any = specialise(f"eightfold.search.kernels.{kind}_leaves", game.rules)
        make_room = _random_room if kind == "random" else _minmax_room
        self._rooms = [make_room(self._kernels, game, settings) for _ in range(PIECES)]

    def reseed(self, number: int, seed: int) -> None:
        """Begin the random numbers of a game anew."""
        self._streams[number] = make_random(seed)[0]

    def beside(
        self, evaluate: Callable[[], Answers], states: NDArray[np.int64], games: NDArray[np.int32], theta: float
    ) -> Answers:
        """What `evaluate` says, with values mixed; `states` [B, L] are the leaves, `games` [B] whose they are."""
        count = len(states)
        draw_generators(self._streams, games, count, self._randoms)
        answers: list[Answers] = []
        bounds = [count * piece // PIECES for piece in range(PIECES + 1)]

        pieces = deque(range(PIECES))

        def work(part: int) -> float:
            if part == 0:
                answers.append(evaluate())
            begun = time.thread_time()
            while True:
                try:
                    piece = pieces.popleft()
                except IndexError:
                    return time.thread_time() - begun
                self._kernels.value_leaves(
                    states,
                    bounds[piece],
                    bounds[piece + 1],
                    self._games_a_leaf,
                    self._randoms,
                    self._values,
                    *self._rooms[piece],
                )

        self.seconds += sum(run_parts(work, self._threads + 1))
        self.games += count * self._games_a_leaf
        logits, values = answers[0]
        mixed = np.empty((count, 2), np.float32)
        mix_values(values, self._values[:count], theta, mixed)
        return logits, mixed


def _random_room(kernels: Any, game: Game, settings: LeafSettings) -> tuple[Any, ...]:
    row = game.spec.state_length(game.size)
    return np.zeros(row, np.int64), np.zeros(game.actions, np.int64), np.zeros(4, np.int64)


def _minmax_room(kernels: Any, game: Game, settings: LeafSettings) -> tuple[Any, ...]:
    start = kernels.Start(
        scores=np.zeros((2, game.actions), np.int64),
        near=np.zeros(game.actions, np.int64),
        board=np.zeros((game.size, game.size), np.int8),
        moves=np.zeros(game.actions, np.int64),
        results=np.zeros(4, np.int64),
    )
    depth, epsilon = settings.rollout_depth, round(settings.rollout_epsilon * kernels.PARTS)
    return depth, epsilon, NEAR, make_work(game, depth + 1, TABLE_ENTRIES), start
