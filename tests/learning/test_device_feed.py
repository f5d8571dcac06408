"""The window on a device and the batches that are drawn there: what the buffer and the batch maker give on the host."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.device_feed import DeviceFeed, DeviceTurns
from eightfold.learning.data.device_ring import DeviceRing, TensorBatch
from eightfold.learning.data.sample import Batch, SampleShape, one_hot_rows
from eightfold.nets.inference.evaluator import MODES

SIZE, PLANES, SLOTS, ROWS = 5, 4, 60, 24
SHAPE = SampleShape((PLANES, SIZE, SIZE), SIZE * SIZE + 1, auxiliary=True, next_moves=True)
DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.gpu),
]


def samples(random: np.random.Generator, count: int) -> Batch:
    """Boards of few stones, so that some are their own mirror images."""
    return Batch(
        (random.random((count, PLANES, SIZE, SIZE)) < 0.06).astype(np.float32),
        random.dirichlet(np.ones(SHAPE.actions), count).astype(np.float32),
        random.uniform(-1, 1, count).astype(np.float32),
        random.integers(0, SIZE, (count, 2)),
        random.integers(-1, 2, (count, SIZE * SIZE)).astype(np.float32),
        random.uniform(-1, 1, count).astype(np.float32),
        one_hot_rows(random.integers(-1, SHAPE.actions, count), SHAPE.actions),
    )


def mirrored(device: str, counts: tuple[int, ...] = (40, 7, 33)) -> tuple[DataBuffer, DeviceRing]:
    """A buffer that has come round, and the ring beside it."""
    random = np.random.default_rng(1)
    buffer = DataBuffer(None, SLOTS, seed=3, auxiliary=True, next_moves=True)
    buffer.add_batch(samples(random, counts[0]))
    ring = DeviceRing(SHAPE, SLOTS, torch.device(device))
    ring.fill(buffer)
    buffer.mirror = ring
    for count in counts[1:]:
        buffer.add_batch(samples(random, count))
    ring.flush()
    return buffer, ring


def assert_equal(ours: TensorBatch, theirs: Batch) -> None:
    for mine, column in zip(ours, TensorBatch.of(theirs), strict=True):
        assert mine is not None
        torch.testing.assert_close(mine.cpu(), column, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("counts", [(40,), (40, 7, 33), (60, 60), (13, 130)])
def test_the_ring_holds_what_the_buffer_holds(counts, device):
    buffer, ring = mirrored(device, counts)
    assert (ring.count, ring.newest) == (len(buffer), buffer.newest)
    slots = np.arange(len(buffer))
    assert_equal(ring.read(torch.from_numpy(slots).to(device)), buffer.read(slots))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("symmetries", [(0,), (0, 2), (0, 2, 4, 5), tuple(range(8))])
def test_batches_of_the_device_are_those_of_the_host(mode, symmetries, device):
    buffer, ring = mirrored(device)
    host, other = (BatchMaker(mode, random=np.random.default_rng(9), symmetries=symmetries) for _ in range(2))
    place = torch.device(device)
    turns = DeviceTurns(mode, size=SIZE, actions=SHAPE.actions, symmetries=symmetries, device=place)
    feed = DeviceFeed(ring, turns, other, batch_size=ROWS, steps=3, seed=3, device=place)
    for recent in (0, 20):
        feed.draw(1, recent=recent)
        assert_equal(feed.next(), host.make(buffer.sample_stored(ROWS, recent=recent)))


def test_batches_that_are_drawn_together_come_one_after_another():
    buffer, ring = mirrored("cpu")
    maker, place = BatchMaker("none", random=np.random.default_rng(0)), torch.device("cpu")
    turns = DeviceTurns("none", size=SIZE, actions=SHAPE.actions, symmetries=range(8), device=place)
    feed = DeviceFeed(ring, turns, maker, batch_size=ROWS, steps=4, seed=3, device=place)
    feed.draw(3, recent=25)
    seen = torch.cat([feed.next().values for _ in range(3)])
    newest = [(buffer.newest - age) % SLOTS for age in range(1, 26)]
    assert set(seen.tolist()) <= set(buffer.read(newest).values.tolist())
    assert len(set(seen.tolist())) > 20, "nearly all of the 25 newest come up in 72 draws"
