"""Elo ratings of patterns: Bradley-Terry strengths by minorisation-maximisation (Coulom 2007; Wei et al., equation 3).

Every move of a record is a competition. The teams are the legal points, each with its patterns and features; the team
that was played wins, with a probability in proportion to the product of its members' strengths. Of one kind of
members, of which every team has at most one, an iteration

    gamma_i <- W_i / sum_j (C_ij / E_j)     W_i wins, C_ij the strength of i's team mates in competition j, E_j of all

never lowers the likelihood. The sum times gamma_i is the number of wins that the strengths promise, so this is
gamma_i <- gamma_i * W_i / expected_i. A point has up to four 4x4 patterns, and features besides: for teams of up to M
members, all updated at once, the same holds for the ratio to the power of 1/M (generalised iterative scaling). Larger
steps are mostly safe and much faster, so the exponent grows to 1 as long as the likelihood rises; a step that lowers it
is taken back, and no exponent as large is tried again. At 1/M, where nothing can go wrong, that ends.

A prior keeps rare patterns near strength 1: so many games won and so many lost against a team of that strength.

Memory does not grow with the games: they are read once for each iteration. Read next: `team_kernels.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.patterns.judgement import Judge, by_strength, stored_strengths
from eightfold.patterns.library import Library
from eightfold.patterns.team_kernels import LOSS, POSITIONS
from eightfold.patterns.teams import Floats, Teams, make_teams
from eightfold.patterns.walking import Source, Walk, walk_through

ITERATIONS = 20
PRIOR = 1.0
FIRST_EXPONENT = 0.5
GROWTH = 1.5  # of the exponent after a step that helped
ELO = "elo"  # in what a library tells about itself


@dataclass(frozen=True, kw_only=True)
class Iteration:
    """How good the strengths are after so many iterations; after none all are 1."""

    number: int
    log_likelihood: float  # mean over moves, in nats
    objective: float  # the same with the prior's games: what never falls
    exponent: float  # of the step that led here


@dataclass(frozen=True, kw_only=True, eq=False)
class Rated:
    """A library with strengths, and how they were reached."""

    library: Library
    iterations: tuple[Iteration, ...]
    positions: int
    games: int
    taken_back: int  # steps that would have lowered the likelihood


@dataclass(frozen=True, kw_only=True, eq=False)
class _Point:
    """Strengths, and what going through the games with them showed."""

    values: Floats
    walk: Walk
    objective: float  # the whole sum
    exponent: float


OnGames = Callable[[int, int], None]  # iteration, games done in it
OnIteration = Callable[[Rated], None]


def rate_patterns(
    library: Library,
    source: Source,
    *,
    features: Sequence[str] = (),
    sides: Sequence[int] = (3, 4),
    iterations: int = ITERATIONS,
    prior: float = PRIOR,
    resumes: Rated | None = None,
    on_iteration: OnIteration = lambda rated: None,
    on_games: OnGames = lambda iteration, games: None,
) -> Rated:
    """Learn strengths of the patterns of a counted library, and of features, from games.

    `on_iteration` gets what is reached after every iteration; given back as `resumes`, learning goes on from there.
    """
    if iterations < 1 or not 0 <= prior < math.inf:
        raise EightfoldError(f"{iterations} iterations with a prior of {prior:g}: at least 1 and at least 0 are needed")
    teams = make_teams(library, features, sides=sides)
    if teams.count == 1:
        raise EightfoldError("there are no patterns in this library to rate")
    least = 1 / teams.most_members
    history = list(resumes.iterations[:-1]) if resumes else []  # the last of them is looked at again
    taken_back = resumes.taken_back if resumes else 0
    values = stored_strengths(replace(teams, library=resumes.library)) if resumes else np.ones(teams.count)
    exponent, most = max(least, FIRST_EXPONENT), 1.0
    if resumes and len(resumes.iterations) > 1:
        exponent = resumes.iterations[-1].exponent
    best: _Point | None = None
    while True:
        number = len(history)
        walk = walk_through(
            source,
            Judge(method=ELO, teams=teams, judgement=by_strength(values)),
            learns=True,
            on_games=lambda games, number=number: on_games(number, games),  # type: ignore[misc]
        )
        positions = walk.notes[:, POSITIONS].sum()
        if not positions:
            raise EightfoldError("there are no moves to learn from in these games")
        likelihood = -walk.notes[:, LOSS].sum()
        objective = likelihood + _log_prior(values[1:], prior)
        if best is not None and objective < best.objective and exponent > least:
            taken_back += 1
            exponent = most = max(least, exponent / GROWTH)
            values = _step(best, exponent, prior)
            continue
        best = _Point(values=values, walk=walk, objective=objective, exponent=exponent)
        history.append(
            Iteration(
                number=number,
                log_likelihood=float(likelihood / positions),
                objective=float(objective / positions),
                exponent=float(exponent if number else 0.0),
            )
        )
        told = {
            "games": len(walk.notes),
            "positions": int(positions),
            "prior": prior,
            "taken_back": taken_back,
            "iterations": [asdict(each) for each in history],
        }
        reached = Rated(
            library=_with_strengths(teams, values, told),
            iterations=tuple(history),
            positions=int(positions),
            games=len(walk.notes),
            taken_back=taken_back,
        )
        on_iteration(reached)
        if number >= iterations:
            return reached
        exponent = min(most, exponent * GROWTH) if number else exponent
        values = _step(best, exponent, prior)


def _step(point: _Point, exponent: float, prior: float) -> Floats:
    """[numbers]: strengths times (wins / expected wins) to the power of the exponent; the prior's games are counted."""
    wins = point.walk.wins + prior
    expected = point.walk.expected + 2 * prior * point.values / (1 + point.values)
    ratios = np.divide(wins, expected, out=np.ones_like(wins), where=expected > 0)  # nobody saw it: it stays
    values = point.values * ratios**exponent
    values[0] = 1.0
    return values


def _log_prior(values: Floats, prior: float) -> float:
    """The logarithm of the probability that every member wins and loses `prior` games against strength 1."""
    return float(np.sum(np.log(values) - 2 * np.log1p(values))) * prior if prior else 0.0


def _with_strengths(teams: Teams, values: Floats, told: Mapping[str, Any]) -> Library:
    library = teams.library
    tables = dict(library.tables)
    for name, numbers in teams.tables.items():
        tables[name] = replace(tables[name], gammas=values[numbers].astype(np.float32))
    features = {name: np.concatenate(([1.0], values[numbers])) for name, numbers in teams.features.items()}
    return replace(library, tables=tables, features=features, about={**library.about, ELO: dict(told)})
