"""The kernel for the CPU against torch and against plain Python, cell by cell; and the eight symmetries."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from eightfold.benchmarks.reference.isn import plain_outputs
from eightfold.isn.fused import FusedEvaluator, fast_sigmoid, fast_tanh, fuse
from eightfold.isn.network import ISN, one_hot
from eightfold.symmetry.transform import BoardSymmetry
from refusals import refusal

CONFIGS = [
    {},
    {"bias": False},
    {"recurrent": 3},
    {"trivial": 1, "symmetrical": 3, "diagonal": 1, "chiral": 2, "faithful": 4, "outputs": 1, "recurrent": 1},
    {"trivial": 0, "symmetrical": 0, "diagonal": 0, "chiral": 1, "faithful": 1, "inputs": 5},
]


def strange(network):
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(0.5 * torch.randn_like(parameter))
    return network


def assert_as_exact_as_torch(found, network, classes):
    """Against double precision, with three times the error that torch makes in single precision."""
    planes = one_hot(torch.from_numpy(classes), network.config.inputs)
    with torch.inference_mode():
        single = network(planes).numpy()
        exact = copy.deepcopy(network).double()(planes.double()).numpy()
    allowed = max(3 * np.abs(single - exact).max(), 5e-7)
    assert allowed < 1e-5
    np.testing.assert_allclose(found, exact, atol=allowed, rtol=0)


@pytest.mark.parametrize("config", CONFIGS, ids=str)
@pytest.mark.parametrize("shape", [(3, 1, 1), (3, 2, 2), (5, 9, 9), (100, 19, 19), (4, 5, 25)])
def test_the_kernel_answers_as_torch_does(config, shape):
    torch.manual_seed(1)
    network = strange(ISN(**config))
    evaluator = FusedEvaluator(network)
    classes = np.random.default_rng(1).integers(0, network.config.inputs - 1, shape).astype(np.uint8)
    assert_as_exact_as_torch(evaluator.run(classes), network, classes)
    evaluator.load(strange(network))
    into = np.empty((shape[0], network.config.outputs, *shape[1:]), np.float32)
    assert evaluator.run(classes, into) is into
    assert_as_exact_as_torch(into, network, classes)


def test_the_kernel_does_what_the_paper_says_cell_by_cell():
    torch.manual_seed(2)
    network = strange(ISN())
    classes = np.random.default_rng(3).integers(0, 13, (2, 6, 6)).astype(np.uint8)
    expected = np.stack([plain_outputs(network, board) for board in classes])
    np.testing.assert_allclose(FusedEvaluator(network).run(classes), expected, atol=1e-6)


@pytest.mark.parametrize("size", [9, 13, 19])
def test_turning_before_is_turning_after(size):
    torch.manual_seed(3)
    evaluator = FusedEvaluator(ISN())
    classes = np.random.default_rng(4).integers(0, 13, (4, size, size)).astype(np.uint8)
    straight = evaluator.run(classes)
    for g in range(8):
        turned = evaluator.run(np.stack([BoardSymmetry.transform_board_tensor(board, g) for board in classes]))
        expected = np.stack([BoardSymmetry.transform_board_tensor(board, g) for board in straight])
        np.testing.assert_allclose(turned, expected, atol=1e-6)


def test_tanh_and_sigmoid_to_the_last_bits():
    numbers = np.concatenate([np.linspace(-12, 12, 4001), [-1e30, 1e30, 0.0, 1e-30]]).astype(np.float32)
    exact = np.tanh(numbers.astype(np.float64))
    np.testing.assert_allclose([fast_tanh(x) for x in numbers], exact, atol=2e-7)
    with np.errstate(over="ignore"):
        exact = 1 / (1 + np.exp(-numbers.astype(np.float64)))
    np.testing.assert_allclose([fast_sigmoid(x) for x in numbers], exact, atol=2e-7)


def test_what_does_not_fit_is_named():
    evaluator, classes = FusedEvaluator(ISN()), np.zeros((2, 5, 5), np.uint8)
    assert "up to 14, expected uint8 [B, H, W] up to 13" in refusal(lambda: evaluator.run(classes + np.uint8(14)))
    assert "classes are int64" in refusal(lambda: evaluator.run(classes.astype(np.int64)))
    wrong = np.zeros((2, 7, 5, 4), np.float32)
    assert "expected float32 [2, 7, 5, 5]" in refusal(lambda: evaluator.run(classes, wrong))
    np.testing.assert_array_equal(evaluator.run(classes[:, ::2]), evaluator.run(classes[:, ::2].copy()))
    assert "this network has 20, 7 and 14: run it with torch" in refusal(lambda: fuse(ISN(trivial=12)))
