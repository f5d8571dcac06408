"""`eightfold bench backends`, made small: the same figures whatever is installed."""

from __future__ import annotations

import pytest

from eightfold.benchmarks import backends, network_rate
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape

CPU = ("torch_fp32", "torch_bf16", "onnxruntime_fp32", "openvino_fp32", "openvino_bf16")


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(backends, "SECONDS", 0.0)
    monkeypatch.setattr(backends, "SLICE", 0.0)
    monkeypatch.setattr(backends, "BATCHES", (1, 3))
    networks = {"resnet": ("resnet:blocks=1,filters=8", Shape(planes=4, size=5))}
    monkeypatch.setattr(backends, "NETWORKS", networks)
    monkeypatch.setattr(backends, "DEVICE_NETWORKS", networks)
    monkeypatch.setattr(network_rate, "SLICE", 0.0)


def test_every_backend_that_is_here_has_every_figure(small):
    figures = {figure.key: figure for figure in backends.run().figures}
    listed = backends.contenders()
    assert [each.name for each in listed][: len(CPU)] == list(CPU)
    for each in listed:
        kinds = ["batch_1", "batch_3", "load_s"]
        if each.name != "torch_fp32":
            kinds += ["log_policy_difference", "value_difference"]
        for kind in kinds:
            value = figures[f"resnet_{each.name}_{kind}"].value
            assert (value is None) == bool(each.absent)
            if value is not None:
                assert value >= 0
                if kind.endswith("difference"):
                    assert value < (1e-4 if each.name.endswith("fp32") else 0.1)


def test_a_backend_that_is_absent_is_a_note_and_no_figure(small, monkeypatch):
    monkeypatch.setattr(backends, "has_openvino", lambda: False)
    monkeypatch.setattr(backends, "has_onnxruntime", lambda: False)
    figures = {figure.key: figure for figure in backends.run().figures}
    for name, note in (("onnxruntime_fp32", "pip install 'eightfold[onnx]'"), ("openvino_bf16", "not installed")):
        absent = {key: figure for key, figure in figures.items() if key.startswith(f"resnet_{name}_")}
        assert len(absent) == 5
        assert all(figure.value is None for figure in absent.values())
        assert note in absent[f"resnet_{name}_batch_1"].note
    assert figures["resnet_torch_bf16_batch_1"].value > 0


def test_the_network_alone_has_its_figures_and_its_best_batch(small):
    """On a CPU, where there is the plain form alone; on CUDA the fused one stands beside it."""
    text, shape = backends.NETWORKS["resnet"]
    rates = network_rate.network_rates(make_network(text, shape), shape, device="cpu", batches=(2, 5))
    assert [(rate.batch, rate.fused) for rate in rates] == [(2, False), (5, False)]
    assert min(rate.positions_per_s for rate in rates) > 0
    best = network_rate.best_rate(make_network(text, shape), shape, device="cpu", batches=(4,))
    assert best.how == "plain, batches of 4"


@pytest.mark.gpu
def test_on_cuda_fused_stands_beside_plain(small):
    figures = {figure.key: figure for figure in backends.run("cuda").figures}
    for batch in network_rate.BATCHES:
        plain, fused, times = (
            figures[f"resnet_alone_on_cuda_{kind}_batch_{batch}"].value
            for kind in ("plain", "fused", "fused_times_plain")
        )
        assert plain > 0
        assert times == pytest.approx(fused / plain)
    best = figures["resnet_alone_on_cuda_best"].value
    assert best == max(figure.value for figure in figures.values() if figure.unit == "/s")
