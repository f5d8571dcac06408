"""Ratings against independent implementations, closed forms, and tournaments of players whose strength is known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from eightfold.arena.bradley_terry import ELO, RatingFit, Score, fit_ratings
from eightfold.benchmarks.reference.bradley_terry import plain_ratings
from eightfold.core.errors import EightfoldError

Z95 = 1.96


def simulated(random, strengths, *, advantage: float, nu: float, games: int) -> list[Score]:
    """Every player against every other, `games` games with each of them moving first, by the definition."""
    scores = []
    for one, two in itertools.permutations(range(len(strengths)), 2):
        mine, theirs = math.exp(strengths[one] + advantage), math.exp(strengths[two])
        weights = np.array([mine, nu * math.sqrt(mine * theirs), theirs])
        scores.append(Score(one, two, *(int(n) for n in random.multinomial(games, weights / weights.sum()))))
    return scores


# ---- independent implementations ---------------------------------------------------------------------------------


@pytest.mark.parametrize("nu", [0.7, 0.0])
def test_ratings_and_intervals_are_those_of_a_plain_climb(nu):
    scores = simulated(np.random.default_rng(3), [0.0, 0.8, 1.5, 5.0], advantage=0.4, nu=nu, games=12)
    fit, plain = fit_ratings(4, scores), plain_ratings(4, scores)
    np.testing.assert_allclose(fit.elo, plain.elo, atol=0.02)
    np.testing.assert_allclose([rating.error for rating in fit.ratings], plain.errors, rtol=1e-3)
    assert fit.first_move == pytest.approx((plain.first_move, plain.first_move_error), rel=1e-3)
    assert fit.draw_parameter == pytest.approx(plain.nu, rel=1e-4)


def by_minorisation(players: int, scores, rounds: int) -> tuple[list[float], float]:
    """Hunter (2004), with the advantage of one side and no draws: strengths and advantage as factors."""
    strength, advantage = [1.0] * players, 1.0
    for _ in range(rounds):
        wins, weight = [0.5] * players, [1 / (each + 1) for each in strength]  # the prior: a game with 1
        led, lead_weight = 0.5, 1 / (advantage + 1)
        for first, second, won, _, lost in scores:
            total = (won + lost) / (advantage * strength[first] + strength[second])
            wins[first] += won
            wins[second] += lost
            weight[first] += advantage * total
            weight[second] += total
            led += won
            lead_weight += strength[first] * total
        strength = [mine / of for mine, of in zip(wins, weight, strict=True)]
        advantage = led / lead_weight
    return strength, advantage


def test_without_draws_ratings_are_those_of_minorisation_maximisation():
    scores = simulated(np.random.default_rng(5), [0.0, 1.0, 1.2, 4.0], advantage=0.5, nu=0.0, games=10)
    fit, (strength, advantage) = fit_ratings(4, scores), by_minorisation(4, scores, 1500)
    logs = np.log(strength)
    np.testing.assert_allclose(fit.elo, ELO * (logs - logs.mean()), atol=0.01)
    assert fit.first_move.elo == pytest.approx(ELO * math.log(advantage), abs=0.01)
    assert fit.draw_parameter == 0
    assert fit.draws == (0.0, None, None)


# ---- closed forms ----------------------------------------------------------------------------------------------


def test_two_players_have_a_closed_form():
    """With many games the prior is lost in them: odds W : L, nu = D / sqrt(W L), variance 1 / W + 1 / L."""
    wins, draws, losses = 5e6, 3e6, 2e6
    fit = fit_ratings(2, [Score(0, 1, wins, draws, losses)], first_move=False, anchor=1)
    assert fit.elo[1] == 0
    assert fit.elo[0] == pytest.approx(400 * math.log10(wins / losses), abs=1e-3)
    assert fit.draw_parameter == pytest.approx(draws / math.sqrt(wins * losses), rel=1e-5)
    assert fit.ratings[0].error == pytest.approx(Z95 * ELO * math.sqrt(1 / wins + 1 / losses), rel=1e-4)
    assert fit.ratings[1].error == pytest.approx(0, abs=1e-6)
    centred = fit_ratings(2, [Score(0, 1, wins, draws, losses)], first_move=False)
    assert centred.elo[0] == pytest.approx(fit.elo[0] / 2)
    assert centred.ratings[0].error == pytest.approx(fit.ratings[0].error / 2, rel=1e-4)
    assert fit.draws.low < fit.draws.share < fit.draws.high
    assert fit.draws.share == pytest.approx(fit.draw_parameter / (2 + fit.draw_parameter))


def test_the_first_move_of_two_players_has_a_closed_form():
    fit = fit_ratings(2, [Score(0, 1, 6e6, 0, 2e6), Score(1, 0, 5e6, 0, 5e6)])
    ahead, behind = math.log(6 / 2), math.log(5 / 5)  # lead + advantage, advantage - lead
    assert fit.first_move.elo == pytest.approx(ELO * (ahead + behind) / 2, abs=1e-3)
    assert fit.elo[0] - fit.elo[1] == pytest.approx(ELO * (ahead - behind) / 2, abs=1e-3)
    assert fit_ratings(2, [Score(0, 1, 6e6, 0, 2e6)], first_move=False).first_move == (0.0, 0.0)


def test_the_scores_that_ratings_expect_are_those_that_were_seen():
    """The maximum of a plain model: every player scores as many points as its ratings say."""
    scores = [Score(0, 1, 3e5, 0, 2e5), Score(1, 2, 3.5e5, 0, 1.5e5), Score(0, 2, 4.5e5, 0, 0.5e5)]
    elo = fit_ratings(3, scores, first_move=False).elo
    for player in range(3):
        surplus = 0.0
        for first, second, wins, _, losses in scores:
            expected = (wins + losses) / (1 + 10 ** ((elo[second] - elo[first]) / 400))
            surplus += (wins - expected) * ((player == first) - (player == second))
        assert surplus == pytest.approx(0, abs=1)


@pytest.mark.parametrize("score", [(10, 0, 0), (0, 10, 0), (0, 0, 10), (0, 0, 0), (9, 1, 0)])
def test_whoever_wins_or_draws_everything_stays_finite(score):
    fit = fit_ratings(2, [Score(0, 1, *score)])
    values = [*fit.elo, *fit.covariance.flat, *fit.first_move, fit.draw_parameter]
    assert np.isfinite(values).all()
    assert fit.elo[0] == pytest.approx(-fit.elo[1])
    assert np.sign(np.round(fit.elo[0], 6)) == np.sign(score[0] - score[2])


def test_players_that_never_met_are_rated_all_the_same():
    fit = fit_ratings(5, [Score(0, 1, 8, 0, 2), Score(2, 3, 5, 5, 0)])
    assert np.isfinite(fit.elo).all()
    assert fit.ratings[4].error > fit.ratings[0].error > 100, "of who never played little is known"
    assert fit.elo.sum() == pytest.approx(0, abs=1e-9)
    far = fit_ratings(9, [Score(k, k + 1, 100_000, 0, 0) for k in range(8)], first_move=False)
    assert (np.diff(far.elo) < -1000).all()


def test_who_is_how_likely_to_be_stronger():
    fit = fit_ratings(3, [Score(0, 1, 12, 3, 5), Score(1, 2, 10, 0, 10), Score(0, 2, 9, 2, 9)], first_move=False)
    superiority = fit.superiority
    np.testing.assert_allclose(superiority + superiority.T, 1)
    np.testing.assert_allclose(np.diag(superiority), 0.5)
    assert 0.8 < superiority[0, 1] < 0.999
    draws = np.random.default_rng(1).multivariate_normal(fit.elo, fit.covariance, 40_000)
    assert superiority[0, 2] == pytest.approx((draws[:, 0] > draws[:, 2]).mean(), abs=0.01)


def test_refusals():
    with pytest.raises(EightfoldError, match="there are 0 players"):
        fit_ratings(0, [])
    with pytest.raises(EightfoldError, match="an anchor among them"):
        fit_ratings(2, [], anchor=2)


# ---- tournaments of players whose strength is known ---------------------------------------------------------------


def covered(rating, truth: float) -> bool:
    return abs(rating.elo - truth) <= rating.error


def test_intervals_cover_the_truth_as_often_as_they_say():
    """Of 1,800 intervals 95 % ought to hold the truth; the share wavers by half a point or so."""
    random = np.random.default_rng(7)
    strengths = np.array([-1.5, -0.6, 0.0, 0.2, 0.7, 1.2])
    advantage, nu = 0.5, 0.8
    truth = ELO * (strengths - strengths.mean())
    fits: list[RatingFit] = []
    for _ in range(300):
        scores = simulated(random, strengths, advantage=advantage, nu=nu, games=20)
        fits.append(fit_ratings(6, scores))
    hits = [covered(rating, true) for fit in fits for rating, true in zip(fit.ratings, truth, strict=True)]
    assert np.mean(hits) == pytest.approx(0.95, abs=0.02)
    assert np.mean([covered(fit.first_move, ELO * advantage) for fit in fits]) == pytest.approx(0.95, abs=0.04)
    share = nu / (2 + nu)
    assert np.mean([fit.draws.low <= share <= fit.draws.high for fit in fits]) == pytest.approx(0.95, abs=0.04)
    # And they are not only wide: the estimates lie around the truth.
    np.testing.assert_allclose(np.mean([fit.elo for fit in fits], axis=0), truth, atol=6)
    assert np.mean([fit.first_move.elo for fit in fits]) == pytest.approx(ELO * advantage, abs=3)
    assert np.mean([fit.draws.share for fit in fits]) == pytest.approx(share, abs=0.01)
