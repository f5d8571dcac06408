"""`eightfold bench backends`, made small: the same figures whatever is installed."""

from __future__ import annotations

import pytest

from eightfold.benchmarks import backends
from eightfold.nets.shape import Shape

CPU = ("torch_fp32", "torch_bf16", "onnxruntime_fp32", "openvino_fp32", "openvino_bf16")


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(backends, "SECONDS", 0.0)
    monkeypatch.setattr(backends, "SLICE", 0.0)
    monkeypatch.setattr(backends, "BATCHES", (1, 3))
    monkeypatch.setattr(backends, "NETWORKS", {"resnet": ("resnet:blocks=1,filters=8", Shape(planes=4, size=5))})


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
