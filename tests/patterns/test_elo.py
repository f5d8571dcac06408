"""Strengths of patterns and features against plain minorisation-maximisation, closed forms and the paper's remark."""

from __future__ import annotations

import numpy as np
import pytest
from plain_teams import Name, competitions, expected_wins, plain_library, random_games

from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.patterns.elo import Rated, rate_patterns
from eightfold.patterns.features import FEATURES, check_features, features_of
from eightfold.patterns.judgement import Judge, by_strength
from eightfold.patterns.library import Library
from eightfold.patterns.teams import Teams, make_teams
from eightfold.patterns.walking import games_in_memory, walk_through

GO = make_game("go:size=6,rules=japanese")
GAMES = random_games(GO, 4, seed=1, most=40)
SOURCE = games_in_memory(GO, GAMES)


def named(teams: Teams, values: np.ndarray) -> dict[Name, float]:
    """What belongs to numbers, by names."""
    found = {}
    for table, numbers in teams.tables.items():
        codes = teams.library.tables[table].codes
        found |= {(table, int(code)): float(v) for code, v in zip(codes, values[numbers], strict=True)}
    for feature, numbers in teams.features.items():
        found |= {(feature, level): float(v) for level, v in enumerate(values[numbers], start=1)}
    return found


@pytest.mark.parametrize("combined", [True, False])
def test_wins_expected_wins_and_likelihood_are_those_of_the_definition(combined: bool) -> None:
    """With any strengths at all: 3x3 and 4x4 patterns and all features, captures and illegal points among them."""
    library = plain_library(GO, GAMES, sides=(3, 4), combined=combined)
    teams = make_teams(library, list(FEATURES))
    values = np.random.default_rng(0).uniform(0.2, 3, teams.count)
    values[0] = 1
    walk = walk_through(SOURCE, Judge(method="elo", teams=teams, judgement=by_strength(values)), learns=True)
    found = list(competitions(GO, GAMES, sides=(3, 4), combined=combined, features=list(FEATURES)))
    wins, expected, likelihood = expected_wins(found, named(teams, values))
    assert {name: wins.get(name, 0) for name in named(teams, walk.wins)} == named(teams, walk.wins)
    assert named(teams, walk.expected) == pytest.approx({name: expected[name] for name in named(teams, values)})
    assert -walk.notes[:, 3].sum() == pytest.approx(likelihood)
    assert walk.notes[:, 0].tolist() == [sum(move < GO.points for move in moves) for moves in GAMES]
    assert {level for feature, level in wins if feature == "capture"} == {1, 2}


def test_one_kind_of_members_takes_the_steps_of_plain_minorisation_maximisation() -> None:
    library = plain_library(GO, GAMES, sides=(3,), combined=True)
    found = list(competitions(GO, GAMES, sides=(3,), combined=True))
    gammas = dict.fromkeys((name for teams, _ in found for team in teams for name in team), 1.0)
    curve = []
    for _ in range(4):
        wins, expected, likelihood = expected_wins(found, gammas)
        curve.append(likelihood / len(found))
        for name, gamma in gammas.items():
            games = sum(1 / (gamma + 1) for _ in range(2))  # one won and one lost against strength 1
            gammas[name] = (wins[name] + 1) / (expected[name] / gamma + games)
    rated = rate_patterns(library, SOURCE, iterations=4)
    assert [each.log_likelihood for each in rated.iterations[:4]] == pytest.approx(curve)
    assert all(each.exponent == 1 for each in rated.iterations[1:])
    for table in rated.library.tables:
        for code, gamma in zip(library.tables[table].codes, rated.library.tables[table].gammas, strict=True):
            assert gamma == pytest.approx(gammas[table, int(code)], rel=1e-5)


@pytest.mark.parametrize("prior", [0.0, 1.0])
@pytest.mark.parametrize("combined", [True, False])
def test_the_likelihood_never_falls(combined: bool, prior: float) -> None:
    library = plain_library(GO, GAMES, sides=(3, 4), combined=combined)
    rated = rate_patterns(library, SOURCE, features=list(FEATURES), iterations=25, prior=prior)
    objectives = [each.objective for each in rated.iterations]
    assert len(objectives) == 26
    assert objectives == sorted(objectives)
    assert objectives[-1] - objectives[-2] < 0.05 * (objectives[1] - objectives[0]), "it converges"
    if prior == 0:
        assert [each.log_likelihood for each in rated.iterations] == objectives


