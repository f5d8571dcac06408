"""Export: the file gives torch's answers in other programs, says what it is, and is never written halfway."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch

from eightfold import __version__
from eightfold.cli import main as cli
from eightfold.nets.inference.backends import has_openvino
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.store import export, onnx_graph
from eightfold.nets.store.checkpoint import load_checkpoint, save_checkpoint
from eightfold.nets.store.description import Description
from eightfold.parts import NETWORKS
from launching import eightfold
from refusals import refusal

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

NETWORK_TEXTS = {  # with every option written out, as the metadata has it
    "a1": "a1:auxiliary=0,blocks=0,filters=256,policy_hidden=0,dropout=0.0",
    "a1:blocks=1,filters=8,policy_hidden=16,dropout=0.5": (
        "a1:auxiliary=0,blocks=1,filters=8,policy_hidden=16,dropout=0.5"
    ),
    "resnet:blocks=2,filters=8": "resnet:auxiliary=0,blocks=2,filters=8",
    "densenet:layers=2,growth=4": "densenet:auxiliary=0,blocks=2,layers=2,growth=4",
    "equivariant:blocks=2,width=8": "equivariant:auxiliary=0,blocks=2,width=8,features=regular",
    "equivariant:blocks=2,width=16,features=steerable": "equivariant:auxiliary=0,blocks=2,width=16,features=steerable",
    "isn:layers=2,trivial=4,heads=6": (
        "isn:auxiliary=0,layers=2,trivial=4,symmetrical=6,diagonal=6,chiral=4,faithful=12,heads=6"
    ),
    "slap-net:inner=[resnet:blocks=1,filters=8]": (
        "slap-net:inner=[resnet:auxiliary=0,blocks=1,filters=8],at=planes,temperature=0.0,learned=0"
    ),
}
ANY_SIZE = ("resnet", "densenet", "equivariant", "isn", "slap-net")  # the last because of its inner network


def checkpoint(folder: Path, network_text: str = "a1", symmetry: str = "augment") -> Description:
    """A checkpoint with weights and running statistics that are not those of a fresh network."""
    torch.manual_seed(1)
    description = Description(
        network=network_text, game="gomoku:size=6,win=4,rule=freestyle", encoder="last-move", symmetry=symmetry
    )
    network, shape = description.make(), description.shape()
    network.train()(torch.rand(32, shape.planes, shape.size, shape.size))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    save_checkpoint(folder, network, description)
    return description


def through_onnxruntime(path, planes):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["logits", "value"], {"planes": planes})


def through_openvino(path, planes):
    sys.modules.setdefault("openvino_telemetry", None)
    import openvino

    compiled = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    answers = compiled({"planes": planes})
    return [answers["logits"], answers["value"]]


READERS = [
    through_onnxruntime,
    pytest.param(through_openvino, marks=pytest.mark.skipif(not has_openvino(), reason="openvino is not installed")),
]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("network_text", NETWORK_TEXTS)
@pytest.mark.parametrize("symmetry", ["augment", "slap-cc"])  # the second has more planes
def test_the_file_answers_as_torch_does(reader, network_text, symmetry, tmp_path):
    description = checkpoint(tmp_path, network_text, symmetry)
    exported = export.export_onnx(tmp_path)
    assert exported.path == tmp_path / "network.onnx"
    any_size = network_text.startswith(ANY_SIZE)
    assert ("any board size" in exported.summary()) == any_size
    network, _ = load_checkpoint(tmp_path)
    reference = TorchBackend(network, description.shape())
    for size in (6, 9) if any_size else (6,):
        for batch in (1, 5):
            planes = np.random.default_rng(batch).random((batch, description.shape().planes, size, size))
            planes = planes.astype(np.float32)
            for ours, theirs in zip(reader(exported.path, planes), reference.run(planes), strict=True):
                assert ours.shape == theirs.shape
                np.testing.assert_allclose(ours, theirs, atol=1e-4 * max(1, np.abs(theirs).max()), rtol=0)
    assert {text.split(":")[0] for text in NETWORK_TEXTS} == set(NETWORKS), "a new network joins this test"


@pytest.mark.parametrize("network_text", NETWORK_TEXTS)
def test_the_file_says_what_it_is(network_text, tmp_path):
    description = checkpoint(tmp_path, network_text)
    model = onnx.load(export.export_onnx(tmp_path).path)
    onnx.checker.check_model(model, full_check=True)
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    assert metadata == {
        **asdict(description),
        "network": NETWORK_TEXTS[network_text],
        "any_size": "yes" if network_text.startswith(ANY_SIZE) else "no",
        "eightfold_version": __version__,
        "weights_sha256": hashlib.sha256((tmp_path / "network.safetensors").read_bytes()).hexdigest(),
    }
    assert not any(node.op_type == "BatchNormalization" for node in model.graph.node), "folded"
    [planes] = model.graph.input
    dimensions = [entry.dim_param or entry.dim_value for entry in planes.type.tensor_type.shape.dim]
    board = ["size", "size"] if network_text.startswith(ANY_SIZE) else [6, 6]
    assert (planes.name, dimensions) == ("planes", ["batch", 4, *board])
    assert [output.name for output in model.graph.output] == ["logits", "value"]


def test_only_its_own_output_is_replaced(tmp_path):
    checkpoint(tmp_path / "run" / "checkpoint")
    first = export.export_onnx(tmp_path / "run")
    assert first.path == tmp_path / "run" / "network.onnx"
    before = first.path.read_bytes()
    first.path.write_bytes(before[: len(before) // 2])  # cut off, and still known by how it begins
    assert export.export_onnx(tmp_path / "run").path.read_bytes() == before

    model = onnx.load_model_from_string(before)
    model.producer_name = "pytorch"
    for name, content in (("theirs.onnx", model.SerializeToString()), ("notes.txt", b"notes"), ("empty", b"")):
        other = tmp_path / name
        other.write_bytes(content)
        said = refusal(lambda other=other: export.export_onnx(tmp_path / "run", other))
        assert "exists and is no earlier export" in said
        assert other.read_bytes() == content
    assert sorted(entry.name for entry in (tmp_path / "run").iterdir()) == ["checkpoint", "network.onnx"]


def test_a_file_that_answers_differently_is_not_written(tmp_path, monkeypatch):
    checkpoint(tmp_path)
    for difference in (2e-4, float("nan")):
        monkeypatch.setattr(onnx_graph, "largest_difference", lambda *_, found=difference, **__: found)
        assert "differ from torch's" in refusal(lambda: export.export_onnx(tmp_path))
    assert not (tmp_path / "network.onnx").exists()


def test_a_wrong_weight_is_noticed(tmp_path):
    description = checkpoint(tmp_path)
    network, _ = load_checkpoint(tmp_path)
    data = onnx_graph.onnx_bytes(network, description, any_size=False, facts={})
    assert onnx_graph.largest_difference(data, network, description.shape(), any_size=False) < 1e-5
    with torch.no_grad():
        network.body[0].weight[0, 0, 1, 1] += 0.1
    assert onnx_graph.largest_difference(data, network, description.shape(), any_size=False) > export.TOLERANCE


@pytest.mark.parametrize("package", ["onnx", "onnxruntime"])
def test_what_is_not_installed_is_named(package, tmp_path, monkeypatch):
    checkpoint(tmp_path)
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else find(name))
    if package == "onnx":
        assert 'pip install "eightfold[onnx]"' in refusal(lambda: export.export_onnx(tmp_path))
    else:
        exported = export.export_onnx(tmp_path)
        assert exported.content.difference is None
        assert "not checked: onnxruntime is not installed" in exported.summary()


def test_the_command_says_what_it_did(tmp_path):
    checkpoint(tmp_path / "run", symmetry="slap")
    done = eightfold("export", str(tmp_path / "run"), "--onnx", "--output", str(tmp_path / "mine.onnx"))
    assert (done.returncode, done.stderr) == (0, "")
    assert f"wrote {tmp_path / 'mine.onnx'}" in done.stdout
    assert "trained with symmetry slap, which is not a part of the file" in done.stdout
    assert "ONNX Runtime answers as torch does" in done.stdout
    assert not (tmp_path / "run" / "network.onnx").exists()


def test_bad_input_is_one_line_and_exit_code_2(tmp_path, monkeypatch, capsys):
    for name in ("good", "cut", "foreign", "list", "numbers"):
        checkpoint(tmp_path / name)
    good, weights = tmp_path / "good", "network.safetensors"
    (tmp_path / "cut" / weights).write_bytes((good / weights).read_bytes()[:1000])
    (tmp_path / "foreign" / weights).write_bytes(b"PK\x03\x04 this is a zip")
    (tmp_path / "list" / "network.json").write_text("[1, 2]")
    described = json.loads((good / "network.json").read_text())
    (tmp_path / "numbers" / "network.json").write_text(json.dumps(described | {"network": 5}))
    (tmp_path / "empty").mkdir()
    cases = [
        ((tmp_path / "nowhere", "--onnx"), "holds no network"),
        ((tmp_path / "empty", "--onnx"), "holds no network"),
        ((good / "network.json", "--onnx"), "holds no network"),
        ((tmp_path / "cut", "--onnx"), "is not a whole safetensors file"),
        ((tmp_path / "foreign", "--onnx"), "is not a whole safetensors file"),
        ((tmp_path / "list", "--onnx"), "is not a network's description"),
        ((tmp_path / "numbers", "--onnx"), "network is 5, not a text"),
        ((good, "--onnx", "--output", tmp_path / "no" / "such.onnx"), "there is no folder"),
        ((good, "--onnx", "--output", tmp_path), "it is a folder"),
        ((good, "--onnx", "--output", "/dev/null"), "is no earlier export"),
        ((good, "--onnx", "--output", "/proc/network.onnx"), "cannot write /proc/network.onnx"),
        ((good,), "export needs a format: --onnx"),
    ]
    for arguments, said in cases:  # in this process: each of its own would import torch
        monkeypatch.setattr(sys, "argv", ["eightfold", "export", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        printed = capsys.readouterr()
        assert (caught.value.code, printed.out) == (2, ""), arguments
        assert said in printed.err
        assert printed.err.startswith("eightfold: ")
        assert printed.err.count("\n") == 1
        assert not list(tmp_path.rglob("*.onnx"))
        assert not list(tmp_path.rglob("*.draft"))
