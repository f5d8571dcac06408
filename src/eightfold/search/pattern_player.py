"""The player `pattern`: a move by the shapes that were played in other games, without any look-ahead.

It draws from the probabilities of `eightfold.patterns.judgement`, by posteriors (Wei et al.) or by strengths (Coulom
2007) of a library. Of games that say what a move does to groups (`eightfold.games.effects`) it fills no own eye, and it
passes when every other point only puts its own stones in atari.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.settings import setting
from eightfold.core.specs import check_spec
from eightfold.games.effects import CAPTURE, OWN_EYE, SELF_ATARI
from eightfold.games.game import Game, Position
from eightfold.patterns.judgement import METHODS, Chooser, Judge, make_judge
from eightfold.patterns.shipped import open_library
from eightfold.patterns.teams import Floats
from eightfold.search.kind import PlayerKind
from eightfold.search.move_time import Seconds
from eightfold.search.result import Progress, SearchResult, check_position, check_seed, one_hot


@dataclass(frozen=True, kw_only=True)
class PatternOptions:
    library: str = setting("", "file of a pattern library (nothing: the one that comes with Eightfold)")
    method: str = setting(
        "auto",
        "how shapes are judged: posteriors, or strengths (auto: if there are any)",
        choices=("auto", *METHODS),
    )
    temperature: float = setting(1.0, "1: by the probabilities; below 1 sharper, at 0 the likeliest", least=0, most=100)


class PatternPlayer:
    """Plays shapes."""

    KIND = PlayerKind(
        summary="a move by the shapes round it, as often as such shapes were played; no look-ahead",
        example="pattern:temperature=0.5",
    )
    Options = PatternOptions
    timed, bytes_a_game = False, 0

    def __init__(
        self,
        game: Game,
        options: PatternOptions = PatternOptions(),  # noqa: B008
        *,
        seed: int = 0,
        judge: Judge | None = None,
    ) -> None:
        check_spec(options, "player pattern")
        self._game, self._options, self._random = game, options, np.random.default_rng(check_seed(seed))
        method = "" if options.method == "auto" else options.method
        self._judge = judge or make_judge(open_library(options.library, game), method)
        self._chooser = Chooser(self._judge, game)

    def new_game(self) -> None:
        """It remembers nothing."""

    def fork(self, seed: int) -> PatternPlayer:
        return PatternPlayer(self._game, self._options, seed=seed, judge=self._judge)

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        check_position(position, self._game, "pattern")
        game = self._game
        strengths, effects = self._chooser.judge(position)
        legal = position.legal_mask[: game.points]
        sensible = legal & (effects & OWN_EYE == 0)
        if game.spec.has_pass and not np.any(sensible & ((effects & SELF_ATARI == 0) | (effects & CAPTURE != 0))):
            return SearchResult(action=game.points, policy=one_hot(game.actions, game.points), value=0.0)
        probabilities = _probabilities(strengths, sensible if sensible.any() else legal, self._options.temperature)
        policy = np.zeros(game.actions, np.float32)
        policy[: game.points] = probabilities
        action = int(self._random.choice(game.points, p=probabilities))
        return SearchResult(action=action, policy=policy, value=0.0)


def _probabilities(strengths: Floats, allowed: NDArray[np.bool_], temperature: float) -> Floats:
    """[P]: in proportion to the strengths to the power of 1 / temperature."""
    weights = np.where(allowed, strengths, 0.0)
    if not weights.any():
        weights = allowed.astype(np.float64)  # shapes that never won, all of them
    weights /= weights.max()
    weights = (weights == 1.0).astype(np.float64) if temperature == 0 else weights ** (1 / temperature)
    return weights / weights.sum()
