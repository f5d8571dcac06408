"""Self-play: many games at once, each move searched, each finished game a `PlayedGame`.

The policy of a position is what the search found before any temperature. Some games start from a few random stones in
the middle, which keeps young networks from playing one short attack over and over; with a book (`opening_book.py`) from
balanced ones.

Read next: `data/record.py` (the played game, and the samples it becomes), `loop.py`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.games.game import Game
from eightfold.games.state import BLACK, DRAW, ONGOING, RESULT, SIDE, WHITE
from eightfold.learning.config import SelfPlayConfig
from eightfold.learning.data.record import PlayedGame, settings_digest
from eightfold.learning.opening_book import OpeningBook
from eightfold.learning.varying import games_of_selfplay
from eightfold.search.forest import Evaluator, ForestSearch
from eightfold.search.kernels.tree import WON
from eightfold.search.openings import free_points
from eightfold.search.temperature import draw_move


class _Searched(NamedTuple):
    """A position that a full search was spent on."""

    ply: int
    policy: NDArray[np.float32]  # [A]
    value: float  # for the side to move


class SelfPlay:
    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        *,
        settings: SelfPlayConfig,
        random: np.random.Generator,
        threads: int = 1,
        seed: int = 0,  # noted in the games
        book: OpeningBook | None = None,
    ) -> None:
        self.game, self.settings, self.random, self.book = game, settings, random, book
        self._games = games_of_selfplay(game, settings.games)
        self._played = [game] * settings.parallel_games  # which of them each is
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
        self._searched: list[list[_Searched]] = [[] for _ in range(settings.parallel_games)]
        self._proven_for = [0] * settings.parallel_games  # who was proven to win by threats, or 0
        self._seed, self._digest = seed, settings_digest(settings)
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
        game = self._played[number] = self._draw_game()
        moves = self._random_opening(game)
        state = game.after(moves).state
        self._moves[number], self._openings[number], self._searched[number] = list(moves), len(moves), []
        self._proven_for[number] = 0
        side = int(self.random.choice((BLACK, WHITE)))
        self.search.set_root(number, state, contempt_side=side)
        self._next_search(number)

    def _draw_game(self) -> Game:
        return self._games[int(self.random.integers(len(self._games))) if len(self._games) > 1 else 0]

    def _random_opening(self, game: Game) -> list[int]:
        """A few random stones, in the middle or anywhere, that end nothing; from the book if there is one."""
        settings = self.settings
        if self.random.random() >= settings.opening_share:
            return []
        if self.book is not None and len(self.book):
            return self.book.openings.moves_of(int(self.random.integers(len(self.book))))
        points = free_points(game, settings.opening_anywhere)
        while True:
            stones = int(self.random.integers(0, settings.opening_stones + 1))
            if not points:
                return self._random_moves(game, stones)
            moves = [int(move) for move in self.random.choice(points, stones, replace=False)]
            position = game.start()
            for move in moves:
                if not position.legal_mask[move]:  # over, or a point that the rules forbid
                    break
                position = position.play(move)
            else:
                if not position.is_over:
                    return moves

    def _random_moves(self, game: Game, count: int) -> list[int]:
        """Up to so many random legal moves that end nothing."""
        position = game.start()
        for _ in range(count):
            after = position.play(int(self.random.choice(position.legal_moves)))
            if after.is_over:
                break
            position = after
        return list(position.moves)

    def _next_search(self, number: int) -> None:
        settings = self.settings
        full = settings.full_share >= 1 or self.random.random() < settings.full_share
        self._full[number] = full
        self.search.prepare_root(number, settings.playouts if full else settings.fast_playouts, noisy=full)

    def _move(self, number: int) -> PlayedGame | None:
        """Choose a move for a game whose search is done; the game itself if that ended it."""
        search, settings = self.search, self.settings
        if search.settings.threat_nodes:
            winner, won = self._proven_for[number], search.forest.proof[number, 0] == WON
            side = int(search.forest.states[number, SIDE])
            if winner == side and not won:  # he has lost sight of it; a proven win is a win all the same
                return self._end(number, winner)
            if won:
                self._proven_for[number] = side
        policy, ply = search.root_policy(number), len(self._moves[number])
        if self._full[number]:
            self._searched[number].append(_Searched(ply, policy, search.root_value(number)))
        if search.settings.root == "gumbel":
            move = search.root_move(number)  # its noise is what explores; a temperature would do so twice
        else:
            temperature = settings.temperature if ply < settings.temperature_plies else settings.final_temperature
            move = draw_move(policy, temperature, self.random)
        search.advance(number, move)
        self._moves[number].append(move)
        result = int(search.forest.states[number, RESULT])
        if result == ONGOING and search.settings.proof_nodes and search.kernels.is_dead(search.forest.states[number]):
            result = DRAW  # what is left to play teaches nothing
        if result == ONGOING:
            self._next_search(number)
            return None
        return self._end(number, result)

    def _end(self, number: int, result: int) -> PlayedGame:
        """The game as it was played, with this result; a new one takes its place."""
        game = self._finish(number, result)
        self._begin(number)
        return game

    def _finish(self, number: int, result: int) -> PlayedGame:
        searched = self._searched[number]
        policies = np.array([each.policy for each in searched], np.float32)
        return PlayedGame(
            moves=tuple(self._moves[number]),
            opening=self._openings[number],
            result=result,
            plies=np.array([each.ply for each in searched], np.int64),
            policies=policies.reshape(len(searched), self.game.actions),
            root_values=np.array([each.value for each in searched], np.float32),
            game=self._played[number].text,
            seed=self._seed,
            settings=self._digest,
        )
