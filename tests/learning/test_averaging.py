"""Averaged weights: the mean that plays, beside the weights that are trained."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from eightfold.config import load_preset, with_changes
from eightfold.learning.averaging import AveragedWeights
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.sample import Batch
from eightfold.learning.loop import Training
from eightfold.learning.trainer import Trainer
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape

SHAPE = Shape(planes=3, size=5)
SMALL = ["game=gomoku:size=6,win=4", "network=resnet:blocks=1,filters=4", "minutes=0", "games=24",
         "selfplay.parallel_games=8", "selfplay.playouts=4", "selfplay.fast_playouts=2", "training.batch_size=16",
         "training.games_a_round=8", "evaluation.every_minutes=0", "evaluation.final_games=1",
         "evaluation.playouts=2", "backend=torch", "training.replay_ratio=4"]  # fmt: skip


def batch(seed: int, rows: int = 12) -> Batch:
    random = np.random.default_rng(seed)
    return Batch(
        (random.random((rows, 3, 5, 5)) < 0.3).astype(np.float32),
        random.dirichlet(np.ones(25), rows).astype(np.float32),
        random.uniform(-1, 1, rows).astype(np.float32),
    )


def trainer(**settings) -> Trainer:
    torch.manual_seed(3)
    return Trainer(make_network("resnet:blocks=1,filters=4", SHAPE), 0.01, precision="fp32", **settings)


def small(*changes: str) -> TrainConfig:
    return with_changes(load_preset(TrainConfig(), "quick"), [*SMALL, *changes])


@pytest.mark.parametrize("waits", [True, False])
def test_the_mean_is_the_recurrence_written_out(waits):
    plain, averaged = trainer(waits=waits), trainer(waits=waits, average_weights=5)
    mean = {name: tensor.clone() for name, tensor in plain.model.state_dict().items()}
    for step in range(60):
        plain.step(batch(step))
        averaged.step(batch(step))
        share = max(1 / 5, 9 / (step + 10))
        for name, tensor in plain.model.state_dict().items():
            mean[name] = (
                tensor.clone() if not tensor.is_floating_point() else mean[name] + share * (tensor - mean[name])
            )
    for name, tensor in averaged.playing.state_dict().items():
        torch.testing.assert_close(tensor, mean[name], rtol=1e-4, atol=1e-6)
    for name, tensor in averaged.model.state_dict().items():
        assert torch.equal(tensor, plain.model.state_dict()[name]), "training is what it is without"
    assert averaged.average.steps == 60
    assert plain.playing is plain.model
    assert not averaged.playing.training


def test_the_statistics_of_norms_are_near_those_of_the_mean_weights():
    """It answers nearly as it would with statistics that are gathered for it anew, from many batches."""
    averaged = trainer(average_weights=50)
    for step in range(200):
        averaged.step(batch(step, rows=32))
    told = averaged.playing
    own = copy.deepcopy(told)
    for module in own.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.reset_running_stats()
            module.momentum = None  # the plain mean over batches
    with torch.no_grad():
        own.train()
        for step in range(20):
            own(torch.from_numpy(batch(step, rows=64).states))
        own.eval()
        states = torch.from_numpy(batch(1000, rows=64).states)
        (policy, values), (other_policy, other_values) = told(states), own(states)
    torch.testing.assert_close(policy, other_policy, atol=0.05, rtol=0.05)
    torch.testing.assert_close(values, other_values, atol=0.05, rtol=0.05)


def test_a_mean_of_one_step_is_the_last_weights():
    network = make_network("resnet:blocks=1,filters=4", SHAPE)
    average = AveragedWeights(network, 1)
    for _ in range(3):
        with torch.no_grad():
            for parameter in network.parameters():
                parameter += 1
        average.update()
    for name, tensor in average.network.state_dict().items():
        torch.testing.assert_close(tensor, network.state_dict()[name])


def test_what_is_saved_plays_with_the_mean_and_trains_on_with_the_last(tmp_path):
    training = Training(small("training.average_weights=20"), tmp_path / "run")
    training.train()
    mean = {name: tensor.clone() for name, tensor in training.trainer.playing.state_dict().items()}
    last = {name: tensor.clone() for name, tensor in training.network.state_dict().items()}
    steps = training.trainer.average.steps
    training.close()
    assert any(not torch.equal(mean[name], last[name]) for name in mean)
    written = load_file(tmp_path / "run" / "checkpoint" / "network.safetensors")
    assert all(torch.equal(written[name], mean[name]) for name in mean)

    again = Training(small("training.average_weights=20"), tmp_path / "run")
    assert again.folder.notices == []
    assert all(torch.equal(tensor, mean[name]) for name, tensor in again.trainer.playing.state_dict().items())
    assert all(torch.equal(tensor, last[name]) for name, tensor in again.network.state_dict().items())
    assert again.trainer.average.steps == steps > 0
    again.close()

    without = Training(small(), tmp_path / "run")  # switched off: what was trained goes on
    assert without.trainer.playing is without.network
    assert all(torch.equal(tensor, last[name]) for name, tensor in without.network.state_dict().items())
    without.close()


def test_a_run_without_may_go_on_with_a_mean_and_one_without_its_optimiser_too(tmp_path):
    training = Training(small(), tmp_path / "run")
    training.train()
    last = {name: tensor.clone() for name, tensor in training.network.state_dict().items()}
    training.close()
    switched = Training(small("training.average_weights=20", "games=40"), tmp_path / "run")
    assert all(torch.equal(tensor, last[name]) for name, tensor in switched.trainer.playing.state_dict().items())
    switched.train()
    mean = {name: tensor.clone() for name, tensor in switched.trainer.playing.state_dict().items()}
    switched.close()
    (tmp_path / "run" / "checkpoint" / "training.safetensors").unlink()
    bare = Training(small("training.average_weights=20", "games=40"), tmp_path / "run")
    assert any("the optimiser begins afresh" in notice for notice in bare.folder.notices)
    for network in (bare.network, bare.trainer.playing):
        assert all(torch.equal(tensor, mean[name]) for name, tensor in network.state_dict().items())
    bare.close()
