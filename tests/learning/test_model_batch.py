"""Many models as one batch: the same numbers as a plain loop over PyTorch's modules and optimisers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.benchmarks.reference.one_by_one import OneByOne
from eightfold.learning.model_batch import FORMS, WARM_UPS, ModelBatch, fresh_network
from eightfold.nets.shape import Shape
from eightfold.studies.slap_synthetic.states import PLANES, SIZE, Positions, make_set

SHAPE = Shape(planes=PLANES, size=SIZE)
SEEDS, RATES, DECAYS = [3, 3, 4], [1e-3, 3e-3, 1e-3], [1e-3, 1e-5, 0.0]
STEPS, BATCH = 4, 12


@pytest.fixture(scope="module")
def positions() -> Positions:
    return make_set(np.random.default_rng(1), 40)


def batches(positions: Positions, models: int) -> list[tuple[torch.Tensor, ...]]:
    """A batch of its own for every model, in every step."""
    random = np.random.default_rng(2)
    drawn = [random.integers(0, len(positions), (models, BATCH)) for _ in range(STEPS)]
    return [
        tuple(torch.from_numpy(each[rows]) for each in (positions.states, positions.policies, positions.values))
        for rows in drawn
    ]


@pytest.mark.parametrize(("network", "optimiser"), [("a1", "adam"), ("a1:blocks=1,filters=8", "sgd")])
@pytest.mark.parametrize("form", FORMS[1:])
def test_batch_of_models_learns_as_the_plain_loop(
    positions: Positions, form: str, network: str, optimiser: str
) -> None:
    many = ModelBatch(network, SHAPE, SEEDS, rates=RATES, l2=DECAYS, optimiser=optimiser, form=form)
    plain = OneByOne([fresh_network(network, SHAPE, seed) for seed in SEEDS], RATES, DECAYS, optimiser)
    for batch in batches(positions, len(SEEDS)):
        assert many.step(*batch).tolist() == pytest.approx(plain.step(*batch), abs=2e-5)
    states = torch.from_numpy(positions.states[:6])
    with torch.no_grad():
        logits, values = zip(*(each.eval()(states) for each in plain.networks), strict=True)
    policies, answers = many.answer(states.expand(len(SEEDS), *states.shape))
    torch.testing.assert_close(policies, torch.stack(logits).log_softmax(dim=2), atol=1e-4, rtol=0)
    torch.testing.assert_close(answers, torch.stack(values), atol=1e-4, rtol=0)
    some, _ = many.answer(states.expand(2, *states.shape), torch.tensor([2, 0]))
    torch.testing.assert_close(some, policies[[2, 0]], atol=1e-5, rtol=0)


@pytest.mark.parametrize("network", ["resnet:blocks=1,filters=4", "equivariant:blocks=1,width=16,features=steerable"])
@pytest.mark.parametrize("form", FORMS[1:])
def test_batch_norms_keep_their_own_statistics(positions: Positions, form: str, network: str) -> None:
    many = ModelBatch(network, SHAPE, SEEDS, rates=RATES, l2=DECAYS, form=form)
    plain = OneByOne([fresh_network(network, SHAPE, seed) for seed in SEEDS], RATES, DECAYS)
    first, second, *_ = batches(positions, len(SEEDS))
    assert many.step(*first).tolist() == pytest.approx(plain.step(*first), abs=1e-4)
    means = torch.stack([dict(each.named_buffers())["stem.norm.running_mean"] for each in plain.networks])
    torch.testing.assert_close(many.state()["buffer.stem.norm.running_mean"], means, atol=1e-5, rtol=0)
    assert many.step(*second).tolist() == pytest.approx(plain.step(*second), abs=1e-2)


def test_restored_models_go_on_alike_and_drop_alike(positions: Positions) -> None:
    def made() -> ModelBatch:
        return ModelBatch("a1:dropout=0.3", SHAPE, [1, 2], rates=[1e-3, 1e-3], l2=[0.0, 0.0])

    first, *rest = batches(positions, 2)
    through, again = made(), made()
    through.step(*first)
    again.restore({name: each.clone() for name, each in through.state().items()}, through.steps)
    for batch in rest:
        assert torch.equal(through.step(*batch), again.step(*batch))


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("network", "optimiser", "precision"),
    [
        ("a1", "adam", "fp32"),
        ("a1", "sgd", "fp32"),
        ("a1", "adam", "bf16"),
        ("resnet:blocks=1,filters=4", "adam", "fp32"),
    ],
)
@pytest.mark.parametrize("form", FORMS[1:])
def test_recorded_steps_are_those_that_are_not(
    positions: Positions, form: str, network: str, optimiser: str, precision: str
) -> None:
    recorded, plain = (
        ModelBatch(
            network,
            SHAPE,
            SEEDS,
            rates=RATES,
            l2=DECAYS,
            optimiser=optimiser,
            form=form,
            device="cuda",
            precision=precision,
        )
        for _ in range(2)
    )
    plain._records = False
    # Gradients are added up in an order of chance there, and Adam makes steps of one size of the smallest.
    bound = {"fp32": 2e-3, "bf16": 5e-2}[precision]
    for number, batch in enumerate(3 * batches(positions, len(SEEDS))):
        given = [each.cuda() for each in batch]
        assert recorded.step(*given).tolist() == pytest.approx(plain.step(*given).tolist(), abs=bound)
        assert (recorded._recorded is not None) == (number >= WARM_UPS)
        for each in (recorded, plain):
            each.rates.mul_(0.9)  # as a schedule does
    before, weights = {name: each.clone() for name, each in recorded.state().items()}, recorded.weights.clone()
    recorded.step(*given)
    assert not torch.equal(recorded.weights, weights)
    recorded.restore(before, recorded.steps - 1)
    assert torch.equal(recorded.weights, weights)
    recorded.rates.zero_()  # as a schedule ends a model
    recorded.step(*given)
    assert torch.equal(recorded.weights, weights)
