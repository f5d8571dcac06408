"""Candidates evaluated by what they change against the full evaluation of every board, captures and all."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.benchmarks.reference.isn import as_board, group_of, liberties_of, plain_play
from eightfold.isn.classes import BLACK, WHITE, liberty_classes
from eightfold.isn.fused import FusedEvaluator
from eightfold.isn.incremental import CandidateEvaluator
from eightfold.isn.network import ISN
from eightfold.isn.reward import board_values
from refusals import refusal
from strange_networks import strange


def legal_boards(count, rows, columns, seed):
    """Random boards on which every group has a liberty: dense ones have many groups in atari."""
    random, boards = np.random.default_rng(seed), []
    while len(boards) < count:
        share = random.uniform(0.1, 0.95)
        stones = random.integers(1, 3, (rows, columns))
        if random.random() < 0.5:  # areas of one colour: large groups, and captures of many stones
            coarse = random.integers(1, 3, (rows // 3 + 1, columns // 3 + 1))
            stones = np.kron(coarse, np.ones((3, 3), int))[:rows, :columns]
        stones = np.where(random.random((rows, columns)) < share, stones, 0).astype(np.int8)
        board = as_board(stones)
        for point in board:
            if board[point] and not liberties_of(board, group_of(board, point)):
                for gone in group_of(board, point):
                    board[gone] = stones[gone] = 0
        boards.append(stones)
    return np.stack(boards)


def outputs_of(network, stones, seed):
    """Outputs that a network could have given, spread out so that all classes occur."""
    shape = (len(stones), 7, *stones.shape[1:])
    return np.random.default_rng(seed).random(shape, np.float32) ** 2


def full_values(network, stones, previous, colour, c, s, by_count):
    """[H*W + 1]: every candidate's board made by plain rules and evaluated whole; and the captures."""
    rows, columns = stones.shape
    after, captures, actions = [], [], []
    for action in range(rows * columns):
        point = divmod(action, columns)
        if stones[point] == 0:
            board, captured = plain_play(stones, point, colour)
            if captured >= 0:
                after.append(board)
                captures.append(captured)
                actions.append(action)
    after.append(stones)
    captures.append(0)
    actions.append(rows * columns)
    boards = np.stack(after).astype(np.int8)
    before = np.repeat(previous[None], len(boards), axis=0)
    outputs = FusedEvaluator(network).run(liberty_classes(boards, before, by_count=by_count))
    values = np.full(rows * columns + 1, np.nan)
    sign = 1 if colour == WHITE else -1
    values[actions] = board_values(boards, outputs, c=c, s=s) + sign * c * np.array(captures)
    return values, np.array(captures)


@pytest.mark.parametrize(
    ("rows", "columns", "count"),
    [(1, 1, 2), (2, 2, 20), (3, 4, 20), (5, 5, 60), (7, 7, 25), (9, 9, 25), (13, 13, 10), (19, 19, 12)],
)
@pytest.mark.parametrize("by_count", [False, True])
def test_every_candidate_is_worth_what_the_full_evaluation_says(rows, columns, count, by_count):
    stones = legal_boards(count, rows, columns, seed=rows)
    network = strange(rows)
    previous = outputs_of(network, stones, seed=rows + 1)
    colours = np.random.default_rng(rows + 2).integers(1, 3, count)
    evaluator = CandidateEvaluator(network, c=0.3, s=0.6, by_count=by_count)
    everything = np.ones((count, rows * columns), np.uint8)
    found = evaluator.values(stones, previous, colours, everything)
    most = 0
    for board in range(count):
        expected, captures = full_values(network, stones[board], previous[board], colours[board], 0.3, 0.6, by_count)
        np.testing.assert_allclose(found[board], expected, atol=2e-5 * max(1, rows * columns / 81), rtol=0)
        most = max(most, captures.max())
    if rows >= 5:
        assert most >= 3, "captures of several stones were among them"
        assert np.isnan(found[:, :-1][stones.reshape(count, -1) == 0]).any(), "and suicide"
        assert np.nanstd(found, axis=1).max() > 0.1, "candidates do differ"


