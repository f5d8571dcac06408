"""Probabilities of moves: from the definitions, ties in parts, posteriors that back off, errors in one line."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from plain_teams import competitions, pattern_names, plain_library, random_games, strength

from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.games.game import Position
from eightfold.patterns.bayes import smoothed_posteriors, worth_of_coarser
from eightfold.patterns.elo import rate_patterns
from eightfold.patterns.judgement import Chooser, make_judge
from eightfold.patterns.library import Library
from eightfold.patterns.predict import predict
from eightfold.patterns.teams import make_teams
from eightfold.patterns.templates import TEMPLATES, templates_with
from eightfold.patterns.walking import games_in_memory

GO = make_game("go:size=6,rules=japanese")
LEARNED = random_games(GO, 4, seed=1, most=40)
HELD_OUT = random_games(GO, 3, seed=2, most=40)


def by_definition(strengths: list[list[float]], winners: list[int]) -> tuple[float, float, float]:
    """Top 1, top 5 and log-loss, ties in parts."""
    first = five = loss = 0.0
    for each, winner in zip(strengths, winners, strict=True):
        better = sum(s > each[winner] for s in each)
        equal = sum(s == each[winner] for s in each)
        first += sum(better + k < 1 for k in range(equal)) / equal
        five += sum(better + k < 5 for k in range(equal)) / equal
        loss -= math.log(each[winner] / sum(each))
    return first / len(winners), five / len(winners), loss / len(winners)


@pytest.mark.parametrize("combined", [True, False])
def test_strengths_predict_by_the_products_of_teams(combined: bool) -> None:
    library = plain_library(GO, LEARNED, sides=(3,), combined=combined)
    features = ("distance", "capture")
    rated = rate_patterns(library, games_in_memory(GO, LEARNED), features=features, iterations=3).library
    gammas = {
        (name, int(code)): float(gamma)
        for name, table in rated.tables.items()
        for code, gamma in zip(table.codes, table.gammas, strict=True)
    }
    gammas |= {(name, level): float(g) for name, levels in rated.features.items() for level, g in enumerate(levels)}
    found = list(competitions(GO, HELD_OUT, sides=(3,), combined=combined, features=features))
    prediction = predict(rated, games_in_memory(GO, HELD_OUT))
    top1, top5, loss = by_definition(
        [[strength(t, gammas) for t in teams] for teams, _ in found], [w for _, w in found]
    )
    assert (prediction.method, prediction.sides, prediction.games, prediction.broken) == ("elo", (3,), 3, 0)
    assert prediction.positions == len(found)
    # Products of equal strengths may differ in the last digit, and then they are no ties.
    assert prediction.top1 == pytest.approx(top1, abs=0.02)
    assert prediction.top5 == pytest.approx(top5, abs=0.05)
    assert prediction.log_loss == pytest.approx(loss)
    assert 0 < prediction.log_loss_error < 1
    assert prediction.as_json()["top1"] == prediction.top1


def test_points_that_look_the_same_share_the_first_place() -> None:
    """On an empty board with 3x3 patterns alone sixteen points are in the middle, and one of them was played."""
    library = plain_library(GO, [[7], [8]], sides=(3,), combined=True)
    prediction = predict(library, games_in_memory(GO, [[14]]), method="bayes")
    assert (prediction.top1, prediction.top5) == pytest.approx((1 / 16, 5 / 16))
    assert math.isnan(prediction.top1_error), "one game has no spread"


@pytest.mark.parametrize("combined", [True, False])
def test_unseen_patterns_have_the_posterior_of_what_is_inside(combined: bool) -> None:
    """Smoothed posteriors from their formula: 4x4 drawn to 3x3, those to the mean, one after the other."""
    library = plain_library(GO, LEARNED, sides=(3, 4), combined=combined)
    teams = make_teams(library)
    values, unknown = smoothed_posteriors(teams)
    assert np.all((values[1:] > 0) & (values[1:] < 1))
    judge = make_judge(library, "bayes")
    position = GO.after(HELD_OUT[0][:12])
    strengths, _ = Chooser(judge, GO).judge(position)
    numbers = {
        (name, int(code)): values[numbers.start + place]
        for name, numbers in teams.tables.items()
        for place, code in enumerate(library.tables[name].codes)
    }
    backed_off = 0
    for point in position.legal_moves[position.legal_moves < GO.points].tolist():
        small, *large = pattern_names(position, point, (3, 4), combined)
        kind = [t.name for t in TEMPLATES.values()].index(small[0])
        coarse = numbers.get(small, unknown[kind])
        backed_off += sum(name not in numbers for name in large)
        logs = [math.log(numbers.get(name, coarse)) for name in large]
        assert strengths[point] == pytest.approx(math.exp(sum(logs) / len(logs)))
    assert backed_off, "some 4x4 patterns were never seen"
    assert not strengths[~position.legal_mask[: GO.points]].any()


def test_small_patterns_inside_large_ones() -> None:
    """A 4x4 pattern that was seen and never played is worth less than the best 3x3 pattern, yet not nothing."""
    library = plain_library(GO, LEARNED, sides=(3, 4), combined=True)
    teams = make_teams(library)
    values, _ = smoothed_posteriors(teams)
    table, numbers = library.tables["4x4-corner"], teams.tables["4x4-corner"]
    small = teams.tables["3x3-corner"]
    never = np.flatnonzero(table.plays == 0)
    assert values[numbers][never].max() < values[small].max()
    assert values[numbers][never].min() > 0


def test_the_worth_of_coarser_patterns_is_found_again() -> None:
    """Counts drawn from a beta distribution: its precision is what makes them most likely."""
    random = np.random.default_rng(5)
    coarse = random.uniform(0.02, 0.3, 20_000)
    matches = random.integers(1, 200, len(coarse)).astype(float)
    for k in (3.0, 40.0):
        true = random.beta(k * coarse, k * (1 - coarse))
        plays = random.binomial(matches.astype(int), true).astype(float)
        assert worth_of_coarser(matches, plays, coarse) == pytest.approx(k, rel=0.1)


def turned(position: Position, moves: list[int]) -> Position:
    """The mirror image of a position."""
    size = GO.size
    return GO.after([move if move == GO.points else move // size * size + size - 1 - move % size for move in moves])


@pytest.mark.parametrize("method", ["bayes", "elo"])
def test_a_combined_library_judges_mirrored_positions_alike(method: str) -> None:
    library = plain_library(GO, LEARNED, sides=(3, 4), combined=True)
    source = games_in_memory(GO, LEARNED)
    rated = rate_patterns(library, source, features=("distance", "self-atari", "edge"), iterations=2).library
    chooser = Chooser(make_judge(rated, method), GO)
    moves = HELD_OUT[1][:15]
    here, _ = chooser.judge(GO.after(moves))
    there, _ = chooser.judge(turned(GO.after(moves), moves))
    assert there.reshape(6, 6)[:, ::-1].ravel() == pytest.approx(here)


def test_what_cannot_be_judged_is_said() -> None:
    library = plain_library(GO, LEARNED[:1], sides=(3,), combined=True)
    source = games_in_memory(GO, HELD_OUT)
    with pytest.raises(EightfoldError, match="has no strengths to judge by"):
        predict(library, source, method="elo")
    with pytest.raises(EightfoldError, match="unknown method 'magic'"):
        predict(library, source, method="magic")
    with pytest.raises(EightfoldError, match="knows no patterns of 4x4; it knows 3x3-centre"):
        predict(library, source, sides=(4,))
    with pytest.raises(EightfoldError, match="no moves to predict"):
        predict(library, games_in_memory(GO, [[GO.points]]))


def test_an_illegal_move_ends_a_game_early_and_is_counted() -> None:
    library = plain_library(GO, LEARNED[:1], sides=(3,), combined=True)
    found = predict(library, games_in_memory(GO, [[7, 8, 7, 9], [1]]))
    assert (found.games, found.broken, found.positions) == (2, 1, 3)


@pytest.mark.slow
def test_gomoku_is_judged_by_the_same_machinery() -> None:
    game = make_game("gomoku:size=7")
    games = random_games(game, 3, seed=4)
    library = plain_library(game, games, sides=(3, 4), combined=True)
    rated = rate_patterns(library, games_in_memory(game, games), features=("distance", "edge"), iterations=3)
    assert rated.iterations[-1].objective > rated.iterations[0].objective
    uniform = np.mean([math.log(len(teams)) for teams, _ in competitions(game, games, sides=(3,), combined=True)])
    assert predict(rated.library, games_in_memory(game, games)).log_loss < uniform


def test_a_library_of_some_tables_alone() -> None:
    """What a library lacks does no harm: without edges and corners their points are worth the same."""
    library = plain_library(GO, LEARNED, sides=(3,), combined=True)
    centre: Library = dataclasses.replace(library, tables={"3x3-centre": library.tables["3x3-centre"]})
    strengths, _ = Chooser(make_judge(centre, "bayes"), GO).judge(GO.start())
    assert len(set(strengths[[0, 1, 5, 30, 35]].tolist())) == 1
    assert templates_with((3,))[0].name in centre.tables
