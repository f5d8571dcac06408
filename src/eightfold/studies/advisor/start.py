"""What an advisor is worth in time: runs that begin with a teacher's games against runs that begin with nothing.

Both arms of a pair are the same run but for the advisor, with the same seed, and take turns round by round, the one
that has used less processor time first. The advisor's arm is charged with the time in which its teacher played. At
certain times both networks are kept; then they play fixed opponents and each other. Proofs by threat search, which
decide four in a row alone, are off in one half of the pairs and on in the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eightfold.config import load_preset, with_changes
from eightfold.core.settings import setting
from eightfold.learning.config import TrainConfig, advisor_change
from eightfold.studies.advisor.start_sections import ADVISED, COLD
from eightfold.studies.advisor.start_sections import each_other as each_other_section
from eightfold.studies.advisor.start_sections import opponents as opponents_section
from eightfold.studies.advisor.start_sections import runs as runs_section
from eightfold.studies.advisor.start_sections import teachers as teachers_section
from eightfold.studies.advisor.teachers import teach
from eightfold.studies.advisor.training import MANY, check_names, play
from eightfold.studies.frame import Part, Stage, Study, Work
from eightfold.studies.grid import grid
from eightfold.studies.runs import TimedRun, network_place, warm_up

OFF, ON = "off", "on"
PROOF_NODES = {OFF: 0, ON: 100}


@dataclass(frozen=True, kw_only=True)
class StartSettings:
    game: str = setting("gomoku:size=8,win=4", "the first board")
    larger_game: str = setting("gomoku:size=10,win=5", "the second board; empty: none")
    teacher: str = setting("alphabeta:depth=4", "who plays the advisor's games")
    teacher_games: int = setting(200, "how many of them", least=1, most=MANY)
    preset: str = setting("quick", "the run of both arms; its evaluations are left out, and its learning rate stays")
    network: str = setting("resnet:blocks=3,filters=32", "the network")
    targets: str = setting("onehot", "what the policy learns from the teacher", choices=("onehot", "softmax"))
    epochs: int = setting(5, "passes over the teacher's games before the first game of its own", least=1, most=MANY)
    seconds: tuple[int, ...] = setting(
        (60, 120, 240), "processor seconds after which networks are measured", least=1, most=MANY
    )
    playouts: int = setting(100, "playouts a move in matches", least=1, most=MANY)
    depths: tuple[int, ...] = setting((2, 4), "plies that the fixed opponents, alphabeta, look ahead", least=1, most=64)
    match_games: int = setting(20, "games of a match, both colours", least=2, most=MANY)
    opening_plies: int = setting(4, "random moves that each game begins with", least=0, most=100)
    seeds: tuple[int, ...] = setting((0, 1, 2), "seeds of the pairs", least=0, most=MANY, distinct=True)


def check(settings: StartSettings) -> None:
    for text in _boards(settings):
        check_names(text, players=(settings.teacher,), network=settings.network)
    load_preset(TrainConfig(), settings.preset)


def _boards(settings: Any) -> list[str]:
    return [text for text in (settings.game, settings.larger_game) if text]


def teachers(work: Work) -> list[dict[str, Any]]:
    settings = work.settings
    cases = grid({"game": _boards(settings)}, player=settings.teacher, games=settings.teacher_games, seed=0)
    return [{**case, **found} for case, found in zip(cases, work.parts(teach, cases), strict=True)]


def train_pair(
    part: Part,
    *,
    game: str,
    proofs: str,
    seed: int,
    preset: str,
    network: str,
    advice: str,
    advice_seconds: float,
    targets: str,
    epochs: int,
    seconds: list[int],
) -> dict[str, Any]:
    """A part: both arms of a seed, taking turns; what is known of them at every mark."""
    config = with_changes(
        load_preset(TrainConfig(), preset),
        [
            "minutes=0",
            "games=0",
            "evaluation.every_minutes=0",
            "training.decay=none",
            f"game={game}",
            f"network={network}",
            f"seed={seed}",
            f"selfplay.proof_nodes={PROOF_NODES[proofs]}",
        ],
    )
    learns = (advisor_change(part.output / advice), f"advisor.targets={targets}", f"advisor.epochs={epochs}")
    warm_up(with_changes(config, [*learns, "advisor.epochs=1", "advisor.games=2"]), part.folder / "warm-up")
    arms = {
        ADVISED: TimedRun(with_changes(config, learns), part.folder / "advised", spent=advice_seconds),
        COLD: TimedRun(config, part.folder / "cold"),
    }
    kept = []
    try:
        for mark in seconds:
            while behind := [arm for arm in arms.values() if arm.seconds < mark]:
                min(behind, key=lambda arm: arm.seconds).step()
                part.progress(min(arm.seconds for arm in arms.values()) / seconds[-1])
            for name, arm in arms.items():
                if name == COLD or arm.run.progress.steps > 0:  # else its teacher is not done yet
                    kept.append({"arm": name, "mark": mark, **arm.keep(str(mark))})
    finally:
        for arm in arms.values():
            arm.close()
    return {"places": {ADVISED: f"{part.place}/advised", COLD: f"{part.place}/cold"}, "kept": kept}


def runs(work: Work) -> list[dict[str, Any]]:
    settings = work.settings
    advice = {row["game"]: row for row in work.results["teachers"]}
    cases = [
        {**case, "advice": advice[case["game"]]["place"], "advice_seconds": advice[case["game"]]["seconds"]}
        for case in grid(
            {"seed": settings.seeds, "game": _boards(settings), "proofs": tuple(PROOF_NODES)},
            preset=settings.preset,
            network=settings.network,
            targets=settings.targets,
            epochs=settings.epochs,
            seconds=sorted(settings.seconds),
        )
    ]
    labels = [f"{case['game']}, proofs {case['proofs']}, seed {case['seed']}" for case in cases]
    found = work.parts(train_pair, cases, labels)
    told = ("game", "proofs", "seed")
    return [{**{name: case[name] for name in told}, **run} for case, run in zip(cases, found, strict=True)]


def _same(settings: Any) -> dict[str, Any]:
    return {"games": settings.match_games, "opening_plies": settings.opening_plies}


def opponents(work: Work) -> dict[str, Any]:
    """Every kept network against fixed opponents."""
    settings, told, cases = work.settings, [], []
    for run in work.results["runs"]:
        for kept in run["kept"]:
            for depth in settings.depths:
                row = {name: run[name] for name in ("game", "proofs", "seed")}
                told.append({**row, "arm": kept["arm"], "mark": kept["mark"], "opponent": f"alphabeta:depth={depth}"})
                cases.append(
                    {
                        "place": run["places"][kept["arm"]],
                        "name": str(kept["mark"]),
                        "options": f"playouts={settings.playouts}",
                        "opponent": f"alphabeta:depth={depth}",
                        "game": run["game"],
                        "seed": run["seed"],
                        **_same(settings),
                    }
                )
    found = work.parts(play, cases, [_label(row) for row in told])
    rows = [{**row, **result} for row, result in zip(told, found, strict=True)]
    return {"playouts": settings.playouts, "rows": rows}


def each_other(work: Work) -> dict[str, Any]:
    """The two networks of a pair at the same time, and the advisor's against the cold one of twice the time."""
    settings, told, cases = work.settings, [], []
    marks = sorted(settings.seconds)
    for run in work.results["runs"]:
        there = {(kept["arm"], kept["mark"]) for kept in run["kept"]}
        for mark in (mark for mark in marks if (ADVISED, mark) in there):
            for other in (each for each in (mark, 2 * mark) if (COLD, each) in there):
                row = {name: run[name] for name in ("game", "proofs", "seed")}
                told.append({**row, "arm": ADVISED, "mark": mark, "cold_mark": other})
                cases.append(
                    {
                        "place": run["places"][ADVISED],
                        "name": str(mark),
                        "cold_place": run["places"][COLD],
                        "cold_name": str(other),
                        "options": f"playouts={settings.playouts}",
                        "game": run["game"],
                        "seed": run["seed"],
                        **_same(settings),
                    }
                )
    found = work.parts(duel, cases, [_label(row) for row in told])
    return {"rows": [{**row, **result} for row, result in zip(told, found, strict=True)]}


