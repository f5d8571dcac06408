"""Self-play: many games at once, each move searched, each finished game a list of samples.

A sample's policy is what the search found before any temperature; its value mixes the result of the game with
what the search expected. Samples are in the board's own frame. Some games start from a few random stones in
the middle, which keeps young networks from playing one short attack over and over.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints
from eightfold.games.game import Game
from eightfold.games.state import BLACK, DRAW, ONGOING, RESULT, SIDE, WHITE
from eightfold.learning.config import SelfPlayConfig
from eightfold.search.forest import Evaluator, ForestSearch


@dataclass(frozen=True, kw_only=True)
class PlayedGame:
    """One finished game: its moves, and the T positions that became samples."""

    moves: tuple[int, ...]
    opening: int  # moves that were random
    result: int  # BLACK, WHITE or DRAW
    states: Ints  # [T, L]
    policies: NDArray[np.float32]  # [T, A]
    values: NDArray[np.float32]  # [T] for the side to move
    owners: NDArray[np.int8] | None = None  # [N * N] at the end, BLACK, WHITE or nobody; None in games without points
    margin: float = 0.0  # black's lead then

    def foresight(self, k: int, points: int) -> tuple[NDArray[np.int8], float]:
        """Owners and score for the side to move of sample k: 1 for its own points, and its lead as a share."""
        assert self.owners is not None
        side = int(self.states[k, SIDE])
        owners = (self.owners == side).astype(np.int8) - (self.owners == BLACK + WHITE - side).astype(np.int8)
        return owners, (self.margin if side == BLACK else -self.margin) / points


class SelfPlay:
    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        *,
        settings: SelfPlayConfig,
        random: np.random.Generator,
        threads: int = 1,
    ) -> None:
        self.game, self.settings, self.random = game, settings, random
        most = max(settings.playouts, settings.fast_playouts)
        self.search = ForestSearch(
            game,
            evaluator,
            games=settings.parallel_games,
            playouts=most,
            settings=settings,
            random=random,
            threads=threads,
        )
        self._moves: list[list[int]] = [[] for _ in range(settings.parallel_games)]
        self._openings = [0] * settings.parallel_games
        self._samples: list[list[tuple[Ints, NDArray[np.float32], float]]] = [
            [] for _ in range(settings.parallel_games)
        ]
        self._full = [True] * settings.parallel_games
        for number in range(settings.parallel_games):
            self._begin(number)

    def play(
        self,
        finished_games: int,
        *,
        on_game: Callable[[PlayedGame], None] = lambda game: None,
        deadline: float = math.inf,
        stop: Callable[[], bool] = lambda: False,
    ) -> list[PlayedGame]:
        """Go on until so many games have ended, `time.perf_counter()` reaches the deadline, or `stop` says so.

        The other games are kept for the next call. `on_game` hears of every game at the moment it ends.
        """
        finished: list[PlayedGame] = []
        while len(finished) < finished_games and time.perf_counter() < deadline and not stop():
            for game in self.advance_all():
                on_game(game)
                finished.append(game)
        return finished

    def advance_all(self) -> list[PlayedGame]:
        """One batch for the network, and a move in every game whose search is done; the games that this ended."""
        self.search.step()
        forest = self.search.forest
        done = (forest.left == 0) | (forest.proof[:, 0] != self.search.kernels.UNKNOWN)
        moved = (self._move(int(number)) for number in np.flatnonzero(done))
        return [game for game in moved if game is not None]

    def _begin(self, number: int) -> None:
        moves = self._random_opening()
        state = self.game.after(moves).state
        self._moves[number], self._openings[number], self._samples[number] = list(moves), len(moves), []
        side = int(self.random.choice((BLACK, WHITE)))
        self.search.set_root(number, state, contempt_side=side)
        self._next_search(number)

    def _random_opening(self) -> list[int]:
        """A few random stones, in the middle or anywhere, that end nothing."""
        settings = self.settings
        if self.random.random() >= settings.opening_share:
            return []
        points = opening_points(self.game.size, settings.opening_anywhere)
        while True:
            stones = int(self.random.integers(0, settings.opening_stones + 1))
            moves = [int(move) for move in self.random.choice(points, stones, replace=False)]
            position = self.game.start()
            for move in moves:
                if not position.legal_mask[move]:  # over, or a point that the rules forbid
                    break
                position = position.play(move)
            else:
                if not position.is_over:
                    return moves

    def _next_search(self, number: int) -> None:
        settings = self.settings
        full = settings.full_share >= 1 or self.random.random() < settings.full_share
        self._full[number] = full
        self.search.prepare_root(number, settings.playouts if full else settings.fast_playouts, noisy=full)

    def _move(self, number: int) -> PlayedGame | None:
        """Choose a move for a game whose search is done; the game itself if that ended it."""
        search, settings = self.search, self.settings
        state = search.forest.states[number]
        policy = search.root_policy(number)
        if self._full[number]:
            self._samples[number].append((state.copy(), policy, search.root_value(number)))
        if search.settings.root == "gumbel":
            move = search.root_move(number)  # its noise is what explores; a temperature would do so twice
        else:
            ply = len(self._moves[number])
            temperature = settings.temperature if ply < settings.temperature_plies else settings.final_temperature
            move = _draw(policy, temperature, self.random)
        search.advance(number, move)
        self._moves[number].append(move)
        result = int(search.forest.states[number, RESULT])
        if result == ONGOING and search.settings.proof_nodes and search.kernels.is_dead(search.forest.states[number]):
            result = DRAW  # what is left to play teaches nothing
        if result == ONGOING:
            self._next_search(number)
            return None
        game = self._finish(number, result)
        self._begin(number)
        return game

    def _finish(self, number: int, result: int) -> PlayedGame:
        samples, mix = self._samples[number], self.settings.value_mix
        states = np.array([state for state, _, _ in samples], np.int64)
        outcome = np.zeros(len(samples), np.float32)
        if samples and result != DRAW:
            outcome = np.where(states[:, SIDE] == result, 1, -1).astype(np.float32)
        expected = np.array([value for _, _, value in samples], np.float32)
        owners, margin = self._count(number)
        return PlayedGame(
            moves=tuple(self._moves[number]),
            opening=self._openings[number],
            result=result,
            states=states,
            policies=np.array([policy for _, policy, _ in samples], np.float32),
            values=(1 - mix) * outcome + mix * expected,
            owners=owners,
            margin=margin,
        )

    def _count(self, number: int) -> tuple[NDArray[np.int8] | None, float]:
        """Who owns the points of a game that is over, and black's lead."""
        rules = self.game.rules
        if not hasattr(rules, "ownership"):
            return None, 0.0
        owners = np.zeros(self.game.points, np.int8)
        state = self.search.forest.states[number].copy()
        rules.ownership(state, owners)
        return owners, float(rules.margin_of(state))


def opening_points(size: int, everywhere: bool) -> list[int]:
    """Where random stones may lie: anywhere, or a fifth of the board away from the edge."""
    edge = 0 if everywhere else max(1, size // 5)
    return [row * size + column for row in range(edge, size - edge) for column in range(edge, size - edge)]


def _draw(policy: NDArray[np.float32], temperature: float, random: np.random.Generator) -> int:
    """A move: the policy sharpened by the temperature; at 0 the largest, ties by chance."""
    if temperature <= 1e-3:
        return int(random.choice(np.flatnonzero(policy == policy.max())))
    # Beside the largest: what is small vanishes at a low temperature, but never everything.
    weights = np.cumsum((policy.astype(np.float64) / policy.max()) ** (1 / temperature))
    return int(np.searchsorted(weights, random.random() * weights[-1], side="right"))
