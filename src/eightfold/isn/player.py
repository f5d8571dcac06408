"""The player `isn`: an Internal Symmetry Network for Go, without look-ahead or with a narrow alpha-beta.

isn:runs/isn-fast                  the move after which the board is worth most
isn:runs/isn-fast,beta=20          a move as likely as exp(β R), as in document 003's tournament
isn:runs/isn-fast,depth=5,width=6  alpha-beta, the six moves that the network likes best at every ply
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import numpy as np

from eightfold.core.jit import Ints
from eightfold.core.rng import make_random
from eightfold.core.specs import Option, check_options
from eightfold.games.game import Game, Position
from eightfold.games.state import WHITE
from eightfold.isn.choice import draw_move
from eightfold.isn.place import load_go_isn
from eightfold.isn.search import search
from eightfold.isn.view import IsnEvaluator, IsnView
from eightfold.search.limits import Limits
from eightfold.search.result import Progress, SearchResult, check_position, check_seed, one_hot

DEEPEST = 12
WATCHED_EVERY = 0.01  # seconds between two looks at the limits while a kernel searches


class IsnPlayer:
    """Chooses by what the board after a move is worth."""

    OPTIONS = (
        Option(name="beta", default=0.0, least=0, most=1e6, help="a move is as likely as exp(beta * R); 0: the best"),
        Option(name="depth", default=1, least=1, most=DEEPEST, help="plies to look ahead; 1: none"),
        Option(name="width", default=6, least=1, most=626, help="moves that are looked into at every ply"),
        Option(name="seconds", default=0.0, least=0, most=1e6, help="time for a move, as deep as it allows"),
        Option(name="c", default=0.4, least=0, most=10, help="what a captured stone is worth"),
        Option(name="s", default=0.4, least=0, most=1, help="what a stone is worth at the end"),
    )

    def __init__(
        self,
        game: Game,
        place: str,
        *,
        beta: float = 0.0,
        depth: int = 1,
        width: int = 6,
        seconds: float = 0.0,
        c: float = 0.4,
        s: float = 0.4,
        seed: int = 0,
    ) -> None:
        given = {"beta": beta, "depth": depth, "width": width, "seconds": seconds, "c": c, "s": s}
        check_options(self.OPTIONS, "player isn", given)
        network, by_count = load_go_isn(place)
        self.evaluator = IsnEvaluator(game, network, c=c, s=s, by_count=by_count)
        self._game, self._beta, self._width, self._s, self._seconds = game, float(beta), width, float(s), seconds
        self._depth = depth
        self._random = make_random(check_seed(seed))

    def new_game(self) -> None:
        self.evaluator.forget()

    def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, "isn")
        limits = Limits(self._seconds, seconds, stop, on_progress)
        view = self.evaluator.view(position)
        legal = position.legal_moves
        # Whoever names seconds and no depth wants it to look as far ahead as they allow.
        deepest = DEEPEST if self._seconds and self._depth == 1 else self._depth
        if deepest == 1:
            sign = 1 if position.to_move == WHITE else -1
            white = np.ascontiguousarray(sign * view.moves[None])
            action = int(draw_move(white, position.to_move, self._beta, legal, len(legal), self._random))
            return self._result(position, view, action, view.moves, effort=len(legal), depth=1)
        depths = range(2, deepest + 1) if limits.timed or limits.watched else range(deepest, deepest + 1)
        return self._look_ahead(position, view, depths, limits)

    def _look_ahead(self, position: Position, view: IsnView, depths: range, limits: Limits) -> SearchResult:
        """The deepest search that was finished; before the first of them, the move that looks best."""
        stop, facts = np.zeros(1, np.int64), np.zeros(1, np.int64)
        scores, action, reached, effort = view.moves, int(np.nanargmax(view.moves)), 1, 0
        said = self.evaluator.outputs(position)

        def so_far() -> SearchResult:
            return self._result(position, view, action, scores, effort=effort, depth=reached)

        with _watched(limits, stop):
            for depth in depths:
                found = np.zeros(self._game.actions)
                best = search(
                    position.state, said, self.evaluator.tables, self._s, depth, self._width, stop, found, facts
                )
                if best < 0:
                    break
                action, scores, reached = int(best), found, depth
                effort += int(facts[0])
                limits.report(so_far)
        return so_far()

    def _result(
        self, position: Position, view: IsnView, action: int, scores: object, *, effort: int, depth: int
    ) -> SearchResult:
        # The lead by area as a value between -1 and 1: one board side ahead is three quarters of a won game.
        value = float(np.tanh(view.chinese / self._game.size))
        return SearchResult(
            action=action,
            policy=one_hot(position.game.actions, action),
            value=value,
            scores=np.asarray(scores),
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
