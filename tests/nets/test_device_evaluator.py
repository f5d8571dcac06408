"""The evaluator on a device, mode by mode, against the one for arrays on the host; on CUDA inside a CUDA graph too."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.nets.inference.backends.choice import TorchOptions, torch_options
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.inference.device_evaluator import MULTIPLIER, DeviceEvaluator
from eightfold.nets.inference.device_network import BOUNDS
from eightfold.nets.inference.evaluator import MODES, NetworkEvaluator, planes_seen
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.search.game_forest import Host
from eightfold.symmetry.group import ALL
from eightfold.symmetry.slap import frame_members, slap_frames
from eightfold.symmetry.transform import transform_states
from refusals import refusal

BATCH, PLANES = 24, 5
GROUPS = [ALL, (0, 2, 4, 5), (0, 6), (0,)]
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


class Given:
    """Random numbers that were drawn before."""

    def __init__(self, turns):
        self.turns = turns

    def integers(self, low, high, count):
        assert low == 0
        assert len(self.turns) == count
        assert 0 <= self.turns.min() <= self.turns.max() < high
        return self.turns


def positions(size, seed=0):
    """[B, C, N, N]: none, a few and many stones, a last move, a full plane, and numbers between 0 and 1 in the last.

    Two thirds are their own images under some symmetries.
    """
    random = np.random.default_rng([size, seed])
    planes = np.zeros((BATCH, PLANES, size, size), np.float32)
    for number, stack in enumerate(planes[1:]):
        chosen = random.random((size, size))
        share = 0.5 * (number % 4 + 1) / 4
        stack[0], stack[1] = chosen < share / 2, chosen > 1 - share / 2
        stack[2].flat[random.integers(size * size)] = 1
        stack[3] = number % 2
        stack[4] = random.integers(0, 5, (size, size)) / 4
    for number, group in ((0, (0, 4)), (1, (0, 2)), (2, (0, 1, 2, 3)), (3, ALL), (4, (0, 6)), (5, (0, 7))):
        rows = planes[number::9]
        turned = [transform_states(rows, np.full(len(rows), g)) for g in group]
        planes[number::9] = np.maximum.reduce(turned)
    return planes


def evaluators(mode, size, group=ALL, *, text="resnet:blocks=1,filters=8", passes=0, device="cpu", **options):
    """A network for the mode, what answers it on a device, and the answers that a host's evaluator gives."""
    torch.manual_seed(size)
    shape = Shape(planes=planes_seen(PLANES, mode), size=size, passes=passes, symmetries=group)
    network = make_network(text, shape).eval()
    for parameter in network.parameters():
        parameter.data.add_(0.02 * torch.randn_like(parameter))
    ours = DeviceEvaluator(
        network, shape, encoder="any", batch=BATCH, symmetry=mode, symmetries=group, device=device, **options
    )

    def expected(planes):
        host = NetworkEvaluator(
            TorchBackend(network, shape),
            encoder="any",
            symmetry=mode,
            symmetries=group,
            random=Given(ours.turns.cpu().numpy()),
        )
        logits, values = host.evaluate(planes)
        return logits, values if values.ndim == 2 else np.stack([values, 1 - np.abs(values)], axis=1)

    return network, ours, expected


def answers(evaluator, planes):
    evaluator.planes.copy_(torch.from_numpy(planes))
    evaluator.answer()
    return evaluator.logits.cpu().numpy(), evaluator.values.cpu().numpy()


def assert_close(ours, theirs, bound):
    for mine, expected in zip(ours, theirs, strict=True):
        assert mine.shape == expected.shape
        np.testing.assert_allclose(mine, expected, atol=bound * max(1, np.abs(expected).max()), rtol=0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("size", "group", "text", "passes"),
    [
        (5, ALL, "resnet:blocks=1,filters=8", 1),
        (6, (0, 4), "a1:blocks=1,filters=8", 0),
        (7, (0, 2, 6, 7), "resnet:blocks=1,filters=8", 0),
        (8, ALL, "a1:blocks=1,filters=8", 1),
        (9, ALL, "resnet:blocks=1,filters=8", 1),
    ],
)
def test_every_mode_answers_as_on_the_host(mode, size, group, text, passes):
    _, ours, expected = evaluators(mode, size, group, text=text, passes=passes)
    for seed in range(2):  # nothing of the first batch is left in the second answer
        planes = positions(size, seed)
        assert_close(answers(ours, planes), expected(planes), 1e-5)
        np.testing.assert_array_equal(ours.planes.numpy(), planes)