def duel(part: Part, *, cold_place: str, cold_name: str, options: str, **facts: Any) -> dict[str, Any]:
    """A part: a network of the advisor's arm against one of the cold arm."""
    opponent = f"net:{network_place(part.output, cold_place, cold_name)},{options}"
    return play(part, options=options, opponent=opponent, **facts)


def _label(row: dict[str, Any]) -> str:
    return f"{row['game']}, proofs {row['proofs']}, seed {row['seed']}, {row['arm']} after {row['mark']} s"


STUDY = Study(
    name="advisor-start",
    title="What an advisor is worth in time",
    introduction="How a run learns from an advisor is explained in Eightfold's docs/advisor.md.",
    settings=StartSettings(),
    small=(
        "game=gomoku:size=5,win=4",
        "larger_game=",
        "teacher=alphabeta:depth=1",
        "teacher_games=4",
        "network=resnet:blocks=1,filters=4",
        "epochs=1",
        "seconds=[1, 2]",
        "playouts=4",
        "depths=[1]",
        "match_games=2",
        "opening_plies=2",
        "seeds=[0]",
    ),
    check=check,
    stages=(
        Stage(
            name="teachers",
            settings=("game", "larger_game", "teacher", "teacher_games"),
            measure=teachers,
            section=teachers_section,
        ),
        Stage(
            name="runs",
            settings=("game", "larger_game", "preset", "network", "targets", "epochs", "seconds", "seeds"),
            after=("teachers",),
            measure=runs,
            section=runs_section,
        ),
        Stage(
            name="opponents",
            settings=("playouts", "depths", "match_games", "opening_plies"),
            after=("runs",),
            measure=opponents,
            section=opponents_section,
        ),
        Stage(
            name="each_other",
            settings=("seconds", "playouts", "match_games", "opening_plies"),
            after=("runs",),
            measure=each_other,
            section=each_other_section,
        ),
    ),
)
