"""Leaves valued by games or by the network: who learns more, and who plays better? (Zhao & Zhang, figure 4)

Networks learn by self-play from equally many games. The leaves of one are valued by the network alone, those of another
by games between min-max players, and those of a third by a mixture that falls from the games to the network over the
run, which Zhao & Zhang leave as future work. On the way each is measured against one opponent with each of four leaf
evaluators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eightfold.core.settings import setting
from eightfold.studies.advisor.rollout_sections import learning, playing
from eightfold.studies.advisor.training import MANY, check_names, play, run_config
from eightfold.studies.frame import Part, Stage, Study, Work
from eightfold.studies.grid import grid
from eightfold.studies.runs import TimedRun, warm_up

ARMS = {
    "value alone": ("selfplay.leaves=network",),
    "min-max rollouts": ("selfplay.leaves=minmax",),
    "falling theta": ("selfplay.leaves=mixed", "selfplay.theta=1", "selfplay.theta_until=1"),
}
EVALUATORS = {
    "network": "leaves=network",
    "random": "leaves=random",
    "minmax": "leaves=minmax",
    "mixed": "leaves=mixed,theta=0.5",
}


@dataclass(frozen=True, kw_only=True)
class RolloutSettings:
    game: str = setting("gomoku:size=8,win=4", "the board")
    network: str = setting("densenet", "the network")
    encoder: str = setting("history", "its planes")
    playouts: int = setting(100, "playouts a move, in training and in matches", least=1, most=MANY)
    games_a_round: int = setting(25, "games of a round (Zhao & Zhang: 25)", least=1, most=MANY)
    rounds: tuple[int, ...] = setting((2, 5, 10, 20), "rounds after which the network is measured", least=1, most=MANY)
    replay_ratio: float = setting(10.0, "how often each sample is trained on", least=0.01, most=10_000)
    opponent: str = setting("alphabeta:depth=2", "whom the networks play")
    match_games: int = setting(40, "games of a match, both colours", least=2, most=MANY)
    opening_plies: int = setting(4, "random moves that each game begins with", least=0, most=100)
    seeds: tuple[int, ...] = setting((0, 1, 2), "seeds of training", least=0, most=MANY, distinct=True)


def check(settings: RolloutSettings) -> None:
    check_names(settings.game, players=(settings.opponent,), network=settings.network)


def train(
    part: Part,
    *,
    arm: str,
    seed: int,
    game: str,
    network: str,
    encoder: str,
    playouts: int,
    games_a_round: int,
    rounds: list[int],
    replay_ratio: float,
) -> dict[str, Any]:
    """A part: one run, its network kept after some rounds."""
    config = run_config(
        f"game={game}",
        f"network={network}",
        f"encoder={encoder}",
        f"seed={seed}",
        f"games={games_a_round * max(rounds)}",  # theta falls over these
        f"selfplay.playouts={playouts}",
        f"selfplay.parallel_games={games_a_round}",
        "selfplay.opening_share=0",
        "selfplay.value_mix=0",
        f"training.games_a_round={games_a_round}",
        f"training.replay_ratio={replay_ratio}",
        *ARMS[arm],
    )
    warm_up(config, part.folder)
    run, kept = TimedRun(config, part.folder), []
    try:
        for number in range(1, max(rounds) + 1):
            run.step()
            part.progress(number / max(rounds))
            if number in rounds:
                kept.append({"round": number, "name": f"round-{number}", **run.keep(f"round-{number}")})
    finally:
        run.close()
    return {"place": part.place, "kept": kept}


def networks(work: Work) -> list[dict[str, Any]]:
    settings = work.settings
    same = ("game", "network", "encoder", "playouts", "games_a_round", "replay_ratio")
    cases = grid(
        {"seed": settings.seeds, "arm": list(ARMS)},  # the arms of a seed take turns
        rounds=list(settings.rounds),
        **{name: getattr(settings, name) for name in same},
    )
    runs = work.parts(train, cases, [f"{case['arm']}, seed {case['seed']}" for case in cases])
    return [{"arm": case["arm"], "seed": case["seed"], **run} for case, run in zip(cases, runs, strict=True)]


def matches(work: Work) -> dict[str, Any]:
    settings = work.settings
    same = {
        "opponent": settings.opponent,
        "game": settings.game,
        "games": settings.match_games,
        "opening_plies": settings.opening_plies,
    }
    told, cases = [], []
    for run in work.results["networks"]:
        for kept in run["kept"]:
            for name, leaves in EVALUATORS.items():
                told.append({"arm": run["arm"], "seed": run["seed"], "round": kept["round"], "evaluator": name})
                options = f"playouts={settings.playouts},{leaves}"
                cases.append({"place": run["place"], "name": kept["name"], "options": options, "seed": run["seed"]})
    labels = [f"{row['arm']}, seed {row['seed']}, round {row['round']}, {row['evaluator']}" for row in told]
    found = work.parts(play, [{**case, **same} for case in cases], labels)
    rows = [{**row, **result} for row, result in zip(told, found, strict=True)]
    return {"opponent": settings.opponent, "playouts": settings.playouts, "game": settings.game, "rows": rows}


STUDY = Study(
    name="rollouts",
    title="Leaves valued by games or by the network",
    introduction="What leaf evaluators are is explained in Eightfold's docs/training.md.",
    settings=RolloutSettings(),
    small=(
        "game=gomoku:size=5,win=4",
        "network=densenet:layers=1,growth=4",
        "playouts=4",
        "games_a_round=4",
        "rounds=[1, 2]",
        "replay_ratio=2",
        "opponent=greedy",
        "match_games=2",
        "opening_plies=2",
        "seeds=[0]",
    ),
    check=check,
    stages=(
        Stage(
            name="networks",
            settings=(
                "game",
                "network",
                "encoder",
                "playouts",
                "games_a_round",
                "rounds",
                "replay_ratio",
                "seeds",
            ),
            measure=networks,
            section=learning,
            version=2,  # what compiles is not counted
        ),
        Stage(
            name="matches",
            settings=("opponent", "match_games", "opening_plies"),
            after=("networks",),
            measure=matches,
            section=playing,
        ),
    ),
)
