"""What the study `slap-synthetic` measures; its parts are batches of models (`training.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from eightfold.learning.model_batch import form_of
from eightfold.learning.trainer import use_bf16
from eightfold.studies.frame import Work
from eightfold.studies.grid import grid
from eightfold.studies.slap_synthetic.settings import Arm, arms_of, decays_of
from eightfold.studies.slap_synthetic.states import Positions, floor
from eightfold.studies.slap_synthetic.training import find_blind, train_models
from eightfold.studies.slap_synthetic.views import ASKED, planes_of, split_of, symmetric

DATA = ("sets", "random_states", "held_back", "data_seed")
TRAINING = (
    *DATA,
    "batch",
    "record",
    "learning_rate",
    "halve_after",
    "stop_after",
    "device",
    "precision",
    "form",
    "initialisation",
    "repeats_at_once",
    "seed",
)
OTHER_DRAWS = 5  # of positions, whose floors are told beside that of the study's own
GRID_AXES = {  # figure 7, besides the residual blocks
    "mode": ("slap", "augment"),
    "policy_hidden": (64, 0),
    "l2": (1e-3, 1e-4, 1e-5),
    "optimiser": ("sgd", "adam"),
    "rate": (1e-1, 1e-2, 1e-3, 1e-4, 1e-5),
    "dropout": (0.0, 0.1, 0.2, 0.3, 0.4),
}


def data(work: Work) -> dict[str, Any]:
    split = split_of(**_data(work))
    both = (split.training, split.validation)
    return {
        "sets": work.settings.sets,
        "training": len(split.training),
        "validation": len(split.validation),
        "won": int(sum(each.values.sum() for each in both)),
        "symmetric": sum(map(symmetric, both)),
        "floor": floor(split.validation),
        "known_lines": _known_lines(*both),
        "other_floors": [
            floor(split_of(**{**_data(work), "seed": work.settings.data_seed + other}).validation)
            for other in range(1, OTHER_DRAWS + 1)
        ],
    }


def _known_lines(training: Positions, validation: Positions) -> float:
    """The share of validation positions about to be won whose own stones stand alike in some training position."""
    seen = {state[0].tobytes() for state in training.states}
    won = validation.states[validation.values == 1]
    return sum(state[0].tobytes() in seen for state in won) / max(1, len(won))


def learning(work: Work) -> dict[str, Any]:
    """Every mode with every value of L2, so many times: the losses by iteration."""
    settings = work.settings
    arms, decays = arms_of(settings.modes, settings.network), decays_of(settings.l2_powers)
    same = work.results["data"]["symmetric"] == 0  # then averaging over stabilisers changes nothing
    left_out = [arm for arm in arms if same and arm.mode == "slap-unaveraged" and Arm("slap", arm.network) in arms]
    arms = [arm for arm in arms if arm not in left_out]
    groups: dict[tuple[str, int], list[str]] = {}
    for arm in arms:
        trained = groups.setdefault((arm.network, planes_of(arm.mode)), [])
        trained += [arm.trained] if arm.trained not in trained else []
    usual = arms_of("none", settings.network)[0].network
    turned = {arm.network for arm in arms if arm.mode in ASKED}
    cases = [
        {
            "network": network,
            "models": grid({"seed": seeds, "mode": modes, "l2": decays}, rate=settings.learning_rate, samples=0),
            "optimiser": "adam",
            "turned": network in turned and "augment" in modes,
            "iterations": settings.iterations,
            **_same(work),
            **({} if network == usual else {"initialisation": "own"}),  # what suits one may not suit another
        }
        for seeds in _seeds(work, settings.repeats)
        for (network, _), modes in groups.items()
    ]
    found = _train(work, cases)
    runs = [
        {
            "mode": asked,
            "network": case["network"],
            "l2": model["l2"],
            **_repeat(work, model),
            **_curves(curves, column),
        }
        for case, results in zip(cases, found, strict=True)
        for model, curves in zip(case["models"], results["models"], strict=True)
        for asked, column in ((model["mode"], "validation"), *((mode, mode) for mode in ASKED))
        if Arm(asked, case["network"]) in arms and column in curves
    ]
    return {
        "network": usual,
        "initialisation": settings.initialisation,
        "record": settings.record,
        "iterations": settings.iterations,
        "batch": settings.batch,
        "learning_rate": settings.learning_rate,
        "device": settings.device,
        "precision": "bf16" if use_bf16(settings.precision, torch.device(settings.device)) else "fp32",
        "repeats": settings.repeats,
        "seed": settings.seed,
        "same_as_slap": [arm.network for arm in left_out],
        "floor": work.results["data"]["floor"],
        "blind": _blind(work, cases),
        "seconds": _seconds(found),
        "runs": runs,
    }


def _blind(work: Work, cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The models that begin without any sight of the value."""
    names = ("network", "models", "data", "batch", "device", "precision", "form", "initialisation")
    facts = [{name: case[name] for name in names} for case in cases]
    found = work.parts(find_blind, facts, [f"first iterations of {_label(case)}" for case in cases])
    return [
        {"mode": model["mode"], "network": case["network"], "l2": model["l2"], **_repeat(work, model)}
        for case, blind in zip(cases, found, strict=True)
        for model, is_blind in zip(case["models"], blind, strict=True)
        if is_blind
    ]


