"""The plain style of the Monte Carlo player against a plain tree that draws the same random numbers."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.mcts import PlainMcts, PlainRandom
from eightfold.core.errors import EightfoldError
from eightfold.core.rng import make_random
from eightfold.games import make_game
from eightfold.search import Mcts
from eightfold.search.uct import Uct
from patience import finished


def plain_after(moves: list[int], size: int, win: int, exactly: bool) -> PlainGomoku:
    game = PlainGomoku(size, win, exactly)
    for move in moves:
        game.play(move)
    return game


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("gomoku:size=8", []),
        ("gomoku:size=8", [27, 28, 35, 36, 19]),
        ("gomoku:size=5,win=4,rule=standard", [12, 6, 7]),
        ("gomoku:size=3", [0, 4]),
        ("gomoku:size=15,win=5", [112, 97, 113]),
    ],
)
def test_visits_and_values_are_exactly_those_of_the_plain_search(text, moves, seed):
    game = make_game(text)
    playouts = 300 if game.size < 15 else 60
    result = Mcts(game, Mcts.Options(playouts=playouts), seed=seed).think(game.after(moves))
    plain = PlainMcts(5.0, PlainRandom(int(make_random(seed)[0])))
    root = plain.run(plain_after(moves, game.size, game.numbers[0], game.numbers[1] == 1), playouts)
    visits = np.zeros(game.actions, np.int64)
    for child in root.children:
        visits[child.move] = child.visits
    assert result.visits is not None
    np.testing.assert_array_equal(result.visits, visits)
    assert result.value == pytest.approx(-root.value / root.visits)
    assert visits[result.action] == visits.max()
    assert result.effort == playouts


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_long_searches_are_those_of_the_plain_search_too(seed):
    game = make_game("gomoku:size=8")
    result = Mcts(game, Mcts.Options(playouts=6000), seed=seed).think(game.start())
    root = PlainMcts(5.0, PlainRandom(int(make_random(seed)[0]))).run(PlainGomoku(8), 6000)
    assert result.visits is not None
    assert {int(move): int(result.visits[move]) for move in np.flatnonzero(result.visits)} == {
        child.move: child.visits for child in root.children
    }


def test_a_win_in_one_is_found_and_a_threat_is_parried():
    game = make_game("gomoku:size=8")
    four = game.after(["c4", "c8", "d4", "e8", "e4", "g8", "f4", "a1"])  # black has four, both ends open
    assert game.name_of(Mcts(game, Mcts.Options(playouts=2000), seed=1).think(four).action) in ("b4", "g4")
    closed = game.after(["b4", "a4", "c4", "h8", "d4", "h6", "e4"])  # white must answer at f4
    assert game.name_of(Mcts(game, Mcts.Options(playouts=5000), seed=1).think(closed).action) == "f4"


def test_the_tree_below_the_moves_played_is_kept():
    game = make_game("gomoku:size=6,win=4")
    player = Uct(game, Mcts.Options(playouts=500), seed=3)
    position = game.after(["c3"])
    first = player.think(position)
    reply = first.principal_variation[1]
    later = position.play(first.action).play(reply)
    kept = player._child(player._child(0, first.action), reply)
    visits_before = int(player._tree.visits[kept])
    children_before = {
        int(player._tree.move[k]): int(player._tree.visits[k]) for k in range(*player._visited(kept).indices(10**9))
    }
    assert visits_before > 1
    second = player.think(later)
    assert int(player._tree.visits[0]) == visits_before + 500
    assert second.visits is not None
    assert all(second.visits[move] >= visits for move, visits in children_before.items())
    assert second.visits.sum() == visits_before + 500 - 1


def test_a_position_from_elsewhere_starts_a_new_tree():
    game = make_game("gomoku:size=6")
    player = Mcts(game, Mcts.Options(playouts=100), seed=1)
    player.think(game.after(["a1", "b2"]))
    result = player.think(game.after(["c3"]))
    assert result.visits is not None
    assert result.visits.sum() == 99
    player.new_game()
    assert player.think(game.after(["c3"])).visits.sum() == 99


def test_equal_seeds_play_equal_games_and_other_seeds_do_not():
    game = make_game("gomoku:size=7")

    def play(seed: int) -> tuple[int, ...]:
        player, position = Mcts(game, Mcts.Options(playouts=50), seed=seed), game.start()
        while not position.is_over:
            position = position.play(player.think(position).action)
        return position.moves

    assert play(5) == play(5)
    assert len({play(seed) for seed in range(5)}) == 5


def test_time_is_a_limit_too():
    game = make_game("gomoku:size=9")
    enough = threading.Event()
    player = Mcts(game, Mcts.Options(playouts=10, seconds=1e6), seed=1)
    result = finished(lambda: player.think(game.start(), stop=enough, on_progress=lambda snapshot: enough.set()))
    assert result.effort > 10
    assert result.policy.sum() == pytest.approx(1)


def test_a_full_tree_goes_on_with_what_it_has():
    game = make_game("gomoku:size=8")
    player = Uct(game, Mcts.Options(playouts=2000), seed=1)
    player._tree, player._spare = player._make_tree(200), player._make_tree(200)  # room for three nodes' children
    position = game.start()
    for _ in range(4):
        result = player.think(position)
        assert position.legal_mask[result.action]
        position = position.play(result.action)


@pytest.mark.parametrize("playouts", [1, 2, 3])
def test_very_few_playouts_still_give_a_legal_move(playouts):
    game = make_game("gomoku:size=8")
    position = game.after(["d4"])
    result = Mcts(game, Mcts.Options(playouts=playouts), seed=1).think(position)
    assert position.legal_mask[result.action]
    assert result.policy.sum() == pytest.approx(1)


def test_more_playouts_play_better():
    from eightfold.arena import play_match

    report = play_match(make_game("gomoku:size=6,win=4"), "mcts:playouts=1000", "mcts:playouts=20", games=20, seed=1)
    assert report.total.score > 0.7


def test_a_game_without_a_kernel_that_a_search_needs_is_named(tmp_path, monkeypatch):
    (tmp_path / "half_a_game.py").write_text(
        "from dataclasses import dataclass\nfrom eightfold.games import GameSpec\n"
        "from eightfold.core.settings import setting\n"
        "@dataclass\nclass Options:\n    size: int = setting(3, '')\n"
        "GAME = GameSpec(name='half', summary='', encoders={}, state_length=lambda size: 20,\n"
        "              options=Options)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(EightfoldError, match="half_a_game offers no kernel 'legal', which uct needs"):
        Mcts(make_game("python:half_a_game", trusted=True))


def test_a_search_tells_the_value_of_every_move_and_how_it_goes_on():
    game = make_game("gomoku:size=7,win=4")
    position = game.after(["a1", "d4", "a7", "d5", "g1"])  # white has two in a row, all open
    result = Mcts(game, Mcts.Options(playouts=2000), seed=1).think(position)
    assert result.values is not None
    assert result.visits is not None
    looked = result.visits > 0
    assert np.isfinite(result.values[looked]).all()
    assert np.isnan(result.values[~looked]).all()
    assert np.abs(result.values[looked]).max() <= 1
    mean = (result.values[looked] * result.visits[looked]).sum() / result.visits.sum()
    assert abs(mean - result.value) < 0.05
