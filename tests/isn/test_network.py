"""Internal Symmetry Networks: the paper's counts, equivariance at several sizes, and controls that must fail."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from eightfold.isn.network import ISN, one_hot, with_ring
from eightfold.isn.store import read_isn
from eightfold.symmetry.group import COUNT
from eightfold.symmetry.representations import action
from eightfold.symmetry.transform import BoardSymmetry
from refusals import refusal
from strange_networks import save_isn

RICH = {"trivial": 2, "symmetrical": 1, "diagonal": 1, "chiral": 2, "faithful": 3}
NETWORKS = [{}, {"bias": False}, {"recurrent": 3}, {**RICH, "outputs": 1}, {**RICH, "inputs": 5, "recurrent": 2}]


def parameters(network):
    return sum(parameter.numel() for parameter in network.parameters())


def classes(size, inputs=14, batch=2, seed=1):
    """Random classes of a board; "off board" does not occur on it."""
    return torch.from_numpy(np.random.default_rng(seed).integers(0, inputs - 1, (batch, size, size)))


def strange(network, seed=2, scale=1.0):
    """Weights and biases that are far from those of a fresh network."""
    with torch.no_grad():
        generator = torch.Generator().manual_seed(seed)
        for parameter in network.parameters():
            parameter.copy_(scale * torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype))
    return network


def fault(function, planes, channels_action=None):
    """The largest difference between turning before and after a function of planes [B, C, N, N]."""
    turns = [torch.stack([BoardSymmetry.transform_board_tensor(board, g) for board in planes]) for g in range(COUNT)]
    with torch.inference_mode():
        answers = function(torch.cat(turns)).numpy().reshape(COUNT, len(planes), -1, *planes.shape[2:])
    worst = 0.0
    for g in range(COUNT):
        expected = np.stack([BoardSymmetry.transform_board_tensor(board, g) for board in answers[0]])
        if channels_action is not None:
            expected = np.einsum("ab,nbij->naij", channels_action[g], expected)
        worst = max(worst, float(np.abs(answers[g] - expected).max()))
    return worst


def test_the_counts_of_the_paper():
    plain = ISN(bias=False)
    assert parameters(plain) == 714
    assert [parameters(part) for part in (plain.hidden, plain.output, plain.shortcut)] == [280, 140, 294]
    assert plain.connections == 2310
    assert parameters(ISN()) == 725
    assert parameters(ISN(recurrent=1)) == parameters(ISN(recurrent=5)) == 725 + 108
    assert len(plain.hidden.get_buffer("sign")) == 12


@pytest.mark.parametrize("config", NETWORKS, ids=str)
@pytest.mark.parametrize("size", [9, 13, 19])
@pytest.mark.parametrize(("precision", "tolerance"), [(torch.float32, 1e-6), (torch.float64, 1e-12)])
def test_turning_before_is_turning_after(config, size, precision, tolerance):
    network = strange(ISN(**config).to(precision), scale=0.3)
    planes = one_hot(classes(size, network.config.inputs), network.config.inputs).to(precision)
    assert fault(network, planes) < tolerance
    assert fault(network.fused(), planes) < tolerance
    hidden = network.hidden.forward
    assert fault(hidden, planes, action(network.hidden_field)) < 10 * tolerance, "hidden units turn by their types"
    mixed = torch.rand(2, network.config.inputs, size, size, dtype=precision).softmax(dim=1)  # not only one class
    assert fault(network, mixed) < tolerance


def test_controls_that_must_break():
    planes = one_hot(classes(9)).double()
    network = strange(ISN().double(), scale=0.3)
    assert fault(network, planes) < 1e-12

    class Loose(torch.nn.Module):
        """The fused network, with one thing wrong."""

        def __init__(self, change):
            super().__init__()
            self.fused = strange(ISN().double(), scale=0.3).fused()
            with torch.no_grad():
                change(self.fused)

        def forward(self, planes):
            return self.fused(planes)

    def permuted(fused):
        weight = fused.first.weight
        weight[:] = weight[:, :, :, [1, 0, 2]].clone()

    def single(fused):
        fused.second.weight[0, 0, 0, 1] += 0.01

    def bias_on_an_arrow(fused):
        fused.first.bias[8] += 0.1

    def swapped_arrow(fused):
        fused.second.weight[:, [8, 9]] = fused.second.weight[:, [9, 8]].clone()

    assert fault(Loose(lambda fused: None), planes) < 1e-12
    for change in (permuted, single, bias_on_an_arrow, swapped_arrow):
        assert fault(Loose(change), planes) > 1e-5, change.__name__

    with torch.no_grad():
        network.hidden.get_buffer("sign")[8:10] = network.hidden.get_buffer("sign")[8:10].abs()
    assert fault(network, planes) > 1e-5, "an arrow without its signs"
    relu = strange(ISN(bias=False).double(), scale=0.3)
    direct = lambda planes: torch.sigmoid(relu.output(torch.relu(relu.hidden(planes))))  # noqa: E731
    assert fault(direct, planes) > 1e-5, "ReLU on types that change their sign"
    assert fault(lambda planes: torch.sigmoid(relu.output(torch.tanh(relu.hidden(planes)))), planes) < 1e-12


@pytest.mark.parametrize("config", NETWORKS, ids=str)
def test_fusing_changes_no_answer(config):
    network = strange(ISN(**config).double())
    for size in (2, 9, 13):
        planes = one_hot(classes(size, network.config.inputs), network.config.inputs).double()
        torch.testing.assert_close(network.fused()(planes), network(planes), atol=1e-12, rtol=0)
    fused = network.fused()
    convolutions = [module for module in fused.modules() if isinstance(module, torch.nn.Conv2d)]
    assert len(convolutions) == (3 if network.recurrent else 2), "one for each layer"


def test_a_cell_sees_the_edge_and_what_is_near():
    """The definition, cell by cell, in NumPy; and a stone is felt two points away, not three."""
    network = strange(ISN().double())
    boards = classes(5)
    wide = np.pad(boards.numpy(), ((0, 0), (1, 1), (1, 1)), constant_values=13)
    kernels = [layer.kernel().detach().numpy() for layer in (network.hidden, network.shortcut, network.output)]
    biases = [layer.whole_bias().detach().numpy() for layer in (network.hidden, network.shortcut)]
    hidden = np.zeros((2, 12, 7, 7))  # with its ring
    for board, row, column in np.ndindex(2, 5, 5):
        near = wide[board, row : row + 3, column : column + 3]
        total = sum(kernels[0][:, near[y, x], y, x] for y in range(3) for x in range(3))
        hidden[board, :, row + 1, column + 1] = np.tanh(biases[0] + total)
    answers = network(one_hot(boards).double()).detach().numpy()
    for board, row, column in np.ndindex(2, 5, 5):
        near = wide[board, row : row + 3, column : column + 3]
        total = biases[1] + sum(kernels[1][:, near[y, x], y, x] for y in range(3) for x in range(3))
        total = total + np.einsum("oiyx,iyx->o", kernels[2], hidden[board, :, row : row + 3, column : column + 3])
        np.testing.assert_allclose(answers[board, :, row, column], 1 / (1 + np.exp(-total)), atol=1e-12)
    other = classes(9, batch=1)
    changed = other.clone()
    changed[0, 4, 4] = (changed[0, 4, 4] + 1) % 13
    moved = (network(one_hot(other).double()) - network(one_hot(changed).double())).abs().amax(dim=1)[0]
    assert (moved[2:7, 2:7] > 0).all()
    moved[2:7, 2:7] = 0
    assert (moved == 0).all()


def test_any_board_also_one_that_is_not_square():
    network = ISN(recurrent=2)
    for shape in ((1, 1), (2, 5), (19, 19), (25, 3)):
        assert network(torch.zeros(3, 14, *shape)).shape == (3, 7, *shape)
    ring = with_ring(torch.zeros(1, 14, 2, 3))
    assert ring.shape == (1, 14, 4, 5)
    assert ring[0, 13].sum() == 20 - 6
    assert ring.sum() == 20 - 6


def test_gradients_reach_every_parameter():
    network = ISN(recurrent=2)
    network(one_hot(classes(5))).sum().backward()
    assert all((parameter.grad != 0).any() for parameter in network.parameters())


def test_files_go_round_and_bad_ones_are_named(tmp_path):
    network = strange(ISN(recurrent=1, chiral=1, bias=False))
    save_isn(network, tmp_path / "isn.safetensors")
    again = ISN.from_weights(read_isn(tmp_path / "isn.safetensors")[0])
    assert again.config == network.config
    planes = one_hot(classes(5))
    torch.testing.assert_close(again(planes), network(planes), atol=0, rtol=0)

    from safetensors.torch import save

    data = (tmp_path / "isn.safetensors").read_bytes()
    config = {**network.config.as_dict(), "trivial": 3}
    cases = {
        "cut": (data[:200], "is not a whole safetensors file"),
        "other": (save({"weight": torch.zeros(3)}), "holds no Internal Symmetry Network"),
        "wrong": (
            save(network.state_dict(), {"format": "eightfold-isn", "config": json.dumps(config)}),
            "does not fit its network",
        ),
        "huge": (
            save({}, {"format": "eightfold-isn", "config": json.dumps({**config, "inputs": 10**9})}),
            "inputs=1000000000 is not a whole number from 2 to 128",
        ),
    }
    for name, (content, said) in cases.items():
        (tmp_path / name).write_bytes(content)
        assert said in refusal(lambda name=name: read_isn(tmp_path / name))
    assert "nowhere" in refusal(lambda: read_isn(tmp_path / "nowhere"))
    for options, said in (({"inputs": 1}, "inputs=1"), ({"recurrent": -1}, "recurrent=-1"), ({"trivial": 1.5}, "1.5")):
        assert said in refusal(lambda options=options: ISN(**options))
    nothing = dict.fromkeys(("trivial", "symmetrical", "diagonal", "chiral", "faithful"), 0)
    assert "no hidden units" in refusal(lambda: ISN(**nothing))