def samples(work: Work) -> dict[str, Any] | None:
    """SLAP with fewer positions, against augmentation and no symmetry with the same ones."""
    settings = work.settings
    if settings.sample_repeats == 0:
        return None
    everything, network = work.results["data"]["training"], arms_of("none", settings.network)[0].network
    sizes = sorted({*settings.sample_sizes, everything}, reverse=True)
    counts = [0 if size == everything else size for size in sizes]  # 0: all, as in the stage `learning`
    axes = {"samples": counts, "mode": ("slap", "augment", "none")}
    cases = [
        {
            "network": network,
            "models": grid({"seed": seeds, **axes}, l2=settings.sample_l2, rate=settings.learning_rate),
            "optimiser": "adam",
            "turned": False,
            "iterations": settings.sample_iterations,
            **_same(work),
        }
        for seeds in _seeds(work, settings.sample_repeats)
    ]
    found = _train(work, cases)
    runs = [
        {
            "mode": model["mode"],
            "samples": model["samples"] or everything,
            **_repeat(work, model),
            "validation": curves["validation"],
        }
        for case, results in zip(cases, found, strict=True)
        for model, curves in zip(case["models"], results["models"], strict=True)
    ]
    return {
        "record": settings.record,
        "l2": settings.sample_l2,
        "iterations": settings.sample_iterations,
        "seconds": _seconds(found),
        "runs": runs,
    }


def draws(work: Work) -> dict[str, Any] | None:
    """SLAP and augmentation on other draws of positions, beside the first repeat on the study's own."""
    settings = work.settings
    if settings.draws == 0:
        return None
    network, same = arms_of("none", settings.network)[0].network, _same(work)
    drawn = [{**same["data"], "seed": settings.data_seed + number} for number in range(1, settings.draws + 1)]
    axes, fixed = {"mode": ("augment", "slap")}, {"seed": settings.seed, "l2": settings.sample_l2, "samples": 0}
    cases = [
        {
            **same,
            "data": data,
            "network": network,
            "models": grid(axes, rate=settings.learning_rate, **fixed),
            "optimiser": "adam",
            "turned": False,
            "iterations": settings.draw_iterations,
        }
        for data in drawn
    ]
    found = _train(work, cases)
    rows = [
        {
            "draw": data["seed"],
            "floor": floor(split_of(**data).validation),
            **{
                model["mode"]: curves["validation"]
                for model, curves in zip(case["models"], results["models"], strict=True)
            },
        }
        for data, case, results in zip(drawn, cases, found, strict=True)
    ]
    own = {
        run["mode"]: run["validation"]
        for run in work.results["learning"]["runs"]
        if (run["network"], run["l2"], run["repeat"]) == (network, settings.sample_l2, 0)
        and run["mode"] in axes["mode"]
    }
    if len(own) == len(axes["mode"]):
        rows.insert(0, {"draw": settings.data_seed, "floor": work.results["data"]["floor"], **own})
    return {
        "record": settings.record,
        "l2": settings.sample_l2,
        "iterations": settings.draw_iterations,
        "floor": work.results["data"]["floor"],
        "seconds": _seconds(found),
        "rows": rows,
    }


