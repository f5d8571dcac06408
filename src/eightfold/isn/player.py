"""The player `isn`: an Internal Symmetry Network for Go, without look-ahead or with a narrow alpha-beta.

isn:runs/isn-fast                  the move after which the board is worth most
isn:runs/isn-fast,beta=20          a move as likely as exp(β R), as in Blair's tournament
isn:runs/isn-fast,depth=5,width=6  alpha-beta, the six moves that the network likes best at every ply
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints
from eightfold.core.rng import make_random
from eightfold.core.settings import setting
from eightfold.core.specs import check_spec
from eightfold.games.game import Game, Position
from eightfold.games.state import WHITE
from eightfold.isn.assessment import IsnEvaluator
from eightfold.isn.go_network import GoIsn
from eightfold.isn.move_selection import draw_move
from eightfold.isn.search import search
from eightfold.isn.tables import IsnTables
from eightfold.nets.store.open import open_network
from eightfold.search.kind import Levels, PlayerKind
from eightfold.search.limits import Limits
from eightfold.search.move_time import Seconds
from eightfold.search.result import Progress, SearchResult, check_position, check_seed, one_hot

DEEPEST = 12
WATCHED_EVERY = 0.01  # seconds between two looks at the limits while a kernel searches


@dataclass(frozen=True, kw_only=True)
class IsnOptions:
    beta: float = setting(
        0.0, "move probability ~ exp(beta * value after the move); 0: always the best move", least=0, most=1e6
    )
    depth: int = setting(1, "search depth in plies; 1: evaluate each move, no further search", least=1, most=DEEPEST)
    width: int = setting(6, "moves to search at every ply", least=1, most=626)
    seconds: float = setting(0.0, "time for a move, searched as deep as it allows; 0: no limit", least=0, most=1e6)
    c: float = setting(0.4, "what a captured stone is worth", least=0, most=10)
    s: float = setting(0.4, "what a stone is worth at the end", least=0, most=1)


class IsnPlayer:
    """Chooses by what the board after a move is worth."""

    KIND = PlayerKind(
        summary="an Internal Symmetry Network for Go; PLACE: a run, a snapshot or a shipped network",
        argument="PLACE",
        example="isn:isn-9,depth=3",
        levels=Levels(option="depth", values=(1, 3, 5), usual=0, unit=("ply ahead", "plies ahead")),
    )
    Options = IsnOptions

    def __init__(
        self,
        game: Game,
        place: str | IsnTables,  # where a network lies, or one that is ready to play, which has its own c and s
        options: IsnOptions = IsnOptions(),  # noqa: B008 - frozen
        *,
        seed: int = 0,
    ) -> None:
        check_spec(options, "player isn")
        if isinstance(place, str):
            place = open_network(place, game, kind=GoIsn).tables(c=options.c, s=options.s)
        self.evaluator = IsnEvaluator(game, place)
        self._game, self._options, self._beta, self._width = game, options, float(options.beta), options.width
        self._s, self._seconds, self._depth = float(options.s), options.seconds, options.depth
        self._random = make_random(check_seed(seed))
        self.timed = options.seconds > 0

    def new_game(self) -> None:
        self.evaluator.forget()

    def fork(self, seed: int) -> IsnPlayer:
        return IsnPlayer(self._game, self.evaluator.tables, self._options, seed=seed)

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, "isn")
        limits = Limits(self._seconds, seconds, stop, on_progress)
        moves = self.evaluator.move_values(position)
        # Whoever names seconds and no depth wants it to look as far ahead as they allow.
        deepest = DEEPEST if self._seconds and self._depth == 1 else self._depth
        if deepest == 1:
            legal, sign = position.legal_moves, 1 if position.to_move == WHITE else -1
            action = int(draw_move(sign * moves[None], position.to_move, self._beta, legal, len(legal), self._random))
            return self._result(position, action, moves, effort=len(legal), depth=1)
        depths = range(2, deepest + 1) if limits.timed or limits.watched else range(deepest, deepest + 1)
        return self._look_ahead(position, moves, depths, limits)

    def _look_ahead(
        self, position: Position, scores: NDArray[np.float64], depths: range, limits: Limits
    ) -> SearchResult:
        """The deepest search that was finished; before the first of them, the move that looks best."""
        stop, facts = np.zeros(1, np.int64), np.zeros(1, np.int64)
        action, reached, effort = int(np.nanargmax(scores)), 1, 0
        outputs = self.evaluator.outputs(position)

        def so_far() -> SearchResult:
            return self._result(position, action, scores, effort=effort, depth=reached)

        with _watched(limits, stop):
            for depth in depths:
                found = np.zeros(self._game.actions)
                best = search(
                    position.state, outputs, self.evaluator.tables, self._s, depth, self._width, stop, found, facts
                )
                if best < 0:
                    break
                action, scores, reached = int(best), found, depth
                effort += int(facts[0])
                limits.report(so_far)
        return so_far()

    def _result(
        self, position: Position, action: int, scores: NDArray[np.float64], *, effort: int, depth: int
    ) -> SearchResult:
        return SearchResult(
            action=action,
            policy=one_hot(position.game.actions, action),
            value=self.evaluator.value(position),
            scores=scores,
            principal_variation=(action,),
            effort=effort,
            depth=depth,
        )


@contextlib.contextmanager
def _watched(limits: Limits, stop: Ints) -> Iterator[None]:
    """Set a kernel's `stop` [1] as soon as a limit is reached."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(WATCHED_EVERY):
            if limits.reached():
                stop[0] = 1
                return

    watcher = threading.Thread(target=watch, name="isn-limits", daemon=True)
    if limits.timed or limits.watched:
        watcher.start()
    try:
        yield
    finally:
        done.set()
