"""The alpha-beta player: iterative deepening over `eightfold.search.kernels.alphabeta`.

A depth is a number of plies. Every iteration tries the root moves in the order of the one before; ties of
the heuristic are ordered by the seed. When time runs out, the unfinished iteration counts for the moves that it
got through: the best of the one before was the first of them.

Pruning only bounds the moves that are not the best. With `scores=exact` each is searched with a full window, and the
result has the minimax value of every candidate: `scores` as the search counts, `values` from -1 to 1.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints
from eightfold.core.settings import setting
from eightfold.core.specialise import specialise
from eightfold.core.specs import check_spec
from eightfold.games.game import Game, Position
from eightfold.games.state import NO_MOVE
from eightfold.search.greedy import need_heuristic
from eightfold.search.kind import Levels, PlayerKind
from eightfold.search.limits import Limits
from eightfold.search.move_time import Seconds
from eightfold.search.result import (
    LONGEST_VARIATION,
    MOST_VARIATIONS,
    Progress,
    SearchResult,
    check_position,
    check_seed,
    one_hot,
)

KERNELS = "eightfold.search.kernels.alphabeta"
DEEPEST, USUAL_DEPTH = 64, 4
TABLE_ENTRIES, FEW_ENTRIES = 1 << 20, 1 << 14  # the second for a search of a few plies: it stays in the cache
HEARD_IN = 0.1  # seconds after which Ctrl-C is noticed
WATCHED_EVERY = 0.02  # seconds between two looks at a stop from outside


@dataclass(frozen=True, kw_only=True)
class AlphaBetaOptions:
    depth: int = setting(0, "plies to look ahead (0: 4, or what seconds allow)", least=0, most=DEEPEST)
    seconds: float = setting(0.0, "time for a move (0: no limit)", least=0, most=1e6)
    near: int = setting(2, "how far from a stone candidate moves may lie", least=1, most=24)
    scores: str = setting(
        "best", "best: exact score of the best move only; exact: of every candidate (slower)", choices=("best", "exact")
    )


class AlphaBeta:
    """Looks `depth` plies ahead, or as deep as `seconds` allow."""

    KIND = PlayerKind(
        summary="minimax with alpha-beta pruning, a fixed number of plies or seconds ahead",
        example="alphabeta:depth=4",
        needs="scores_moves",
        levels=Levels(option="depth", values=(1, 2, 4, 6), usual=2, unit=("ply ahead", "plies ahead")),
    )
    Options = AlphaBetaOptions

    def __init__(
        self,
        game: Game,
        options: AlphaBetaOptions = AlphaBetaOptions(),  # noqa: B008 - frozen
        *,
        seed: int = 0,
    ) -> None:
        need_heuristic(game, "alphabeta")
        check_spec(options, "player alphabeta")
        self._game, self._options = game, options
        self._kernels = specialise(KERNELS, game.rules)
        self._depth, self._seconds = options.depth, options.seconds
        self._near, self._exact = options.near, options.scores == "exact"
        self._random = np.random.default_rng(check_seed(seed))
        entries = FEW_ENTRIES if 0 < self._depth <= USUAL_DEPTH else TABLE_ENTRIES
        self._work = make_work(game, self._depth or DEEPEST, entries)
        self.timed, self.bytes_a_game = options.seconds > 0, sum(array.nbytes for array in self._work)

    def new_game(self) -> None:
        self._work.table[:] = 0

    def fork(self, seed: int) -> AlphaBeta:
        return AlphaBeta(self._game, self._options, seed=seed)

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        moves, order = self._begin(position)
        # Ties of the heuristic in the order that the seed gives them.
        moves = moves[np.lexsort((self._random.permutation(len(moves)), -order))]
        limits = Limits(self._seconds, seconds, stop, on_progress)
        timer = threading.Timer(limits.seconds or 0, self._work.stop.__setitem__, (0, 1))
        if limits.timed:
            timer.daemon = True
            timer.start()
        try:
            return self._deepen(position, moves, limits)
        finally:
            timer.cancel()

    def _result(
        self, position: Position, lines: Sequence[tuple[int, ...]], value: int, depth: int, scores: NDArray[np.float64]
    ) -> SearchResult:
        """Lines: how it goes on after the best move, and after others. Scores [A]: exact ones, nan where is none."""
        exact = bool(np.isfinite(scores).any())
        return SearchResult(
            scores=scores.copy() if exact else None,
            values=self._as_values(position, scores).astype(np.float32) if exact else None,
            action=lines[0][0],
            policy=one_hot(position.game.actions, lines[0][0]),
            value=float(self._as_values(position, np.float64(value))),
            principal_variation=lines[0],
            variations=tuple(lines) if len(lines) > 1 else (),
            effort=int(self._work.nodes[0]),
            depth=depth,
        )

    def _lines(self, depth: int, moves: Ints) -> list[tuple[int, ...]]:
        """How the search to that depth expects the game to go on after each of these moves."""
        line = np.zeros(DEEPEST, np.int64)
        found = []
        for move in moves.tolist():
            length = int(self._kernels.follow(self._work, depth, move, line, self._near))
            found.append(tuple(line[: min(length, LONGEST_VARIATION)].tolist()))
        return found

    def root_scores(self, position: Position) -> NDArray[np.float64]:
        """[A]: the exact minimax value of every candidate move at the given depth; nan for other points.

        Alpha-beta proper only bounds the moves that are not the best; here each is searched with a full window.
        Time plays no part: a player that was given only seconds looks as deep as one that was given nothing.
        """
        moves, _ = self._begin(position)
        values = np.zeros(len(moves), np.int64)
        self._kernels.search_root(self._work, self._depth or USUAL_DEPTH, moves, True, values, self._near)
        scores = np.full(position.game.actions, np.nan)
        scores[moves] = values
        return scores

    def _begin(self, position: Position) -> tuple[Ints, Ints]:
        """Set up the root; its candidate moves and their heuristic order."""
        check_position(position, self._game, "alphabeta")
        # A stop flag of its own for every search: a timer that fires late must not stop the next one.
        self._work = self._work._replace(stop=np.zeros(1, np.int64))
        self._work.nodes[0] = 0
        self._kernels.prepare(self._work, position.state, self._near, position.stones)
        count = self._kernels.find_candidates(self._work, 0)
        return self._work.moves[0, :count].copy(), self._work.order[0, :count].copy()

    def _deepen(self, position: Position, moves: Ints, limits: Limits) -> SearchResult:
        """Search one ply deeper each time; the best move, its value and the depth it was found at."""
        sure_win = self._kernels.win_value(position.state) - DEEPEST
        deepest = self._depth or (DEEPEST if limits.timed else USUAL_DEPTH)
        best_value, reached, searched = 0, 0, 0
        scores = np.full(position.game.actions, np.nan)  # with `exact`, of the last iteration that was finished
        lines: list[tuple[int, ...]] = [(int(moves[0]),)]

        def so_far() -> SearchResult:
            return self._result(position, lines, best_value, reached, scores)

        values = np.zeros(len(moves), np.int64)
        # Without pruning at the root an iteration orders nothing but equals; one in two is enough for that.
        step = 2 if self._exact and not limits.timed and not limits.told else 1
        for depth in range(1 + (deepest - 1) % step, deepest + 1, step):
            finished = self._search_root(depth, moves, values, limits, so_far)
            if finished == 0:
                break
            # The first of equals: later ones are only known to be no better.
            order = np.argsort(-values[:finished], kind="stable")
            best_value = int(values[order[0]])
            # Now, because the next iteration overwrites what the table knows of this one.
            lines = self._lines(depth, moves[order[:MOST_VARIATIONS]]) if limits.told else [(int(moves[order[0]]),)]
            searched = depth
            if finished < len(moves):
                break
            reached = depth
            moves = moves[order]
            if self._exact:
                scores[moves] = values[order]
            elif abs(best_value) >= sure_win or len(moves) == 1:
                break  # the move is settled; exact scores of the others may still change
        if not limits.told:
            lines = self._lines(searched, np.array(lines[0]))
        return so_far()

    def _search_root(
        self, depth: int, moves: Ints, values: Ints, limits: Limits, so_far: Callable[[], SearchResult]
    ) -> int:
        """One iteration; a watched or a deep one in a thread, so that a stop or Ctrl-C is heard meanwhile."""
        search = functools.partial(self._kernels.search_root, self._work, depth, moves, self._exact, values, self._near)
        in_main = threading.current_thread() is threading.main_thread()
        if not limits.watched and (depth <= USUAL_DEPTH or not in_main):
            return int(search())
        finished: list[int] = []
        thread = threading.Thread(target=lambda: finished.append(search()))
        thread.start()
        try:
            while thread.is_alive():
                thread.join(WATCHED_EVERY if limits.watched else HEARD_IN)
                if limits.stopped():
                    self._work.stop[0] = 1
                limits.report(so_far)
        except BaseException:  # Ctrl-C, or whoever was told how it stands had enough
            self._work.stop[0] = 1
            thread.join()
            raise
        return finished[0]

    def _as_values(self, position: Position, scores: NDArray[np.float64] | np.float64) -> NDArray[np.float64]:
        """Scores as the search counts, from -1 to 1."""
        sure = self._kernels.win_value(position.state) - DEEPEST
        scale = 2 * position.game.rules.best_possible_score(position.state)
        return np.where(np.abs(scores) >= sure, np.sign(scores), scores / scale)


def make_work(game: Game, depth: int, entries: int) -> Any:
    """The arrays of a search to that depth, with a table of so many entries, a power of two."""
    kernels, plies, actions = specialise(KERNELS, game.rules), depth + 1, game.actions
    return kernels.Work(
        states=np.zeros((plies, game.spec.state_length(game.size)), np.int64),
        scores=np.zeros((plies, 2, actions), np.int64),
        moves=np.zeros((plies, actions), np.int64),
        order=np.zeros((plies, actions), np.int64),
        frames=np.zeros((plies, kernels.FRAME), np.int64),
        killers=np.full(plies, NO_MOVE, np.int64),
        near=np.zeros(actions, np.int64),
        table=np.zeros((entries, kernels.ENTRY), np.int64),
        nodes=np.zeros(1, np.int64),
        stop=np.zeros(1, np.int64),
    )
