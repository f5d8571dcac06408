"""What the study `efficiency` measures: a run for every arm and seed at equal cost, then matches between them.

Runs take turns: all arms of a seed before the next seed, so that whatever changes on a machine in the course of hours
meets every arm. A run is a part, so a study that was stopped goes on with the run that was under way. The learning rate
follows the run's share of its time, as the preset says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from eightfold.arena.bradley_terry import Score, fit_ratings
from eightfold.config import load_preset, with_changes
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.learning.check import check_config
from eightfold.learning.config import TrainConfig
from eightfold.studies.advisor.training import MANY, play
from eightfold.studies.efficiency.ideas import IDEAS, OWN, arm_config, arms_of, read_ideas
from eightfold.studies.frame import Part, Work
from eightfold.studies.grid import grid, mean_interval
from eightfold.studies.paired import Difference, of_several
from eightfold.studies.runs import TimedRun, network_place, warm_up

ALL_IDEAS = "caps pruning gumbel points soft next openings averaged larger larger-late none slap average"
FIRST, LAST = "first", "last"  # networks that a run keeps
LUCK = 0.05  # of all ideas together: what is told of one of them is wrong so often at most


@dataclass(frozen=True, kw_only=True)
class EfficiencySettings:
    preset: str = setting("quick", "the run that every arm is a change of; its evaluations are left out")
    changes: str = setting("", "changes of the preset for all arms, as --set takes them, separated by spaces")
    ideas: str = setting(
        ALL_IDEAS, "what is asked about, separated by spaces; what does not fit the preset is left out"
    )
    device: str = setting("cpu", "cpu, or cuda for an NVIDIA GPU")
    seconds: int = setting(240, "cost of a run: processor seconds, on a GPU seconds of training", least=1, most=MANY)
    seeds: tuple[int, ...] = setting(
        (0, 1, 2), "seeds of the runs; of three or more a verdict can be told", least=0, most=MANY, distinct=True
    )
    playouts: int = setting(100, "playouts a move in matches", least=1, most=MANY)
    match_games: int = setting(20, "games of a match, both colours", least=2, most=MANY)
    opening_plies: int = setting(4, "random moves that each game begins with", least=0, most=100)
    round_robin: bool = setting(
        True, "all networks of a seed play each other; false: each plays the preset's own alone"
    )


def base_config(preset: str, changes: str, device: str, seed: int) -> TrainConfig:
    """The preset's own run, as the study trains it."""
    config = with_changes(load_preset(TrainConfig(), preset), changes.split())
    return with_changes(
        config, ["games=0", "minutes=0", "evaluation.every_minutes=0", f"device={device}", f"seed={seed}"]
    )


def check(settings: EfficiencySettings) -> None:
    ideas = read_ideas(settings.ideas)
    config = base_config(settings.preset, settings.changes, settings.device, 0)
    for name in [OWN, *(idea.name for idea in arms_of(config, ideas))]:
        try:
            check_config(arm_config(config, name))
        except EightfoldError as error:
            raise EightfoldError(f"the arm {name} of the study cannot be trained: {error}") from None


def train(part: Part, *, arm: str, seed: int, seconds: int, preset: str, changes: str, device: str) -> dict[str, Any]:
    """A part: one run to its end, or two if its network grows on the way."""
    base = base_config(preset, changes, device, seed)
    config, late = arm_config(base, arm), arm != OWN and IDEAS[arm].late
    if device == "cpu":  # a GPU's clock leaves compiling out
        warm_up(config, part.folder / "warm-up")
    if not late:
        return {"place": part.place, **_trained(part, config, LAST, 0.0, 1.0, seconds)}
    before = _trained(part, base, FIRST, 0.0, 0.5, seconds)
    grown = replace(config, start_from=str(network_place(part.output, f"{part.place}/{FIRST}", FIRST)))
    after = _trained(part, grown, LAST, 0.5, 1.0, seconds)
    added = {key: before[key] + after[key] for key in ("games", "samples", "steps", "seconds")}
    return {"place": part.place, **after, **added}


def _trained(part: Part, config: TrainConfig, name: str, begin: float, end: float, seconds: int) -> dict[str, Any]:
    """Train from one share of the time to another; what is known at its end, with the network that is kept."""
    run = TimedRun(config, part.folder / name)
    try:
        while (share := begin + run.seconds / seconds) < end:
            part.progress(share)
            # A run knows its share of its minutes: so many that it is the share of the cost.
            run.run.config = replace(config, minutes=run.run.progress.seconds / 60 / share if share else 0.0)
            run.step()
        return run.keep(name)
    finally:
        run.close()


