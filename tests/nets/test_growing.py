"""Networks that become larger ones: the same answers before the first step, and all of them learn from then on."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.learning.data.sample import Batch
from eightfold.learning.trainer import Trainer
from eightfold.nets.growing import check_growth, grow
from eightfold.nets.networks import folded, make_network
from eightfold.nets.shape import Shape
from refusals import refusal

SHAPE = Shape(planes=4, size=6, passes=1, ownership=True)
GROWTHS = [
    ("resnet:blocks=2,filters=8", "resnet:blocks=4,filters=8"),
    ("resnet:blocks=2,filters=8", "resnet:blocks=2,filters=13"),
    ("resnet:blocks=1,filters=6,auxiliary=1", "resnet:blocks=3,filters=16,auxiliary=points+soft"),
    ("resnet:blocks=1,filters=6,auxiliary=points+soft+next", "resnet:blocks=2,filters=9,auxiliary=points+soft+next"),
    ("resnet:blocks=1,filters=6,auxiliary=soft", "resnet:blocks=2,filters=9,auxiliary=next"),
    ("equivariant:blocks=1,width=32,features=mixed", "equivariant:blocks=2,width=32,features=mixed"),
    ("equivariant:blocks=1,width=8,auxiliary=points+next", "equivariant:blocks=2,width=24,auxiliary=points+next"),
]


def batch(seed: int, rows: int = 16) -> Batch:
    random = np.random.default_rng(seed)
    return Batch(
        (random.random((rows, 4, 6, 6)) < 0.3).astype(np.float32),
        random.dirichlet(np.ones(37), rows).astype(np.float32),
        random.uniform(-1, 1, rows).astype(np.float32),
    )


def trained(text: str) -> torch.nn.Module:
    """With weights, norms and statistics that are nothing like fresh ones."""
    torch.manual_seed(1)
    trainer = Trainer(make_network(text, SHAPE), 0.02, precision="fp32")
    for step in range(8):
        trainer.step(batch(step))
    return trainer.model


@pytest.mark.parametrize("size", [6, 9])
@pytest.mark.parametrize(("before", "after"), GROWTHS)
def test_the_answers_are_the_same_in_play_and_in_training(before, after, size):
    check_growth(before, after)
    smaller = trained(before)
    torch.manual_seed(2)
    larger = make_network(after, SHAPE)
    planes = (torch.rand(32, 4, size, size) < 0.3).float()
    assert not torch.allclose(smaller.eval()(planes)[0], larger.eval()(planes)[0], atol=1e-2), "before"
    grow(smaller, larger)
    with torch.inference_mode():
        for networks in (
            (smaller.eval(), larger.eval()),
            (folded(smaller), folded(larger)),
            (smaller.train(), larger.train()),
        ):
            for one, other in zip(*(network(planes) for network in networks), strict=True):
                torch.testing.assert_close(one, other, atol=1e-5, rtol=0)
        if "auxiliary" in before:
            seen, again = smaller.eval().with_auxiliary(planes), larger.eval().with_auxiliary(planes)
            if "points" in after:
                torch.testing.assert_close(seen.ownership, again.ownership, atol=1e-5, rtol=0)
                torch.testing.assert_close(seen.scores, again.scores, atol=1e-5, rtol=0)
            if seen.next_move is not None and "next" in before:
                torch.testing.assert_close(seen.next_move, again.next_move, atol=1e-5, rtol=0)


@pytest.mark.parametrize(("before", "after"), [GROWTHS[0], GROWTHS[2], GROWTHS[-1]])
def test_every_weight_learns_within_a_few_steps(before, after):
    torch.manual_seed(2)
    smaller, larger = trained(before), make_network(after.partition(",auxiliary")[0], SHAPE)
    grow(smaller, larger)
    start = {name: parameter.detach().clone() for name, parameter in larger.named_parameters()}
    trainer = Trainer(larger, 0.01, precision="fp32", l2=0)
    for step in range(4):
        trainer.step(batch(step))
    for name, parameter in larger.named_parameters():
        changed = (parameter != start[name]).float().mean()
        # A bias that all logits share changes nothing; a ReLU may be silent for some.
        assert changed > 0.5 or parameter.numel() == 1, (name, float(changed))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("resnet:blocks=2,filters=8", "resnet:blocks=1,filters=16", "networks do not shrink; blocks must be 2 or more"),
        ("resnet:blocks=2,filters=8", "resnet:blocks=2,filters=4", "networks do not shrink; filters must be 8 or more"),
        ("resnet:blocks=2,filters=8", "densenet", "a network grows to one of its own kind"),
        ("densenet", "densenet:layers=9", "networks of its kind do not grow"),
        ("a1", "a1:blocks=2", "networks of its kind do not grow"),
        ("equivariant:width=32", "equivariant:width=32,features=mixed", "features must stay regular"),
        (
            "equivariant:width=32,features=mixed",
            "equivariant:width=64,features=mixed",
            "features=mixed can have more blocks, but no other width",
        ),
        (
            "equivariant:blocks=1,features=steerable",
            "equivariant:blocks=2,features=steerable",
            "networks with features=steerable do not grow",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(before, after, said):
    assert said in refusal(lambda: check_growth(before, after))


def test_a_network_that_reads_fewer_planes_is_refused():
    smaller = make_network("resnet:blocks=1,filters=4", Shape(planes=6, size=6))
    larger = make_network("resnet:blocks=1,filters=8", Shape(planes=4, size=6))
    assert "a network does not shrink: stem.convolution.weight" in refusal(lambda: grow(smaller, larger))
