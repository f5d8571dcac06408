"""`equivariant`: turned boards get turned answers, whatever the weights, in training, folded and on every backend."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import torch

from eightfold.config import with_changes
from eightfold.games import make_game
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.sample import Batch
from eightfold.learning.loop import Training
from eightfold.learning.trainer import Trainer
from eightfold.nets.equivariant_layers import GatedLayer, SharedConvolution, SharedNorm
from eightfold.nets.feature_fields import FEATURES, KINDS, channels, features_of, fields, signed, units
from eightfold.nets.inference.backends import has_onnxruntime, has_openvino, make_backend
from eightfold.nets.networks import folded, make_network
from eightfold.nets.shape import Shape
from eightfold.nets.store.description import Description
from eightfold.nets.store.open import open_network
from eightfold.symmetry import destinations
from eightfold.symmetry.group import ALL, COUNT
from eightfold.symmetry.kernel_bases import kernel_basis, project
from eightfold.symmetry.representations import CHIRAL, FAITHFUL, REGULAR, TRIVIAL
from eightfold.symmetry.transform import inverse_ids, transform_policies, transform_states
from refusals import refusal

TEXT = "equivariant:blocks=2,width=16"
TEXTS = [TEXT, *(f"equivariant:blocks=2,width=32,features={kind}" for kind in KINDS[1:])]
IDS = np.array(ALL)
CASES = [Shape(planes=4, size=8), Shape(planes=3, size=5, passes=1)]
BACKENDS = [
    "torch",
    pytest.param("onnxruntime", marks=pytest.mark.skipif(not has_onnxruntime(), reason="onnxruntime is missing")),
    pytest.param("openvino:precision=fp32", marks=pytest.mark.skipif(not has_openvino(), reason="openvino is missing")),
]


def boards(count, shape, size, seed=0):
    return np.random.default_rng(seed).integers(0, 2, (count, shape.planes, size, size)).astype(np.float32)


def assert_turns_with_the_board(answer, shape, size):
    """`answer` is asked for a board and its eight variants at once; a policy that is flat would prove nothing."""
    planes = transform_states(np.repeat(boards(1, shape, size, seed=7), COUNT, axis=0), IDS)
    logits, values = (np.asarray(each) for each in answer(np.ascontiguousarray(planes)))
    back = transform_policies(logits, size, inverse_ids(IDS))
    assert np.ptp(back[0][: size * size]) > 1e-3
    np.testing.assert_allclose(back, np.repeat(back[:1], COUNT, axis=0), atol=1e-5, rtol=1e-5)
    np.testing.assert_allclose(values, np.repeat(values[:1], COUNT, axis=0), atol=1e-5)


def asked(network):
    @torch.no_grad()
    def answer(planes):
        return network(torch.from_numpy(planes))

    return answer


@functools.cache
def trained(shape, text=TEXT, steps=8):
    """A network after some steps towards policies and values that favour no symmetry."""
    torch.manual_seed(1)
    network, random = make_network(text, shape), np.random.default_rng(2)
    trainer = Trainer(network, 1e-2, precision="fp32", symmetry="none")
    policies = random.dirichlet(np.full(shape.actions, 0.1), 32).astype(np.float32)
    batch = Batch(boards(32, shape, shape.size), policies, random.choice([-1.0, 0.0, 1.0], 32).astype(np.float32))
    losses = [trainer.step(batch).total for _ in range(steps)]
    assert losses[-1] < losses[0], "it learns"
    return network.eval()


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("shape", CASES)
def test_answers_turn_with_the_board_before_and_after_training(shape, text):
    torch.manual_seed(3)
    fresh, after = make_network(text, shape), trained(shape, text)
    for size in (3, 5, 8, 11):
        for network in (fresh.train(), fresh.eval(), after, folded(after)):
            assert_turns_with_the_board(asked(network), shape, size)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("shape", CASES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_backend_turns_its_answers_in_fp32(backend, shape, text):
    network = trained(shape, text)
    made = make_backend(backend, network, shape, threads=1)
    assert_turns_with_the_board(made.run, shape, shape.size)
    planes = boards(5, shape, shape.size)
    for ours, theirs in zip(made.run(planes), asked(network)(planes), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5 * max(1, float(theirs.abs().max())))


@pytest.mark.parametrize("text", [each for each in TEXTS if "steerable" not in each])
def test_folding_gives_plain_convolutions_of_the_width_and_the_same_answers(text):
    shape, width = CASES[1], 16 if text == TEXT else 32
    network = trained(shape, text)
    plain = folded(network)
    kinds = {type(module).__name__ for module in plain.modules() if not list(module.children())}
    assert kinds == {"RectifiedConvolution", "Conv2d", "Identity", "Linear", "ReLU"}
    assert plain.blocks[0].first.convolution.weight.shape == (width, width, 3, 3)
    planes = torch.from_numpy(boards(6, shape, 5))
    for ours, theirs in zip(plain(planes), network(planes), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)
    resnet = folded(make_network(f"resnet:blocks=2,filters={width}", shape)).state_dict()
    differ = [name for name, tensor in plain.state_dict().items() if resnet[name].shape != tensor.shape]
    assert differ == ["policy_features.convolution.weight", "value_features.convolution.weight"], "3x3 for 1x1"


def test_folded_steerable_features_keep_their_gates():
    shape = CASES[1]
    network = trained(shape, TEXTS[-1])
    plain = folded(network)
    layer = plain.blocks[0].first
    assert type(layer.convolution) is torch.nn.Conv2d
    assert layer.convolution.weight.shape == (32, 22, 3, 3), "ten gates, which the next layer does not see"
    planes = torch.from_numpy(boards(6, shape, 5))
    for ours, theirs in zip(plain(planes), network(planes), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def test_only_free_weights_are_learned_and_stored():
    shape, orbits, heads = CASES[0], 2, 8
    network = make_network(TEXT, shape)
    stored = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    assert stored["stem.convolution.weight"] == (orbits, shape.planes, 9)
    assert stored["blocks.0.first.convolution.weight"] == (orbits, orbits, 72)
    assert stored["policy_features.convolution.weight"] == (heads, orbits, 9)
    assert stored["blocks.0.first.norm.running_mean"] == (orbits,)
    assert not any("basis" in name for name in stored)
    shared = [module for module in network.modules() if isinstance(module, SharedConvolution)]
    free = sum(layer.weight.numel() for layer in shared)
    assert COUNT * free == sum(layer.kernel().numel() for layer in shared), "eight places for every weight"


def test_weights_of_other_features_are_stored_in_one_row():
    for text in TEXTS[1:]:
        network = make_network(text, CASES[0])
        weight = network.blocks[0].first.convolution.weight
        made_of = features_of(text.rpartition("=")[2], 32)
        onto = (*fields((TRIVIAL, units(signed(made_of)))), *made_of)
        free = sum(a.count * b.count * len(kernel_basis(a.kind, b.kind)) for a in onto for b in made_of)
        assert tuple(weight.shape) == (1, free)


@pytest.mark.parametrize("kind", KINDS)
def test_width_counts_all_channels(kind):
    for width in (32, 64, 96):
        made_of = features_of(kind, width)
        assert channels(made_of) + units(signed(made_of)) == width
    assert all(copies.kind.permutes for copies in FEATURES[kind]) == (kind != "steerable")


def action(made_of):
    """[8, C, C]: what the symmetries do to the channels; the copies of a member lie side by side."""
    blocks = [np.stack([np.kron(m, np.eye(copies.count)) for m in copies.kind.matrices]) for copies in made_of]
    whole = np.zeros((COUNT, channels(made_of), channels(made_of)))
    first = 0
    for block in blocks:
        whole[:, first : first + block.shape[1], first : first + block.shape[1]] = block
        first += block.shape[1]
    return whole


PAIRS = [
    (fields((REGULAR, 2)), fields((TRIVIAL, 3))),
    (fields((REGULAR, 2)), fields((REGULAR, 3))),
    (fields((TRIVIAL, 2)), fields((REGULAR, 3))),
    *((features_of(kind, 32), features_of(kind, 64)) for kind in KINDS[1:]),
    (fields((TRIVIAL, 4), (CHIRAL, 1)), fields((TRIVIAL, 3))),
]


@pytest.mark.parametrize(("outputs", "inputs"), PAIRS)
def test_kernels_are_those_that_averaging_over_the_group_leaves_alone(outputs, inputs):
    kernel = SharedConvolution(inputs, outputs).double().kernel().detach().flatten(2).numpy()
    np.testing.assert_allclose(project(kernel, action(outputs), action(inputs)), kernel, atol=1e-12)


@pytest.mark.parametrize(("outputs", "inputs"), PAIRS)
def test_kernels_are_sums_of_the_basis_pair_by_pair(outputs, inputs):
    """And a stored network's weights keep their places: [F_out, F_in, K] for a pair of types, one after another."""
    layer, first = SharedConvolution(inputs, outputs), 0
    rows = []
    for onto in outputs:
        row = []
        for given in inputs:
            basis = torch.tensor(kernel_basis(onto.kind, given.kind), dtype=torch.float32)
            count = onto.count * given.count * len(basis)
            weight = layer.weight.detach().flatten()[first : first + count].reshape(onto.count, given.count, len(basis))
            block = torch.einsum("fgk,koiyx->ofigyx", weight, basis)
            row.append(block.reshape(onto.channels, given.channels, 3, 3))
            first += count
        rows.append(torch.cat(row, dim=1))
    assert first == layer.weight.numel()
    torch.testing.assert_close(layer.kernel().detach(), torch.cat(rows), atol=0, rtol=0)


