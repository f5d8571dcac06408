"""What can be changed of the study `symmetry-factors` with --set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.games.game import make_game
from eightfold.nets.inference.evaluator import MODES
from eightfold.studies.arms import WrittenArm, read_arms
from eightfold.studies.symmetry_runs import check_runs

MANY = 1_000_000
BASE = "augment"
REACH = 1.25  # times `many`, so that arms that cost less than the base still come to its cost


@dataclass(frozen=True, kw_only=True)
class FactorSettings:
    boards: str = setting(
        "gomoku:size=8 gomoku:size=15 go:size=7,komi=8.5", "games and boards, with a space between; the first is usual"
    )
    arms: str = setting(
        "none augment slap average none@equivariant:blocks=3,width=32",
        "MODE or MODE@NETWORK, with a space between; augment is the yardstick",
    )
    preset: str = setting("suen-alonso", "the preset of `eightfold train` that the runs have")
    network: str = setting("resnet:blocks=3,filters=32", "the network of arms that name none")
    few: int = setting(250, "little data: what so many self-play games of augment cost", least=1, most=MANY)
    many: int = setting(2000, "much data: the same with more games", least=2, most=MANY)
    keep_every: int = setting(50, "games from one kept network to the next", least=1, most=MANY)
    seeds: int = setting(5, "runs of every arm on every board, paired by seed", least=1, most=1000)
    seed: int = setting(0, "of the first run; the next has the next number", least=0, most=MANY)
    playouts: int = setting(128, "playouts a move in self-play", least=1, most=MANY)
    parallel_games: int = setting(32, "games that a run plays side by side", least=1, most=4096)
    games_a_round: int = setting(8, "games between new weights", least=1, most=4096)
    steps_a_game: int = setting(5, "training steps for a game", least=1, most=10_000)
    changes: str = setting(
        "training.batch_size=256 training.window=10000 training.later_window=0 training.decay=none"
        " selfplay.exploration=2.0 evaluation.exploration=2.0 selfplay.opening_share=0.5",
        "further changes of all runs, with a space between",
    )
    backend: str = setting("auto", "what runs networks in self-play and in matches: auto, openvino, torch ...")
    device: str = setting("cpu", "where runs are trained: cpu or cuda")
    runs_at_once: int = setting(1, "runs trained side by side, in processes of their own", least=1, most=256)
    price_blocks: int = setting(5, "on a GPU: times that the cost of every arm is measured", least=1, most=1000)
    price_games: int = setting(32, "self-play games each time", least=1, most=MANY)
    elo_games: int = setting(4, "games of any two networks of a board, both colours", least=2, most=10_000)
    elo_playouts: int = setting(64, "playouts a move there", least=1, most=MANY)
    opening_plies: int = setting(4, "random moves that its games begin with", least=0, most=100)


def arms_of(settings: Any) -> list[WrittenArm]:
    return read_arms(settings.arms, settings.network, modes=MODES, setting="arms")


def boards_of(settings: Any) -> list[str]:
    boards = settings.boards.split()
    if not boards or len(set(boards)) < len(boards):
        raise EightfoldError(f"boards = {settings.boards!r} names {'a board twice' if boards else 'no board'}")
    return boards


def run_facts(settings: Any, board: str, arm: WrittenArm, seed: int) -> dict[str, Any]:
    names = ("preset", "playouts", "parallel_games", "games_a_round", "backend", "device")
    steps = f"training.steps_a_round={settings.steps_a_game * settings.games_a_round}"
    return {
        "game": board,
        "mode": arm.mode,
        "network": arm.network,
        "proofs": False,
        "seed": seed,
        "games": round(REACH * settings.many),
        **{name: getattr(settings, name) for name in names},
        "changes": f"{steps} {settings.changes}",
    }


def check(settings: FactorSettings) -> None:
    arms = arms_of(settings)
    if BASE not in [arm.text for arm in arms]:
        raise EightfoldError(f"arms = {settings.arms!r} lacks {BASE}, which the others are compared with")
    if settings.few >= settings.many:
        raise EightfoldError(f"few = {settings.few} games are not fewer than many = {settings.many}")
    if settings.elo_games % 2:
        raise EightfoldError(f"elo_games = {settings.elo_games} is odd; both colours need an even number")
    for board in boards_of(settings):
        make_game(board, trusted=True)
        check_runs([run_facts(settings, board, arm, settings.seed) for arm in arms])
