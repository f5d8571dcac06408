"""Steps that do not wait for the host: on a CPU the same operations one by one, on CUDA one graph."""

from __future__ import annotations

import copy
from collections import deque

import numpy as np
import pytest
import torch

from eightfold.core.errors import EightfoldError
from eightfold.learning.checkpointing import load_training_state, training_state
from eightfold.learning.data.sample import Batch, SampleShape
from eightfold.learning.device_steps import DeviceClip, HostFeed
from eightfold.learning.trainer import AutoClip, Trainer
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape

SIZE, PLANES, ROWS = 5, 4, 12
SHAPE = SampleShape((PLANES, SIZE, SIZE), SIZE * SIZE)


def batches(count: int, *, auxiliary: bool = False, rows: int = ROWS) -> list[Batch]:
    random = np.random.default_rng(3)
    return [
        Batch(
            (random.random((rows, PLANES, SIZE, SIZE)) < 0.3).astype(np.float32),
            random.dirichlet(np.ones(SIZE * SIZE), rows).astype(np.float32),
            random.uniform(-1, 1, rows).astype(np.float32),
            None,
            random.integers(-1, 2, (rows, SIZE * SIZE)).astype(np.float32) if auxiliary else None,
            random.uniform(-1, 1, rows).astype(np.float32) if auxiliary else None,
        )
        for _ in range(count)
    ]


def shape(name: str) -> Shape:
    return Shape(planes=PLANES, size=SIZE, ownership="auxiliary" in name)


def trainer(name: str = "resnet:blocks=1,filters=8", device: str = "cpu", **settings) -> Trainer:
    torch.manual_seed(5)
    network = make_network(name, shape(name))
    return Trainer(network, 0.01, device, precision="fp32", **settings)


def without_waiting(name: str = "resnet:blocks=1,filters=8", **settings) -> Trainer:
    """The same trainer, whose steps do not wait: as on CUDA, but not recorded."""
    return trainer(name, waits=False, **settings)


def assert_same_network(one: Trainer, other: Trainer, tolerance: float) -> None:
    """By what they say: a bias that all logits share has no gradient but rounding errors, and Adam makes them large."""
    for batch in batches(2):
        np.testing.assert_allclose(one.sample_losses(batch), other.sample_losses(batch), rtol=tolerance)