def by_definition(norm, features):
    """Batch norm unit by unit; a unit of a type that changes its signs has no mean and no shift."""
    out, first, unit = torch.empty_like(features), 0, 0
    for copies in norm.made_of:
        for copy in range(copies.count):
            own = slice(first + copy, first + copies.channels, copies.count)
            points = features[:, own]
            mean = points.mean() if copies.kind.permutes else 0
            deviation = ((points - mean).square().mean() + norm.eps).sqrt()
            shift = norm.bias[unit] if copies.kind.permutes else 0
            out[:, own] = (points - mean) / deviation * norm.weight[unit] + shift
            unit += 1
        first += copies.channels
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_the_members_of_a_unit_share_their_statistics(kind):
    torch.manual_seed(4)
    norm = SharedNorm(features_of(kind, 32)).double()
    with torch.no_grad():
        norm.weight.uniform_(0.5, 2)
        norm.bias.normal_()
    own = torch.arange(1, channels(norm.made_of) + 1)[None, :, None, None]
    features = (torch.randn(5, channels(norm.made_of), 4, 4, dtype=torch.float64) * own + 2).requires_grad_()
    weights = torch.randn_like(features)
    found = []
    for answer in (norm(features), by_definition(norm, features)):
        gradients = torch.autograd.grad((answer * weights).sum(), [features, norm.weight, norm.bias])
        found.append([answer.detach(), *gradients])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-9, rtol=1e-9)
    for _ in range(200):  # the running statistics come to those of the batch
        norm(features)
    norm.eval()
    answer = norm(features).detach()
    torch.testing.assert_close(answer, found[1][0], atol=0.1, rtol=0.02)  # whose variance is that of a sample
    torch.testing.assert_close(norm.spread().eval()(features).detach(), answer)


