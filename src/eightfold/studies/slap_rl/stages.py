"""What the study `slap-rl` trains: every arm, the test of buffer sizes, points of stage 1; and what arms cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eightfold.nets.inference.evaluator import MODES
from eightfold.studies.arms import WrittenArm, read_arms
from eightfold.studies.frame import Work
from eightfold.studies.grid import grid
from eightfold.studies.slap_rl.settings import RUN, arms_of, base_of, facts_of, run_facts
from eightfold.studies.symmetry_runs import price_arms, together, train_run

TRAINING = (*RUN, "network", "seed", "runs_at_once")
SMALL_BUFFER = "training.later_window=0"  # the first window for the whole run: section 4.2.2
BUFFER_ARMS = "slap augment"
# Stage 1 by the authors' logs: 240 = 2 modes x 3 rates x 2 x 2 x 2 x 5. Their noise of 0.1 to 0.4 is 0.4 here, and
# where they add noise to the moves that are played, moves are drawn at a higher temperature here.
RATES = {"slap": (1e-3, 5e-4, 2.5e-4), "augment": (1e-3, 2e-3, 4e-3)}
GRID_AXES = {
    "dropout": (0.0, 0.2),
    "l2": (1e-3, 1e-4),
    "temperature": (1.0, 1.25),
    "noise": ((0.0, 0.15), (0.25, 0.15), (0.25, 0.3), (0.4, 0.15), (0.4, 0.3)),  # weight, alpha
}
GRID = [
    {"mode": mode, "rate": rate, **point}
    for mode, rates in RATES.items()
    for rate in rates
    for point in grid(GRID_AXES)
]


def learning(work: Work) -> dict[str, Any]:
    """Every arm with every seed; what is known of each kept network."""
    settings = work.settings
    arms = arms_of(settings)
    seeds = range(settings.seed, settings.seed + settings.seeds)
    told = [(arm, seed) for seed in seeds for arm in arms]
    runs = _trained(work, told, settings.games, settings.keep_every)
    base = base_of(settings)
    return {
        "base": next(arm.text for arm in arms if arm[1:] == base[1:]),
        "arms": [{"arm": arm.text, **facts_of(arm)} for arm in arms],
        **{name: getattr(settings, name) for name in (*RUN, "games", "keep_every", "seeds")},
        "runs": runs,
    }


def buffers(work: Work) -> dict[str, Any] | None:
    """Section 4.2.2: SLAP and augmentation with the small buffer from the first game to the last."""
    settings = work.settings
    if settings.buffer_seeds == 0:
        return None
    arms = read_arms(BUFFER_ARMS, settings.network, modes=MODES)
    seeds = range(settings.seed, settings.seed + settings.buffer_seeds)
    told = [(arm, seed) for seed in seeds for arm in arms]
    runs = _trained(work, told, settings.games, settings.keep_every, changes=f"{settings.changes} {SMALL_BUFFER}")
    return {"games": settings.games, "runs": runs}


def stage_one(work: Work) -> dict[str, Any] | None:
    """Points of stage 1's grid, trained for few games."""
    settings = work.settings
    order = np.random.default_rng(settings.seed).permutation(len(GRID))[: settings.grid_points]
    points = [GRID[number] for number in sorted(order.tolist())]
    if not points:
        return None
    cases = [_point_facts(settings, point) for point in points]
    labels = [f"point {number} of {len(cases)}" for number in range(1, len(cases) + 1)]
    how = together(settings.device, settings.runs_at_once, compared=False)
    found = work.parts(train_run, cases, labels, together=how)
    return {
        "points": len(GRID),
        "games": settings.grid_games,
        "rows": [{**_flat(point), **_told(run)} for point, run in zip(points, found, strict=True)],
    }


def prices(work: Work) -> dict[str, Any]:
    """What a simulation and a step of every arm take, at fixed work and in turns."""
    settings = work.settings
    arms = arms_of(settings)
    same = {name: getattr(settings, name) for name in RUN}
    rows = work.part(
        price_arms,
        arms={arm.text: facts_of(arm) for arm in arms},
        blocks=settings.price_blocks,
        games_each=settings.price_games,
        steps_each=settings.price_steps,
        seed=settings.seed,
        games=settings.games,
        **same,
    )
    return {"base": base_of(settings).text, "device": settings.device, "playouts": settings.playouts, "rows": rows}


def _trained(
    work: Work, told: Sequence[tuple[WrittenArm, int]], games: int, keep_every: int, **other: Any
) -> list[dict[str, Any]]:
    settings = work.settings
    cases = [{**run_facts(settings, arm, seed, games), "keep_every": keep_every, **other} for arm, seed in told]
    labels = [f"{arm.text}, seed {seed}" for arm, seed in told]
    found = work.parts(train_run, cases, labels, together=together(settings.device, settings.runs_at_once))
    return [{"arm": arm.text, "seed": seed, **_told(run)} for (arm, seed), run in zip(told, found, strict=True)]


def _told(run: dict[str, Any]) -> dict[str, Any]:
    return {name: run[name] for name in ("place", "machine", "parameters", "kept")}


def _point_facts(settings: Any, point: dict[str, Any]) -> dict[str, Any]:
    arm = read_arms(f"{point['mode']}@a1:dropout={point['dropout']}", "a1", modes=MODES)[0]
    weight, alpha = point["noise"]
    changes = (
        f"training.learning_rate={point['rate']} training.l2={point['l2']} selfplay.temperature={point['temperature']}"
        f" selfplay.final_temperature={point['temperature']} selfplay.noise={weight} selfplay.noise_alpha={alpha}"
    )
    return {
        **run_facts(settings, arm, settings.seed, settings.grid_games),
        "keep_every": settings.grid_games,
        "changes": f"{settings.changes} {changes}".strip(),
    }


def _flat(point: dict[str, Any]) -> dict[str, Any]:
    weight, alpha = point["noise"]
    return {**{name: value for name, value in point.items() if name != "noise"}, "noise": weight, "alpha": alpha}
