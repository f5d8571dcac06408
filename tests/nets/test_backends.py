"""One contract for every backend that is present: torch's answers, any batch, new weights."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
import torch

from eightfold.config import load_preset, with_changes
from eightfold.learning.config import TrainConfig
from eightfold.learning.loop import Training
from eightfold.nets.inference.backends import (
    BACKENDS,
    choice,
    has_onnxruntime,
    has_openvino,
    make_backend,
)
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.inference.device import check_device
from eightfold.nets.inference.device_network import BOUNDS
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.parts import NETWORKS
from refusals import refusal

NETWORK_TEXTS = [
    "a1",
    "a1:blocks=2,filters=16,policy_hidden=64,dropout=0.1",
    "resnet:blocks=2,filters=16",
    "densenet:layers=2,growth=4",
    "equivariant:blocks=2,width=16",
    "equivariant:blocks=2,width=16,features=steerable",
    "isn:layers=2,trivial=6,heads=8",
    "slap-net:inner=[resnet:blocks=1,filters=8],temperature=0.5",
]
FP32, BF16 = 1e-4, BOUNDS["bf16"]  # the largest difference, as a part of the largest logit where that is more than one

needs_openvino = pytest.mark.skipif(not has_openvino(), reason="openvino is not installed")
needs_onnxruntime = pytest.mark.skipif(not has_onnxruntime(), reason="onnx or onnxruntime is not installed")

PRESENT = [
    pytest.param("auto", "cpu", BF16),
    pytest.param("torch", "cpu", FP32),
    pytest.param("torch:precision=bf16", "cpu", BF16),
    pytest.param("onnxruntime", "cpu", FP32, marks=needs_onnxruntime),
    pytest.param("openvino:precision=fp32", "cpu", FP32, marks=needs_openvino),
    pytest.param("openvino", "cpu", BF16, marks=needs_openvino),
    pytest.param("torch:fused=on", "cpu", FP32),  # taken, and the same as without
    pytest.param("torch:graphs=off", "cuda", BF16, marks=pytest.mark.gpu),
    pytest.param("torch:fused=on", "cuda", BF16, marks=pytest.mark.gpu),
    pytest.param("torch:fused=off", "cuda", BF16, marks=pytest.mark.gpu),
    pytest.param("torch", "cuda", BF16, marks=pytest.mark.gpu),
    pytest.param("torch:precision=fp32", "cuda", BOUNDS["fp32"], marks=pytest.mark.gpu),
]


def assert_same(answer, expected, tolerance):
    for ours, theirs in zip(answer, expected, strict=True):
        assert ours.dtype == np.float32
        assert ours.flags.c_contiguous, "kernels are compiled for contiguous arrays"
        np.testing.assert_allclose(ours, theirs, atol=tolerance * max(1, np.abs(theirs).max()), rtol=0)


def changed(network):
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.02 * torch.randn_like(parameter))
        for name, buffer in network.named_buffers():
            if name.endswith("running_mean"):
                buffer.add_(0.1 * torch.randn_like(buffer))


@pytest.mark.parametrize("network_text", NETWORK_TEXTS)
@pytest.mark.parametrize(("text", "device", "tolerance"), PRESENT)
def test_every_backend_answers_as_torch_does_and_takes_new_weights(text, device, tolerance, network_text):
    torch.manual_seed(3)
    shape = Shape(planes=4, size=8, passes=1)
    network = make_network(network_text, shape)
    backend, reference = make_backend(text, network, shape, device=device), TorchBackend(network, shape)
    answers = []
    for _ in range(2):  # with the weights that it was made with, then with new ones
        for batch in (1, 7, 64, 5):  # a smaller one after a larger: nothing of the last answer may show
            planes = np.random.default_rng(batch).random((batch, 4, 8, 8)).astype(np.float32)
            expected = reference.run(planes)
            assert_same(backend.run(planes), expected, tolerance)
        answers.append(expected[0].copy())
        changed(network)
        backend.load(network)
        reference.load(network)
    assert np.abs(answers[0] - answers[1]).max() > 1e-3, "the weights did change"


def test_every_network_and_backend_is_in_the_contract():
    assert {text.split(":")[0] for text in NETWORK_TEXTS} == set(NETWORKS)
    assert {case.values[0].split(":")[0] for case in PRESENT} == set(BACKENDS)


@pytest.mark.parametrize(("text", "device", "tolerance"), PRESENT)
def test_a_backend_does_not_watch_the_network_it_was_made_for(text, device, tolerance):
    """A trainer goes on with the network; self-play keeps the weights of the last `load`."""
    torch.manual_seed(4)
    shape = Shape(planes=4, size=6)
    network = make_network("resnet:blocks=1,filters=8", shape)
    backend = make_backend(text, network, shape, device=device)
    planes = np.random.default_rng(1).random((3, 4, 6, 6)).astype(np.float32)
    for _ in range(2):
        before = [part.copy() for part in backend.run(planes)]
        changed(network)
        for ours, theirs in zip(backend.run(planes), before, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        backend.load(network)


@needs_onnxruntime
def test_making_a_graph_disturbs_no_random_numbers():
    shape = Shape(planes=4, size=5)
    network = make_network("a1", shape)
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    make_backend("onnxruntime", network, shape)
    torch.testing.assert_close(torch.rand(3), expected)


@pytest.mark.slow
@needs_openvino
def test_openvino_reports_to_nobody(run_python):
    code = """