def test_statistics_of_a_single_type_are_those_of_plain_batch_norm_with_members_as_points():
    torch.manual_seed(4)
    norm, plain = SharedNorm(fields((REGULAR, 3))), torch.nn.BatchNorm2d(3)
    for _ in range(3):
        features = torch.randn(5, 24, 4, 4) * 3 + 1
        points = features.unflatten(1, (8, 3)).transpose(1, 2).flatten(3).reshape(5, 3, 8, 16)
        ours = norm(features).unflatten(1, (8, 3)).transpose(1, 2).flatten(3).reshape(5, 3, 8, 16)
        torch.testing.assert_close(ours, plain(points))
    assert list(norm.state_dict()) == list(plain.state_dict())
    for name, kept in plain.state_dict().items():
        torch.testing.assert_close(norm.state_dict()[name], kept)


def test_a_gate_opens_a_whole_unit_and_a_relu_what_is_plain():
    made_of = fields((TRIVIAL, 2), (CHIRAL, 1), (FAITHFUL, 2))
    layer = GatedLayer(fields((TRIVIAL, 3)), made_of).eval()
    layer.convolution = torch.nn.Identity()
    layer.norm = torch.nn.Identity()
    gates, features = torch.randn(1, 3, 1, 1), torch.randn(1, 7, 1, 1)
    other = torch.randn(1, 7, 1, 1)
    answer = layer(torch.cat([gates, features], dim=1), other).flatten()
    opened, total = torch.sigmoid(gates).flatten(), (features + other).flatten()
    wanted = [*total[:2].clamp(min=0), total[2] * opened[0]]
    wanted += [total[3] * opened[1], total[4] * opened[2], total[5] * opened[1], total[6] * opened[2]]
    torch.testing.assert_close(answer, torch.stack(wanted))


