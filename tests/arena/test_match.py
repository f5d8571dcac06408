"""Matches: colours, openings, seeds, counts."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from eightfold.arena import make_player, play_match, wilson_interval
from eightfold.arena.ratings import score_interval
from eightfold.core.errors import EightfoldError
from eightfold.games import BLACK, make_game
from eightfold.parts import CLASSICAL_PLAYERS
from eightfold.search import AlphaBeta, Greedy, Mcts, RandomMover


def test_colours_alternate_and_counts_add_up():
    report = play_match(make_game("gomoku:size=5,win=3"), "greedy", "random", games=11, seed=2)
    assert [result.first_named_is_black for result in report.results] == [True, False] * 5 + [True]
    total, first, second = report.total, report.as_first, report.as_second
    assert (first.games, second.games) == (6, 5)
    assert total.wins + total.draws + total.losses == total.games == 11
    assert total.wins == first.wins + second.wins
    for result in report.results:
        names = {BLACK: result.black, 3 - BLACK: result.white}
        winner = result.position.winner
        assert result.points == (0.5 if winner is None else float(names[winner] == "greedy"))
        assert result.record().position().moves == result.position.moves
    data = report.as_dict()
    assert {"games", "wins", "draws", "losses", "score", "ci95", "first", "second", "seconds_per_move"} <= data.keys()
    assert data["score"] == (total.wins + total.draws / 2) / 11
    assert data["ci95"][0] <= data["score"] <= data["ci95"][1]


def test_every_opening_is_played_twice_with_colours_swapped():
    plies = 4
    report = play_match(make_game("gomoku:size=7"), "random", "random", games=12, seed=5, opening_plies=plies)
    openings = [result.position.moves[:plies] for result in report.results]
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) == 6
    assert all(result.seconds[:plies] == (0.0,) * plies for result in report.results)


def test_openings_end_nothing():
    report = play_match(make_game("gomoku:size=3,win=2"), "random", "random", games=10, seed=1, opening_plies=3)
    assert all(len(result.position.moves) > 3 for result in report.results)
    with pytest.raises(EightfoldError, match=r"no opening of 8 random plies leaves .* undecided"):
        play_match(make_game("gomoku:size=3,win=2"), "random", "random", games=2, opening_plies=8)
    with pytest.raises(EightfoldError, match="opening plies 9 do not fit"):
        play_match(make_game("gomoku:size=3"), "random", "random", games=2, opening_plies=9)


def test_the_seed_decides_everything():
    game = make_game("gomoku:size=6,win=4")

    def moves(seed: int) -> list[tuple[int, ...]]:
        report = play_match(game, "mcts:playouts=30", "greedy", games=4, seed=seed, opening_plies=2)
        return [result.position.moves for result in report.results]

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)


def test_identical_games_are_counted_and_named(tmp_path, monkeypatch):
    (tmp_path / "first_free.py").write_text(
        "class FirstFree:\n    def move(self, position):\n        return position.legal_moves[0]\n"
    )
    monkeypatch.chdir(tmp_path)
    report = play_match(
        make_game("gomoku:size=5"), "python:first_free:FirstFree", "python:first_free:FirstFree", games=6
    )
    assert report.distinct_games == 1
    [(moves, numbers)] = report.repeats
    assert numbers == [1, 2, 3, 4, 5, 6]
    assert len(moves) == len(report.results[0].position.moves)


@pytest.mark.parametrize("name", CLASSICAL_PLAYERS)
def test_every_player_plays_legal_games_to_the_end_on_odd_boards(name):
    """The contract of a player: whatever the board, a legal move, a policy that sums to one, a value in range."""
    for text in ("gomoku:size=3", "gomoku:size=6,win=4,rule=standard", "gomoku:size=4,win=2"):
        game = make_game(text)
        player, position = make_player(name, game, seed=1), game.start()
        while not position.is_over:
            result = player.think(position)
            assert position.legal_mask[result.action]
            assert result.policy.shape == (game.actions,)
            assert result.policy.sum() == pytest.approx(1, abs=1e-5)
            assert not result.policy[~position.legal_mask].any()
            assert -1 <= result.value <= 1
            position = position.play(result.action)


@pytest.mark.parametrize("name", CLASSICAL_PLAYERS)
def test_a_player_is_asked_only_while_its_own_game_goes_on(name):
    game = make_game("gomoku:size=5,win=3")
    over = game.after(["a1", "e5", "a2", "e4", "a3"])
    with pytest.raises(EightfoldError, match=r"the game is over \(black wins\)"):
        make_player(name, game).think(over)
    with pytest.raises(EightfoldError, match="was made for gomoku:size=5"):
        make_player(name, game).think(make_game("gomoku:size=6").start())


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda game: Mcts(game, Mcts.Options(playouts=0)), "player mcts: playouts=0 is not"),
        (lambda game: AlphaBeta(game, AlphaBeta.Options(near=0)), "player alphabeta: near=0 is not"),
        (lambda game: AlphaBeta(game, AlphaBeta.Options(depth=-1)), "player alphabeta: depth=-1 is not"),
        (lambda game: Greedy(game, Greedy.Options(weight=float("nan"))), "player greedy: lambda=nan is not"),
        (lambda game: Mcts(game, seed=-1), "seed -1 is not"),
        (lambda game: RandomMover(game, seed=1.5), "seed 1.5 is not"),
    ],
)
def test_options_given_in_python_are_checked_too(make, said):
    with pytest.raises(EightfoldError, match=said):
        make(make_game("gomoku:size=5"))


def test_positions_go_to_other_processes():
    position = make_game("gomoku:size=6,win=4").after(["a1", "b2"])
    other = copy.deepcopy(position)  # by the way that other processes get it: `Game.__reduce__`
    assert other.game is not position.game
    assert other.game.text == position.game.text
    assert other.play("c3").moves == (*position.moves, position.game.action("c3"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gredy", "unknown player 'gredy' (did you mean 'greedy'?); known: random, greedy, alphabeta, mcts, pattern"),
        ("mcts:playouts=0", "player mcts: playouts=0 is not a whole number from 1 to 1,000,000,000"),
        ("mcts:depth=3", "unknown option of player mcts 'depth'; known: playouts, seconds, exploration"),
        ("alphabeta:depth=x", "player alphabeta: depth='x' is not a whole number from 0 to 64"),
        ("random:x=1", "unknown option of player random 'x'"),
        ("python:nowhere", "is not of the form python:MODULE:CLASS"),
        ("python:no_such_module:X", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("python:json:Nothing", "module json has no Nothing"),
        ("python:json:JSONDecoder", "the class has no method move(position)"),
        ("", "unknown player ''"),
    ],
)
def test_players_that_do_not_exist(text, said):
    with pytest.raises(EightfoldError) as caught:
        make_player(text, make_game("gomoku:size=5"))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 1 / 0", "ZeroDivisionError: division by zero (bad_player.py line 3)"),
        ("return None", "move None is not an action"),
        ("return 99", "move 99 is not an action of gomoku:size=5,win=5,rule=freestyle: 0 to 24"),
        ("return position.moves[0] if position.moves else 0", "is not legal: a black stone is there"),
    ],
)
def test_a_player_of_ones_own_that_goes_wrong_is_named(body, said, tmp_path, monkeypatch):
    (tmp_path / "bad_player.py").write_text(f"class Bad:\n    def move(self, position):\n        {body}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "bad_player", raising=False)
    with pytest.raises(EightfoldError) as caught:
        play_match(make_game("gomoku:size=5"), "random", "python:bad_player:Bad", games=2)
    assert said in str(caught.value)
    assert "bad_player" in str(caught.value)


def test_wilson_intervals_are_those_of_the_formula():
    # Values from solving (p - s)^2 = z^2 p (1 - p) / n for p.
    for score, games in [(0.5, 10), (1.0, 20), (0.0, 7), (0.9, 100)]:
        low, high = wilson_interval(score, games)
        for p in (low, high):
            assert (p - score) ** 2 == pytest.approx(1.959963984540054**2 * p * (1 - p) / games, abs=1e-12)
        assert 0 <= low <= score <= high <= 1
    assert wilson_interval(0.5, 0) == (0.0, 1.0)


def test_wilson_intervals_cover_the_truth_about_as_often_as_they_say():
    random = np.random.default_rng(1)
    inside = [
        low <= 0.7 <= high for low, high in (wilson_interval(random.binomial(40, 0.7) / 40, 40) for _ in range(4000))
    ]
    assert 0.93 < np.mean(inside) < 0.97


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (7, 0), (0, 9), (13, 22), (200, 1)])
def test_without_draws_the_interval_of_a_score_is_wilsons(wins, losses):
    games = wins + losses
    expected = wilson_interval(wins / games if games else 0.5, games)
    assert score_interval(wins, 0, losses) == pytest.approx(expected, abs=1e-9)


def test_draws_make_the_interval_of_a_score_narrower_and_both_sides_are_treated_alike():
    before = 1.0
    for draws in range(0, 101, 4):
        decided = (100 - draws) // 2
        low, high = score_interval(decided, draws, decided)
        assert low < 0.5 < high
        assert high - 0.5 == pytest.approx(0.5 - low, abs=1e-9)
        assert high - low < before
        before = high - low
    # 100 draws and nothing else: the mean m < 1/2 at which (1/2 - m)^2 = z^2 m (1/2 - m) / 100.
    assert score_interval(0, 100, 0)[0] == pytest.approx(0.5 / (1 + 1.959963984540054**2 / 100), abs=1e-9)
    one, other = score_interval(5, 30, 2), score_interval(2, 30, 5)
    assert one == pytest.approx((1 - other[1], 1 - other[0]), abs=1e-9)


@pytest.mark.parametrize("chances", [(0.3, 0.4, 0.3), (0.05, 0.9, 0.05), (0.6, 0.3, 0.1), (0.9, 0.05, 0.05)])
def test_intervals_of_scores_with_draws_cover_the_truth_about_as_often_as_they_say(chances):
    random, truth = np.random.default_rng(2), chances[0] + chances[1] / 2
    results = random.multinomial(60, chances, size=1500)
    covered = [low <= truth <= high for low, high in (score_interval(*map(int, result)) for result in results)]
    assert 0.925 < np.mean(covered) < 0.985