import sys, torch
from eightfold.nets.inference.backends import make_backend
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
make_backend("openvino", make_network("a1", Shape(planes=4, size=5)), Shape(planes=4, size=5))
print(sys.modules.get("openvino_telemetry"))
"""
    assert run_python(code).strip() == "None"


def test_auto_takes_the_fastest_that_is_there(monkeypatch):
    for openvino, onnxruntime, expected in (
        (True, True, "openvino"),
        (True, False, "openvino"),
        (False, True, "onnxruntime"),
        (False, False, "torch"),
    ):
        monkeypatch.setattr(choice, "has_openvino", lambda there=openvino: there)
        monkeypatch.setattr(choice, "has_onnxruntime", lambda there=onnxruntime: there)
        assert choice.fastest("cpu") == expected
        assert choice.fastest("cuda") == "torch"


def test_what_is_not_there_or_not_known_is_named(monkeypatch):
    shape = Shape(planes=4, size=5)
    network = make_network("a1", shape)

    def refused(text):
        return refusal(lambda: make_backend(text, network, shape))

    assert "unknown backend 'tensorrt'; known: auto, torch, onnxruntime, openvino" in refused("tensorrt")
    assert "known: auto, fp32, bf16" in refused("torch:precision=int8")
    assert "unknown option of backend onnxruntime 'precision'" in refused("onnxruntime:precision=bf16")
    find = importlib.util.find_spec
    absent = ("openvino", "onnx")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in absent else find(name))
    assert "backend openvino needs OpenVINO: pip install openvino" in refused("openvino")
    assert 'backend onnxruntime needs the package onnx: pip install "eightfold[onnx]"' in refused("onnxruntime")
    make_backend("auto", network, shape)


@pytest.mark.gpu
def test_cuda_graphs_take_batches_of_every_size(monkeypatch):
    from eightfold.nets.inference.backends import cuda_graphs

    monkeypatch.setattr(cuda_graphs, "LARGEST", 64)
    torch.manual_seed(6)
    shape = Shape(planes=4, size=8)
    network = make_network("resnet:blocks=2,filters=16", shape)
    backend, reference = make_backend("torch", network, shape, device="cuda"), TorchBackend(network, shape)
    assert isinstance(backend, cuda_graphs.CudaGraphBackend)
    for batch in (*range(1, 20), 63, 64, 65, 200, 3, 1):
        planes = np.random.default_rng(batch).random((batch, 4, 8, 8)).astype(np.float32)
        assert_same(backend.run(planes), reference.run(planes), BF16)


@pytest.mark.gpu
def test_cuda_graphs_are_recorded_while_another_thread_trains():
    import threading

    torch.manual_seed(7)
    shape = Shape(planes=4, size=8)
    network = make_network("a1", shape)
    backend, reference = make_backend("torch", network, shape, device="cuda"), TorchBackend(network, shape)
    trained, stop = make_network("a1", shape).cuda(), threading.Event()
    trouble: list[BaseException] = []

    def train():
        try:
            optimiser, size = torch.optim.SGD(trained.parameters(), lr=1e-3), 1
            while not stop.is_set():
                size = size % 300 + 1  # new sizes take new memory
                logits, values = trained(torch.rand(size, 4, 8, 8, device="cuda"))
                optimiser.zero_grad()
                (logits.square().mean() + values.square().mean()).backward()
                optimiser.step()
        except BaseException as error:
            trouble.append(error)

    thread = threading.Thread(target=train)
    thread.start()
    try:
        for batch in (1, 2, 3, 5, 9, 17, 33, 65, 129, 257):
            planes = np.random.default_rng(batch).random((batch, 4, 8, 8)).astype(np.float32)
            for _ in range(5):
                assert_same(backend.run(planes), reference.run(planes), BF16)
            backend.load(network)
    finally:
        stop.set()
        thread.join()
    assert not trouble


@pytest.mark.parametrize(
    ("name", "said"),
    [("tpu", "unknown device 'tpu'; known: cpu, cuda"), ("mps:1", "unknown device 'mps:1'"), ("", "unknown device ''")],
)
def test_a_device_that_is_not_known_is_named_in_one_line(name, said):
    assert said in refusal(lambda: check_device(name))


def test_a_gpu_that_is_not_here_is_named_in_one_line():
    name = "cuda:99" if torch.cuda.is_available() else "cuda"
    assert "here" in refusal(lambda: check_device(name))
    if not torch.backends.mps.is_available():
        assert "there is no Apple GPU here" in refusal(lambda: check_device("mps"))
    check_device("cpu")


def test_a_run_for_an_unknown_device_makes_no_folder(tmp_path):
    config = with_changes(load_preset(TrainConfig(), "quick"), ["device=tpu"])
    assert "unknown device 'tpu'" in refusal(lambda: Training(config, tmp_path / "run"))
    assert not (tmp_path / "run").exists()
