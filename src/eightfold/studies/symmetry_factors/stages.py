"""What the study `symmetry-factors` measures: runs on every board, and round robins for each board and amount of data.

In a round robin every network has cost what the base's run of the same seed had cost after so many games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eightfold.studies.frame import Work
from eightfold.studies.paired import nearest
from eightfold.studies.run_costs import cost_by, cost_of, prices_of
from eightfold.studies.standings import round_robin
from eightfold.studies.symmetry_factors.effects import changed, worth
from eightfold.studies.symmetry_factors.settings import BASE, arms_of, boards_of, run_facts
from eightfold.studies.symmetry_runs import CPU, price_arms, together, train_run

TRAINING = (
    "preset",
    "playouts",
    "parallel_games",
    "games_a_round",
    "steps_a_game",
    "changes",
    "backend",
    "device",
    "runs_at_once",
)
FEW, MANY = "few", "many"


def runs(work: Work) -> dict[str, Any]:
    """Every arm on every board with every seed; on a CPU the arms of a board and seed take turns."""
    settings, told = work.settings, []
    seeds = range(settings.seed, settings.seed + settings.seeds)
    for board in boards_of(settings):
        cases = [(arm, seed) for seed in seeds for arm in arms_of(settings)]
        facts = [{**run_facts(settings, board, arm, seed), "keep_every": settings.keep_every} for arm, seed in cases]
        labels = [f"{board}, {arm.text}, seed {seed}" for arm, seed in cases]
        found = work.parts(train_run, facts, labels, together=together(settings.device, settings.runs_at_once))
        told += [
            {"board": board, "arm": arm.text, "seed": seed, **run}
            for (arm, seed), run in zip(cases, found, strict=True)
        ]
    same = ("playouts", "parallel_games", "games_a_round", "steps_a_game", "preset", "seeds")
    return {**{name: getattr(settings, name) for name in same}, "runs": told}


def prices(work: Work) -> dict[str, Any] | None:
    """On a GPU: what a simulation and a step of every arm take, on every board."""
    settings = work.settings
    if settings.device == CPU:
        return None
    found = {}
    for board in boards_of(settings):
        facts = {arm.text: run_facts(settings, board, arm, settings.seed) for arm in arms_of(settings)}
        own = ("mode", "network", "proofs")
        same = {name: value for name, value in facts[BASE].items() if name not in own}
        found[board] = work.part(
            price_arms,
            arms={arm: {name: of[name] for name in own} for arm, of in facts.items()},
            blocks=settings.price_blocks,
            games_each=settings.price_games,
            steps_each=settings.steps_a_game,
            **same,
        )
    return found


def elo(work: Work) -> dict[str, Any]:
    settings, trained = work.settings, work.results["runs"]["runs"]
    rows: list[dict[str, Any]] = []
    for board in dict.fromkeys(run["board"] for run in trained):
        table = prices_of((work.results["prices"] or {}).get(board, []))
        here = [run for run in trained if run["board"] == board]
        for data, games in ((FEW, settings.few), (MANY, settings.many)):
            chosen = [_at_cost_of_base(run, here, games, table) for run in here]
            ratings = round_robin(
                work,
                [(run["place"], kept["name"]) for run, kept in zip(here, chosen, strict=True)],
                game=board,
                games=settings.elo_games,
                playouts=settings.elo_playouts,
                opening_plies=settings.opening_plies,
                backend=settings.backend,
                seed=settings.seed,
            )
            rows += [
                {
                    "board": board,
                    "data": data,
                    "arm": run["arm"],
                    "seed": run["seed"],
                    "games": kept["games"],
                    "cost": cost_of(run, kept, table),
                    **rating,
                }
                for run, kept, rating in zip(here, chosen, ratings, strict=True)
            ]
    return {
        "machine": trained[0]["machine"],
        "games": settings.elo_games,
        "playouts": settings.elo_playouts,
        "opening_plies": settings.opening_plies,
        FEW: settings.few,
        MANY: settings.many,
        "rows": rows,
        "worth": worth(rows, BASE),
        "changed": changed(rows, BASE),
    }


def _at_cost_of_base(
    run: Mapping[str, Any], here: Sequence[Mapping[str, Any]], games: int, table: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The network of a run that cost nearest to what the base's of its seed had cost after so many games."""
    base = next(each for each in here if each["arm"] == BASE and each["seed"] == run["seed"])
    reached = next((kept for kept in base["kept"] if kept["games"] >= games), base["kept"][-1])
    found: Mapping[str, Any] = nearest(run["kept"], cost_of(base, reached, table), cost_by(run, table))
    return found