def runs(work: Work) -> dict[str, Any]:
    settings = work.settings
    same = {"preset": settings.preset, "changes": settings.changes, "device": settings.device}
    config = base_config(**same, seed=0)
    ideas = arms_of(config, read_ideas(settings.ideas))
    cases = grid(
        {"seed": settings.seeds, "arm": [OWN, *(idea.name for idea in ideas)]}, seconds=settings.seconds, **same
    )
    found = work.parts(train, cases, [f"{case['arm']}, seed {case['seed']}" for case in cases])
    told = [{"arm": case["arm"], "seed": case["seed"], **run} for case, run in zip(cases, found, strict=True)]
    about = [{"name": idea.name, "about": idea.about, "is_there": idea.is_there(config)} for idea in ideas]
    missing = [idea.name for idea in read_ideas(settings.ideas) if idea not in ideas]
    return {"game": config.game, **same, "cost": settings.seconds, "ideas": about, "left_out": missing, "rows": told}


def duel(part: Part, *, other: str, **facts: Any) -> dict[str, Any]:
    """A part: the last networks of two runs against each other."""
    opponent = f"net:{network_place(part.output, f'{other}/{LAST}', LAST)},{facts['options']}"
    return play(part, name=LAST, opponent=opponent, **{**facts, "place": f"{facts['place']}/{LAST}"})


def matches(work: Work) -> list[dict[str, Any]]:
    settings, trained = work.settings, work.results["runs"]
    told, cases = [], []
    for seed in dict.fromkeys(row["seed"] for row in trained["rows"]):
        here = [row for row in trained["rows"] if row["seed"] == seed]
        for one, other in combinations(here, 2):
            if one["arm"] != OWN and not settings.round_robin:
                continue
            told.append({"seed": seed, "first": one["arm"], "second": other["arm"]})
            cases.append(
                {
                    "place": one["place"],
                    "other": other["place"],
                    "game": trained["game"],
                    "options": f"playouts={settings.playouts}",
                    "games": settings.match_games,
                    "opening_plies": settings.opening_plies,
                    "seed": seed,
                }
            )
    found = work.parts(duel, cases, [f"{row['first']} and {row['second']}, seed {row['seed']}" for row in told])
    return [{**row, **result} for row, result in zip(told, found, strict=True)]


def worth(work: Work) -> list[dict[str, Any]]:
    """What every idea is worth in Elo: for each seed, and in the mean over seeds with its interval."""
    played, ideas = work.results["matches"], work.results["runs"]["ideas"]
    names = [OWN, *(idea["name"] for idea in ideas)]
    seeds = list(dict.fromkeys(row["seed"] for row in played))
    ratings = [_ratings([row for row in played if row["seed"] == seed], names) for seed in seeds]
    found, elo = [], []
    for number, idea in enumerate(ideas, 1):
        sign = -1 if idea["is_there"] else 1  # then the arm is the run without
        each = [sign * rating[number] for rating in ratings]
        elo.append(Difference(*mean_interval(each), len(each)))
        against = [row for row in played if {row["first"], row["second"]} == {OWN, idea["name"]}]
        score = sum(row["score"] for row in against) / len(against)  # of the preset, which comes first
        found.append(
            {
                "idea": idea["name"],
                "is_there": idea["is_there"],
                "elo": elo[-1].mean,
                "low": elo[-1].low,
                "high": elo[-1].high,
                "each": each,
                "score": score if idea["is_there"] else 1 - score,
            }
        )
    chances = of_several([each.chance for each in elo])
    told = [
        {**row, "chance": one, "verdict": verdict(row["elo"], one)} for row, one in zip(found, chances, strict=True)
    ]
    return sorted(told, key=lambda row: -row["elo"])


def _ratings(played: list[dict[str, Any]], names: list[str]) -> list[float]:
    """Of the networks of one seed, the preset's own at 0."""
    number = {name: index for index, name in enumerate(names)}
    scores = [
        Score(number[row["first"]], number[row["second"]], row["wins"], row["draws"], row["losses"]) for row in played
    ]
    return [rating.elo for rating in fit_ratings(len(names), scores, anchor=0, first_move=False).ratings]


def verdict(elo: float, chance: float) -> str:
    """
    >>> verdict(30.0, 0.01), verdict(30.0, 0.2), verdict(-30.0, 0.01)
    ('helps', 'cannot be told', 'does not help')
    """
    if chance >= LUCK:
        return "cannot be told"
    return "helps" if elo > 0 else "does not help"
