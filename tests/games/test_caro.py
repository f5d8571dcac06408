"""Caro: rows that are closed at both ends, against a naive implementation and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.benchmarks.reference.renju import PlainCaro
from eightfold.core.rng import make_random
from eightfold.core.specialise import specialise
from eightfold.games import BLACK, Position, make_game
from eightfold.games.state import NO_MOVE, RESULT

RULES = ("caro", "caro-exact")
BOARDS = [(4, 3), (5, 4), (6, 5), (8, 5), (9, 3), (15, 5), (3, 2)]


def make(size: int, win: int, rule: str):
    return make_game(f"gomoku:size={size},win={win},rule={rule}"), PlainCaro(size, win, exactly=rule == "caro-exact")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("size", "win"), BOARDS)
def test_random_games_go_as_in_the_naive_rules(size, win, rule):
    random = np.random.default_rng([size, win])
    for _ in range(max(4, 3000 // size**2)):
        game, plain = make(size, win, rule)
        position = game.start()
        while not plain.result:
            assert position.legal_moves.tolist() == plain.legal()
            near = position.legal_moves[: 2 * win + 2] if random.random() < 0.7 else position.legal_moves
            move = int(random.choice(near))
            position = position.play(move)
            plain.play(move)
            assert position.state[RESULT] == plain.result
        assert position.legal_moves.size == 0


@pytest.mark.parametrize("rule", RULES)
def test_random_games_of_the_search_end_as_often_as_the_naive_ones(rule):
    game, _ = make(5, 3, rule)
    results, plain = np.zeros(4, np.int64), np.zeros(4, np.int64)
    kernels = specialise("eightfold.search.kernels.playouts", game.rules)
    kernels.random_games(game.start().state, 50_000, make_random(1), np.zeros(25, np.int64), results)
    random = np.random.default_rng(1)
    for _ in range(2000):
        _, naive = make(5, 3, rule)
        for move in random.permutation(25):
            naive.play(int(move))
            if naive.result:
                break
        plain[naive.result] += 1
    assert np.abs(results / 50_000 - plain / 2000).max() < 0.05, (results, plain)


def row_of(text: str, rule: str) -> Position:
    """A position whose top row is `text` and in which black is to move; the stones are put there in any order."""
    game = make_game(f"gomoku:size={len(text)},rule={rule}")
    black = [column for column, mark in enumerate(text) if mark == "X"]
    white = [column for column, mark in enumerate(text) if mark == "O"]
    bottom = (len(text) - 1) * len(text)
    spare = [bottom + 2 * k for k in range(20)]  # apart, far from the top row
    while len(white) < len(black):
        white.append(spare.pop(0))
    while len(black) < len(white):
        black.append(spare.pop(0))
    return game.after([move for pair in zip(black, white, strict=True) for move in pair])


@pytest.mark.parametrize(
    ("text", "column", "caro", "exact"),
    [
        ("..XXXX.....", 6, True, True),
        ("..XXXX.....", 1, True, True),
        (".OXXXX.....", 6, True, True),  # one end is closed
        (".OXXXX.O...", 6, False, False),  # both are
        (".OXX.XXO...", 4, False, False),
        ("XXXX.......", 4, True, True),  # the edge closes nothing
        ("XXXX.O.....", 4, True, True),
        (".......XXXX", 6, True, True),
        (".....O.XXXX", 6, True, True),
        (".OXXX.XXO..", 5, True, False),  # six, closed at both ends
        ("..XXX.XX...", 5, True, False),
        (".XXX.XXX...", 4, True, False),
    ],
)
def test_rows_by_hand(text, column, caro, exact):
    for rule, wins in (("caro", caro), ("caro-exact", exact)):
        position = row_of(text, rule)
        assert position.to_move == BLACK
        assert (position.play((0, column)).result == BLACK) == wins, rule
        found = int(position.game.rules.find_win(position.state, 0, np.empty(position.game.scratch, np.int64)))
        assert (found != NO_MOVE) == any(position.play(int(move)).result == BLACK for move in position.legal_moves)


def test_a_four_that_is_closed_at_one_end_is_parried_at_the_other_too():
    position = row_of("O.XXX......", "caro")
    assert position.play((0, 5)).play((0, 6)).play((0, 1)).is_over is False, "five, closed at both ends"
    scratch = np.empty(position.game.scratch, np.int64)
    assert int(position.game.rules.find_win(row_of(".OXXX......", "caro").state, 10_000, scratch)) == NO_MOVE
    assert int(position.game.rules.find_win(row_of("...XXX.....", "caro").state, 10_000, scratch)) != NO_MOVE


@pytest.mark.parametrize("rule", RULES)
def test_scores_keep_up_with_moves(rule):
    random = np.random.default_rng(3)
    game = make_game(f"gomoku:size=9,win=4,rule={rule}")
    for _ in range(20):
        position = game.start()
        scores, fresh = np.zeros((2, 81), np.int64), np.zeros((2, 81), np.int64)
        game.rules.score_moves(position.state, scores)
        while not position.is_over:
            move = int(random.choice(position.legal_moves[:14]))
            position = position.play(move)
            game.rules.rescore_moves(position.state, move, scores)
            game.rules.score_moves(position.state, fresh)
            np.testing.assert_array_equal(scores, fresh)


@pytest.mark.parametrize("rule", RULES)
def test_the_best_score_is_that_of_a_winning_point(rule):
    game, random = make_game(f"gomoku:size=8,win=4,rule={rule}"), np.random.default_rng(5)
    scores, wins = np.zeros((2, 64), np.int64), 0
    for _ in range(60):
        position = game.start()
        while not position.is_over:
            game.rules.score_moves(position.state, scores)
            own = scores[position.to_move - 1]
            for move in position.legal_moves.tolist():
                won = position.play(move).result == position.to_move
                assert (own[move] >= 10**4) == won
                wins += won
            position = position.play(int(random.choice(position.legal_moves[:12])))
    assert wins > 50
