"""Networks that learned from a teacher's games alone, against min-max of several depths (Zhao & Zhang, figure 2).

A teacher plays games once. Networks learn from the first 300, 900 and 1,500 of them, with one-hot and with softmax
targets. They then play min-max with tree search. The teacher's scores are exact for every move, those that it did not
choose too; a softmax over bounds, which plain alpha-beta gives, is the likely reason why softmax lost in the published
figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eightfold.core.settings import setting
from eightfold.learning.advisor.targets import TARGETS
from eightfold.nets.inference.device import check_device
from eightfold.studies.advisor.init_sections import matches as matches_section
from eightfold.studies.advisor.init_sections import networks as networks_section
from eightfold.studies.advisor.init_sections import teacher as teacher_section
from eightfold.studies.advisor.teachers import learn_from, teach
from eightfold.studies.advisor.training import MANY, check_names, play
from eightfold.studies.frame import Stage, Study, Work
from eightfold.studies.grid import grid


@dataclass(frozen=True, kw_only=True)
class InitSettings:
    game: str = setting("gomoku:size=10,win=5", "the board")
    teacher: str = setting("alphabeta:depth=4", "who plays the games")
    sizes: tuple[int, ...] = setting((300, 900, 1500), "games that networks learn from", least=1, most=MANY)
    network: str = setting("densenet", "the network")
    encoder: str = setting("history", "its planes")
    epochs: int = setting(20, "passes over the games", least=1, most=MANY)
    device: str = setting("cpu", "where networks are trained: cpu or cuda")
    playouts: int = setting(400, "playouts a move in matches (Zhao & Zhang: 400)", least=1, most=MANY)
    depths: tuple[int, ...] = setting((1, 2, 3, 4), "plies that the opponents look ahead", least=1, most=64)
    match_games: int = setting(40, "games of a match, both colours", least=2, most=MANY)
    opening_plies: int = setting(4, "random moves that each game begins with", least=0, most=100)
    seeds: tuple[int, ...] = setting((0, 1, 2), "seeds of training", least=0, most=MANY, distinct=True)


def check(settings: InitSettings) -> None:
    check_names(settings.game, players=(settings.teacher,), network=settings.network)
    check_device(settings.device)


def teacher(work: Work) -> dict[str, Any]:
    settings = work.settings
    facts = {"game": settings.game, "player": settings.teacher, "games": max(settings.sizes), "seed": 0}
    return {**facts, **work.part(teach, **facts)}


def networks(work: Work) -> list[dict[str, Any]]:
    settings = work.settings
    cases = grid(
        {"seed": settings.seeds, "games": settings.sizes, "targets": TARGETS},
        game=settings.game,
        network=settings.network,
        encoder=settings.encoder,
        epochs=settings.epochs,
        device=settings.device,
        advice=work.results["teacher"]["place"],
    )
    found = work.parts(
        learn_from, cases, [f"{case['targets']}, {case['games']} games, seed {case['seed']}" for case in cases]
    )
    told = ("seed", "games", "targets", "device", "epochs")
    return [{**{name: case[name] for name in told}, **one} for case, one in zip(cases, found, strict=True)]


def matches(work: Work) -> dict[str, Any]:
    settings, told, cases = work.settings, [], []
    for one in work.results["networks"]:
        for depth in settings.depths:
            told.append({**{name: one[name] for name in ("seed", "targets")}, "learned": one["games"], "depth": depth})
            cases.append(
                {
                    "place": one["place"],
                    "name": one["name"],
                    "options": f"playouts={settings.playouts}",
                    "opponent": f"alphabeta:depth={depth}",
                    "game": settings.game,
                    "games": settings.match_games,
                    "opening_plies": settings.opening_plies,
                    "seed": one["seed"],
                }
            )
    labels = [f"{row['targets']}, {row['learned']} games, seed {row['seed']}, depth {row['depth']}" for row in told]
    found = work.parts(play, cases, labels)
    rows = [{**row, **result} for row, result in zip(told, found, strict=True)]
    return {"playouts": settings.playouts, "teacher": settings.teacher, "rows": rows}


STUDY = Study(
    name="advisor-init",
    title="Networks that learned from a teacher's games alone",
    introduction="Targets and the epsilon scheme are explained in Eightfold's docs/advisor.md.",
    settings=InitSettings(),
    small=(
        "game=gomoku:size=5,win=4",
        "teacher=alphabeta:depth=1",
        "sizes=[2, 4]",
        "network=densenet:layers=1,growth=4",
        "epochs=1",
        "playouts=4",
        "depths=[1, 2]",
        "match_games=2",
        "opening_plies=2",
        "seeds=[0]",
    ),
    check=check,
    stages=(
        Stage(name="teacher", settings=("game", "teacher", "sizes"), measure=teacher, section=teacher_section),
        Stage(
            name="networks",
            settings=("game", "sizes", "network", "encoder", "epochs", "device", "seeds"),
            after=("teacher",),
            measure=networks,
            section=networks_section,
        ),
        Stage(
            name="matches",
            settings=("playouts", "depths", "match_games", "opening_plies"),
            after=("networks",),
            measure=matches,
            section=matches_section,
        ),
    ),
)