@pytest.mark.parametrize("units", [{"trivial": 8}, {"trivial": 1, "symmetrical": 0}, {"faithful": 4, "chiral": 0}])
def test_networks_of_other_sizes(units):
    stones = legal_boards(6, 7, 7, seed=1)
    network = strange(2, **units)
    previous, colours = outputs_of(network, stones, 3), np.array([1, 2, 1, 2, 1, 2])
    found = CandidateEvaluator(network).values(stones, previous, colours, np.ones((6, 49), np.uint8))
    for board in range(6):
        expected, _ = full_values(network, stones[board], previous[board], colours[board], 0.4, 0.4, False)
        np.testing.assert_allclose(found[board], expected, atol=2e-5, rtol=0)


def test_only_what_is_asked_for_is_answered():
    stones = legal_boards(6, 9, 9, seed=3)
    network = strange(4)
    previous, colours = outputs_of(network, stones, 5), np.array([1, 2, 1, 2, 1, 2])
    evaluator = CandidateEvaluator(network)
    every = evaluator.values(stones, previous, colours, np.ones((6, 81), np.uint8))
    asked = (np.random.default_rng(6).random((6, 81)) < 0.3).astype(np.uint8)
    some = evaluator.values(stones, previous, colours, asked)
    np.testing.assert_array_equal(some[:, :-1], np.where(asked, every[:, :-1], np.nan))
    np.testing.assert_array_equal(some[:, -1], every[:, -1])
    for board in range(6):
        one = slice(board, board + 1)
        alone = evaluator.values(stones[one], previous[one], colours[one], asked[one])
        np.testing.assert_array_equal(alone[0], some[board], "boards and threads do not mix")


def test_a_whole_game_of_the_best_moves():
    """Played by the candidate's values, checked at every move against the full evaluation."""
    network = strange(7, scale=0.4)
    fused, evaluator = FusedEvaluator(network), CandidateEvaluator(network)
    stones = np.zeros((1, 7, 7), np.int8)
    previous = fused.run(liberty_classes(stones, np.zeros((1, 7, 7, 7), np.float32)))
    colour, captured = BLACK, 0
    for _ in range(80):
        found = evaluator.values(stones, previous, np.array([colour]), np.ones((1, 49), np.uint8))[0]
        expected, _ = full_values(network, stones[0], previous[0], colour, 0.4, 0.4, False)
        np.testing.assert_allclose(found, expected, atol=2e-5, rtol=0)
        moves = np.where(np.isnan(found[:-1]), -np.inf, found[:-1] if colour == WHITE else -found[:-1])
        board, taken = plain_play(stones[0], divmod(int(moves.argmax()), 7), colour)
        captured += taken
        stones = board[None].astype(np.int8)
        previous = fused.run(liberty_classes(stones, previous))
        colour = BLACK + WHITE - colour
    assert captured > 0


def test_a_wrong_class_would_be_noticed():
    """The control: with classes by count instead of by worth the answers differ."""
    stones = legal_boards(4, 9, 9, seed=8)
    network = strange(9)
    previous, colours, asked = outputs_of(network, stones, 5), np.array([1, 2, 1, 2]), np.ones((4, 81), np.uint8)
    ours = CandidateEvaluator(network).values(stones, previous, colours, asked)
    other = CandidateEvaluator(network, by_count=True).values(stones, previous, colours, asked)
    assert np.nanmax(np.abs(ours - other)) > 0.1


def test_bad_input_is_named():
    assert "recurrent=1" in refusal(lambda: CandidateEvaluator(ISN(recurrent=1)))
    evaluator = CandidateEvaluator(ISN())
    stones, previous = np.zeros((1, 5, 5), np.int8), np.zeros((1, 7, 5, 5), np.float32)
    asked = np.ones((1, 25), np.uint8)
    for change, said in (
        ((stones, previous[:, :6], np.array([1]), asked), "previous outputs are [1, 6, 5, 5]"),
        ((stones, previous, np.array([1, 2]), asked), "colours are [2]"),
        ((stones, previous, np.array([0]), asked), "1 for black and 2 for white"),
        ((stones, previous, np.array([1]), asked[:, :9]), "candidates are [1, 9]"),
    ):
        assert said in refusal(lambda change=change: evaluator.values(*change))
