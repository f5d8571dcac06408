"""The network for a device: the CPU's answers, and CUDA's where there is CUDA."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.isn.device import DeviceISN
from eightfold.isn.fused import FusedEvaluator
from eightfold.isn.network import ISN
from refusals import refusal


@pytest.mark.parametrize("config", [{}, {"recurrent": 2}, {"trivial": 3, "chiral": 1, "outputs": 1}], ids=str)
@pytest.mark.parametrize(
    ("device", "precision", "tolerance"),
    [
        ("cpu", "auto", 1e-6),
        ("cpu", "bf16", 0.03),
        pytest.param("cuda", "auto", 0.01, marks=pytest.mark.gpu),
        pytest.param("cuda", "bf16", 0.03, marks=pytest.mark.gpu),
    ],
)
def test_a_device_answers_as_the_kernel_does(config, device, precision, tolerance):
    torch.manual_seed(1)
    network = ISN(**config)
    for size in (5, 19):
        runner = DeviceISN(network, batch=3, size=size, device=device, precision=precision)
        for seed in (1, 2):
            classes = np.random.default_rng(seed).integers(0, 13, (3, size, size)).astype(np.uint8)
            expected = FusedEvaluator(network).run(classes)
            answer = runner.run(classes).float().cpu().numpy()
            assert answer.shape == expected.shape
            np.testing.assert_allclose(answer, expected, atol=tolerance, rtol=0)
            np.testing.assert_allclose(runner.replay().float().cpu().numpy(), answer, atol=0, rtol=0)


def test_the_planes_alone_give_the_answer_too():
    network = ISN()
    runner = DeviceISN(network, batch=2, size=9, device="cpu")
    empty = np.full((2, 9, 9), 12, np.uint8)
    np.testing.assert_allclose(runner.replay(alone=True).numpy(), FusedEvaluator(network).run(empty), atol=1e-6)


def test_what_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "there is no CUDA here" in refusal(lambda: DeviceISN(ISN(), batch=1, size=5))
    assert "unknown precision" in refusal(lambda: DeviceISN(ISN(), batch=1, size=5, device="cpu", precision="fp8"))