def test_what_converges_is_where_wins_are_what_is_expected() -> None:
    """The likelihood is concave in the logarithms of strengths: where its gradient is 0, it is highest."""
    library = plain_library(GO, GAMES, sides=(3,), combined=True)
    rated = rate_patterns(library, SOURCE, features=("distance", "capture"), iterations=400, prior=2.0)
    gammas = {
        (table, int(code)): float(gamma)
        for table, each in rated.library.tables.items()
        for code, gamma in zip(each.codes, each.gammas, strict=True)
    }
    for feature, levels in rated.library.features.items():
        assert levels[0] == 1
        gammas |= {(feature, level): float(gamma) for level, gamma in enumerate(levels) if level}
    found = list(competitions(GO, GAMES, sides=(3,), combined=True, features=("distance", "capture")))
    wins, expected, _ = expected_wins(found, gammas)
    for name, gamma in gammas.items():
        assert wins[name] + 2 == pytest.approx(expected[name] + 4 * gamma / (1 + gamma), abs=0.02)


def test_two_players_have_the_closed_form() -> None:
    """A first move on 3x3: the centre against eight points of the edge. Odds are wins, divided by eight to one."""
    game = make_game("go:size=3")
    games = [[4]] * 5 + [[point] for point in (0, 1, 2, 3, 5, 6, 7, 8, 0, 1, 2, 3, 5, 6, 7)]
    nothing = Library(game="go", combined=True, tables={})
    rated = rate_patterns(nothing, games_in_memory(game, games), features=("edge",), iterations=60, prior=0)
    edge, centre = rated.library.features["edge"][1:3]
    assert centre / edge == pytest.approx(8 * 5 / 15)
    likelihood = (5 * np.log(5 / 20) + 15 * np.log(15 / 20 / 8)) / 20
    assert rated.iterations[-1].log_likelihood == pytest.approx(likelihood)


def test_one_iteration_from_equal_strengths_gives_the_winning_frequency() -> None:
    """As Wei et al. remark: in fields of equal size it is the posterior, here times the size."""
    games = [[point] for point in (7, 7, 14, 21, 0, 5, 2, 28, 15)]
    library = plain_library(GO, games, sides=(3,), combined=True)
    rated = rate_patterns(library, games_in_memory(GO, games), iterations=1, prior=0)
    for table in rated.library.tables.values():
        assert table.gammas == pytest.approx(GO.points * table.posteriors)


def test_rare_patterns_stay_near_strength_one() -> None:
    library = plain_library(GO, GAMES, sides=(3,), combined=True)
    spread = []
    for prior in (0.5, 5.0):
        tables = rate_patterns(library, SOURCE, iterations=10, prior=prior).library.tables.values()
        logs = np.concatenate([np.log(table.gammas) for table in tables])
        seldom = np.concatenate([table.matches for table in tables]) < 10
        spread.append(np.abs(logs[seldom]).max())
    assert spread[1] < spread[0] / 2


def test_learning_goes_on_where_it_was_stopped() -> None:
    library = plain_library(GO, GAMES, sides=(3,), combined=True)
    settings = {"features": ("distance", "atari"), "prior": 1.0}
    whole = rate_patterns(library, SOURCE, iterations=6, **settings)
    kept: list[Rated] = []
    rate_patterns(library, SOURCE, iterations=3, on_iteration=kept.append, **settings)
    again = rate_patterns(library, SOURCE, iterations=6, resumes=kept[-1], **settings)
    assert [each.objective for each in again.iterations] == pytest.approx([each.objective for each in whole.iterations])
    for name, table in whole.library.tables.items():
        assert again.library.tables[name].gammas == pytest.approx(table.gammas, rel=1e-4)


def test_features_by_name() -> None:
    gomoku = make_game("gomoku:size=7")
    assert check_features(["capture", "distance"], GO) == ("distance", "capture")
    assert check_features(["all"], GO) == tuple(FEATURES)
    assert features_of(gomoku) == ("distance", "distance-before", "edge")
    with pytest.raises(EightfoldError, match="gomoku has no feature atari; it has distance, distance-before, edge"):
        check_features(["atari"], gomoku)
    with pytest.raises(EightfoldError, match="unknown feature"):
        check_features(["ladder"], GO)


def test_nothing_to_learn_from_is_said() -> None:
    library = plain_library(GO, GAMES[:1], sides=(3,), combined=True)
    with pytest.raises(EightfoldError, match="no moves to learn from"):
        rate_patterns(library, games_in_memory(GO, [[GO.points, GO.points]]))
    with pytest.raises(EightfoldError, match="no patterns in this library"):
        rate_patterns(Library(game="go", combined=True, tables={}), SOURCE)
    with pytest.raises(EightfoldError, match="at least 1"):
        rate_patterns(library, SOURCE, iterations=0)
