"""The rules of Gomoku against a naive implementation that looks at every line after every move."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.benchmarks.reference.gomoku import PlainGomoku, winning_lines
from eightfold.benchmarks.reference.minmax import greedy_score
from eightfold.core.errors import EightfoldError
from eightfold.core.rng import make_random
from eightfold.core.specialise import DEFAULTS, specialise
from eightfold.games import make_game
from eightfold.games.state import BLACK, DRAW, NO_MOVE, RESULT, WHITE

BOARDS = [(3, 3), (4, 4), (5, 4), (6, 5), (8, 4), (8, 5), (11, 3), (15, 5), (25, 5), (7, 7), (9, 1), (5, 2)]


def random_game(size: int, win: int, rule: str, random: np.random.Generator) -> int:
    """Play a random game twice, side by side, comparing after every move; the number of moves."""
    game = make_game(f"gomoku:size={size},win={win},rule={rule}")
    state, plain = game.start().state.copy(), PlainGomoku(size, win, exactly=rule == "standard")
    moves = np.empty(size * size, np.int64)
    board = np.empty((size, size), np.int8)
    played = 0
    # Stones close together make lines: half of the games fill the board from one edge.
    favourite = np.arange(size * size) if random.random() < 0.5 else random.permutation(size * size)
    while not plain.result:
        legal = moves[: game.rules.legal(state, moves)].tolist()
        assert legal == plain.legal()
        near = sorted(legal, key=lambda move: favourite[move])[: 2 * win + 2]
        move = int(random.choice(near if random.random() < 0.7 else legal))
        game.rules.play(state, move)
        plain.play(move)
        played += 1
        assert state[RESULT] == plain.result
    game.rules.stones(state, board)
    assert {(r, c): int(board[r, c]) for r, c in np.argwhere(board)} == plain.stones
    assert game.rules.legal(state, moves) == 0
    return played


@pytest.mark.parametrize("rule", ["freestyle", "standard"])
@pytest.mark.parametrize(("size", "win"), BOARDS)
def test_thousands_of_random_games_go_as_in_the_naive_rules(size, win, rule):
    random = np.random.default_rng([size, win, rule == "standard"])
    games = max(4, 6000 // size**2)
    assert sum(random_game(size, win, rule, random) for _ in range(games)) >= games


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["freestyle", "standard"])
@pytest.mark.parametrize(("size", "win"), [(5, 4), (8, 5), (10, 5), (15, 5), (19, 5)])
def test_many_more_random_games_go_as_in_the_naive_rules(size, win, rule):
    random = np.random.default_rng([size, win, 2])
    for _ in range(100_000 // size**2):
        random_game(size, win, rule, random)


@pytest.mark.parametrize("rule", ["freestyle", "standard"])
def test_random_games_of_the_search_end_as_often_as_the_naive_ones(rule):
    """`rollout` has a win test of its own way in: its results must have the distribution of plain random games."""
    game = make_game(f"gomoku:size=5,win=4,rule={rule}")
    results = np.zeros(4, np.int64)
    kernels = specialise("eightfold.search.kernels.playouts", game.rules)
    kernels.random_games(game.start().state, 100_000, make_random(1), np.zeros(25, np.int64), results)
    random, plain = np.random.default_rng(1), np.zeros(4, np.int64)
    for _ in range(1500):
        naive = PlainGomoku(5, 4, exactly=rule == "standard")
        for move in random.permutation(25):
            naive.play(int(move))
            if naive.result:
                break
        plain[naive.result] += 1
    deviation = np.abs(results / 100_000 - plain / 1500)
    assert deviation.max() < 0.06, (results, plain)


def test_six_in_a_row_wins_freestyle_and_not_standard():
    # Black: a1 b1 c1 . e1 f1, then d1 joins six; white answers far away and apart.
    moves = ["a1", "a8", "b1", "c8", "c1", "e8", "e1", "g8", "f1", "a6", "d1"]
    assert make_game("gomoku:size=8").after(moves).result == BLACK
    standard = make_game("gomoku:size=8,rule=standard").after(moves)
    assert not standard.is_over
    assert standard.play("c6").play("a2").ply == 13


def test_the_96_lines_and_480_states_of_document_000_counted_by_the_rules():
    game = make_game("gomoku:size=8")
    lines = winning_lines(8, 5)
    assert len(lines) == 96
    states = set()
    for line in lines:
        for removed in line:
            kept = [row * 8 + column for row, column in line if (row, column) != removed]
            elsewhere = [move for move in (0, 7, 18, 37, 45, 56, 63) if divmod(move, 8) not in line][:4]
            position = game.after([move for pair in zip(kept, elsewhere, strict=True) for move in pair])
            assert not position.is_over
            assert position.play(removed).result == BLACK
            states.add((frozenset(kept), removed))
    assert len(states) == 480


def test_a_full_board_without_a_line_is_a_draw():
    game = make_game("gomoku:size=3")
    position = game.after([0, 1, 2, 4, 3, 5, 7, 6, 8])
    assert position.outcome == "draw"
    assert position.winner is None
    assert position.state[RESULT] == DRAW
    assert position.legal_moves.size == 0


@given(st.integers(3, 12), st.integers(2, 6), st.sampled_from(["freestyle", "standard"]), st.randoms())
def test_scores_are_those_of_document_004_and_keep_up_with_moves(size, win, rule, random):
    win = min(win, size)
    game = make_game(f"gomoku:size={size},win={win},rule={rule}")
    state, plain = game.start().state.copy(), PlainGomoku(size, win, exactly=rule == "standard")
    scores, fresh = np.zeros((2, size * size), np.int64), np.zeros((2, size * size), np.int64)
    game.rules.score_moves(state, scores)
    moves = list(range(size * size))
    random.shuffle(moves)
    for move in moves[: 4 * win]:
        if plain.result:
            break
        game.rules.play(state, move)
        plain.play(move)
        game.rules.rescore_moves(state, move, scores)
        game.rules.score_moves(state, fresh)
        np.testing.assert_array_equal(scores, fresh)
    for point in range(size * size):
        for colour in (BLACK, WHITE):
            empty = divmod(point, size) not in plain.stones
            assert fresh[colour - 1, point] == (greedy_score(plain, point, colour) if empty else 0)


def test_encoders_show_what_the_documents_say():
    game = make_game("gomoku:size=8")
    position = game.after(["d4", "e5", "d5"])  # white to move
    d4, e5, d5 = (divmod(game.action(name), 8) for name in ("d4", "e5", "d5"))
    own, opponent, last, colour = position.encode("last-move")
    assert np.argwhere(own).tolist() == [list(e5)]
    assert sorted(np.argwhere(opponent).tolist()) == sorted([list(d4), list(d5)])
    assert np.argwhere(last).tolist() == [list(d5)]
    assert not colour.any()
    assert game.after(["d4", "e5"]).encode("last-move")[3].all(), "ones if black is to move"

    own_now, opponent_now, own_before, opponent_before = position.encode("history")
    earlier = game.after(["d4", "e5"])
    np.testing.assert_array_equal(own_before, earlier.stones == WHITE)
    np.testing.assert_array_equal(opponent_before, earlier.stones == BLACK)
    assert opponent_now.sum() == opponent_before.sum() + 1, "the past must not be a copy of the present"
    np.testing.assert_array_equal(own_now, own_before)

    threat = position.encode("threat")
    np.testing.assert_array_equal(threat[:4], position.encode("last-move"))
    assert threat[4][divmod(game.action("d6"), 8)] == pytest.approx(2 / 4), "three in a row of five"
    assert threat[4][divmod(game.action("h1"), 8)] == 0
    assert threat[4][d4] == 0, "a taken point is no threat"


def test_an_overline_is_a_threat_only_where_it_wins():
    moves = ["a5", "a1", "b5", "c1", "c5", "e1", "e5", "g1", "f5", "a8"]
    for rule, expected in (("freestyle", 1.0), ("standard", 0.25)):  # standard: what is left is the run on column d
        game = make_game(f"gomoku:size=8,rule={rule}")
        threat = game.after(moves).encode("threat")[4]
        assert threat[divmod(game.action("d5"), 8)] in ((expected,) if rule == "freestyle" else (0.0, 0.25))


def test_encoding_writes_every_number_and_a_batch_is_its_samples():
    game = make_game("gomoku:size=6")
    positions = [game.start(), game.after(["a1"]), game.after(["c3", "d4", "c4"])]
    for encoder, planes in game.spec.encoders.items():
        batch = np.full((3, planes, 6, 6), np.nan, np.float32)
        number, _ = game.encoder(encoder)
        game.kernels.encode_batch(np.stack([position.state for position in positions]), number, batch)
        np.testing.assert_array_equal(batch, np.stack([position.encode(encoder) for position in positions]))
        assert np.isfinite(batch).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gomoku:size=2", "size=2 is not a whole number from 3 to 25"),
        ("gomoku:size=26", "size=26"),
        ("gomoku:size=8,win=9", "win=9 does not fit on a 8x8 board"),
        ("gomoku:rule=renyu", "unknown value for 'rule'"),
        ("gomoku:colour=red", "unknown option of gomoku 'colour'"),
        ("gomuku", "unknown game 'gomuku' (did you mean 'gomoku'?)"),
        ("python:no_such_module", "no_such_module"),
        ("python:json", "has no GAME"),
        ("", "unknown game ''"),
    ],
)
def test_games_that_do_not_exist(text, said):
    with pytest.raises(EightfoldError) as caught:
        make_game(text, trusted=True)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("d5", "move d5 is not legal: a black stone is there"),
        ("z9", "'z9' is not a point of a 8x8 board: a1 to h8"),
        ("a0", "'a0' is not a point"),
        ("", "'' is not a point"),
        ((8, 0), "(row 8, column 0) is off a 8x8 board"),
        (64, "move 64 is not an action"),
        (-1, "move -1 is not an action"),
        (None, "move None is not an action"),
        ((1, 2, 3), "move (1, 2, 3) is not an action"),
    ],
)
def test_moves_that_cannot_be_played(move, said):
    position = make_game("gomoku:size=8").after(["d5", "e4"])
    with pytest.raises(EightfoldError) as caught:
        position.play(move)
    assert said in str(caught.value)
    assert position.ply == 2


def test_nothing_is_played_after_the_end():
    position = make_game("gomoku:size=3,win=2").after(["a1", "c3", "a2"])
    with pytest.raises(EightfoldError, match=r"the game is over \(black wins\)"):
        position.play("b2")


def test_a_position_prints_as_a_board():
    assert str(make_game("gomoku:size=3").after(["a1", "b3"])) == " 3 . O .\n 2 . . .\n 1 X . .\n   a b c"


@pytest.mark.parametrize(
    ("size", "win", "rule"),
    [
        (8, 5, "freestyle"),
        (6, 4, "standard"),
        (5, 3, "standard"),
        (4, 2, "freestyle"),
        (3, 1, "freestyle"),
        (15, 5, "standard"),
    ],
)
def test_a_win_at_once_is_seen_exactly_when_there_is_one(size, win, rule):
    game = make_game(f"gomoku:size={size},win={win},rule={rule}")
    defaults = specialise(DEFAULTS, game.rules)
    random = np.random.default_rng([size, win])
    seen = {True: 0, False: 0}
    for _ in range(80):
        position = game.start()
        while not position.is_over and position.ply < 6 * win:
            expected = any(position.play(int(move)).result in (BLACK, WHITE) for move in position.legal_moves)
            scratch = np.empty(game.scratch, np.int64)
            for rules in (game.rules, defaults):  # the game's own and the default say the same
                move = rules.find_win(position.state, 0, scratch)
                assert (move != NO_MOVE) == expected
                assert move == NO_MOVE or position.play(int(move)).result in (BLACK, WHITE)
            seen[expected] += 1
            near = position.legal_moves[: 3 * win + 2]
            position = position.play(int(random.choice(near)))
    assert seen[True] > 20
    assert seen[False] > 20 or win == 1
