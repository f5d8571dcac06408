"""Games of a `GameForest`, and the same searches by the forest of the CPU: compiled, as plain Python, on a GPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from eightfold.games import make_game
from eightfold.games.state import BLACK
from eightfold.search.forest import ForestSearch
from eightfold.search.game_forest import PERIOD, GameForest, Host
from eightfold.search.settings import SearchSettings

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
EXAMPLE_GAMES = ("python:othello,size=4", "python:hex,size=4", "python:drop_four")
GAMES = ("gomoku:size=5,win=4", "gomoku:size=6,win=4", "gomoku:size=6,win=5,rule=renju", "go:size=3")
SETTINGS = ({"forced_playouts": 2.0}, {"exploration": 1.25, "fpu_reduction": 0.2, "proof_nodes": 30, "contempt": 0.3})
WAYS = {
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
            values[k] = random.uniform(-0.7, 0.7), random.uniform(0, 0.3)
        return logits, values


def play(game, settings, *, playouts, games, trees=3, rows=2, seed=1, machine=None, **ways):
    """Let games play themselves, with fewer rows than trees; those that ended first."""
    machine = machine or Host()
    ways = {**WAYS, "playouts": playouts, "fast_playouts": playouts, "contempt": settings.contempt, **ways}
    forest = GameForest(
        game, settings, ways, encoder="last-move", trees=trees, rows=rows, seed=(seed,), machine=machine
    )
    oracle, finished = Oracle(game.actions), []
    while len(finished) < games:
        forest.hand_over()
        for _ in range(PERIOD):
            forest.step()
            logits, values = oracle.evaluate(machine.read(forest.planes))
            machine.write(forest.logits, logits)
            machine.write(forest.values, values)
        forest.tend()
        finished += forest.collect(forest.look()())
    return finished[:games]


def searched_again(game, settings, moves, *, playouts, despised):
    """Policies and values of the forest of the CPU at every position of a game, with the tree kept between moves."""
    search = ForestSearch(game, Oracle(game.actions), playouts=playouts, settings=settings)
    search.set_root(0, game.start().state, contempt_side=despised)
    policies, values = [], []
    for move in moves:
        search.prepare_root(0, playouts, noisy=True)
        while search.forest.left[0] > 0 and search.forest.proof[0, 0] == 0:
            search.step()
        policies.append(search.root_policy(0))
        values.append(search.root_value(0))
        search.advance(0, int(move))
    return policies, values


def assert_equal_searches(text, settings, *, playouts, games=1, machine=None):
    """Every search of every game is that of the CPU, for one of the two sides that may despise draws."""
    game, settings = make_game(text, trusted=True), SearchSettings(**settings)
    for each in play(game, settings, playouts=playouts, games=games, machine=machine):
        assert len(each.plies) == len(each.moves) > 4
        apart = []
        for side in (BLACK, BLACK + 1):
            policies, values = searched_again(game, settings, each.moves, playouts=playouts, despised=side)
            apart.append(max(np.abs(each.policies - policies).max(), np.abs(each.values - values).max()))
        assert min(apart) < 1e-6, (text, settings, apart)
