"""The replay buffer, in memory and on disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from eightfold.core.errors import EightfoldError
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.lmdb_store import LmdbStore
from eightfold.symmetry import BoardSymmetry


def example(number: int, size: int = 5, planes: int = 2):
    """An example that can be told from all others, in every turn: a mark on a point and its number as value."""
    point = number % (size * size)
    state = np.zeros((planes, size, size), np.float32)
    state[0].flat[point] = 1
    state[1] = 0.25
    policy = np.zeros(size * size, np.float32)
    policy[point] = 1
    return state, policy, float(number), divmod(point, size)


@pytest.mark.parametrize("place", ["disk", "memory"])
@pytest.mark.parametrize("lazy", [True, False])
def test_state_policy_and_last_move_turn_together(place, lazy, tmp_path):
    with DataBuffer(tmp_path / "b" if place == "disk" else None, lazy_augmentation=lazy, seed=1) as buffer:
        buffer.add_data([example(number) for number in range(25)])
        assert len(buffer) == (25 if lazy else 200)
        batch = buffer.sample_batch(512)
        assert batch.states.shape == (512, 2, 5, 5)
        assert batch.policies.shape == (512, 25)
        assert batch.values.shape == (512,)
        seen = set()
        for state, policy, value, move in zip(*batch, strict=True):
            mark = tuple(int(part) for part in np.argwhere(state[0])[0])
            assert mark == divmod(int(policy.argmax()), 5) == tuple(move.tolist())
            assert state[1].min() == state[1].max() == 0.25
            original = divmod(int(value) % 25, 5)
            turns = [g for g in range(8) if BoardSymmetry.transform_coordinates(*original, 5, g) == mark]
            assert turns
            seen.add((int(value), mark))
        assert len(seen) > 100, "all eight turns come up"


@pytest.mark.parametrize("place", ["disk", "memory"])
def test_stored_examples_are_read_unturned(place, tmp_path):
    buffer = DataBuffer(tmp_path / "b" if place == "disk" else None, seed=2)
    buffer.add_data([(*example(number), 1, {"game": number}) for number in range(25)])
    batch = buffer.sample_stored(300)
    for state, policy, value, move in zip(*batch, strict=True):
        expected = example(int(value))
        np.testing.assert_array_equal(state, expected[0])
        np.testing.assert_array_equal(policy, expected[1])
        assert tuple(move.tolist()) == expected[3]
    assert set(buffer.sample_stored(200, recent=5).values.tolist()) == {20.0, 21.0, 22.0, 23.0, 24.0}


@pytest.mark.parametrize("place", ["disk", "memory"])
def test_the_ring_keeps_the_newest_in_order(place, tmp_path):
    buffer = DataBuffer(tmp_path / "b" if place == "disk" else None, max_size=10, seed=3)
    for first in range(0, 24, 3):
        buffer.add_data([example(number) for number in range(first, first + 3)])
    assert len(buffer) == 10
    assert set(buffer.sample_stored(500).values.tolist()) == set(range(14, 24))


def test_the_ring_goes_on_where_it_was_after_reopening(tmp_path):
    """A full buffer that is opened again must not start overwriting from its beginning."""
    with DataBuffer(tmp_path / "b", max_size=10) as buffer:
        buffer.add_data([example(number) for number in range(13)])
    for number in range(13, 20):
        with DataBuffer(tmp_path / "b", max_size=10) as buffer:
            buffer.add_data([example(number)])
            assert set(buffer.sample_stored(400).values.tolist()) == set(range(number - 9, number + 1))


def test_a_call_may_be_longer_than_the_ring(tmp_path):
    with DataBuffer(tmp_path / "b", max_size=10) as buffer:
        buffer.add_data([example(number) for number in range(4)])
        buffer.add_data([example(number) for number in range(4, 29)])
        assert len(buffer) == 10
        assert buffer.read((buffer.newest + np.arange(10)) % 10).values.tolist() == list(range(19, 29))
        with pytest.raises(EightfoldError, match="no sample in slot 11"):
            buffer.read([3, 11])


def test_no_last_move_and_a_pass(tmp_path):
    buffer = DataBuffer(tmp_path / "b")
    state, policy, value, _ = example(3)
    with_pass = np.append(policy * 0.5, np.float32(0.5))
    buffer.add_data([(state, with_pass, value, None)])
    batch = buffer.sample_batch(50)
    assert (batch.last_moves == -1).all()
    assert (batch.policies[:, -1] == 0.5).all()


WRITER = """
import sys
sys.path.insert(0, {tests!r})
from test_buffer import example
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.lmdb_store import LmdbStore
buffer = DataBuffer({path!r}, max_size=1000)
for game in range(100000):
    buffer.add_data([example(game * 10 + k) for k in range(10)])
    print(game, flush=True)