@pytest.mark.parametrize("text", TEXTS)
def test_gradients_reach_every_weight_and_are_the_same_for_turned_boards(text):
    shape, size = CASES[1], 5
    torch.manual_seed(5)
    network = make_network(text, shape).double()
    planes = torch.from_numpy(boards(4, shape, size)).double()
    target = torch.rand(4, size * size + 1, dtype=torch.float64)

    def gradients(states, wanted):
        network.zero_grad()
        logits, values = network(states)
        (((logits - wanted) ** 2).sum() + (values - 0.3).abs().sum()).backward()
        return {name: parameter.grad.clone() for name, parameter in network.named_parameters()}

    first = gradients(planes, target)
    assert all(gradient.abs().max() > 1e-9 for gradient in first.values())
    for g in range(1, COUNT):
        to = torch.tensor(destinations(size)[g].tolist())
        turned, wanted = torch.empty_like(planes).flatten(2), target.clone()
        turned[:, :, to], wanted[:, to] = planes.flatten(2), target[:, : size * size]
        torch.testing.assert_close(gradients(turned.reshape(planes.shape), wanted), first, atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("text", [TEXTS[0], TEXTS[-1]])
def test_ownership_turns_with_the_board_and_the_score_stays(text):
    made = Description(network=f"{text},auxiliary=1", game="go:size=5,komi=0.5", encoder="liberties", symmetry="none")
    torch.manual_seed(6)
    network, shape = made.make().eval(), made.shape()
    turned = transform_states(np.repeat(boards(1, shape, 5), COUNT, axis=0), IDS)
    with torch.inference_mode():
        seen = network.with_auxiliary(torch.from_numpy(np.ascontiguousarray(turned)))
    owners = transform_policies(seen.ownership.numpy(), 5, inverse_ids(IDS))
    assert np.ptp(owners[0]) > 0.01, "not all the same"
    np.testing.assert_allclose(owners, np.repeat(owners[:1], COUNT, axis=0), atol=1e-5)
    np.testing.assert_allclose(seen.scores.numpy(), float(seen.scores[0]), atol=1e-5)


def test_what_cannot_be_is_refused_in_one_line():
    shape = Shape(planes=4, size=8)
    for text, said in {
        "equivariant:width=20": "network equivariant: width=20 is not a multiple of 8, as features=regular needs",
        "equivariant:width=16,features=mixed": "width=16 is not a multiple of 32, as features=mixed needs",
        "equivariant:width=8,features=quotient": "width=8 is not a multiple of 16, as features=quotient needs",
        "equivariant:width=24,features=steerable": "width=24 is not a multiple of 16, as features=steerable needs",
        "equivariant:features=scalar": "known: regular, mixed, quotient, steerable",
        "equivariant:width=0": "width",
        "equivariant:blocks=0": "blocks",
        "equivariant:filters=64": "filters",
    }.items():
        told = refusal(lambda text=text: make_network(text, shape))
        assert said in told
        assert "\n" not in told
    half = Shape(planes=4, size=8, symmetries=(0, 2))
    told = refusal(lambda: make_network(TEXT, half))
    assert told == "network equivariant has all eight symmetries built in; the game has only: half turn"


def test_a_run_trains_it_and_its_network_turns_with_the_board(tmp_path):
    changes = ["game=gomoku:size=5,win=4", "network=equivariant:blocks=1,width=8", "symmetry=none", "games=8",
               "minutes=0", "backend=torch", "selfplay.parallel_games=4", "selfplay.playouts=8",
               "training.batch_size=16", "training.games_a_round=4"]  # fmt: skip
    training = Training(with_changes(TrainConfig(), changes), tmp_path / "run")
    training.train(lambda entry: None)
    assert training.trainer.steps > 0
    training.close()
    game = make_game("gomoku:size=5,win=4")
    network = open_network(tmp_path / "run", game, backend="torch")
    moves = [7, 12, 3]
    turned = [game.after([int(destinations(5)[g, move]) for move in moves]) for g in ALL]
    policies, values = network.evaluate(turned)
    for g in ALL:
        np.testing.assert_allclose(policies[g][destinations(5)[g]], policies[0], atol=1e-5)
        np.testing.assert_allclose(values[g], values[0], atol=1e-5)