def search(work: Work) -> dict[str, Any] | None:
    """Points of figure 7's grid, those that share a network, an optimiser and a rate as one batch of models."""
    settings = work.settings
    every = grid({"blocks": settings.grid_blocks, **GRID_AXES})
    order = np.random.default_rng(settings.seed).permutation(len(every))[: settings.grid_points]
    chosen = [every[number] for number in sorted(order.tolist())]
    if not chosen:
        return None
    groups: dict[tuple[str, str, float], list[dict[str, Any]]] = {}
    for point in chosen:
        groups.setdefault((_network_of(point, settings.grid_filters), point["optimiser"], point["rate"]), []).append(
            point
        )
    cases = [
        {
            "network": network,
            "models": [
                {"seed": settings.seed, "mode": p["mode"], "l2": p["l2"], "rate": rate, "samples": 0} for p in points
            ],
            "optimiser": optimiser,
            "turned": False,
            "iterations": settings.grid_iterations,
            **_same(work),
        }
        for (network, optimiser, rate), points in groups.items()
    ]
    found = _train(work, cases)
    rows = [
        {**point, "final": curves["validation"][-1], "lowest": min(_finite(curves["validation"]), default=None)}
        for points, results in zip(groups.values(), found, strict=True)
        for point, curves in zip(points, results["models"], strict=True)
    ]
    return {
        "iterations": settings.grid_iterations,
        "points": len(every),
        "blocks": list(settings.grid_blocks),
        "seconds": _seconds(found),
        "rows": rows,
    }


def _network_of(point: dict[str, Any], filters: int) -> str:
    text = f"a1:blocks={point['blocks']},filters={filters},policy_hidden={point['policy_hidden']}"
    return arms_of("none", f"{text},dropout={point['dropout']}")[0].network


def _data(work: Work) -> dict[str, Any]:
    settings = work.settings
    return {
        "sets": settings.sets,
        "random_states": settings.random_states,
        "held_back": settings.held_back,
        "seed": settings.data_seed,
    }


def _same(work: Work) -> dict[str, Any]:
    """What is the same for all models."""
    names = ("record", "batch", "halve_after", "stop_after", "device", "precision", "form", "initialisation")
    return {"data": _data(work), **{name: getattr(work.settings, name) for name in names}}


def _train(work: Work, cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What `train_models` finds for every case. Models that are trained one after another are a part each.

    So whoever stops a study loses little, and what several processes have trained is put together model by model.
    """
    if form_of(work.settings.form, work.settings.device) != "each":
        return work.parts(train_models, cases, [_label(case) for case in cases])
    alone = [
        {**case, "models": [model], "turned": case["turned"] and model["mode"] == "augment"}
        for case in cases
        for model in case["models"]
    ]
    found = iter(work.parts(train_models, alone, [_label(case) for case in alone]))
    results = [[next(found) for _ in case["models"]] for case in cases]
    return [{"seconds": _seconds(each), "models": [one["models"][0] for one in each]} for each in results]


def _label(case: dict[str, Any]) -> str:
    """What people see while it is trained: one model, or how many there are."""
    models, network = case["models"], case["network"].partition(":")[0]
    if len(models) > 1:
        return f"{len(models)} models {network}"
    (one,) = models
    few = f", {one['samples']:,} samples" if one["samples"] else ""
    return f"{one['mode']} {network}, L2 {one['l2']:g}, seed {one['seed']}{few}"


def _seeds(work: Work, repeats: int) -> list[list[int]]:
    """The seeds of all repeats, those together whose models are trained as one batch."""
    first, at_once = work.settings.seed, work.settings.repeats_at_once
    return [list(range(at, min(at + at_once, first + repeats))) for at in range(first, first + repeats, at_once)]


def _repeat(work: Work, model: dict[str, Any]) -> dict[str, int]:
    return {"repeat": model["seed"] - work.settings.seed}


def _curves(curves: dict[str, Any], column: str) -> dict[str, Any]:
    return {"training": curves["training"], "validation": curves[column], "stopped_at": curves["stopped_at"]}


def _seconds(found: Iterable[dict[str, Any]]) -> float:
    return sum(each["seconds"] for each in found)


def _finite(losses: Iterable[float | None]) -> list[float]:
    return [loss for loss in losses if loss is not None]
