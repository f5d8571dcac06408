"""Samples as bytes: nothing is lost, whatever a state or a policy holds."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.packing import Packing
from eightfold.learning.data.sample import Batch, Sample, SampleShape

SHAPES = [((4, 15, 15), 225), ((2, 5, 5), 26), ((1, 1, 1), 1)]


def samples(random: np.random.Generator, planes: tuple[int, int, int], actions: int, count: int = 40) -> Batch:
    made = []
    for number in range(count):
        state = random.integers(0, 2, planes).astype(np.float16)
        if number % 3 == 1:
            state *= random.choice([0.25, -1, 1.5, 60000.0, -0.0])
        policy = random.random(actions) * (random.random(actions) < random.random())
        row, column = random.integers(-1, planes[1], 2)
        made.append(Sample(state, policy, random.normal(), (row, column)))
    return Batch.of(made)


@pytest.mark.parametrize(("planes", "actions"), SHAPES)
def test_what_is_packed_comes_out_again_to_the_bit(planes, actions):
    random = np.random.default_rng(1)
    made = samples(random, planes, actions)
    extras = ["" if k % 2 else f'{{"game": {k}, "name": "Zoë"}}' for k in range(len(made))]
    packing = Packing(SampleShape(planes, actions))
    packed = packing.pack(made, random.integers(-1, 3, len(made)).tolist(), extras)
    for rows in (range(len(made)), [5, 5, 3], range(1, len(made), 3), range(0, len(made), 3)):
        states, policies, values, moves = packing.unpack([memoryview(packed[row]) for row in rows])
        chosen = made.part(np.array(rows))
        assert states.dtype == policies.dtype == values.dtype == np.float32
        np.testing.assert_array_equal(states.view(np.uint32), chosen.states.view(np.uint32))
        np.testing.assert_array_equal(policies, chosen.policies)
        np.testing.assert_array_equal(values, chosen.values)
        np.testing.assert_array_equal(moves, chosen.last_moves)
    assert [packing.extra(record) for record in packed] == extras


def test_a_position_takes_a_fraction_of_its_arrays(tmp_path):
    state, policy = np.zeros((4, 15, 15), np.float32), np.zeros(225, np.float32)
    policy[:60] = 1 / 60
    with DataBuffer(tmp_path / "b") as buffer:
        for _ in range(20):
            buffer.add_data([(state, policy, 0.0, None)] * 500)
    assert (tmp_path / "b" / "data.mdb").stat().st_size < 10_000 * 600
