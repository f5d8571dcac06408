"""What the study `slap-synthetic` measures; its parts are batches of models (`training.py`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from eightfold.studies.frame import Work
from eightfold.studies.grid import grid
from eightfold.studies.slap_synthetic.settings import Arm, arms_of, decays_of
from eightfold.studies.slap_synthetic.states import floor
from eightfold.studies.slap_synthetic.training import train_models
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
    "seed",
)
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
    }


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
    cases, told = [], []
    for repeat in range(settings.repeats):
        for (network, _), modes in groups.items():
            models = grid({"mode": modes, "l2": decays}, rate=settings.learning_rate, samples=0)
            told.append((network, repeat))
            facts = {"network": network, "models": models, "seed": settings.seed + repeat, "optimiser": "adam"}
            ask = {"turned": network in turned and "augment" in modes, "iterations": settings.iterations}
            own = {} if network == usual else {"initialisation": "own"}  # what suits one network may not suit another
            cases.append({**facts, **ask, **_same(work), **own})
    labels = [
        _label(f"{network}, repeat {repeat + 1}", case) for (network, repeat), case in zip(told, cases, strict=True)
    ]
    found = work.parts(train_models, cases, labels)
    runs = [
        {"mode": asked, "network": network, "l2": model["l2"], "repeat": repeat, **_curves(curves, column)}
        for (network, repeat), case, results in zip(told, cases, found, strict=True)
        for model, curves in zip(case["models"], results["models"], strict=True)
        for asked, column in ((model["mode"], "validation"), *((mode, mode) for mode in ASKED))
        if Arm(asked, network) in arms and column in curves
    ]
    return {
        "network": usual,
        "initialisation": settings.initialisation,
        "record": settings.record,
        "iterations": settings.iterations,
        "batch": settings.batch,
        "learning_rate": settings.learning_rate,
        "device": settings.device,
        "repeats": settings.repeats,
        "seed": settings.seed,
        "same_as_slap": [arm.network for arm in left_out],
        "seconds": _seconds(found),
        "runs": runs,
    }


def samples(work: Work) -> dict[str, Any] | None:
    """SLAP with fewer positions, against augmentation and no symmetry with the same ones."""
    settings = work.settings
    if settings.sample_repeats == 0:
        return None
    everything, network = work.results["data"]["training"], arms_of("none", settings.network)[0].network
    sizes = sorted({*settings.sample_sizes, everything}, reverse=True)
    models = grid(
        {"samples": sizes, "mode": ("slap", "augment", "none")}, l2=settings.sample_l2, rate=settings.learning_rate
    )
    cases = [
        {
            "network": network,
            "models": models,
            "seed": settings.seed + repeat,
            "optimiser": "adam",
            "turned": False,
            "iterations": settings.iterations,
            **_same(work),
        }
        for repeat in range(settings.sample_repeats)
    ]
    found = work.parts(train_models, cases, [_label(f"repeat {number + 1}", case) for number, case in enumerate(cases)])
    runs = [
        {"mode": model["mode"], "samples": model["samples"], "repeat": repeat, **_curves(curves, "validation")}
        for repeat, results in enumerate(found)
        for model, curves in zip(models, results["models"], strict=True)
    ]
    return {
        "record": settings.record,
        "l2": settings.sample_l2,
        "iterations": settings.iterations,
        "seconds": _seconds(found),
        "runs": runs,
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
            "models": [{"mode": p["mode"], "l2": p["l2"], "rate": rate, "samples": 0} for p in points],
            "seed": settings.seed,
            "optimiser": optimiser,
            "turned": False,
            "iterations": settings.grid_iterations,
            **_same(work),
        }
        for (network, optimiser, rate), points in groups.items()
    ]
    found = work.parts(
        train_models,
        cases,
        [_label(f"{net}, {by}, {rate:g}", case) for (net, by, rate), case in zip(groups, cases, strict=True)],
    )
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


def _label(text: str, case: dict[str, Any]) -> str:
    return f"{text}, {len(case['models'])} models"


def _curves(curves: dict[str, Any], column: str) -> dict[str, Any]:
    return {"training": curves["training"], "validation": curves[column], "stopped_at": curves["stopped_at"]}


def _seconds(found: Iterable[dict[str, Any]]) -> float:
    return sum(each["seconds"] for each in found)


def _finite(losses: Iterable[float | None]) -> list[float]:
    return [loss for loss in losses if loss is not None]
