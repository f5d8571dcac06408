"""The forest of a GPU against that of the CPU: with one lane, as plain Python or compiled; with lanes that are threads
(`tests/warp.py`); and on a GPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from forest_games import EXAMPLE_GAMES, EXAMPLES, GAMES, SETTINGS, assert_equal_searches, play

from eightfold.core.errors import EightfoldError
from eightfold.core.lanes import WARP
from eightfold.core.specialise import specialise
from eightfold.games import make_game
from eightfold.games.state import DRAW, PLY, SIZE
from eightfold.search import game_forest
from eightfold.search.game_forest import Host
from eightfold.search.settings import SearchSettings

HERE = str(Path(__file__).parent)


def test_with_one_lane_and_as_plain_python_every_search_is_that_of_the_cpu(run_python):
    code = (
        f"import sys; sys.path.insert(0, {HERE!r})\n"
        "from forest_games import *\n"
        "for text in (GAMES[1], GAMES[3]):\n"
        "    assert_equal_searches(text, SETTINGS[1], playouts=8)\n"
        "    print(text)\n"
    )
    assert run_python(code, NUMBA_DISABLE_JIT="1").splitlines() == [GAMES[1], GAMES[3]]


def test_with_rules_for_one_board_every_search_is_the_same(run_python):
    code = f"import sys; sys.path.insert(0, {HERE!r})\nfrom test_game_forest import play_on_one_board\n"
    run_python(f"{code}play_on_one_board()\n", NUMBA_DISABLE_JIT="1")


class OneBoard(Host):
    one_board = True


def play_on_one_board():
    for text in (GAMES[1], GAMES[3]):
        assert_equal_searches(text, SETTINGS[1], playouts=8, machine=OneBoard())


def test_a_game_that_changes_what_it_calls_fixed_is_refused(run_python):
    code = f"import sys; sys.path.insert(0, {HERE!r})\nfrom test_game_forest import play_with_a_wrong_spec\n"
    run_python(f"{code}play_with_a_wrong_spec()\n", NUMBA_DISABLE_JIT="1")


def play_with_a_wrong_spec():
    game = make_game(GAMES[0])
    game = replace(game, spec=replace(game.spec, fixed=(SIZE, PLY)))
    with pytest.raises(EightfoldError, match="fixed"):
        play(game, SearchSettings(), playouts=4, games=1)


def test_proofs_that_take_several_steps_change_nothing(run_python):
    code = f"import sys; sys.path.insert(0, {HERE!r})\nfrom test_game_forest import prove_slowly\nprove_slowly()\n"
    run_python(code, NUMBA_DISABLE_JIT="1")


def prove_slowly():
    steps = specialise("eightfold.search.kernels.gpu_forest", make_game(GAMES[1]).rules)
    settle, pauses = steps.settle, []

    def counted(*arguments):
        over = settle(*arguments)
        pauses.append(not over)
        return over

    steps.settle, steps.NODES_A_STEP = counted, 1
    assert_equal_searches(GAMES[1], SETTINGS[1], playouts=12)
    assert sum(pauses) > 20


def test_games_keep_to_the_rules_whatever_is_drawn_by_chance(run_python):
    code = f"import sys; sys.path.insert(0, {HERE!r})\nfrom test_game_forest import play_by_chance\nplay_by_chance()\n"
    run_python(code, NUMBA_DISABLE_JIT="1")


def play_by_chance():
    """Openings, noise, temperature, cheap searches, forced playouts and halving: all moves are legal to the end."""
    game = make_game("gomoku:size=5,win=4")
    points = list(range(game.points))
    chance = {"temperature": 1.0, "temperature_plies": 100, "opening_share": 1.0, "opening_points": points}
    for root, ways in (
        ({"forced_playouts": 2.0}, {"noise": 0.25, "full_share": 0.5, "fast_playouts": 3}),
        ({"root": "gumbel", "gumbel_moves": 4}, {"by_halving": True}),
    ):
        settings = SearchSettings(proof_nodes=10, **root)
        games = play(game, settings, playouts=8, games=3, opening_stones=3, **{**chance, **ways})
        assert {each.opening for each in games} <= set(range(4))
        assert len({tuple(each.moves) for each in games}) == 3
        for each in games:
            position = game.after([int(move) for move in each.moves])
            assert position.result == each.result if position.is_over else each.result == DRAW
            assert list(each.plies) == sorted(set(each.plies))
            assert len(each.moves) - each.opening >= len(each.plies) > 0
            np.testing.assert_allclose(each.policies.sum(axis=1), 1, atol=1e-5)
            assert np.abs(each.values).max() <= 1


LANES = """
import sys
sys.path[:0] = [{tests!r}, {here!r}]
from warp import imitate_warp
warp = imitate_warp({seed})
from test_game_forest import play_by_lanes
play_by_lanes(warp, {games}, {cases})
"""


@pytest.mark.parametrize(("seed", "games", "cases"), [(3, 1, 1), pytest.param(11, 3, 4, marks=pytest.mark.slow)])
def test_games_by_the_lanes_of_a_warp_are_those_of_one_lane(run_python, seed, games, cases):
    code = LANES.format(tests=str(Path(HERE).parent), here=HERE, seed=seed, games=games, cases=cases)
    assert run_python(code, NUMBA_DISABLE_JIT="1").splitlines() == [text for text, _, _ in BY_LANES[:cases]]


# Proofs, noise and openings, the same with forced playouts; halving; superko and passes.
OPENINGS = {"noise": 0.25, "opening_share": 1.0, "opening_stones": 2, "opening_points": list(range(16))}
BY_LANES = (
    ("gomoku:size=4,win=3", {"proof_nodes": 5}, OPENINGS),
    ("gomoku:size=4,win=3", {"proof_nodes": 5, "forced_playouts": 2.0}, OPENINGS),
    ("gomoku:size=4,win=4", {"root": "gumbel", "gumbel_moves": 3}, {"by_halving": True}),
    ("go:size=2", {}, {"temperature": 1.0, "temperature_plies": 99, "full_share": 0.5, "fast_playouts": 2}),
)


def play_by_lanes(warp, games, cases):
    """Equal games from lanes that are threads and run in any order between two places where they meet."""

    class Lanes(Host):
        def run(self, kernel, trees, room, *arguments):
            state = np.empty(room, np.int64)
            for tree in range(trees):
                warp.run(kernel, tree, WARP, state, *arguments)

    game_forest.WORKERS = 2  # each a warp, of which here one runs at a time
    for text, settings, ways in BY_LANES[:cases]:
        game, settings = make_game(text), SearchSettings(**settings)
        ways = {"playouts": 4, "games": games, "trees": 2, "rows": 1, **ways}
        one = play(game, settings, machine=Host(), **ways)
        specialise("eightfold.search.kernels.gpu_forest", game.rules).NODES_A_STEP = 2  # so that proofs pause
        many = play(game, settings, machine=Lanes(), **ways)
        for alone, together in zip(one, many, strict=True):
            assert alone.moves.tolist() == together.moves.tolist()
            assert (alone.opening, alone.result, alone.plies.tolist()) == (
                together.opening,
                together.result,
                together.plies.tolist(),
            )
            np.testing.assert_allclose(alone.policies, together.policies, atol=1e-6)
            np.testing.assert_allclose(alone.values, together.values, atol=1e-6)
        print(text)


@pytest.mark.slow
@pytest.mark.parametrize("text", [*GAMES, *EXAMPLE_GAMES])
@pytest.mark.parametrize("settings", SETTINGS)
def test_compiled_with_one_lane_every_search_is_that_of_the_cpu(text, settings, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    assert_equal_searches(text, settings, playouts=60, games=2)


EVERY_RULE = (*GAMES, "gomoku:size=8,rule=standard", "gomoku:size=7,rule=caro", "go:size=5,ko=situational")


@pytest.mark.slow
@pytest.mark.parametrize("text", [*EVERY_RULE, *EXAMPLE_GAMES])
def test_compiled_for_one_board_every_search_is_that_of_the_cpu(text, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    assert_equal_searches(text, SETTINGS[1], playouts=60, games=2, machine=OneBoard())


@pytest.mark.slow
@pytest.mark.gpu(kernels=True)
@pytest.mark.parametrize("text", [*EVERY_RULE, *EXAMPLE_GAMES])
@pytest.mark.parametrize("settings", SETTINGS)
def test_on_a_gpu_every_search_is_that_of_the_cpu(text, settings, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    from eightfold.core.cuda_machine import CudaMachine

    assert_equal_searches(text, settings, playouts=60, games=2, machine=CudaMachine())