def test_a_clip_on_the_device_is_autoclip():
    plain, other = AutoClip(0.9), DeviceClip(0.9, history=50, device=torch.device("cpu"))
    plain.norms = deque(maxlen=50)
    random = np.random.default_rng(2)
    layer = torch.nn.Linear(7, 3)
    other.remember([0.5, 0.7])
    plain.norms.extend([0.5, 0.7])
    for size in random.lognormal(0, 1, 120):
        for parameter in layer.parameters():
            parameter.grad = torch.from_numpy(random.normal(0, size, tuple(parameter.shape)).astype(np.float32))
        theirs = [parameter.grad.clone() for parameter in layer.parameters()]
        plain.clip(layer)
        other.clip(theirs)
        for parameter, gradient in zip(layer.parameters(), theirs, strict=True):
            torch.testing.assert_close(parameter.grad, gradient, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(other.history, list(plain.norms), rtol=1e-6)
    assert len(other.history) == 50


@pytest.mark.parametrize("name", ["resnet:blocks=1,filters=8", "a1"])
def test_steps_that_do_not_wait_are_the_same_steps(name):
    plain, other = trainer(name), without_waiting(name)
    losses = [plain.step(batch) for batch in batches(6)]
    feed = HostFeed(SHAPE, ROWS, torch.device("cpu"))
    for batch in batches(6):
        feed.put(batch)
        other.launch(feed)
        other.pace()
    told = other.settle()
    assert len(told) == plain.steps == other.steps == 6
    np.testing.assert_allclose(told[0][:2], np.mean(losses, axis=0)[:2], rtol=1e-4)
    assert_same_network(plain, other, 1e-4)
    np.testing.assert_allclose(other.clip_history, plain.clip_history, rtol=1e-3)
    assert other.settle() == []


def test_a_rate_that_changes_and_heads_that_teach_count_without_waiting():
    settings = {"name": "resnet:blocks=1,filters=8,auxiliary=1", "ownership_weight": 0.5}
    plain, other = trainer(**settings), without_waiting(**settings)
    for k, batch in enumerate(batches(4, auxiliary=True)):
        for each in (plain, other):
            each.set_learning_rate(0.01 / (k + 1))
        one, same = plain.step(batch), other.step(batch)
        np.testing.assert_allclose(one, same, rtol=1e-3)
        assert one.ownership > 0
    assert_same_network(plain, other, 1e-4)


def test_what_steps_that_do_not_wait_have_saved_goes_on_elsewhere(tmp_path):
    """A run may have begun on a GPU and go on without, or the other way round."""
    plain, other = trainer(), without_waiting()
    for batch in batches(3):
        plain.step(batch)
        other.step(batch)
    (tmp_path / "waits").write_bytes(training_state(plain))
    (tmp_path / "does-not").write_bytes(training_state(other))
    last = batches(1)[0]
    fresh, swapped = trainer(), without_waiting()
    for each, name, weights in ((fresh, "does-not", other), (swapped, "waits", plain)):
        each.model.load_state_dict(weights.model.state_dict())
        load_training_state(each, tmp_path / name)
        np.testing.assert_allclose(each.clip_history, weights.clip_history)
        each.step(last)
        plain_or_other = weights.step(last)
        assert np.isfinite(plain_or_other.total)
        assert_same_network(each, weights, 1e-4)


def test_a_gradient_that_is_not_a_number_is_named_and_leaves_the_weights_alone():
    good, (bad,) = batches(2), batches(1)
    other = without_waiting()
    for batch in good:
        other.step(batch)
    before = copy.deepcopy(other)
    bad.policies[0, 0] = np.nan
    feed = HostFeed(SHAPE, ROWS, torch.device("cpu"))
    feed.put(bad)
    other.launch(feed)
    with pytest.raises(EightfoldError, match="training diverged at step 3: a gradient is not a number; lower the rate"):
        other.settle()
    for mine, theirs in zip(before.model.parameters(), other.model.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs)
    assert len(other.clip_history) == 2, "its norm is not one to clip by"
    other.launch(feed)
    other.pace()
    other.launch(feed)
    with pytest.raises(EightfoldError, match="diverged"):
        other.pace()


# ---- on a GPU -------------------------------------------------------------------------------------------


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["resnet:blocks=1,filters=8", "a1", "resnet:blocks=1,filters=8,auxiliary=1"])
def test_a_recorded_step_is_the_step_of_the_cpu(name):
    auxiliary = "auxiliary" in name
    plain, other = trainer(name), trainer(name, "cuda")
    other.record_host_batches(shape(name), ROWS)
    assert_same_network(plain, other, 0.01)
    assert other.clip_history == []
    for batch in batches(6, auxiliary=auxiliary):
        one, same = plain.step(batch), other.step(batch)
        np.testing.assert_allclose(one, same, rtol=0.02, atol=1e-3)
    assert_same_network(plain, other, 0.01)
    odd = batches(1, auxiliary=auxiliary, rows=5)[0]
    np.testing.assert_allclose(plain.step(odd), other.step(odd), rtol=0.02, atol=1e-3)


@pytest.mark.gpu
def test_a_recording_goes_on_from_what_was_saved(tmp_path):
    first = trainer("resnet:blocks=1,filters=8", "cuda")
    for batch in batches(3):
        first.step(batch)
    (tmp_path / "state").write_bytes(training_state(first))
    second = trainer("resnet:blocks=1,filters=8", "cuda")
    second.model.load_state_dict(first.model.state_dict())
    load_training_state(second, tmp_path / "state")
    second.record_host_batches(shape("a1"), ROWS)
    assert second.clip_history == first.clip_history
    for batch in batches(3):
        for each in (first, second):
            each.set_learning_rate(0.002)
            each.step(batch)
    assert_same_network(first, second, 0.01)


@pytest.mark.gpu
def test_a_gradient_that_is_not_a_number_is_named_on_a_gpu():
    other = trainer("resnet:blocks=1,filters=8", "cuda")
    other.record_host_batches(shape("a1"), ROWS)
    (bad,) = batches(1)
    bad.policies[0, 0] = np.nan
    with pytest.raises(EightfoldError, match="training diverged at step 1"):
        other.step(bad)
    assert all(bool(torch.isfinite(each).all()) for each in other.model.parameters())


@pytest.mark.gpu
@pytest.mark.parametrize("settings", [{"optimiser": "sgd"}, {}])
def test_what_cannot_be_recorded_is_stepped_plainly(settings):
    name = "a1" if settings else "a1:dropout=0.3"
    other = trainer(name, "cuda", **settings)
    assert not other.steps_do_not_wait
    other.record_host_batches(shape("a1"), ROWS)
    assert np.isfinite(other.step(batches(1)[0]).total)
