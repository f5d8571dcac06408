"""The exported network: torch's answers at any size, and never a file that answers differently."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.isn import export as isn_export
from eightfold.isn.network import ISN, one_hot
from refusals import refusal

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


@pytest.mark.parametrize("recurrent", [0, 2])
def test_the_file_answers_as_torch_does_at_any_size(recurrent, tmp_path):
    torch.manual_seed(1)
    network = ISN(recurrent=recurrent)
    difference = isn_export.export_isn(network, tmp_path / "isn.onnx")
    assert difference is not None
    assert difference < 1e-6
    model = onnx.load(tmp_path / "isn.onnx")
    onnx.checker.check_model(model, full_check=True)
    convolutions = [node for node in model.graph.node if node.op_type == "Conv"]
    assert len(convolutions) == 2 + recurrent, "one for each layer"
    for entry, channels in ((model.graph.input[0], 14), (model.graph.output[0], 7)):
        dimensions = [each.dim_param or each.dim_value for each in entry.type.tensor_type.shape.dim]
        assert dimensions == ["batch", channels, "rows", "columns"]
    session = isn_export.make_session((tmp_path / "isn.onnx").read_bytes())
    for shape in ((1, 2, 2), (5, 19, 19), (2, 25, 4)):
        planes = one_hot(torch.from_numpy(np.random.default_rng(2).integers(0, 13, shape)))
        [answer] = session.run(["outputs"], {"classes": planes.numpy()})
        np.testing.assert_allclose(answer, network(planes).detach().numpy(), atol=1e-6)
    assert {entry.key for entry in model.metadata_props} == {"network", "eightfold_version", "outputs"}


def test_a_wrong_weight_is_noticed_and_nothing_is_written(tmp_path, monkeypatch):
    network = ISN()
    data = isn_export.isn_onnx_bytes(network)
    with torch.no_grad():
        network.shortcut.weight[0] += 0.1
    assert isn_export.largest_difference(data, network) > isn_export.TOLERANCE
    monkeypatch.setattr(isn_export, "isn_onnx_bytes", lambda network: data)
    assert "differ from torch's" in refusal(lambda: isn_export.export_isn(network, tmp_path / "isn.onnx"))
    assert not (tmp_path / "isn.onnx").exists()
    (tmp_path / "notes").write_text("notes")
    assert "no earlier export" in refusal(lambda: isn_export.export_isn(network, tmp_path / "notes"))
