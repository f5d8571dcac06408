"""The liberty classes and the rewards against plain Python, the paper's tables, and the eight symmetries."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.benchmarks.reference.isn import plain_class, plain_classes, plain_reward
from eightfold.isn.classes import BLACK, EMPTY, ONE, WHITE, group_class, liberty_classes
from eightfold.isn.reward import board_rewards, board_values, reward_weights
from eightfold.symmetry.transform import BoardSymmetry
from refusals import refusal


def random_boards(shape, seed=1, stones=0.7):
    """Boards with many groups; some have no liberties, as no position of a game has: classes must not mind."""
    random = np.random.default_rng(seed)
    share = random.uniform(0, 1, (shape[0], 1, 1)) * stones
    return np.where(random.random(shape) < share, random.integers(1, 3, shape), 0).astype(np.int8)


def outputs_for(stones, seed=2):
    boards, rows, columns = stones.shape
    return np.random.default_rng(seed).random((boards, 7, rows, columns), np.float32) ** 2


@pytest.mark.parametrize("shape", [(40, 5, 5), (20, 9, 9), (10, 13, 13), (200, 19, 19), (8, 3, 7), (4, 1, 1)])
@pytest.mark.parametrize("by_count", [False, True])
def test_classes_are_those_of_plain_python(shape, by_count):
    stones = random_boards(shape)
    previous = outputs_for(stones)
    classes = liberty_classes(stones, previous, by_count=by_count)
    for board in range(min(shape[0], 20)):
        expected = plain_classes(stones[board], previous[board], by_count=by_count)
        np.testing.assert_array_equal(classes[board], expected)
    alone = np.concatenate(
        [liberty_classes(stones[k : k + 1], previous[k : k + 1], by_count=by_count) for k in range(len(stones))]
    )
    np.testing.assert_array_equal(classes, alone, "boards and threads do not mix")
    if shape[1] == 19:
        assert set(np.unique(classes)) == set(range(13)), "every class occurs"


def test_the_limits_between_classes():
    values = [0, 0.5, 0.75 - 2**-24, 0.75, 1, 1.5 - 2**-24, 1.5, 3]
    for eyes in values:
        for territory in values:
            ours = group_class(int(eyes * ONE), int(territory * ONE), 3, 0)
            assert ours == plain_class(eyes, territory) - 1
    assert [group_class(0, 0, count, 1) for count in (0, 1, 2, 6, 7)] == [0, 0, 1, 5, 5]


def test_classes_turn_with_the_board():
    stones = random_boards((30, 9, 9))
    previous = outputs_for(stones)
    classes = liberty_classes(stones, previous)
    for g in range(8):
        turned = np.stack([BoardSymmetry.transform_board_tensor(board, g) for board in stones])
        before = np.stack([BoardSymmetry.transform_board_tensor(planes, g) for planes in previous])
        expected = np.stack([BoardSymmetry.transform_board_tensor(board, g) for board in classes])
        np.testing.assert_array_equal(liberty_classes(turned, before), expected)


def test_a_group_is_judged_by_its_own_colours_outputs():
    stones = np.zeros((2, 3, 3), np.int8)
    stones[0, 1, 1], stones[1, 1, 1] = WHITE, BLACK
    previous = np.zeros((2, 7, 3, 3), np.float32)
    previous[:, 0] = 0.1  # ΣZ: .4 for white, 3.6 for black
    assert liberty_classes(stones, previous)[:, 1, 1].tolist() == [0, 6 + 2]
    previous[:, 4] = 0.25  # black eyes: ΣA is 1 for black and 0 for white
    assert liberty_classes(stones, previous)[:, 1, 1].tolist() == [0, 6 + 4]
    previous[:, 3] = 0.5
    assert liberty_classes(stones, previous)[:, 1, 1].tolist() == [5, 6 + 4]


@pytest.mark.parametrize(("c", "s"), [(0.4, 0.4), (0, 1), (1, 0), (0.3, 0.8)])
def test_rewards_are_those_of_table_three(c, s):
    stones = random_boards((6, 5, 7))
    outputs = outputs_for(stones)
    rewards = board_rewards(stones, outputs, c=c, s=s)
    for where in np.ndindex(*stones.shape):
        board, row, column = where
        expected = plain_reward(int(stones[where]), outputs[board, :, row, column], c, s)
        assert rewards[where] == pytest.approx(expected, abs=1e-6)
    np.testing.assert_allclose(board_values(stones, outputs, c=c, s=s), rewards.sum(axis=(1, 2)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("c", "s"), [(0.4, 0.4), (0.0, 1.0), (1.0, 0.0), (0.4, 0.9)])
def test_final_targets_give_the_rewards_of_table_one(c, s):
    """Every cell of tables IV and I: how a point ends, by what it is now."""
    half = [0.5, 1 / (2 + c), (1 + c) / (2 + c), 0, 0, c / (2 + c), c / (2 + c)]
    targets = np.array(
        [[1, 0, 1, 1, 0, 0, 1], [1, 1, 1, 0, 0, 0, 0], half, [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0]], np.float32
    )
    table = [  # white territory, white stone, touching both, black stone, black territory: now empty, white, black
        [1, None, 1 + c],
        [s, s, s + c],
        [0, -c, c],
        [-s, -(s + c), -s],
        [-1, -(1 + c), None],
    ]
    for target, row in zip(targets, table, strict=True):
        for state, expected in zip((EMPTY, WHITE, BLACK), row, strict=True):
            if expected is not None:
                stones = np.full((1, 1, 1), state, np.int8)
                found = board_rewards(stones, target.reshape(1, 7, 1, 1), c=c, s=s)
                assert found[0, 0, 0] == pytest.approx(expected, abs=1e-6), (state, target)


def test_bad_input_is_named():
    stones = np.zeros((2, 5, 5), np.int8)
    assert "expected float32 [2, 7, 5, 5]" in refusal(
        lambda: liberty_classes(stones, np.zeros((2, 7, 5, 4), np.float32))
    )
    assert "expected int8 [B, H, W]" in refusal(lambda: liberty_classes(stones[0], np.zeros((1, 7, 5, 5), np.float32)))
    assert "expected [2, 7, 5, 5]" in refusal(lambda: board_rewards(stones, np.zeros((2, 6, 5, 5), np.float32)))
    assert "stones from 0 to 3" in refusal(
        lambda: liberty_classes(
            stones + np.int8(3) * (np.arange(5) == 2).astype(np.int8), np.zeros((2, 7, 5, 5), np.float32)
        )
    )
    assert "stones from -1" in refusal(lambda: board_rewards(stones - np.int8(1), np.zeros((2, 7, 5, 5), np.float32)))
    assert "c=nan" in refusal(lambda: reward_weights(float("nan"), 0.4))
