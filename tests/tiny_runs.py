"""The smallest runs that train, for all tests: tic-tac-toe, a few playouts, a second or less."""

from __future__ import annotations

from eightfold.config import load_preset, with_changes
from eightfold.learning.config import TrainConfig

TINY = [
    "game=gomoku:size=3,win=3",
    "network=resnet:blocks=1,filters=4",
    "backend=torch",
    "minutes=0",
    "games=2",
    "selfplay.parallel_games=2",
    "selfplay.playouts=4",
    "selfplay.fast_playouts=2",
    "selfplay.full_share=0.5",
    "selfplay.opening_stones=1",
    "training.batch_size=2",
    "training.games_a_round=1",
    "training.replay_ratio=2",
    "training.window=40",
    "training.later_window=0",
    "training.validation_every=3",
    "evaluation.every_minutes=0",
    "evaluation.games=1",
    "evaluation.final_games=1",
    "evaluation.playouts=4",
]


def tiny(*changes: str) -> TrainConfig:
    return with_changes(load_preset(TrainConfig(), "quick"), [*TINY, *changes])
