"""The evaluation cache: right answers, and entries for all that the network sees."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.inference.cache import CachedEvaluator
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.symmetry import destinations

GAME = make_game("gomoku:size=6,win=4")


def evaluator(symmetry: str) -> NetworkEvaluator:
    torch.manual_seed(5)
    shape = Shape(planes=4, size=6)
    return NetworkEvaluator(TorchBackend(make_network("a1", shape), shape), encoder="last-move", symmetry=symmetry)


def planes(*games: list[int]) -> np.ndarray:
    return np.stack([GAME.after(moves).encode("last-move") for moves in games])


def random_games(count: int, seed: int) -> list[list[int]]:
    random = np.random.default_rng(seed)
    return [random.permutation(36)[: random.integers(0, 6)].tolist() for _ in range(count)]


@pytest.mark.parametrize(
    ("symmetry", "key"), [("none", "position"), ("slap", "position"), ("slap", "orbit"), ("average", "orbit")]
)
def test_answers_are_those_of_the_evaluator_behind_it(symmetry, key):
    plain, cached = evaluator(symmetry), CachedEvaluator(evaluator(symmetry), capacity=50, key=key)
    for seed in range(6):
        batch = planes(*random_games(40, seed % 3))  # the second half asks again
        for ours, theirs in zip(cached.evaluate(batch), plain.evaluate(batch), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert cached.hits > 0
    assert len(cached) <= 50


def test_equal_stones_with_different_last_moves_are_two_entries():
    cached = CachedEvaluator(evaluator("none"))
    cached.evaluate(planes([0, 7, 14, 21], [14, 21, 0, 7]))  # the same stones, another order
    assert len(cached) == 2
    assert cached.hits == 0


def test_the_eight_variants_share_one_entry_under_orbit_keys():
    moves = [0, 7, 13]
    variants = planes(*([int(destinations(6)[g, move]) for move in moves] for g in range(8)))
    by_orbit, by_position = (CachedEvaluator(evaluator("slap"), key=key) for key in ("orbit", "position"))
    by_orbit.evaluate(variants)
    by_position.evaluate(variants)
    assert (len(by_orbit), len(by_position)) == (1, 8)
    logits, values = by_orbit.evaluate(variants)
    for g in range(8):
        np.testing.assert_allclose(logits[g][destinations(6)[g]], logits[0], atol=1e-5)
        assert values[g] == values[0]


def test_new_weights_need_an_empty_cache_and_other_modes_are_refused():
    cached = CachedEvaluator(evaluator("none"))
    cached.evaluate(planes([0]))
    cached.clear()
    assert len(cached) == 0
    with pytest.raises(EightfoldError, match="orbit keys are for slap and average"):
        CachedEvaluator(evaluator("augment"), key="orbit")
    with pytest.raises(EightfoldError, match="unknown cache key 'stones'"):
        CachedEvaluator(evaluator("none"), key="stones")
