"""SLAP and SLAP-CC by the lanes of a warp against those of arrays: with one lane, with lanes that are threads, and
compiled for a GPU; on one they are tested with what uses them (`tests/nets/test_device_evaluator.py`)."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from eightfold.core.extras import is_installed
from eightfold.symmetry.group import ALL, INVERSE, sources
from eightfold.symmetry.slap import out_of_frames, slap_frames
from eightfold.symmetry.slap_cc import EXTRA_PLANES, slap_cc
from eightfold.symmetry.slap_together import bring_back, centre_stones, make_canonical
from eightfold.symmetry.transform import policy_sources, transform_states

TESTS = str(Path(__file__).parents[1])
GROUPS = [ALL, (0, 2, 4, 5), (0, 6), (0,)]


def boards(size, count, seed=0):
    """Planes [B, 3, N, N]: an empty board, then more and more stones, every second one its own mirror image."""
    random = np.random.default_rng([size, seed])
    planes = np.zeros((count, 3, size, size), np.float32)
    for number, stack in enumerate(planes):
        drawn = random.random((size, size))
        share = 0.5 * number / count
        stack[0], stack[1], stack[2] = drawn < share / 2, drawn > 1 - share / 2, number % 3 / 2
    for number, symmetry in enumerate((4, 2, 6, 1)):
        rows = planes[2 * number :: 8]
        planes[2 * number :: 8] = np.maximum(rows, transform_states(rows, np.full(len(rows), symmetry)))
    return planes


def assert_equal_to_arrays(run, size, group, planes):
    """`run(kernel, items, *arguments)` runs a kernel for every position."""
    batch, channels = planes.shape[:2]
    flat, actions = planes.reshape(batch, channels, -1), size * size + 1
    canonical, frames = np.full_like(flat, -1), np.zeros(batch, np.int64)
    run(make_canonical, batch, flat, sources(size)[list(group)].astype(np.int64), canonical, frames)
    theirs = slap_frames(planes, group)
    np.testing.assert_array_equal(canonical.reshape(planes.shape), theirs.stacks)
    of_all = [sum(1 << g for k, g in enumerate(group) if frame >> k & 1) for frame in frames]
    np.testing.assert_array_equal(of_all, theirs.frames)

    policies = np.random.default_rng(size).random((batch, actions), np.float32)
    back = policy_sources(size, actions)[INVERSE[list(group)]].astype(np.int64)
    answers = np.zeros_like(policies)
    run(bring_back, batch, policies, frames, back, answers)
    np.testing.assert_allclose(answers, out_of_frames(policies, theirs.frames), rtol=1e-6)

    centred = np.full((batch, EXTRA_PLANES, size * size), -1, np.float32)
    run(centre_stones, batch, flat, size, centred)
    np.testing.assert_allclose(centred.reshape(batch, -1, size, size), slap_cc(planes)[:, channels:], atol=1e-7)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("size", [1, 5, 6, 8, 9])
def test_with_one_lane_they_are_those_of_arrays(size, group):
    def run(kernel, items, *arguments):
        for item in range(items):
            kernel(item, 1, np.empty(0, np.int64), *arguments)

    assert_equal_to_arrays(run, size, group, boards(size, 32))


BY_LANES = """
import sys
sys.path[:0] = [{tests!r}, {tests!r} + "/symmetry"]
from warp import imitate_warp
warp = imitate_warp(5)
import numpy as np
from eightfold.core.lanes import WARP
from test_slap_together import GROUPS, assert_equal_to_arrays, boards

def run(kernel, items, *arguments):
    for item in range(items):
        warp.run(kernel, item, WARP, np.empty(0, np.int64), *arguments)

for size, group in ((5, GROUPS[0]), (6, GROUPS[1]), (8, GROUPS[0])):
    assert_equal_to_arrays(run, size, group, boards(size, 8))
    print(size)
"""


def test_by_the_lanes_of_a_warp_they_are_those_of_arrays(run_python):
    assert run_python(BY_LANES.format(tests=TESTS), NUMBA_DISABLE_JIT="1").split() == ["5", "6", "8"]


@pytest.mark.slow
@pytest.mark.skipif(not is_installed("numba_cuda"), reason="numba-cuda is not installed")
def test_they_compile_for_a_gpu(monkeypatch):
    from eightfold.core.cuda import teach_cuda
    from eightfold.core.launchers import launcher_text
    from eightfold.core.specialise import import_text

    cuda = teach_cuda()
    from numba import int64, typeof, void

    hopper = SimpleNamespace(compute_capability=(9, 0))
    monkeypatch.setattr("numba.cuda.dispatcher.get_current_device", lambda: hopper)
    compiled = []

    def compile_it(kernel, items, *arguments):
        launched = import_text(*launcher_text(kernel)).over_items.py_func
        signature = void(int64, int64, typeof(arguments))
        code, _ = cuda.compile(launched, signature, cc=(9, 0), device=False, abi="numba", output="ptx")
        assert "sm_90" in code
        compiled.append(kernel)
        for item in range(items):  # what follows wants its results
            kernel(item, 1, np.empty(0, np.int64), *arguments)

    assert_equal_to_arrays(compile_it, 6, ALL, boards(6, 8))
    assert len(compiled) == 3
