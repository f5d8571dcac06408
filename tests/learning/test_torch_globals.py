"""What belongs to the whole process, PyTorch's threads and random numbers, is left as it was found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from eightfold.config import load_preset, with_changes
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.sample import Batch
from eightfold.learning.loop import Training
from eightfold.learning.runs import torch_globals
from eightfold.learning.td.config import TdConfig
from eightfold.learning.td.loop import TdTrainer
from eightfold.learning.trainer import Trainer
from eightfold.nets.inference.backends import make_backend
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape

SHAPE = Shape(planes=4, size=5)
SMALL = [
    "game=gomoku:size=5,win=4",
    "network=a1:dropout=0.5",
    "minutes=0",
    "games=12",
    "selfplay.parallel_games=6",
    "selfplay.playouts=8",
    "training.batch_size=16",
    "training.games_a_round=6",
    "training.replay_ratio=2",
    "training.window=300",
    "training.later_window=0",
    "evaluation.every_minutes=0",
]


def run_of(folder, *changes: str) -> Training:
    return Training(with_changes(load_preset(TrainConfig(), "quick"), [*SMALL, *changes]), folder)


@pytest.fixture
def three_threads(monkeypatch):
    """A number that is nobody's choice here: a run would take one of its two cores."""
    before = torch.get_num_threads()
    monkeypatch.setattr(torch_globals, "usable_cores", lambda: 2)
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def weights_of(network: torch.nn.Module) -> np.ndarray:
    return np.concatenate([parameter.detach().numpy().ravel() for parameter in network.parameters()])


def test_making_a_run_changes_nothing_of_the_process(tmp_path, three_threads):
    torch.manual_seed(77)
    expected = torch.rand(3)
    for seed in (1, 2):
        torch.manual_seed(77)
        training = run_of(tmp_path / f"run{seed}", f"seed={seed}")
        training.close()
        assert torch.get_num_threads() == 3
        torch.testing.assert_close(torch.rand(3), expected, rtol=0, atol=0)


def test_a_run_works_with_its_share_of_the_threads_and_gives_them_back(tmp_path, three_threads):
    training, seen = run_of(tmp_path / "run"), []
    training.train(lambda entry: seen.append(torch.get_num_threads()))
    training.close()
    assert set(seen) == {1}
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize("backend", ["torch", "onnxruntime", "openvino"])
def test_making_a_backend_draws_no_random_numbers_of_the_process(backend):
    network = make_network("a1", SHAPE)
    torch.manual_seed(77)
    expected = torch.rand(3)
    torch.manual_seed(77)
    make_backend(backend, network, SHAPE)
    torch.testing.assert_close(torch.rand(3), expected, rtol=0, atol=0)


def test_a_trainer_of_games_changes_nothing_of_the_process():
    torch.manual_seed(77)
    expected = torch.rand(3)
    torch.manual_seed(77)
    TdTrainer(replace(TdConfig(), seed=5), threads=1)
    torch.testing.assert_close(torch.rand(3), expected, rtol=0, atol=0)


def test_a_seed_gives_the_same_weights_whatever_else_was_drawn(tmp_path):
    first, other, second = (
        run_of(tmp_path / name, f"seed={seed}") for name, seed in zip("abc", (1, 2, 1), strict=True)
    )
    for training in (first, other, second):
        training.close()
    np.testing.assert_array_equal(weights_of(first.network), weights_of(second.network))
    assert (weights_of(first.network) != weights_of(other.network)).any()
    torch.manual_seed(1)  # and they are those that a network gets right after the seed
    np.testing.assert_array_equal(weights_of(first.network), weights_of(first.description.make()))


def test_what_dropout_drops_comes_from_the_seed_alone():
    """Two trainers in turns, in a process that draws for itself: the same steps as one trainer alone."""
    random = np.random.default_rng(3)
    states = random.random((8, 4, 5, 5), np.float32)
    policies = np.full((8, 25), 1 / 25, np.float32)
    batch = Batch(states=states, policies=policies, values=np.zeros(8, np.float32))

    def make(seed: int) -> Trainer:
        torch.manual_seed(9)
        return Trainer(make_network("a1:dropout=0.5", SHAPE), precision="fp32", seed=seed)

    first, second, other = make(1), make(1), make(2)
    for _ in range(3):
        first.step(batch)
    for number in range(3):
        torch.rand(number)
        other.step(batch)
        second.step(batch)
    np.testing.assert_array_equal(weights_of(first.model), weights_of(second.model))
    assert (weights_of(first.model) != weights_of(other.model)).any()