@pytest.mark.parametrize("mode", ["slap", "slap-cc"])
@pytest.mark.parametrize(("size", "group", "passes"), [(6, (0, 4), 0), (8, ALL, 1)])
def test_by_kernels_of_our_own_the_answers_are_the_same(mode, size, group, passes):
    _, ours, expected = evaluators(mode, size, group, passes=passes, machine=Host())
    for seed in range(2):
        planes = positions(size, seed)
        assert_close(answers(ours, planes), expected(planes), 1e-5)
    if mode == "slap":
        stacks, members = ours.canonical()
        theirs = slap_frames(planes, group)
        np.testing.assert_array_equal(stacks.numpy(), theirs.stacks)
        assert [tuple(np.array(group)[row]) for row in members.numpy()] == [*map(frame_members, theirs.frames)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("size", [5, 6, 7, 8, 9])
def test_canonical_variants_and_frames_are_those_of_slap(size, group, device):
    _, ours, _ = evaluators("slap", size, group, device=device)
    planes = positions(size)
    ours.planes.copy_(torch.from_numpy(planes))
    stacks, members = ours.canonical()
    theirs = slap_frames(planes, group)
    np.testing.assert_array_equal(stacks.cpu().numpy(), theirs.stacks)
    found = [tuple(np.array(group)[row]) for row in members.cpu().numpy()]
    assert found == [frame_members(frame) for frame in theirs.frames]
    assert len(group) == 1 or max(len(frame) for frame in found) == len(group), "some are fully symmetric"


@pytest.mark.parametrize("mode", ["slap", "average"])
def test_turned_boards_get_turned_answers(mode):
    _, ours, _ = evaluators(mode, 7)
    planes = positions(7)
    logits, values = (part.copy() for part in answers(ours, planes))
    for g in ALL:
        ids = np.full(BATCH, g)
        turned, same = answers(ours, transform_states(planes, ids))
        expected = transform_states(logits.reshape(BATCH, 1, 7, 7), ids).reshape(BATCH, -1)
        assert_close((turned, same), (expected, values), 1e-5)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("group", GROUPS)
def test_random_turns_follow_from_the_seed(group, device):
    _, ours, _ = evaluators("random", 5, group, device=device, seed=3)
    _, twin, _ = evaluators("random", 5, group, seed=3)
    _, other, _ = evaluators("random", 5, group, seed=4)
    states = [2 * int(each) + 1 for each in np.random.default_rng(3).integers(0, 1 << 62, BATCH)]
    drawn, differs = [], 0
    for _ in range(50):
        for each in (ours, twin, other):
            each.answer()
        states = [state * MULTIPLIER % (1 << 64) for state in states]
        assert ours.turns.tolist() == twin.turns.tolist() == [(state >> 61) % len(group) for state in states]
        differs += ours.turns.tolist() != other.turns.tolist()
        drawn += ours.turns.tolist()
    counts = np.bincount(drawn, minlength=len(group))
    assert len(counts) == len(group)
    assert np.abs(counts - len(drawn) / len(group)).max() < 5 * np.sqrt(len(drawn) / len(group))
    assert differs == (0 if len(group) == 1 else 50)


@pytest.mark.parametrize("text", ["a1", "resnet:blocks=1,filters=8"])
def test_new_weights_take_the_place_of_the_old(text):
    network, ours, expected = evaluators("slap", 6, text=text)
    planes = positions(6)
    before = answers(ours, planes)[0].copy()
    places = [each.data_ptr() for each in ours.network._module.parameters()]
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    np.testing.assert_array_equal(answers(ours, planes)[0], before)
    ours.load(network)
    assert_close(answers(ours, planes), expected(planes), 1e-5)
    assert np.abs(ours.logits.numpy() - before).max() > 1e-3
    assert [each.data_ptr() for each in ours.network._module.parameters()] == places


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("part", ["logits", "values"])
def test_an_answer_that_is_no_number_is_noted_once_it_is_checked(part, number, device):
    _, ours, _ = evaluators("none", 5, device=device)
    ours.answer()
    ours.check()
    assert ours.is_sound
    getattr(ours, part)[3, 1] = number
    assert ours.is_sound, "nobody has looked"
    ours.check()
    ours.answer()
    ours.check()
    assert not ours.is_sound, "it was bad once"


def test_what_cannot_be_asked_for_is_refused_in_one_line():
    shape = Shape(planes=4, size=5)
    network = make_network("a1", shape)

    def made(**changes):
        return refusal(lambda: DeviceEvaluator(network, shape, **{"encoder": "last-move", "batch": 2, **changes}))

    assert "at least one" in made(batch=0)
    assert "unknown symmetry mode 'turned'" in made(symmetry="turned")
    assert "unknown device 'tpu'" in made(device="tpu")
    assert "not a subgroup" in made(symmetries=(0, 1))
    assert "backend openvino: only torch" in refusal(lambda: torch_options("openvino"))
    assert torch_options("auto") == TorchOptions()
    assert torch_options("torch:fused=off,precision=fp32") == TorchOptions(fused="off", precision="fp32")


@pytest.mark.gpu
@pytest.mark.parametrize("fused", ["on", "off"])
@pytest.mark.parametrize("text", ["a1", "resnet:blocks=2,filters=16"])
@pytest.mark.parametrize("mode", MODES)
def test_a_graph_answers_as_the_host_does_and_reads_new_weights(mode, text, fused):
    options = TorchOptions(fused=fused)
    network, ours, expected = evaluators(mode, 9, text=text, passes=1, device="cuda", options=options)
    assert ours.network.is_fused == (fused == "on")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            ours.answer()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        ours.answer()
        ours.check()
    turns = set()
    for seed in range(4):
        planes = positions(9, seed)
        ours.planes.copy_(torch.from_numpy(planes))
        graph.replay()
        torch.cuda.synchronize()
        turns.add(tuple(ours.turns.tolist()))
        assert_close((ours.logits.cpu().numpy(), ours.values.cpu().numpy()), expected(planes), BOUNDS["bf16"])
        assert ours.is_sound
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(0.02 * torch.randn_like(parameter))
        ours.load(network)
    assert len(turns) == (4 if mode == "random" else 1), "every replay draws its own"
