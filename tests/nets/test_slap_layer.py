"""SLAP as a layer: equivariance, ties, the limits of the temperature, and gradients against finite differences."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.func import functional_call

from eightfold.core.errors import EightfoldError
from eightfold.nets.slap_layer import MAP, POINTS, SAME, MomentScore, Slap, SoftSlap, turned
from eightfold.symmetry import slap_batch, transform_states
from eightfold.symmetry.group import ALL, COUNT

SIZE, CHANNELS = 5, 3


class Heads(nn.Module):
    """Answers of all kinds that no symmetry leaves as they are: a map, points and a pass, a number for the board."""

    def __init__(self) -> None:
        super().__init__()
        self.map = nn.Conv2d(CHANNELS, 4, 3, padding=1)
        self.points = nn.Linear(CHANNELS * SIZE * SIZE, SIZE * SIZE + 1)
        self.same = nn.Linear(CHANNELS * SIZE * SIZE, 2)

    def forward(self, features):
        flat = torch.tanh(features).flatten(1)
        return torch.relu(self.map(features)), self.points(flat), self.same(flat)


KINDS = (MAP, POINTS, SAME)


def features(kind=torch.float32):
    """Random ones, and some with every stabiliser: empty, and sums over subgroups."""
    numbers = torch.Generator().manual_seed(5)
    plain = torch.randint(-2, 3, (6, CHANNELS, SIZE, SIZE), generator=numbers).to(kind)
    subgroups = [(0, 2), (0, 4), (0, 6), (0, 1, 2, 3), (0, 2, 4, 5), ALL]
    symmetric = [sum(turned(plain[:1], g) for g in members) for members in subgroups]
    return torch.cat([plain, *symmetric, torch.zeros_like(plain[:1])])


def turned_answers(answers, g):
    maps, points, same = answers
    board = turned(points[:, :-1].reshape(-1, SIZE, SIZE), g).flatten(1)
    return turned(maps, g), torch.cat([board, points[:, -1:]], dim=1), same


def make_layer(name, module=None, answers=KINDS, **options):
    torch.manual_seed(2)
    module = module or Heads()
    if name == "slap":
        return Slap(module, answers, **options)
    score = MomentScore(CHANNELS, learned=name == "soft")
    if name == "scored":
        return Slap(module, answers, score=score, **options)
    return SoftSlap(module, answers, score=score, **{"temperature": 0.7, **options})


LAYERS = ("slap", "scored", "soft")


def test_turns_are_those_of_the_group():
    boards = torch.rand(2, 3, 4, 4)
    for g in range(COUNT):
        theirs = torch.as_tensor(transform_states(boards.numpy(), [g] * 2))
        assert torch.equal(turned(boards, g), theirs)


@pytest.mark.parametrize("name", LAYERS)
@torch.no_grad()
def test_a_turned_input_gets_the_turned_answer(name):
    layer, given = make_layer(name), features()
    answers = layer(given)
    assert all(float(answer.std()) > 0.1 for answer in answers), "answers that say something"
    plain = layer.module(turned(given, 1))[0]
    assert float((plain - turned(layer.module(given)[0], 1)).abs().max()) > 0.1, "the module alone is not equivariant"
    for g in range(COUNT):
        for ours, theirs in zip(layer(turned(given, g)), turned_answers(answers, g), strict=True):
            torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


@torch.no_grad()
def test_layers_in_a_row_see_symmetric_features_as_symmetric():
    """The mean over a stabiliser is symmetric to the last bit, so the layers behind average over it too."""
    torch.manual_seed(3)
    layers = [nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1) for _ in range(4)]
    network = nn.Sequential(*(Slap(layer, score=MomentScore(CHANNELS, learned=False)) for layer in layers))
    given = features() / 3
    answers = network(given)
    for g in range(COUNT):
        torch.testing.assert_close(network(turned(given, g)), turned(answers, g), atol=1e-5, rtol=0)
    assert torch.equal(turned(answers[-2:], 3), answers[-2:]), "those with all symmetries keep them"


@torch.no_grad()
def test_only_the_symmetries_of_the_game_are_used():
    mirror, given = (0, 4), features()
    layer = make_layer("slap", symmetries=mirror)
    answers = layer(given)
    for ours, theirs in zip(layer(turned(given, 4)), turned_answers(answers, 4), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)
    assert float((layer(turned(given, 1))[2] - answers[2]).abs().max()) > 0.1
    alone = make_layer("slap", symmetries=(0,))
    for ours, theirs in zip(alone(given), alone.module(given), strict=True):
        assert torch.equal(ours, theirs)


@torch.no_grad()
def test_the_module_sees_what_slap_makes_of_planes():
    seen = []
    given = features()
    Slap(nn.Identity())(given)  # any module will do
    make_layer("slap", answers=SAME).run(lambda planes: seen.append(planes) or planes[:, 0, 0, 0], given, SAME)
    assert torch.equal(seen[0], torch.as_tensor(slap_batch(given.numpy())[0]))
    assert torch.equal(Slap(nn.Identity())(given), given), "there and back"


@torch.no_grad()
def test_equal_scores_leave_the_choice_to_the_order_of_slap():
    class Flat(nn.Module):
        def forward(self, variants):
            return torch.zeros(variants.shape[:2])

    given, module = features(), Heads()
    for ours, theirs in zip(Slap(module, KINDS, score=Flat())(given), Slap(module, KINDS)(given), strict=True):
        assert torch.equal(ours, theirs)


@torch.no_grad()
def test_the_temperature_leads_from_slap_to_the_mean_over_the_group():
    soft, given = make_layer("soft"), features()
    hard = Slap(soft.module, KINDS, score=soft.score)(given)
    turns = [turned_answers(soft.module(turned(given, g)), back) for g, back in zip(ALL, soft._back, strict=True)]
    mean = [torch.stack(parts).mean(dim=0) for parts in zip(*turns, strict=True)]

    def apart(temperature, others):
        soft.set_temperature(temperature)
        return max(float((a - b).abs().max()) for a, b in zip(soft(given), others, strict=True))

    assert apart(1e-6, hard) < 1e-5
    assert apart(1e6, mean) < 1e-5
    from_hard, from_mean = ([apart(t, which) for t in (0.01, 0.3, 3, 100)] for which in (hard, mean))
    assert from_hard == sorted(from_hard)
    assert from_mean == sorted(from_mean, reverse=True)
    assert float(soft.temperature) == pytest.approx(100)


@pytest.mark.parametrize("name", LAYERS)
def test_gradients_are_those_of_finite_differences(name):
    torch.manual_seed(4)
    module = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1), nn.Tanh())
    score = MomentScore(2, learned=name == "soft")
    if name == "soft":
        layer = SoftSlap(module, score=score, temperature=0.8, learned=True)
    else:
        layer = Slap(module, score=score if name == "scored" else None)
    layer = layer.double()
    parameters = dict(layer.named_parameters())
    assert ("log_temperature" in parameters) == ("score.weight" in parameters) == (name == "soft")

    def answer(given, *weights):
        return functional_call(layer, dict(zip(parameters, weights, strict=True)), given)

    given = torch.rand(2, 2, 3, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(answer, (given, *parameters.values()))


def test_the_soft_form_learns_which_way_is_up():
    """What no mean over the group can tell: a module that answers well for one variant only."""
    torch.manual_seed(6)

    class Corner(nn.Module):
        def forward(self, planes):
            return planes[:, 0, 0, 0]

    layer = SoftSlap(Corner(), SAME, score=MomentScore(1), temperature=3.0, learned=True)
    with torch.no_grad():
        layer.score.weight.mul_(0.01)
    given = torch.zeros(16, 1, SIZE, SIZE)
    given[range(16), 0, torch.randint(0, 2, (16,)) * 4, torch.randint(0, 2, (16,)) * 4] = 1  # one stone in a corner
    optimiser = torch.optim.Adam(layer.parameters(), 0.05)
    losses = []
    for _ in range(60):
        loss = ((layer(given) - 1) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[0] > 0.4, "a quarter of the variants answer right"
    assert losses[-1] < 0.05


@pytest.mark.slow
def test_one_graph_for_torch_compile():
    layer, given = make_layer("scored").eval(), features()
    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    for ours, theirs in zip(compiled(given), layer(given), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("unknown kind of answer 'maps'", lambda: Slap(nn.Identity(), "maps")),
        (r"features of shape \[1, 2, 3, 4\] do not turn", lambda: Slap(nn.Identity())(torch.zeros(1, 2, 3, 4))),
        (r"shape \[2, 4\] has no entry for each of 9 points", lambda: answered(torch.zeros(2, 4), POINTS)),
        (r"shape \[2, 4\] is no map", lambda: answered(torch.zeros(2, 4), MAP)),
        ("gives 1 answers, and 2 kinds are said", lambda: answered((torch.zeros(2, 4),), (POINTS, SAME))),
        ("a temperature of 0 is not from", lambda: make_layer("soft", temperature=0)),
        ("a temperature of nan is not from", lambda: make_layer("soft", temperature=float("nan"))),
        ("are not a subgroup", lambda: make_layer("slap", symmetries=(0, 1))),
    ],
)
def test_mistakes_are_answered_in_one_line(said, call):
    with pytest.raises(EightfoldError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value)


def answered(answer, kinds):
    return Slap(nn.Identity(), kinds).run(lambda _: answer, torch.zeros(2, 1, 3, 3), kinds)
