"""The players that do not look ahead."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.minmax import greedy_score
from eightfold.games import make_game
from eightfold.search import Greedy, RandomMover


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0, 2.0])
def test_greedy_takes_a_point_with_the_largest_score_of_document_004(weight):
    game = make_game("gomoku:size=10")
    random = np.random.default_rng(3)
    for seed in range(20):
        moves = random.permutation(100)[: random.integers(1, 30)].tolist()
        plain, position = PlainGomoku(10), game.start()
        for move in moves:
            if not position.is_over:
                position = position.play(move)
                plain.play(move)
        if position.is_over:
            continue
        side = position.to_move
        scores = {
            move: greedy_score(plain, move, side) + weight * greedy_score(plain, move, 3 - side)
            for move in plain.legal()
        }
        chosen = Greedy(game, Greedy.Options(weight=weight), seed=seed).think(position).action
        assert scores[chosen] == max(scores.values())


def test_ties_are_broken_by_the_seed():
    game = make_game("gomoku:size=5")
    actions = {Greedy(game, seed=seed).think(game.start()).action for seed in range(300)}
    assert actions == set(range(25)), "on an empty board all points are worth the same"


def test_a_win_comes_before_a_parry():
    game = make_game("gomoku:size=8")
    position = game.after(["a1", "a8", "b1", "b8", "c1", "c8", "d1", "d8"])
    result = Greedy(game).think(position)
    assert position.play(result.action).result == position.to_move
    assert result.value == 1


def test_random_plays_every_legal_move_and_no_other():
    game = make_game("gomoku:size=4")
    position = game.after([0, 5])
    player = RandomMover(game, seed=1)
    assert {player.think(position).action for _ in range(500)} == set(position.legal_moves.tolist())
