"""Elo ratings by maximum likelihood: Bradley & Terry (1952), with draws and the advantage of moving first.

Davidson (1970) adds draws, Davidson & Beaver (1977) the order. With d the lead in strength of who moves first, its
advantage included, and nu the draw parameter, the chances of a win, a draw and a loss of the first mover are as

    exp(d / 2)  :  nu  :  exp(-d / 2)

so that 400 points of Elo are odds of 10 to 1 among the games that are decided. The logarithms are linear in the
strengths, the advantage and log nu: the likelihood has one maximum, and Newton's method finds it. There the Fisher
information is the curvature itself; its inverse is the covariance of the estimates, from which the 95 % intervals come.
They take games as independent.

A weak prior keeps everything finite where somebody wins all games: each player has one more game against an average
player, and the first move one between equals; either counts as half a win and half a loss. Without a draw nu is 0. So
what is left of it is a plain Bradley-Terry model.

Read next: `eightfold.arena.tournaments.standings`, which rates the players of a tournament.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.intervals import Z95

ELO = 400 / math.log(10)  # points for each unit of the logistic function
STEPS, CLOSE = 200, 1e-9  # of Newton's method

Floats = NDArray[np.float64]


class Score(NamedTuple):
    """Games of two players in all of which the same one moves first; the counts are that one's and may be fractions."""

    first: int
    second: int
    wins: float
    draws: float
    losses: float


class Rating(NamedTuple):
    elo: float
    error: float  # half the 95 % interval


class DrawShare(NamedTuple):
    """How many games equal players draw when neither has an advantage; the interval is unknown if none was drawn."""

    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class RatingFit:
    """What games say of their players. P players."""

    elo: Floats  # [P]
    covariance: Floats  # [P, P] of `elo`
    first_move: Rating  # the advantage of moving first
    draw_parameter: float  # nu
    draws: DrawShare

    @property
    def ratings(self) -> tuple[Rating, ...]:
        errors = Z95 * np.sqrt(np.maximum(np.diag(self.covariance), 0))
        return tuple(Rating(float(elo), float(error)) for elo, error in zip(self.elo, errors, strict=True))

    def reordered(self, order: NDArray[np.intp]) -> RatingFit:
        """The same with the players in another order."""
        return replace(self, elo=self.elo[order], covariance=self.covariance[np.ix_(order, order)])

    @property
    def superiority(self) -> Floats:
        """[P, P]: how likely the player of the row is to be stronger than that of the column."""
        variance = np.diag(self.covariance)
        spread = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * self.covariance, 1e-300))
        z = (self.elo[:, None] - self.elo[None, :]) / spread
        return np.array([[0.5 * math.erfc(-each / math.sqrt(2)) for each in row] for row in z])


def fit_ratings(
    players: int, scores: Sequence[Score], *, anchor: int | None = None, first_move: bool = True
) -> RatingFit:
    """The most likely ratings of players 0 to `players` - 1.

    Their mean is 0, or the rating of the player `anchor` is. Without `first_move` nobody has an advantage, whoever
    begins: for scores that do not tell.

    >>> fit = fit_ratings(2, [Score(0, 1, 75, 0, 25)], first_move=False)
    >>> [round(rating.elo) for rating in fit.ratings]
    [95, -95]
    """
    if players < 1 or (anchor is not None and not 0 <= anchor < players):
        raise EightfoldError(f"there are {players} players; ratings need one at least, and an anchor among them")
    leads, counts = _rows(players, scores, first_move)  # [M, K], [M, 3]
    with_draws = bool(counts[:, 1].any())
    strengths, log_nu, information = _maximum(leads, counts, with_draws)
    inverse = np.linalg.inv(information)
    shift = np.full(players, 1 / players) if anchor is None else np.eye(players)[anchor]
    anchored = np.eye(players) - shift
    advantage = Rating(0.0, 0.0)
    if first_move:
        error = Z95 * math.sqrt(inverse[players, players])
        advantage = Rating(ELO * float(strengths[players]), ELO * error)
    return RatingFit(
        elo=ELO * (anchored @ strengths[:players]),
        covariance=ELO**2 * (anchored @ inverse[:players, :players] @ anchored.T),
        first_move=advantage,
        draw_parameter=math.exp(log_nu),
        draws=_draw_share(log_nu, math.sqrt(inverse[-1, -1])) if with_draws else DrawShare(0.0, None, None),
    )


def _rows(players: int, scores: Sequence[Score], first_move: bool) -> tuple[Floats, Floats]:
    """What the lead of each first mover is made of, [M, K], and its wins, draws and losses, [M, 3]; the prior too."""
    columns = players + first_move
    leads = np.zeros((len(scores), columns))
    for row, score in enumerate(scores):
        leads[row, score.first] += 1
        leads[row, score.second] -= 1
        leads[row, players:] = 1
    counts = np.array([score[2:] for score in scores], np.float64).reshape(-1, 3)
    prior = np.tile([0.5, 0.0, 0.5], (columns, 1))
    return np.concatenate([leads, np.eye(columns)]), np.concatenate([counts, prior])


def _maximum(leads: Floats, counts: Floats, with_draws: bool) -> tuple[Floats, float, Floats]:
    """Strengths and advantage [K], log nu, and the information about all of them, [K, K] or [K + 1, K + 1]."""
    won, drawn, lost = counts.T  # [M] each
    games, columns = counts.sum(axis=1), leads.shape[1]
    at = np.zeros(columns + with_draws)
    if with_draws:
        at[-1] = math.log(2 * drawn.sum() / (won.sum() + lost.sum()))

    def chances(point: Floats) -> tuple[Floats, float, Floats]:
        """[M, 3] of a win, a draw and a loss; log nu; log likelihoods [M, 3]."""
        lead = leads @ point[:columns]
        log_nu = float(point[-1]) if with_draws else -math.inf
        logits = np.stack([lead / 2, np.full_like(lead, log_nu), -lead / 2], axis=1)
        logs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        return np.exp(logs), log_nu, logs

    def likelihood(point: Floats) -> float:
        logs = chances(point)[2]
        return float((counts * np.where(counts > 0, logs, 0)).sum())

    best = likelihood(at)
    for _ in range(STEPS):
        (win, draw, loss), information = chances(at)[0].T, np.empty((len(at), len(at)))
        slope = leads.T @ ((won - lost - games * (win - loss)) / 2)
        curvature = games * (win + loss - (win - loss) ** 2) / 4  # for the lead
        information[:columns, :columns] = (leads * curvature[:, None]).T @ leads
        if with_draws:
            slope = np.append(slope, (drawn - games * draw).sum())
            information[-1, :columns] = information[:columns, -1] = -leads.T @ (games * (win - loss) * draw / 2)
            information[-1, -1] = (games * draw * (1 - draw)).sum()
        step = np.linalg.solve(information, slope)
        size = float(np.abs(step).max(initial=0))
        step /= max(1.0, size)  # far away the curvature misleads
        while size > CLOSE and (found := likelihood(at + step)) < best:
            step, size = step / 2, size / 2
        if size <= CLOSE:
            break
        at, best = at + step, found
    return at[:columns], chances(at)[1], information


def _draw_share(log_nu: float, deviation: float) -> DrawShare:
    low, share, high = (1 / (1 + 2 * math.exp(-log_nu - side * Z95 * deviation)) for side in (-1, 0, 1))
    return DrawShare(share, low, high)
