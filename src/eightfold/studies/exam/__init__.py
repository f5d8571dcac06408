"""The exam: fixed positions with the right answers, by which networks of 8x8 Gomoku are compared with little noise.

    positions.py   from games of players that are in no training run     record.py   the exam as a file with its hash
    labels.py      what is right, by proof or by a long search           marks.py    what a network says beside it

A study that gives its networks an exam has settings that extend `ExamSettings` and a stage that calls `make_exam`, with
`settings=exam_stage_settings` and `inputs=exam_inputs`. Then `mark_network(read_exam(file), checkpoint)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.games.game import make_game
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork
from eightfold.studies.exam.labels import label_from_json, prove_positions, search_positions
from eightfold.studies.exam.marks import MARKS, mark_network, mark_networks
from eightfold.studies.exam.positions import PLAYERS, make_positions
from eightfold.studies.exam.record import DEAD, LOST, SEARCHED, WON, Exam, read_exam, write_exam
from eightfold.studies.frame import Work

__all__ = [
    "MARKS",
    "Exam",
    "ExamSettings",
    "exam_inputs",
    "exam_stage_settings",
    "make_exam",
    "mark_network",
    "mark_networks",
    "read_exam",
]

# Positions that are labelled together, as a part: on a GPU as many as keep it busy, else what takes some minutes.
TOGETHER, TOGETHER_ON_GPU = 10, 500


@dataclass(frozen=True, kw_only=True)
class ExamSettings:
    """What a study with an exam has among its settings, besides `game` and `device`."""

    exam_positions: int = setting(2000, "positions of the exam", least=1, most=1_000_000)
    exam_playouts: int = setting(
        50_000, "playouts of the search that labels a position without a proof", least=1, most=10_000_000
    )
    exam_network: str = setting("gomoku-8", "the network of that search: the strongest there is for the board")
    exam_seed: int = setting(0, "seed of the games that the positions are from", least=0, most=2**63 - 1)


exam_stage_settings = ("game", "device", "exam_positions", "exam_playouts", "exam_network", "exam_seed")


def exam_inputs(work: Work) -> Any:
    """What the exam depends on besides its settings: the weights of the network that labels."""
    return {"network": _network(work).file}


def _network(work: Work) -> PolicyValueNetwork:
    game = make_game(work.settings.game, trusted=True)
    return open_network(work.settings.exam_network, game, kind=PolicyValueNetwork)


def make_exam(work: Work) -> dict[str, Any]:
    """A stage: the exam by the settings, as a file in the study's folder, and what there is to say of it."""
    settings, network = work.settings, _network(work)
    positions = make_positions(work)
    moves = [list(position.moves) for position in positions]
    proven = _proven(work, moves)
    unknown = [each for each, label in zip(moves, proven, strict=True) if label is None]
    searched = iter(_searched(work, unknown, network))
    labels = [label_from_json(label or next(searched), network.game.actions) for label in proven]
    exam = Exam(
        game=network.game,
        positions=tuple(positions),
        policies=np.stack([label.policy for label in labels]),
        values=np.array([label.value for label in labels], np.float32),
        kinds=np.array([label.kind for label in labels], np.int8),
        about={
            "players": list(PLAYERS),
            "network": settings.exam_network,
            "playouts": settings.exam_playouts,
            "seed": settings.exam_seed,
        },
    )
    if not exam.asks_for_a_move.any():
        raise EightfoldError(f"in none of {len(exam)} positions is a move better than others; ask for more")
    plies = np.array([position.ply for position in positions])
    return {
        "file": str(write_exam(exam, work.output).relative_to(work.output)),
        "hash": exam.hash,
        "game": exam.game.text,
        "positions": len(exam),
        "proven": exam.count(WON) + exam.count(LOST),
        "won": exam.count(WON),
        "lost": exam.count(LOST),
        "dead": exam.count(DEAD),
        "labelled": exam.count(SEARCHED),
        "plies": {"least": int(plies.min()), "median": float(np.median(plies)), "most": int(plies.max())},
        **exam.about,
    }


def _proven(work: Work, positions: list[list[int]]) -> list[dict[str, Any] | None]:
    """What proofs say, which take a processor."""
    cases = [{"game": work.settings.game, "positions": some} for some in _groups(positions, TOGETHER)]
    return [label for part in work.parts(prove_positions, cases, ["proofs"] * len(cases)) for label in part]


def _searched(work: Work, positions: list[list[int]], network: PolicyValueNetwork) -> list[dict[str, Any]]:
    """What a search says of the others."""
    settings = work.settings
    same = {
        "game": settings.game,
        "network": network.file,
        "playouts": settings.exam_playouts,
        "device": settings.device,
    }
    together = TOGETHER if settings.device == "cpu" else TOGETHER_ON_GPU
    cases = [{**same, "positions": some} for some in _groups(positions, together)]
    return [label for part in work.parts(search_positions, cases, ["labels"] * len(cases)) for label in part]


def _groups(positions: list[list[int]], size: int) -> list[list[list[int]]]:
    return [positions[at : at + size] for at in range(0, len(positions), size)]
