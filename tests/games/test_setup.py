"""Positions that are set up stone by stone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.setup import arranged, in_turn, is_in_turn
from refusals import refusal

GAME = make_game("gomoku:size=9")


@given(st.permutations(range(81)).map(lambda order: order[:12]), st.integers(0, 12), st.randoms(use_true_random=False))
def test_a_game_in_any_order_is_the_same_position(moves, plies, random):
    played = GAME.start()
    for move in moves[:plies]:
        if played.is_over:
            return
        played = played.play(move)
    if played.is_over:
        return
    stones = [(move, BLACK if k % 2 == 0 else WHITE) for k, move in enumerate(played.moves)]
    assert arranged(GAME, stones, played.to_move).moves == played.moves, "the order of the game is kept"
    random.shuffle(stones)
    mixed = arranged(GAME, stones, played.to_move)
    assert (mixed.to_move, mixed.ply) == (played.to_move, played.ply)
    np.testing.assert_array_equal(mixed.stones, played.stones)
    assert mixed.orbit_key == played.orbit_key
    assert is_in_turn(stones, played.to_move)


@given(st.lists(st.tuples(st.integers(0, 80), st.sampled_from([BLACK, WHITE])), max_size=10, unique_by=lambda s: s[0]))
def test_any_number_of_stones_of_either_side(stones):
    for to_move in (BLACK, WHITE):
        try:
            position = arranged(GAME, stones, to_move)
        except ValueError:  # five in a row by chance
            continue
        if position.is_over:
            continue
        assert position.to_move == to_move
        assert {(int(k), int(position.stones.flat[k])) for k in np.flatnonzero(position.stones)} == set(stones)
        assert sorted(in_turn(stones, to_move)) == sorted(stones)


def test_the_side_to_move_is_part_of_the_key():
    stones = [(0, BLACK), (1, BLACK)]
    assert arranged(GAME, stones, BLACK).orbit_key != arranged(GAME, stones, WHITE).orbit_key
    assert not is_in_turn(stones, BLACK)


def test_refusals():
    assert "a black stone is there" in refusal(lambda: arranged(GAME, [(0, BLACK), (0, WHITE)], BLACK))
    five = [(k, BLACK) for k in range(5)] + [(k + 40, WHITE) for k in range(0, 10, 2)]
    assert "the game is over" in refusal(lambda: arranged(GAME, [*five, (80, BLACK)], WHITE))


def test_six_in_a_row_do_not_win_under_the_standard_rule():
    game = make_game("gomoku:size=9,rule=standard")
    stones = [(k, BLACK) for k in range(6)] + [(k + 40, WHITE) for k in range(0, 12, 2)]
    assert not arranged(game, stones, BLACK).is_over
