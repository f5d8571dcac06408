"""One contract for every network and every symmetry mode; backends have theirs in test_backends.py."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.inference.evaluator import INVARIANT, MODES, NetworkEvaluator, planes_seen
from eightfold.nets.networks import A1, folded, make_network
from eightfold.nets.shape import Shape
from eightfold.nets.store.checkpoint import load_checkpoint, save_checkpoint
from eightfold.nets.store.description import Description
from eightfold.parts import NETWORKS
from eightfold.symmetry import destinations, slap_batch

TEXTS = [
    "a1",
    "a1:blocks=2,filters=16,policy_hidden=64,dropout=0.1",
    "resnet:blocks=2,filters=16",
    "densenet:layers=2,growth=4",
    "equivariant:blocks=2,width=16",
    "equivariant:blocks=2,width=16,features=steerable",
    "isn:layers=2,trivial=6,heads=8",
    "slap-net:inner=[resnet:blocks=1,filters=8],at=layers",
    "slap-net:inner=[resnet:blocks=1,filters=8],temperature=0.5,learned=1",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("shape", [Shape(planes=4, size=8), Shape(planes=8, size=9, passes=1), Shape(planes=5, size=3)])
def test_every_network_keeps_the_contract(text, shape):
    torch.manual_seed(1)
    network = make_network(text, shape).eval()
    logits, values = network(torch.rand(6, shape.planes, shape.size, shape.size))
    assert logits.shape == (6, shape.actions)
    if values.ndim == 2:  # with the chance of a draw: what is left of it is won or lost
        assert values.shape == (6, 2)
        assert (values[:, 1] > 0).all()
        assert (values[:, 0].abs() + values[:, 1] < 1).all()
    else:
        assert values.shape == (6,)
        assert values.abs().max() < 1
    (logits.sum() + values.sum()).backward()
    assert all(parameter.grad is not None for parameter in network.parameters())
    assert {text.split(":")[0] for text in TEXTS} == set(NETWORKS), "a new network joins this test"


@pytest.mark.parametrize("text", TEXTS)
@torch.no_grad()
def test_a_fresh_network_passes_no_more_than_it_plays_elsewhere(text):
    """A head for passes of its own, with weights ten times as large, made fresh networks pass always or never."""
    shape = Shape(planes=4, size=9, passes=1)
    for seed in range(5):
        torch.manual_seed(seed)
        planes = torch.randint(0, 2, (16, 4, 9, 9)).float()
        logits, _ = make_network(text, shape).eval()(planes)
        passes = logits.softmax(dim=1)[:, -1].mean() * shape.actions
        assert 1 / 4 < passes < 4


def test_a1_is_the_network_of_the_appendix():
    network = make_network("a1", Shape(planes=4, size=8))
    shapes = [tuple(p.shape) for name, p in network.named_parameters() if name.endswith("weight")]
    assert shapes == [
        (32, 4, 3, 3),
        (64, 32, 3, 3),
        (128, 64, 3, 3),
        (4, 128, 1, 1),
        (64, 256),
        (2, 128, 1, 1),
        (64, 128),
        (1, 64),
    ]
    blocks = A1(Shape(planes=4, size=8), A1.Options(blocks=3))
    assert blocks.body[2].first.weight.data_ptr() != blocks.body[3].first.weight.data_ptr(), "no shared weights"


def test_densenet_has_the_convolutions_of_the_report():
    network = make_network("densenet", Shape(planes=4, size=8))
    body = [part for name, part in network.named_modules() if name.startswith(("stem", "body"))]
    convolutions = [part for part in body if isinstance(part, torch.nn.Conv2d)]
    assert len(convolutions) == 31, "Zhao & Zhang, section 3.3"
    assert [type(part).__name__ for part in network.body] == ["DenseBlock", "Halving"] * 2


def test_a_layer_of_densenet_sees_all_before_it():
    network = make_network("densenet:blocks=1,layers=3,growth=4", Shape(planes=4, size=8))
    assert [layer.narrow.convolution.in_channels for layer in network.body[0].layers] == [8, 12, 16]
    features = torch.rand(2, 8, 5, 5)
    assert torch.equal(network.body[0].eval()(features)[:, :8], features), "what was there stays as it is"


@pytest.mark.parametrize(
    "text", ["resnet:blocks=2,filters=16", "densenet:layers=2,growth=4", TEXTS[-2], "isn:layers=2"]
)
def test_a_pooled_network_plays_any_size(text):
    network = make_network(text, Shape(planes=4, size=8, passes=1)).eval()
    for size in (5, 8, 19):
        logits, values = network(torch.rand(2, 4, size, size))
        assert logits.shape == (2, size * size + 1)
        assert values.shape == (2, 2)


def test_isn_answers_turned_boards_with_turned_answers():
    torch.manual_seed(3)
    network = make_network("isn:layers=3,trivial=5,heads=6", Shape(planes=4, size=7, passes=1)).double()
    planes = torch.rand(3, 4, 7, 7, dtype=torch.float64)
    logits, values = network(planes)
    assert logits[:, :49].std() > 1e-3, "a policy that says something"
    for g in range(8):
        to = torch.tensor(destinations(7)[g].tolist())
        turned = torch.empty_like(planes).flatten(2)
        turned[:, :, to] = planes.flatten(2)
        others, other_values = network(turned.reshape(planes.shape))
        torch.testing.assert_close(others[:, :49][:, to], logits[:, :49], atol=1e-12, rtol=0)
        torch.testing.assert_close(others[:, 49], logits[:, 49], atol=1e-12, rtol=0)
        torch.testing.assert_close(other_values, values, atol=1e-12, rtol=0)


def test_folding_the_norms_changes_no_answer():
    torch.manual_seed(2)
    network = make_network("resnet:blocks=2,filters=16", Shape(planes=4, size=6))
    planes = torch.rand(32, 4, 6, 6)
    for _ in range(5):
        network(planes)  # running statistics that are not the initial ones
    network.eval()
    plain = folded(network)
    assert not any(isinstance(module, torch.nn.BatchNorm2d) for module in plain.modules())
    for ours, theirs in zip(plain(planes), network(planes), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", ["a1", "resnet:blocks=1,filters=8", "isn:layers=2,trivial=3,heads=4"])
def test_every_mode_gives_finite_answers_and_invariant_modes_are_invariant(mode, text):
    game = make_game("gomoku:size=6,win=4")
    torch.manual_seed(4)
    shape = Shape(planes=planes_seen(4, mode), size=6)
    evaluator = NetworkEvaluator(TorchBackend(make_network(text, shape), shape), encoder="last-move", symmetry=mode)
    lines = [[], [14], [14, 21, 15], [0, 35, 1, 34], [14, 15, 20, 21], [7, 28]]  # some are their own mirror image
    for moves in lines:
        variants = [game.after([int(destinations(6)[g, move]) for move in moves]) for g in range(8)]
        logits, values = evaluator.evaluate(np.stack([variant.encode("last-move") for variant in variants]))
        assert np.isfinite(logits).all()
        assert np.isfinite(values).all()
        if mode in INVARIANT:
            policies = np.exp(logits - logits.max(axis=1, keepdims=True))
            policies /= policies.sum(axis=1, keepdims=True)
            for g in range(8):
                np.testing.assert_allclose(policies[g][destinations(6)[g]], policies[0], atol=1e-5)
                np.testing.assert_allclose(values[g], values[0], atol=1e-5)


def test_slap_shows_the_network_canonical_positions_only():
    seen = []

    class Spy:
        def run(self, planes):
            seen.append(planes.copy())
            return np.zeros((len(planes), 36), np.float32), np.zeros(len(planes), np.float32)

    game = make_game("gomoku:size=6,win=4")
    planes = np.stack([game.after(moves).encode("last-move") for moves in ([0], [5], [30, 7], [35, 10])])
    NetworkEvaluator(Spy(), encoder="last-move", symmetry="slap").evaluate(planes)
    np.testing.assert_array_equal(seen[0], slap_batch(planes)[0])
    np.testing.assert_array_equal(seen[0][0], seen[0][1])
    np.testing.assert_array_equal(seen[0][2], seen[0][3])


def test_checkpoints_go_round_and_bad_ones_are_named(tmp_path):
    description = Description(
        network="a1", game="gomoku:size=6,win=4,rule=freestyle", encoder="last-move", symmetry="slap"
    )
    network = description.make()
    save_checkpoint(tmp_path / "good", network, description, "# card\n")
    loaded, found = load_checkpoint(tmp_path / "good")
    assert found == description
    for name, tensor in network.state_dict().items():
        torch.testing.assert_close(loaded.state_dict()[name], tensor)

    weights = (tmp_path / "good" / "network.safetensors").read_bytes()
    cases = {
        "cut": (weights[: len(weights) // 2], None, "is not a whole safetensors file"),
        "foreign": (b"PK\x03\x04 this is a zip", None, "is not a whole safetensors file"),
        "empty": (b"", None, "is not a whole safetensors file"),
        "other size": (weights, {"game": "gomoku:size=7,win=4,rule=freestyle"}, "does not fit this network"),
        "other net": (weights, {"network": "resnet:blocks=1"}, "does not fit this network"),
        "no such net": (weights, {"network": "a2"}, "unknown network 'a2'"),
        "no such game": (weights, {"game": "chess"}, "unknown game 'chess'"),
        "more keys": (weights, {"run": "rm -rf"}, "is not a network's description"),
    }
    for name, (data, change, said) in cases.items():
        folder = tmp_path / name
        save_checkpoint(folder, network, description)
        (folder / "network.safetensors").write_bytes(data)
        if change:
            text = json.loads((folder / "network.json").read_text()) | change
            (folder / "network.json").write_text(json.dumps(text))
        with pytest.raises(EightfoldError, match=said) as caught:
            load_checkpoint(folder)
        assert "\n" not in str(caught.value)
    with pytest.raises(EightfoldError, match="holds no network"):
        load_checkpoint(tmp_path / "nowhere")
