"""Alpha-beta against plain minimax without pruning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.arena import make_player
from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.minmax import alphabeta, minmax, root_scores
from eightfold.games import make_game
from eightfold.games.state import NOT_JUDGED
from eightfold.search import AlphaBeta
from eightfold.symmetry import destinations
from patience import finished
from refusals import refusal


def both(text: str, moves: list[int]):
    """The same position for the player and for the plain implementation; None if the game is over."""
    game = make_game(text)
    position, plain = game.start(), PlainGomoku(game.size, game.numbers[0], game.numbers[1] == 1)
    for move in moves:
        if position.is_over:
            return None
        position = position.play(move)
        plain.play(move)
    return None if position.is_over else (game, position, plain)


@settings(max_examples=60)
@given(
    st.sampled_from([(3, 3), (4, 3), (4, 4), (5, 4)]),
    st.sampled_from(["freestyle", "standard"]),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(0, 7),
    st.randoms(use_true_random=False),
)
def test_root_scores_and_choice_are_those_of_plain_minmax(board, rule, depth, near, plies, random):
    size, win = board
    moves = random.sample(range(size * size), plies)
    made = both(f"gomoku:size={size},win={win},rule={rule}", moves)
    if made is None:
        return
    game, position, plain = made
    expected = root_scores(plain, depth, near)
    player = AlphaBeta(game, AlphaBeta.Options(depth=depth, near=near), seed=1)
    scores = player.root_scores(position)
    assert {move: int(scores[move]) for move in np.flatnonzero(~np.isnan(scores))} == expected
    result = AlphaBeta(game, AlphaBeta.Options(depth=depth, near=near), seed=2).think(position)
    best = max(expected.values())
    # With iterative deepening a win or loss is settled at the depth where it is first seen.
    if abs(best) < player._kernels.win_value(position.state) - 100:
        assert expected[result.action] == best
    else:
        assert (expected[result.action] > 0) == (best > 0)
        assert result.value == (1 if best > 0 else -1)


@settings(max_examples=40)
@given(
    st.sampled_from([(3, 3), (4, 3), (4, 4), (5, 4)]),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(0, 7),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_exact_scores_on_request_are_those_of_plain_minmax(board, depth, near, plies, watched, random):
    """Also of moves beside a win that is seen early, and while somebody is told how it stands."""
    size, win = board
    made = both(f"gomoku:size={size},win={win}", random.sample(range(size * size), plies))
    if made is None:
        return
    game, position, plain = made
    expected = root_scores(plain, depth, near)
    player = make_player(f"alphabeta:depth={depth},near={near},scores=exact", game, seed=2)
    result = player.think(position, on_progress=(lambda told: None) if watched else None)
    assert result.scores is not None
    assert result.values is not None
    assert {int(move): int(result.scores[move]) for move in np.flatnonzero(~np.isnan(result.scores))} == expected
    assert expected[result.action] == max(expected.values())
    assert result.depth == depth
    scale, sure = 2 * game.rules.best_possible_score(position.state), player._kernels.win_value(position.state) - 100
    for move in range(game.actions):
        if move not in expected:
            assert np.isnan(result.values[move])
        elif abs(expected[move]) >= sure:
            assert result.values[move] == np.sign(expected[move])
        else:
            assert result.values[move] == pytest.approx(expected[move] / scale)


def test_scores_are_only_exact_on_request():
    game = make_game("gomoku:size=5,win=4")
    result = make_player("alphabeta:depth=2", game, seed=1).think(game.after([12, 6]))
    assert result.scores is None
    assert result.values is None
    assert "'some'; known: best, exact" in refusal(lambda: make_player("alphabeta:scores=some", game))


@pytest.mark.slow
def test_a_deeper_search_on_a_tiny_board_is_still_exact():
    made = both("gomoku:size=4,win=4", [5, 10, 6, 9, 1])
    assert made is not None
    game, position, plain = made
    scores = AlphaBeta(game, AlphaBeta.Options(depth=5, near=3), seed=1).root_scores(position)
    assert np.nanmax(scores) == minmax(plain, 5, 3)


def test_a_kept_table_changes_no_value():
    """Entries from earlier searches, other depths and other plies stay in the table; values must not move."""
    game = make_game("gomoku:size=5,win=4")
    kept, position = AlphaBeta(game, AlphaBeta.Options(depth=3), seed=1), game.after([12])
    while not position.is_over and position.ply < 12:
        fresh = AlphaBeta(game, AlphaBeta.Options(depth=3), seed=1)
        np.testing.assert_array_equal(kept.root_scores(position), fresh.root_scores(position))
        position = position.play(kept.think(position).action)


def test_the_plain_pruned_search_agrees_on_a_larger_board():
    made = both("gomoku:size=9", [40, 31, 41, 39, 49, 32])
    assert made is not None
    game, position, plain = made
    result = AlphaBeta(game, AlphaBeta.Options(depth=3, near=1), seed=1).think(position)
    assert result.value * 2 * game.rules.best_possible_score(position.state) == alphabeta(plain, 3, 1)


def test_the_table_serves_all_eight_variants():
    """A position and its turned variants share their entries: the second search finds the first one's work.

    One iteration alone, because a deeper one takes the entries of those before it.
    """
    game = make_game("gomoku:size=7")
    moves = [24, 16, 25, 23]
    player = AlphaBeta(game, AlphaBeta.Options(depth=4), seed=1)
    scores = player.root_scores(game.after(moves))
    first = int(player._work.nodes[0])
    for g in range(1, 8):
        places = destinations(7)[g]
        turned = game.after([int(places[move]) for move in moves])
        assert np.array_equal(player.root_scores(turned)[places], scores, equal_nan=True)
        assert player._work.nodes[0] < first / 4
        fresh = AlphaBeta(game, AlphaBeta.Options(depth=4), seed=1).think(turned)
        assert player.think(turned).value == fresh.value


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        ("c4 c8 d4 e8 e4 g8 f4 a1", {"b4", "g4"}),  # win at once
        ("c4 c5 d4 d5 e4 e5 a8 f5 h8", {"b5", "g5"}),  # win at once, with the second colour
        ("b4 a4 c4 h8 d4 h6 e4", {"f4"}),  # parry a closed four
        ("d4 a1 e4 h1 f4 a8", {"c4", "g4"}),  # make an open four
    ],
)
def test_tactics(moves, answers):
    game = make_game("gomoku:size=8")
    result = AlphaBeta(game, AlphaBeta.Options(depth=4), seed=1).think(game.after(moves.split()))
    assert game.name_of(result.action) in answers


def test_a_sooner_win_is_preferred():
    game = make_game("gomoku:size=8")
    position = game.after(["c4", "c8", "d4", "e8", "e4", "g8", "f4", "a1"])
    result = AlphaBeta(game, AlphaBeta.Options(depth=6), seed=1).think(position)
    assert position.play(result.action).is_over
    assert result.value == 1
    assert result.depth == 1, "nothing deeper needs to be searched"


def test_the_seed_breaks_ties():
    game = make_game("gomoku:size=8")
    replies = {AlphaBeta(game, AlphaBeta.Options(depth=1), seed=seed).think(game.start()).action for seed in range(30)}
    assert replies == {27, 28, 35, 36}, "the four points of the middle"
    assert AlphaBeta(game, AlphaBeta.Options(depth=2), seed=4).think(game.after([27])).action == (
        AlphaBeta(game, AlphaBeta.Options(depth=2), seed=4).think(game.after([27])).action
    )


def test_time_limits_the_depth():
    game = make_game("gomoku:size=15")
    position = game.after(["h8", "g9", "g7", "i9", "f9", "h9", "i7", "h6", "j8", "f6", "g10", "e8"])
    player = AlphaBeta(game, AlphaBeta.Options(seconds=0.3), seed=1)
    player.think(game.after(["h8", "g9"]))
    result = finished(lambda: player.think(position))  # depth 30 would take years
    assert 2 <= result.depth < 30, "without a depth, time alone decides"
    assert position.legal_mask[result.action]


def test_no_time_at_all_still_gives_a_legal_move():
    game = make_game("gomoku:size=15")
    position = game.after(["h8", "g9"])
    assert position.legal_mask[AlphaBeta(game, AlphaBeta.Options(depth=9, seconds=1e-9), seed=1).think(position).action]


def test_far_stones_and_a_nearly_full_board():
    game = make_game("gomoku:size=5")
    position = game.start()
    player = AlphaBeta(game, AlphaBeta.Options(depth=3, near=1), seed=1)
    while not position.is_over:
        position = position.play(player.think(position).action)
    assert position.outcome in ("draw", "black wins", "white wins")


@pytest.mark.parametrize("depth", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_the_line_is_the_one_that_plain_minmax_expects(depth):
    """Every reply is a best one for what is left of the depth, whoever looks for it."""
    game = make_game("gomoku:size=5,win=4")
    moves = [12, 6, 7, 17]
    made = both(game.text, moves)
    assert made is not None
    _, position, plain = made
    best = root_scores(plain, depth, 2)
    told = AlphaBeta(game, AlphaBeta.Options(depth=depth), seed=1).think(position, on_progress=lambda snapshot: None)
    line = told.principal_variation
    assert len(line) == depth
    assert best[line[0]] == max(best.values())
    for ply, move in enumerate(line):
        [_, _, here] = both(game.text, [*moves, *line[:ply]])
        expected = root_scores(here, depth - ply, 2)
        assert expected[move] == max(expected.values())
    for other in told.variations:  # the reply shows why it is no better
        [_, _, here] = both(game.text, [*moves, other[0]])
        replies = root_scores(here, depth - 1, 2)
        assert replies[other[1]] >= -max(best.values())


@settings(max_examples=60)
@given(
    st.sampled_from([(6, 4), (7, 3), (8, 5), (10, 5)]),
    st.sampled_from(["freestyle", "standard"]),
    st.integers(2, 30),
    st.randoms(use_true_random=False),
)
def test_what_gomoku_judges_without_playing_is_what_playing_gives(board, rule, plies, random):
    """`judge_moves` and `judge_reply` save alpha-beta a ply each; what they say is what it would have found."""
    size, win = board
    game, points = make_game(f"gomoku:size={size},win={win},rule={rule}"), list(range(size * size))
    made = both(game.text, random.sample(points, plies))
    if made is None:
        return
    position, rules, kernels = made[1], game.rules, game.kernels
    own = position.to_move
    scores = np.zeros((2, game.actions), np.int64)
    rules.score_moves(position.state, scores)

    def judge(after) -> int:
        fresh = np.zeros_like(scores)
        rules.score_moves(after.state, fresh)
        return int(kernels.judge_position(after.state, fresh)) * (1 if after.to_move == own else -1)

    moves = np.array(position.legal_moves, np.int64)
    children = [position.play(int(move)) for move in moves]
    best = rules.judge_moves(position.state, scores, moves.copy(), len(moves), 10**9)
    if best != NOT_JUDGED:
        assert best == max(map(judge, children))
        enough = int(np.median(list(map(judge, children))))
        order = moves.copy()
        reached = rules.judge_moves(position.state, scores, order, len(order), enough)
        assert best >= reached == judge(position.play(int(order[0]))) >= enough
    else:
        assert rule == "standard" or any(child.is_over for child in children)
    for move, child in list(zip(moves.tolist(), children, strict=True))[:: max(1, len(moves) // 6)]:
        for reply in [] if child.is_over else random.sample(list(child.legal_moves), min(4, len(child.legal_moves))):
            found = rules.judge_reply(position.state, scores, move, int(reply))
            after = child.play(int(reply))
            if found != NOT_JUDGED:
                assert not after.is_over
                assert found == judge(after)
