"""`slap-net`: any network with SLAP inside, beside the mode `slap`, in training, in files and on other runtimes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from eightfold.core.errors import EightfoldError
from eightfold.core.extras import is_installed
from eightfold.games import make_game
from eightfold.nets.auxiliary import has_auxiliary
from eightfold.nets.inference.backends.choice import make_backend
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.inference.device_evaluator import DeviceEvaluator
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.networks import folded, make_network, network_text
from eightfold.nets.shape import Shape
from eightfold.nets.slap_layer import SoftSlap, turned
from eightfold.nets.store.checkpoint import load_checkpoint, save_checkpoint
from eightfold.nets.store.description import WEIGHTS, Description
from eightfold.nets.store.policy_value import describe

INNER = "[resnet:blocks=2,filters=8]"
TEXTS = [
    "slap-net:inner=a1",
    f"slap-net:inner={INNER},at=layers",
    f"slap-net:inner={INNER},temperature=0.5",
    "slap-net:inner=[densenet:layers=1,growth=4],at=layers,temperature=0.5,learned=1",
]
SIZE = 6


def positions():
    """Planes [B, 4, 6, 6] of games; some are their own mirror image, or all eight."""
    game = make_game(f"gomoku:size={SIZE},win=4")
    lines = [
        [],
        [14],
        [14, 21, 15],
        [0, 35, 1, 34],
        [14, 15, 20, 21],
        [7, 28],
        [0, 7, 3, 9, 35, 22],
        [1, 6],
        [14, 0, 21],
    ]
    return np.stack([game.after(moves).encode("last-move") for moves in lines])


def decided(network):
    """With weights that say something, and running statistics of some batches."""
    torch.manual_seed(7)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        for _ in range(3):
            network(torch.rand(8, 4, SIZE, SIZE))
    return network.eval()


@pytest.mark.parametrize("text", TEXTS)
@torch.no_grad()
def test_turned_boards_get_turned_answers_on_any_size_and_with_a_pass(text):
    network = decided(make_network(text, Shape(planes=4, size=SIZE, passes=1)))
    batches = [torch.from_numpy(positions()), torch.rand(4, 4, SIZE, SIZE)]
    if "a1" not in text:
        batches.append((torch.rand(4, 4, 9, 9) < 0.2).float())
    for planes in batches:
        size = planes.shape[-1]
        logits, values = network(planes)
        assert logits.shape == (len(planes), size * size + 1)
        assert float(logits.std()) > 0.01
        for g in range(8):
            others, other_values = network(turned(planes, g))
            board = turned(logits[:, :-1].reshape(-1, size, size), g).flatten(1)
            torch.testing.assert_close(others[:, :-1], board, atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(others[:, -1], logits[:, -1], atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(other_values, values, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("symmetries", [tuple(range(8)), (0, 4)])
@pytest.mark.parametrize("inner", ["a1", INNER])
def test_around_the_planes_it_answers_as_the_mode_slap_does(inner, symmetries):
    shape, planes = Shape(planes=4, size=SIZE, symmetries=symmetries), positions()
    network = decided(make_network(f"slap-net:inner={inner}", shape))
    ours = NetworkEvaluator(TorchBackend(network, shape), encoder="last-move").evaluate(planes)
    plain = network.inner.module
    theirs = NetworkEvaluator(
        TorchBackend(plain, shape), encoder="last-move", symmetry="slap", symmetries=symmetries
    ).evaluate(planes)
    device = DeviceEvaluator(
        plain, shape, encoder="last-move", batch=len(planes), symmetry="slap", symmetries=symmetries
    )
    device.planes.copy_(torch.from_numpy(planes))
    device.answer()
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-6, rtol=1e-6)
    np.testing.assert_allclose(ours[0], device.logits.numpy(), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize(
    "text", [f"slap-net:inner={INNER},at=layers", f"slap-net:inner={INNER},temperature=0.5,learned=1"]
)
def test_a_few_steps_lower_the_loss(text):
    torch.manual_seed(1)
    network, planes = make_network(text, Shape(planes=4, size=SIZE)), torch.from_numpy(positions())
    targets = torch.full((len(planes),), 14)
    optimiser = torch.optim.Adam(network.parameters(), 3e-3)
    losses = []
    for _ in range(15):
        logits, values = network(planes)
        loss = functional.cross_entropy(logits, targets) + ((values[:, 0] - 0.5) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0] - 0.3
    for layer in network.modules():
        if isinstance(layer, SoftSlap):
            assert float(layer.temperature.detach()) != pytest.approx(0.5, abs=1e-4), "the temperature learns too"


@pytest.mark.parametrize("at", ["planes", "layers"])
@torch.no_grad()
def test_auxiliary_heads_are_those_of_the_inner_network(at):
    shape = Shape(planes=4, size=SIZE, passes=1, ownership=True)
    text = f"slap-net:inner=[resnet:blocks=1,filters=8,auxiliary=1],at={at}"
    network = decided(make_network(text, shape))
    planes = torch.from_numpy(positions())
    answer, other = network.with_auxiliary(planes), network.with_auxiliary(turned(planes, 3))
    board = turned(answer.ownership.reshape(-1, SIZE, SIZE), 3).flatten(1)
    torch.testing.assert_close(other.ownership, board, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(other.scores, answer.scores, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(answer.policy, network(planes)[0])
    plain = folded(network)
    assert has_auxiliary(network)
    assert not has_auxiliary(plain)
    assert not any(isinstance(module, nn.BatchNorm2d) for module in plain.modules())
    torch.testing.assert_close(plain(planes)[0], answer.policy, atol=1e-4, rtol=1e-4)


def test_checkpoints_hold_the_temperature_and_tell_whether_any_size_will_do(tmp_path):
    text = network_text(f"slap-net:inner={INNER},temperature=0.5")
    assert text == "slap-net:inner=[resnet:auxiliary=0,blocks=2,filters=8],at=planes,temperature=0.5,learned=0"
    assert network_text(text) == text
    game = make_game(f"gomoku:size={SIZE},win=4").text
    for name, network_of in (("resnet", text), ("a1", "slap-net:inner=a1")):
        description = Description(network=network_of, game=game, encoder="last-move", symmetry="none")
        network = description.make()
        if name == "resnet":
            network.inner.set_temperature(0.125)
        save_checkpoint(tmp_path / name, network, description)
        loaded, found = load_checkpoint(tmp_path / name)
        assert found == description
        assert describe(tmp_path / name / WEIGHTS) == (description, name == "resnet")
        if name == "resnet":
            assert float(loaded.inner.temperature) == pytest.approx(0.125)


@pytest.mark.parametrize("backend", ["torch", "openvino:precision=fp32"])
def test_new_weights_bring_their_scores_and_their_temperature(backend):
    if not is_installed(backend.split(":")[0]):
        pytest.skip(f"{backend} is not installed")
    shape, planes = Shape(planes=4, size=SIZE), positions()
    text = "slap-net:inner=[resnet:blocks=1,filters=4],temperature=0.5"
    runner, other = make_backend(backend, make_network(text, shape).eval(), shape), decided(make_network(text, shape))
    other.inner.set_temperature(5)
    runner.load(other)
    with torch.no_grad():
        expected = other(torch.from_numpy(planes))[0].numpy()
    np.testing.assert_allclose(runner.run(planes)[0], expected, atol=1e-5, rtol=1e-5)


@pytest.mark.skipif(not (is_installed("onnx") and is_installed("onnxruntime")), reason="no ONNX Runtime")
@pytest.mark.parametrize("options", ["at=layers", "temperature=0.5"])
def test_exported_graphs_take_any_batch_and_any_size(options):
    from eightfold.nets.store.onnx_graph import largest_difference, onnx_bytes

    text = f"slap-net:inner=[resnet:blocks=1,filters=4],{options}"
    game = make_game(f"gomoku:size={SIZE},win=4").text
    description = Description(network=text, game=game, encoder="last-move", symmetry="none")
    network = decided(description.make())
    data = onnx_bytes(network, description, any_size=True, facts={})
    assert largest_difference(data, network, description.shape(), any_size=True) < 1e-5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("slap-net:inner=a2", "unknown network 'a2'"),
        ("slap-net:inner=[resnet:block=2]", "unknown option of network resnet 'block'"),
        ("slap-net:inner=[resnet:blocks=2,filters=8", "network slap-net: a bracket is not closed"),
        ("slap-net:inner=resnet:blocks=2,filters=8", "unknown option of network slap-net 'filters'"),
        ("slap-net:inner=a1,at=layers", "at=layers is for networks with pooled heads, such as resnet; a1"),
        ("slap-net:inner=isn,at=layers", "at=layers is for networks with pooled heads, such as resnet; isn"),
        ("slap-net:learned=1", "learned=1 needs a temperature above 0"),
        ("slap-net:temperature=-1", "temperature=-1.0 is not a number from 0"),
        ("slap-net:temperature=1e-9", "a temperature of 1e-09 is not from 1e-06 to 1e"),
        ("slap-net:inner=[a1:auxiliary=1]", "network a1: auxiliary=1 is for games that are decided by points"),
    ],
)
def test_mistakes_in_a_text_are_answered_in_one_line(text, said):
    with pytest.raises(EightfoldError) as caught:
        make_network(text, Shape(planes=4, size=SIZE))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
