"""The exported network: torch's answers at any size, and never a file that answers differently."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.arena.players import make_player
from eightfold.games import make_game
from eightfold.isn import export as isn_export
from eightfold.isn.network import ISN, one_hot
from eightfold.nets.inference.runtimes import make_session
from eightfold.nets.store.export import TOLERANCE, export_onnx
from refusals import refusal
from strange_networks import save_isn

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


@pytest.mark.parametrize("recurrent", [0, 2])
def test_the_file_answers_as_torch_does_at_any_size(recurrent, tmp_path):
    torch.manual_seed(1)
    network = ISN(recurrent=recurrent)
    save_isn(network, tmp_path / "network.safetensors")  # as in the folder of a run
    exported = export_onnx(tmp_path)
    assert exported.path == tmp_path / "network.onnx"
    assert exported.content.difference is not None
    assert exported.content.difference < 1e-6
    assert "an Internal Symmetry Network for Go" in exported.summary()
    model = onnx.load(exported.path)
    onnx.checker.check_model(model, full_check=True)
    convolutions = [node for node in model.graph.node if node.op_type == "Conv"]
    assert len(convolutions) == 2 + recurrent, "one for each layer"
    for entry, channels in ((model.graph.input[0], 14), (model.graph.output[0], 7)):
        dimensions = [each.dim_param or each.dim_value for each in entry.type.tensor_type.shape.dim]
        assert dimensions == ["batch", channels, "rows", "columns"]
    session = make_session(exported.path.read_bytes())
    for shape in ((1, 2, 2), (5, 19, 19), (2, 25, 4)):
        planes = one_hot(torch.from_numpy(np.random.default_rng(2).integers(0, 13, shape)))
        [answer] = session.run(["outputs"], {"classes": planes.numpy()})
        np.testing.assert_allclose(answer, network(planes).detach().numpy(), atol=1e-6)
    assert {entry.key for entry in model.metadata_props} == {"kind", "config", "eightfold_version", "outputs"}


def test_a_wrong_weight_is_noticed_and_nothing_is_written(tmp_path, monkeypatch):
    network = ISN()
    save_isn(network, tmp_path / "mine.safetensors")
    with torch.no_grad():
        network.shortcut.weight[0] += 0.1
    data = isn_export.isn_onnx_bytes(network)
    monkeypatch.setattr(isn_export, "isn_onnx_bytes", lambda network: data)
    said = refusal(lambda: export_onnx(tmp_path / "mine.safetensors"))
    assert "differ from torch's" in said
    assert f"more than {TOLERANCE:g}" in said
    assert not (tmp_path / "mine.onnx").exists()
    (tmp_path / "notes").write_text("notes")
    assert "no earlier export" in refusal(lambda: export_onnx(tmp_path / "mine.safetensors", tmp_path / "notes"))


def test_an_exported_one_is_for_other_programs(tmp_path):
    save_isn(ISN(), tmp_path / "mine.safetensors")
    path = export_onnx(tmp_path / "mine.safetensors").path
    assert path == tmp_path / "mine.onnx"
    said = refusal(lambda: make_player(f"net:{path}", make_game("go:size=5")))
    assert "is an Internal Symmetry Network, exported for other programs" in said
    assert "plays go, not gomoku" in refusal(
        lambda: export_onnx(tmp_path / "mine.safetensors", game=make_game("gomoku:size=8"))
    )
