"""The arms of a seed learn side by side: they take turns, the one that has used least processor time first.

A network pays for everything that a step costs: drawing and turning a batch, spreading out its weights, forward and
backward, the optimiser. Judging is free. All arms of a seed draw the same positions in the same order.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.sample import Batch
from eightfold.learning.runs.torch_globals import seeded, with_half_of_the_cores
from eightfold.learning.trainer import Trainer
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.studies.equivariant_features.games import read_samples
from eightfold.studies.equivariant_features.settings import arms_of, shape_of
from eightfold.studies.frame import Part, Work

STEPS_A_TURN = 4
JUDGED_AT_ONCE = 512  # positions


class Learner:
    """A network that learns, with the processor time that it has used."""

    def __init__(
        self,
        name: str,
        network: str,
        mode: str,
        shape: Shape,
        samples: Batch,
        *,
        seed: int,
        batch: int,
        rate: float,
        seconds: float,
    ) -> None:
        self.name, self.seconds, self._limit = name, 0.0, seconds
        self._samples, self._batch, self._rate = samples, batch, rate
        with seeded(seed):
            self._model = make_network(network, shape)
        self._trainer = Trainer(self._model, rate, symmetry=mode, seed=seed)
        self._judge = Trainer(self._model, rate, precision="fp32")
        self._drawing = np.random.default_rng([seed, 0])
        self._maker = BatchMaker(mode, random=np.random.default_rng([seed, 1]), symmetries=shape.symmetries)

    @property
    def parameters(self) -> int:
        return sum(parameter.numel() for parameter in self._model.parameters())

    def learn(self, steps: int = STEPS_A_TURN) -> None:
        begun = time.process_time()
        self._trainer.set_learning_rate(self._rate * rate_at(self.seconds / self._limit))
        for _ in range(steps):
            rows = self._drawing.integers(0, len(self._samples), self._batch)
            self._trainer.step(self._maker.make(self._samples.part(rows)))
        self.seconds += time.process_time() - begun

    def judged(self, samples: Batch) -> dict[str, Any]:
        """The losses on samples, in fp32."""
        parts = [samples.part(slice(at, at + JUDGED_AT_ONCE)) for at in range(0, len(samples), JUDGED_AT_ONCE)]
        losses = np.average([self._judge.losses(part)[:2] for part in parts], axis=0, weights=[len(p) for p in parts])
        policy, value = losses.tolist()
        return {"seconds": self.seconds, "steps": self._trainer.steps, "policy": policy, "value": value}


def rate_at(share: float) -> float:
    """What the learning rate is multiplied with when this share of the time is used.

    >>> [rate_at(share) for share in (0, 0.5, 0.75, 1.1)]
    [1.0, 1.0, 0.5, 0.0]
    """
    return max(0.0, min(1.0, 2 * (1 - share)))


@with_half_of_the_cores()
def learn(
    part: Part,
    *,
    place: str,
    digest: str,
    arms: list[list[str]],
    shape: dict[str, Any],
    seed: int,
    batch: int,
    learning_rate: float,
    seconds: float,
    marks: int,
) -> list[dict[str, Any]]:
    """A part: all arms of a seed. `digest`, of the samples, is there for the key."""
    samples, judged = read_samples(part.output / place)
    made = Shape(**{**shape, "symmetries": tuple(shape["symmetries"])})

    def learner(name: str, network: str, mode: str) -> Learner:
        same = {"seed": seed, "batch": batch, "rate": learning_rate, "seconds": seconds}
        return Learner(name, network, mode, made, samples, **same)  # type: ignore[arg-type]

    for arm in arms:
        learner(*arm).learn(1)  # compiles and warms up; nobody is charged with that
    learners = [learner(*arm) for arm in arms]
    curves: list[list[dict[str, Any]]] = [[] for _ in learners]
    for mark in range(1, marks + 1):
        until = seconds * mark / marks
        while behind := [each for each in learners if each.seconds < until]:
            min(behind, key=lambda each: each.seconds).learn()
            part.progress(min(each.seconds for each in learners) / seconds)
        for each, curve in zip(learners, curves, strict=True):
            curve.append({"mark": until, **each.judged(judged)})
    return [
        {"arm": each.name, "parameters": each.parameters, "curve": curve}
        for each, curve in zip(learners, curves, strict=True)
    ]


def learning(work: Work) -> dict[str, Any]:
    settings, games = work.settings, work.results["games"]
    shape = shape_of(settings.game, settings.player)
    arms = arms_of(settings)
    same = {
        "place": games["place"],
        "digest": games["digest"],
        "arms": [list(arm) for arm in arms],
        "shape": {"planes": shape.planes, "size": shape.size, "passes": shape.passes, "symmetries": shape.symmetries},
        "batch": settings.batch,
        "learning_rate": settings.learning_rate,
        "seconds": settings.seconds,
        "marks": settings.marks,
    }
    cases = [{"seed": seed, **same} for seed in range(settings.seeds)]
    found = work.parts(learn, cases, [f"seed {case['seed']}" for case in cases])
    runs = [{"seed": case["seed"], **run} for case, of in zip(cases, found, strict=True) for run in of]
    told = ("blocks", "width", "batch", "learning_rate", "seconds", "seeds")
    networks = {arm.name: arm.network for arm in arms}
    return {**{name: getattr(settings, name) for name in told}, "networks": networks, "runs": runs}
