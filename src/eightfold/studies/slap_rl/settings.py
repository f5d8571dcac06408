"""What can be changed of the study `slap-rl` with --set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.games.game import make_game
from eightfold.nets.inference.evaluator import MODES
from eightfold.studies.arms import WrittenArm, read_arms
from eightfold.studies.exam import ExamSettings
from eightfold.studies.symmetry_runs import check_runs

MANY = 1_000_000
PROOFS = "proofs"
BASE = "augment"  # what every arm is compared with
PUBLISHED_ARMS = ("augment", "slap", "slap-cc")
# `a1` has 119,079 parameters on 8x8. Of equivariant networks one has nearly as many, and one takes about as long.
ARMS = (
    "none augment augment-eager slap slap-cc random average"
    " none@slap-net:inner=a1 none@slap-net:inner=a1,temperature=0.5"
    " none@equivariant:blocks=1,width=64 none@equivariant:blocks=3,width=112 augment+proofs"
)
# What a run is made of, besides the arm, the seed and the games.
RUN = ("preset", "game", "playouts", "parallel_games", "games_a_round", "changes", "backend", "device")


@dataclass(frozen=True, kw_only=True)
class RlSettings(ExamSettings):
    arms: str = setting(
        ARMS, "MODE, MODE@NETWORK or either with +proofs behind it, with a space between; augment is the yardstick"
    )
    game: str = setting("gomoku:size=8", "the board")
    preset: str = setting("suen-alonso", "the preset of `eightfold train` that the runs have")
    network: str = setting("a1", "the network of arms that name none (Suen & Alonso: a1)")
    games: int = setting(5000, "self-play games of a run (stage 2: 5,000)", least=1, most=MANY)
    keep_every: int = setting(250, "games from one kept network to the next (stage 2: 250)", least=1, most=MANY)
    seeds: int = setting(5, "runs of every arm, paired by seed", least=1, most=1000)
    seed: int = setting(0, "of the first run; the next has the next number", least=0, most=MANY)
    playouts: int = setting(400, "playouts a move in self-play (Suen & Alonso: 400)", least=1, most=MANY)
    parallel_games: int = setting(32, "games that a run plays side by side (Suen & Alonso: 1)", least=1, most=4096)
    games_a_round: int = setting(8, "games between new weights (Suen & Alonso: 1)", least=1, most=4096)
    changes: str = setting("", "further changes of all runs, with a space between: training.l2=1e-5 ...")
    backend: str = setting("auto", "what runs networks in self-play and in matches: auto, openvino, torch ...")
    device: str = setting("cpu", "where runs are trained and the exam is labelled: cpu or cuda")
    runs_at_once: int = setting(
        1, "runs trained side by side, in processes of their own; 1 on a CPU: the arms of a seed take turns", least=1,
        most=256,
    )  # fmt: skip
    buffer_seeds: int = setting(5, "runs of slap and of augment with the small buffer; 0: no test", least=0, most=1000)
    grid_points: int = setting(6, "of the 240 points of stage 1, drawn at random; 0: none", least=0, most=240)
    grid_games: int = setting(250, "self-play games of a point (stage 1: 250)", least=1, most=MANY)
    price_blocks: int = setting(10, "times that the cost of every arm is measured, in turns", least=1, most=1000)
    price_games: int = setting(32, "self-play games each time", least=1, most=MANY)
    price_steps: int = setting(20, "training steps each time", least=1, most=MANY)
    exam: str = setting("", "an exam that is there already, exam-HASH.npz; empty: it is made by the settings exam_...")
    elo_games: int = setting(2, "games of any two networks in the round robin, both colours", least=2, most=10_000)
    elo_playouts: int = setting(64, "playouts a move there", least=1, most=MANY)
    opening_plies: int = setting(4, "random moves that its games begin with", least=0, most=100)
    tiers: tuple[int, ...] = setting((1000, 3000, 5000), "playouts of the three pure searches", least=1, most=MANY)
    tier_games: int = setting(10, "games against each, in one evaluation", least=1, most=10_000)
    tier_playouts: int = setting(400, "playouts a move of the network in them", least=1, most=MANY)
    paper_games: int = setting(
        10, "games against each, at every kept network, as the paper counted; 0: it is not counted so", least=0,
        most=10_000,
    )  # fmt: skip


def arms_of(settings: Any) -> list[WrittenArm]:
    return read_arms(settings.arms, settings.network, modes=MODES, flags=(PROOFS,), setting="arms")


def base_of(settings: Any) -> WrittenArm:
    return read_arms(BASE, settings.network, modes=MODES)[0]


def facts_of(arm: WrittenArm) -> dict[str, Any]:
    """What of a run's facts depends on its arm."""
    return {"mode": arm.mode, "network": arm.network, "proofs": PROOFS in arm.flags}


def run_facts(settings: Any, arm: WrittenArm, seed: int, games: int) -> dict[str, Any]:
    return {**facts_of(arm), "seed": seed, "games": games, **{name: getattr(settings, name) for name in RUN}}


def check(settings: RlSettings) -> None:
    make_game(settings.game, trusted=True)
    arms = arms_of(settings)
    if base_of(settings)[1:] not in [arm[1:] for arm in arms]:
        raise EightfoldError(f"arms = {settings.arms!r} lacks {BASE}, which the others are compared with")
    check_runs([run_facts(settings, arm, settings.seed, settings.games) for arm in arms])
    if settings.elo_games % 2:
        raise EightfoldError(f"elo_games = {settings.elo_games} is odd; both colours need an even number")
    if settings.grid_points and not settings.paper_games:
        raise EightfoldError(
            f"grid_points = {settings.grid_points} are told apart by the paper's count; paper_games = 0 leaves it out"
        )
    if settings.exam and not Path(settings.exam).is_file():
        raise EightfoldError(f"exam = {settings.exam!r}: there is no such file")
