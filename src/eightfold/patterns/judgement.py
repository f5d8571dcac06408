"""From a library to probabilities of moves: by smoothed posteriors (`bayes`), or by strengths of teams (`elo`).

    bayes: in proportion to the geometric mean of the smoothed posteriors of a point's 4x4 patterns (`bayes.py`),
           or to that of its 3x3 pattern if the library knows no others
    elo:   in proportion to the product of the strengths of the point's patterns and features (`elo.py`)

either of all legal points. Read next: `predict.py`, how good these are; `eightfold.search.pattern_player`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.jit import Ints
from eightfold.core.specialise import specialise
from eightfold.games.game import Game, Position
from eightfold.patterns.bayes import smoothed_posteriors
from eightfold.patterns.features import FEATURES
from eightfold.patterns.library import Library
from eightfold.patterns.team_kernels import Judgement
from eightfold.patterns.teams import TEMPLATE_NAMES, Floats, Teams, geometry, make_teams, make_workspace

KERNELS = "eightfold.patterns.team_kernels"
METHODS = ("bayes", "elo")


@dataclass(frozen=True, kw_only=True, eq=False)
class Judge:
    """A library made ready to judge moves by one method."""

    method: str
    teams: Teams
    judgement: Judgement


def make_judge(library: Library, method: str = "", *, sides: Sequence[int] = (3, 4)) -> Judge:
    """By a method, or else by strengths where the library has them; with its patterns of some block sizes."""
    method = method or ("elo" if library.has_elo else "bayes")
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if not any(library.template_of(name).side in sides for name in library.tables):
        wanted = " or ".join(f"{side}x{side}" for side in sides)
        raise EightfoldError(f"this library knows no patterns of {wanted}; it knows {', '.join(library.tables)}")
    if method == "bayes":
        teams = make_teams(library, sides=sides)
        values, unseen = smoothed_posteriors(teams)
        return Judge(method=method, teams=teams, judgement=Judgement(values, unseen, True))
    if not library.has_elo:
        raise EightfoldError(
            "this library has no strengths to judge by; learn them with --elo, or use the method bayes"
        )
    teams = make_teams(library, [name for name in FEATURES if name in library.features], sides=sides)
    return Judge(method=method, teams=teams, judgement=by_strength(stored_strengths(teams)))


def by_strength(values: Floats) -> Judgement:
    """Strengths [numbers] are multiplied."""
    return Judgement(values, np.ones(len(TEMPLATE_NAMES)), False)


def stored_strengths(teams: Teams) -> Floats:
    """[numbers]: those of the library; 1 where it has none."""
    library = teams.library
    values = np.ones(teams.count)
    for name, numbers in teams.tables.items():
        gammas = library.tables[name].gammas
        if gammas is not None:
            values[numbers] = gammas
    for name, numbers in teams.features.items():
        if name in library.features:
            values[numbers] = library.features[name][1:]  # level 0 neither helps nor harms
    return values


class Chooser:
    """Judges single positions of one game."""

    def __init__(self, judge: Judge, game: Game) -> None:
        self._judge, self._kernels = judge, specialise(KERNELS, game.rules)
        self._board, self._work = geometry(game.size, judge.teams.sides), make_workspace(game)
        self._strengths, self._nothing = np.zeros(game.points), np.zeros(judge.teams.count)
        self._effects = np.zeros(game.points, np.int64)

    def judge(self, position: Position) -> tuple[Floats, Ints]:
        """[P] the strengths of the legal points, 0 elsewhere, and [P] what each does (`eightfold.games.effects`)."""
        before = position.moves[-2] if len(position.moves) > 1 else -1
        judge = self._judge
        self._kernels.judge_position(
            position.state,
            before,
            judge.teams.numbering,
            self._board,
            judge.judgement,
            self._work,
            self._nothing,
            self._strengths,
            self._effects,
        )
        return self._strengths.copy(), self._effects.copy()
