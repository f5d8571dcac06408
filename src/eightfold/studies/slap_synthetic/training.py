"""Models of one network, trained together on the synthetic positions: a part of the study.

Every model has its own mode, seed, weight decay, learning rate and number of positions. Models of one seed begin with
equal weights and draw the same positions in the same order, so that modes are compared pair by pair. What is drawn in
an iteration depends on the seed and the iteration alone: training goes on from a checkpoint as if it had never stopped.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from eightfold.core.files import replace_file
from eightfold.learning.model_batch import ModelBatch
from eightfold.nets.shape import Shape
from eightfold.studies.frame import Part
from eightfold.studies.slap_synthetic.states import SIZE, Split
from eightfold.studies.slap_synthetic.views import (
    Examiner,
    Training,
    planes_of,
    questions,
    split_of,
    training_view,
)

CHECKPOINT, CHECKPOINT_SECONDS = "models.safetensors", 60.0
FIRST_ITERATIONS, ASKED_FOR_VALUES = 10, 500
SAME_VALUE = 1e-5  # values that spread by less are one
BLOCK = 100  # iterations whose positions are drawn at once
EXAMINED_AT_ONCE, EXAMINED_AT_ONCE_ON_GPU = 600, 16_384  # positions that a model is asked in one call


class Schedule:
    """Each model's learning rate after its validation loss, and whether it has converged.

    The rate is halved when the loss has not fallen for `halve_after` iterations, and training of a model ends when it
    has not for `stop_after`; 0: never, as published.
    """

    def __init__(self, models: int, *, halve_after: int, stop_after: int) -> None:
        self._halve_after, self._stop_after = halve_after, stop_after
        self._best = np.full(models, np.inf)
        self._best_at, self._halved_at = np.zeros(models, np.int64), np.zeros(models, np.int64)
        self.stopped_at = np.zeros(models, np.int64)  # 0: it goes on

    def observe(self, iteration: int, losses: NDArray[np.float32]) -> NDArray[np.float32]:
        """By what each rate is to be multiplied now: 1, a half, or 0 for a model that is done."""
        better = losses < self._best
        self._best[better], self._best_at[better] = losses[better], iteration
        factors = np.ones(len(losses), np.float32)
        if self._halve_after:
            waits = iteration - np.maximum(self._best_at, self._halved_at) >= self._halve_after
            factors[waits], self._halved_at[waits] = 0.5, iteration
        if self._stop_after:
            ends = (iteration - self._best_at >= self._stop_after) & (self.stopped_at == 0)
            self.stopped_at[ends] = iteration
            factors[self.stopped_at > 0] = 0
        return factors

    @property
    def all_done(self) -> bool:
        return bool(self.stopped_at.all())


class Bank(NamedTuple):
    """What all modes of a part train on, one after another in one tensor."""

    states: Tensor  # [T, C, N, N]
    policies: Tensor  # [T, A]
    values: Tensor  # [T]
    first: list[int]  # [M]: where the positions of each model begin
    turns: list[int]  # [M]


class Drawing:
    """Which positions each model sees in which iteration."""

    def __init__(self, bank: Bank, samples: Sequence[int], positions: int, batch: int, seeds: Sequence[int]) -> None:
        self._first, self._turned = np.array(bank.first), np.array(bank.turns) > 1
        self._samples, self._positions, self._batch = np.array(samples), positions, batch
        self._seeds, self._of = np.unique(seeds, return_inverse=True)  # and which of them is each model's
        self._block, self._drawn = -1, np.empty((0, 0, 0), np.int64)

    def rows(self, iteration: int) -> NDArray[np.int64]:  # [M, B], of the bank
        block, at = divmod(iteration, BLOCK)
        if block != self._block:
            randoms = [np.random.default_rng([seed, block]) for seed in self._seeds]
            drawn = [
                (random.random((BLOCK, self._batch)), random.integers(0, 8, (BLOCK, self._batch))) for random in randoms
            ]
            shares, turns = (np.stack(each, axis=1)[:, self._of] for each in zip(*drawn, strict=True))  # [BLOCK, M, B]
            turns = turns * self._turned[:, None]
            chosen = (shares * self._samples[:, None]).astype(np.int64)  # with replacement, as published
            self._block, self._drawn = block, self._first[:, None] + turns * self._positions + chosen
        found: NDArray[np.int64] = self._drawn[at]
        return found


def train_models(
    part: Part,
    *,
    network: str,
    models: Sequence[Mapping[str, Any]],  # mode, seed, l2, rate, samples (0: all)
    data: Mapping[str, Any],
    iterations: int,
    record: int,
    batch: int,
    optimiser: str,
    turned: bool,  # also ask augmented models in all eight turns
    halve_after: int,
    stop_after: int,
    device: str,
    precision: str,
    form: str,
    initialisation: str,
) -> dict[str, Any]:
    """A part: for every model its losses after every `record` iterations; None where one is no number any more."""
    split, place = split_of(**data), torch.device(device)
    modes, seeds = [model["mode"] for model in models], [model["seed"] for model in models]
    many = _batch_of(
        network,
        models,
        optimiser=optimiser,
        device=device,
        precision=precision,
        form=form,
        initialisation=initialisation,
    )
    bank = _bank(modes, split, place)
    everything = len(split.training)
    drawing = Drawing(bank, [model["samples"] or everything for model in models], everything, batch, seeds)
    examiners = _examiners(modes, split, place, turned=turned)
    schedule = Schedule(len(models), halve_after=halve_after, stop_after=stop_after)
    history, before = _resumed(part.folder / CHECKPOINT, many, schedule, record)
    began = saved = time.monotonic()
    while many.steps < iterations and not schedule.all_done:
        spent = torch.zeros(len(models), device=place)
        for _ in range(record):
            rows = torch.from_numpy(drawing.rows(many.steps)).to(place, non_blocking=True)
            spent += many.step(bank.states[rows], bank.policies[rows], bank.values[rows])
        history.append({"training": (spent / record).cpu(), **_examine(many, examiners)})
        factors = schedule.observe(many.steps, history[-1]["validation"].numpy())
        many.rates.mul_(torch.from_numpy(factors).to(place)[:, None])
        part.progress(many.steps / iterations)
        if time.monotonic() - saved > CHECKPOINT_SECONDS:
            saved = time.monotonic()
            _save(part.folder / CHECKPOINT, many, history, before + saved - began)
    (part.folder / CHECKPOINT).unlink(missing_ok=True)
    columns = {name: torch.stack([row[name] for row in history]).T for name in history[0]}  # [M, R] each
    told = [
        {
            **{name: _numbers(column[number]) for name, column in columns.items() if _told(name, mode)},
            "stopped_at": int(schedule.stopped_at[number]) or None,
        }
        for number, mode in enumerate(modes)
    ]
    return {"seconds": before + time.monotonic() - began, "models": told}


def find_blind(
    part: Part,
    *,
    network: str,
    models: Sequence[Mapping[str, Any]],
    data: Mapping[str, Any],
    batch: int,
    device: str,
    precision: str,
    form: str,
    initialisation: str,
) -> list[bool]:
    """A part: which models say the same value of every position after their first iterations.

    No unit of the value head is active then, so its own loss has no gradient there. What can wake one, soon, late or
    never, is that the layers below change, which learn from policies, and that weight decay shrinks what holds it down.
    """
    split, place = split_of(**data), torch.device(device)
    modes, seeds = [model["mode"] for model in models], [model["seed"] for model in models]
    many = _batch_of(network, models, device=device, precision=precision, form=form, initialisation=initialisation)
    bank = _bank(modes, split, place)
    drawing = Drawing(bank, [len(split.training)] * len(models), len(split.training), batch, seeds)
    for iteration in range(FIRST_ITERATIONS):
        rows = torch.from_numpy(drawing.rows(iteration)).to(place)
        many.step(bank.states[rows], bank.policies[rows], bank.values[rows])
        part.progress((iteration + 1) / FIRST_ITERATIONS)
    few = min(ASKED_FOR_VALUES, len(split.training))
    _, values = many.answer(torch.stack([bank.states[first : first + few] for first in bank.first]))
    return [bool(same) for same in values.std(dim=1) < SAME_VALUE]


def _batch_of(network: str, models: Sequence[Mapping[str, Any]], **options: Any) -> ModelBatch:
    return ModelBatch(
        network,
        Shape(planes=planes_of(models[0]["mode"]), size=SIZE),
        [model["seed"] for model in models],
        rates=[model["rate"] for model in models],
        l2=[model["l2"] for model in models],
        **options,
    )


def _bank(modes: Sequence[str], split: Split, device: torch.device) -> Bank:
    views: dict[str, Training] = {mode: training_view(mode, split.training) for mode in dict.fromkeys(modes)}
    firsts = dict(zip(views, np.cumsum([0, *(len(view.values) for view in views.values())]).tolist(), strict=False))

    def together(name: str) -> Tensor:
        return torch.from_numpy(np.concatenate([getattr(view, name) for view in views.values()])).to(device)

    return Bank(
        together("states"),
        together("policies"),
        together("values"),
        [firsts[mode] for mode in modes],
        [views[mode].turns for mode in modes],
    )


def _examiners(
    modes: Sequence[str], split: Split, device: torch.device, *, turned: bool
) -> list[tuple[str, Tensor, Examiner]]:
    """For every mode the numbers of its models, and who asks them."""
    found, chunk = [], EXAMINED_AT_ONCE_ON_GPU if device.type == "cuda" else EXAMINED_AT_ONCE
    for mode in dict.fromkeys(modes):
        numbers = torch.tensor([number for number, each in enumerate(modes) if each == mode], device=device)
        asked = questions(mode, split.validation, turned=turned and mode == "augment")
        found.append((mode, numbers, Examiner(mode, asked, device, chunk)))
    return found


def _examine(many: ModelBatch, examiners: Sequence[tuple[str, Tensor, Examiner]]) -> dict[str, Tensor]:
    """[M] each, on the host: the validation loss and, where augmented models are asked in other ways, theirs."""
    found: dict[str, Tensor] = {}
    for mode, numbers, examiner in examiners:

        def answers(states: Tensor, numbers: Tensor = numbers) -> tuple[Tensor, Tensor]:
            return many.answer(states.expand(len(numbers), *states.shape), numbers)

        with torch.no_grad():
            for name, losses in examiner.losses(answers).items():
                column = found.setdefault("validation" if name == mode else name, torch.zeros(len(many)))
                column[numbers.cpu()] = losses.cpu()
    return found


def _told(name: str, mode: str) -> bool:
    return name in ("training", "validation") or mode == "augment"


def _numbers(column: Tensor) -> list[float | None]:
    return [round(value, 5) if np.isfinite(value) else None for value in column.tolist()]


# ---- checkpoints --------------------------------------------------------------------------------------------


def _save(path: Path, many: ModelBatch, history: Sequence[Mapping[str, Tensor]], seconds: float) -> None:
    from safetensors.torch import save

    losses = {f"history.{name}": torch.stack([row[name] for row in history]) for name in history[0]}
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {name: each.detach().cpu().clone() for name, each in many.state().items()}
    replace_file(path, save({**state, **losses}, {"steps": str(many.steps), "seconds": str(seconds)}))


def _resumed(path: Path, many: ModelBatch, schedule: Schedule, record: int) -> tuple[list[dict[str, Tensor]], float]:
    """What was recorded before and what it took, with the models as they were then; nothing without a checkpoint."""
    from safetensors import safe_open

    if not path.exists():
        return [], 0.0
    with safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
        steps, seconds = int(file.metadata()["steps"]), float(file.metadata()["seconds"])
    losses = {name.removeprefix("history."): each for name, each in tensors.items() if name.startswith("history.")}
    history = [{name: each[row] for name, each in losses.items()} for row in range(len(losses["validation"]))]
    many.restore(tensors, steps)
    for number, row in enumerate(history, start=1):
        schedule.observe(number * record, row["validation"].numpy())
    return history, seconds
