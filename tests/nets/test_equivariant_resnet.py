"""`equivariant`: turned boards get turned answers, whatever the weights, in training, folded and on every backend."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.config import with_changes
from eightfold.games import make_game
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.sample import Batch
from eightfold.learning.loop import Training
from eightfold.learning.trainer import Trainer
from eightfold.nets.equivariant_resnet import Copies, SharedConvolution, SharedNorm
from eightfold.nets.inference.backends import has_onnxruntime, has_openvino, make_backend
from eightfold.nets.networks import folded, make_network
from eightfold.nets.shape import Shape
from eightfold.nets.store.description import Description
from eightfold.nets.store.open import open_network
from eightfold.symmetry import destinations
from eightfold.symmetry.group import ALL, COUNT
from eightfold.symmetry.kernel_bases import project
from eightfold.symmetry.representations import REGULAR, TRIVIAL
from eightfold.symmetry.transform import inverse_ids, transform_policies, transform_states
from refusals import refusal

TEXT = "equivariant:blocks=2,width=16"
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


def trained(shape, steps=8, text=TEXT):
    """A network after some steps towards policies and values that favour no symmetry."""
    torch.manual_seed(1)
    network, random = make_network(text, shape), np.random.default_rng(2)
    trainer = Trainer(network, 1e-2, precision="fp32", symmetry="none")
    policies = random.dirichlet(np.full(shape.actions, 0.1), 32).astype(np.float32)
    batch = Batch(boards(32, shape, shape.size), policies, random.choice([-1.0, 0.0, 1.0], 32).astype(np.float32))
    losses = [trainer.step(batch).total for _ in range(steps)]
    assert losses[-1] < losses[0], "it learns"
    return network.eval()


@pytest.mark.parametrize("shape", CASES)
def test_answers_turn_with_the_board_before_and_after_training(shape):
    torch.manual_seed(3)
    fresh, after = make_network(TEXT, shape), trained(shape)
    for size in (3, 5, 8, 11):
        for network in (fresh.train(), fresh.eval(), after, folded(after)):
            assert_turns_with_the_board(asked(network), shape, size)


@pytest.mark.parametrize("shape", CASES)
@pytest.mark.parametrize("text", BACKENDS)
def test_every_backend_turns_its_answers_in_fp32(text, shape):
    network = trained(shape)
    backend = make_backend(text, network, shape, threads=1)
    assert_turns_with_the_board(backend.run, shape, shape.size)
    planes = boards(5, shape, shape.size)
    for ours, theirs in zip(backend.run(planes), asked(network)(planes), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5 * max(1, float(theirs.abs().max())))


def test_folding_gives_plain_convolutions_of_the_width_and_the_same_answers():
    shape = CASES[1]
    network = trained(shape)
    plain = folded(network)
    kinds = {type(module).__name__ for module in plain.modules() if not list(module.children())}
    assert kinds == {"RectifiedConvolution", "Conv2d", "Identity", "Linear", "ReLU"}
    assert plain.blocks[0].first.convolution.weight.shape == (16, 16, 3, 3)
    planes = torch.from_numpy(boards(6, shape, 5))
    for ours, theirs in zip(plain(planes), network(planes), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)
    resnet = folded(make_network("resnet:blocks=2,filters=16", shape)).state_dict()
    differ = [name for name, tensor in plain.state_dict().items() if resnet[name].shape != tensor.shape]
    assert differ == ["policy_features.convolution.weight", "value_features.convolution.weight"], "3x3 for 1x1"


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


@pytest.mark.parametrize(("output", "input"), [(REGULAR, TRIVIAL), (REGULAR, REGULAR), (TRIVIAL, REGULAR)])
def test_kernels_are_those_that_averaging_over_the_group_leaves_alone(output, input):
    inputs, outputs = Copies(kind=input, count=3), Copies(kind=output, count=2)
    kernel = SharedConvolution(inputs, outputs).double().kernel().detach().flatten(2).numpy()
    into, onto = (np.stack([np.kron(m, np.eye(f.count)) for m in f.kind.matrices]) for f in (inputs, outputs))
    np.testing.assert_allclose(project(kernel, onto, into), kernel, atol=1e-12)


def test_the_members_of_an_orbit_share_their_statistics():
    torch.manual_seed(4)
    norm = SharedNorm(Copies(kind=REGULAR, count=3))
    features = torch.randn(5, 24, 4, 4) * torch.arange(1, 25)[None, :, None, None] + 2
    members = norm(features).unflatten(1, (8, 3))
    torch.testing.assert_close(members.mean(dim=(0, 1, 3, 4)), torch.zeros(3), atol=1e-5, rtol=0)
    torch.testing.assert_close(members.var(dim=(0, 1, 3, 4), correction=0), torch.ones(3), atol=1e-4, rtol=0)
    norm.eval()
    torch.testing.assert_close(norm.spread().eval()(features), norm(features))


def test_gradients_reach_every_weight_and_are_the_same_for_turned_boards():
    shape, size = CASES[1], 5
    torch.manual_seed(5)
    network = make_network(TEXT, shape).double()
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


def test_ownership_turns_with_the_board_and_the_score_stays():
    made = Description(network=f"{TEXT},auxiliary=1", game="go:size=5,komi=0.5", encoder="liberties", symmetry="none")
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
        "equivariant:width=20": "network equivariant: width=20 is not a multiple of 8, a channel for each symmetry",
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
