"""Which features suit an `equivariant` network best? Every kind learns from the same games, at equal processor time.

    settings.py   what can be changed         games.py      the positions: a strong network's games
    learning.py   the arms, taking turns      inference.py  what a folded network costs
    choice.py     which kind is chosen        sections.py   the report

Plain residual networks, with augmentation and without, stand beside them.
"""

from __future__ import annotations

from eightfold.studies.equivariant_features import games, inference, learning, sections
from eightfold.studies.equivariant_features.settings import FeatureSettings, check
from eightfold.studies.frame import Stage, Study

STUDY = Study(
    name="equivariant-features",
    title="Features of equivariant networks",
    introduction=(
        "A network `equivariant:blocks=…,width=…` turns its answers with the board, whatever its weights. What its"
        " features are made of (`features=`) is a choice: this compares the kinds, beside `resnet`. What they are is"
        " explained in Eightfold's docs/training.md."
    ),
    settings=FeatureSettings(),
    small=(
        "game=gomoku:size=8",
        "games=8",
        "judged_games=4",
        "playouts=2",
        "blocks=1",
        "width=32",
        "batch=16",
        "seconds=0.1",
        "marks=2",
        "seeds=2",
        "inference_batch=4",
        "inference_rounds=3",
    ),
    check=check,
    stages=(
        Stage(
            name="games",
            settings=("game", "player", "games", "judged_games", "playouts", "game_seed"),
            inputs=games.weights,
            measure=games.games,
            section=sections.games,
        ),
        Stage(
            name="learning",
            after=("games",),
            settings=("kinds", "blocks", "width", "batch", "learning_rate", "seconds", "marks", "seeds"),
            measure=learning.learning,
            section=sections.learning,
        ),
        Stage(
            name="inference",
            settings=("game", "player", "kinds", "blocks", "width", "inference_batch", "inference_rounds"),
            measure=inference.inference,
            section=sections.inference,
        ),
    ),
)