"""


def test_a_killed_writer_loses_no_finished_call(tmp_path):
    random = np.random.default_rng(5)
    path = str(tmp_path / "b")
    code = WRITER.format(tests=os.path.dirname(__file__), path=path)
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            lines = [writer.stdout.readline()]
            time.sleep(random.uniform(0.05, 0.4))
            writer.send_signal(signal.SIGKILL)
            lines += writer.stdout.read().split()
        finished = int(lines[-1])
        with DataBuffer(path, max_size=1000) as buffer:
            values = buffer.read(np.arange(len(buffer))).values.astype(int)
            last = int(values[(buffer.newest - 1) % len(buffer)])
            assert last // 10 in (finished, finished + 1), "the call that was cut off may have made it, whole"
            assert last % 10 == 9, "a call is there whole or not at all"
            newest = values[(buffer.newest - 10 + np.arange(10)) % len(buffer)]
            assert newest.tolist() == [last - 9 + k for k in range(10)]


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        ([(np.zeros((2, 5, 5)), np.zeros(24), 0.0, None)], "is not [C, N, N]"),
        ([(np.zeros((2, 5, 4)), np.zeros(20), 0.0, None)], "is not [C, N, N]"),
        ([(np.zeros((2, 5, 5)), np.zeros(25))], "must be (state, policy, value, last_move)"),
        ([example(1), example(1, size=6)], "got 2 shapes"),
        ([(*example(1)[:2], float("nan"), None)], "not a number"),
        ([(*example(1)[:2], "won", None)], "is not (state, policy, value, last_move)"),
        ([(*example(1)[:3], (1, 2, 3))], "is not (state, policy, value, last_move)"),
    ],
)
def test_bad_examples_are_refused_whole(examples, said, tmp_path):
    buffer = DataBuffer(tmp_path / "b")
    buffer.add_data([example(7)])
    with pytest.raises(EightfoldError) as caught:
        buffer.add_data([example(8), *examples] if len(examples) == 1 and "shapes" not in said else examples)
    assert said in str(caught.value) or "got 2 shapes" in str(caught.value)
    assert len(buffer) == 1


def test_a_buffer_of_another_make_is_refused(tmp_path):
    with DataBuffer(tmp_path / "b", encoder="last-move") as buffer:
        buffer.add_data([example(1)])
        with pytest.raises(EightfoldError, match="another encoder"):
            buffer.add_data([example(1, planes=3)])
    with pytest.raises(EightfoldError, match="made by encoder 'last-move', not 'history'"):
        DataBuffer(tmp_path / "b", encoder="history")
    with pytest.raises(EightfoldError, match="made with lazy augmentation and is opened as eager"):
        DataBuffer(tmp_path / "b", lazy_augmentation=False)
    store = LmdbStore(tmp_path / "b", 10, None)
    with store._environment.begin(write=True) as transaction:
        transaction.put(b"meta", json.dumps({**store.meta, "format": 1}).encode())
    store.close()
    with pytest.raises(EightfoldError, match="has format 1 and this version of Eightfold reads 4"):
        DataBuffer(tmp_path / "b", encoder="last-move")
    with pytest.raises(EightfoldError, match="the buffer is empty"):
        DataBuffer(None).sample_batch(4)
