"""The forest of a GPU, with one lane and on the CPU, against the forest of the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.games import make_game
from eightfold.games.state import BLACK
from eightfold.search.forest import ForestSearch
from eightfold.search.game_forest import PERIOD, GameForest, Host
from eightfold.search.settings import SearchSettings


class Oracle:
    """Answers drawn from the planes themselves: the same position, the same answer, and no two alike."""

    encoder = "last-move"

    def __init__(self, actions: int) -> None:
        self._actions = actions

    def evaluate(self, planes):
        logits = np.zeros((len(planes), self._actions), np.float32)
        values = np.zeros((len(planes), 2), np.float32)
        for k, each in enumerate(planes):
            random = np.random.default_rng(np.packbits(each != 0).astype(np.int64).tolist())
            logits[k] = random.normal(size=self._actions)
            values[k, 1] = random.uniform(0, 0.3)
            values[k, 0] = random.uniform(-0.7, 0.7)
        return logits, values


WAYS = {
    "playouts": 60,
    "fast_playouts": 20,
    "full_share": 1.0,
    "by_halving": False,
    "count_reused_visits": False,
    "noise": 0.0,
    "noise_alpha": 0.3,
    "temperature": 0.0,
    "temperature_plies": 0,
    "final_temperature": 0.0,
    "contempt": 0.0,
    "opening_share": 0.0,
    "opening_stones": 0,
    "opening_points": [],
}


def play(game, settings, *, trees, rows, games, seed=1, **ways):
    """Let games play themselves; those that ended, and the forest."""
    oracle = Oracle(game.actions)
    forest = GameForest(
        game, settings, {**WAYS, **ways}, encoder="last-move", trees=trees, rows=rows, seed=(seed,), machine=Host()
    )
    finished = []
    for _ in range(100_000):
        forest.hand_over()
        for _ in range(PERIOD):
            forest.step()
            forest.logits[:], forest.values[:] = oracle.evaluate(forest.planes)
        forest.tend()
        finished += forest.finished()
        if len(finished) >= games:
            return finished, forest
    raise AssertionError("the games do not end")


def searched_again(game, settings, moves, *, playouts):
    """The policies that the forest of the CPU finds at every position of a game, with the tree kept between moves."""
    search = ForestSearch(game, Oracle(game.actions), playouts=playouts, settings=settings)
    search.set_root(0, game.start().state, contempt_side=BLACK)
    policies, values = [], []
    for move in moves:
        search.prepare_root(0, playouts, noisy=True)
        while search.forest.left[0] > 0 and search.forest.proof[0, 0] == 0:
            search.step()
        policies.append(search.root_policy(0))
        values.append(search.root_value(0))
        search.advance(0, int(move))
    return policies, values


GAMES = ["gomoku:size=5,win=4", "gomoku:size=6,win=4", "gomoku:size=6,win=5,rule=renju", "go:size=3"]


@pytest.mark.parametrize("text", GAMES)
@pytest.mark.parametrize("settings", [{}, {"exploration": 1.25, "fpu_reduction": 0.2, "proof_nodes": 30}])
def test_every_search_of_every_game_is_that_of_the_forest_on_the_cpu(text, settings):
    game, settings = make_game(text), SearchSettings(**settings)
    finished, _ = play(game, settings, trees=3, rows=2, games=2)
    for each in finished[:2]:
        policies, values = searched_again(game, settings, each.moves, playouts=60)
        assert len(each.plies) == len(each.moves) == len(policies) > 4
        np.testing.assert_allclose(each.policies, policies, atol=1e-6)
        np.testing.assert_allclose(each.values, values, atol=1e-6)
