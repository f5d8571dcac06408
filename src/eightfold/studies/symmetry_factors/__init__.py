"""Does the best way of using symmetry change with the data, the board or the game? A factorial study at equal cost.

    stages.py     runs on every board, and round robins at two amounts of data
    effects.py    what an arm is worth in each case, and what changes it
    sections.py   the report

The runs and the measurements are those of the study `slap-rl`, without the exam, which is for 8x8 Gomoku alone.
"""

from __future__ import annotations

from eightfold.studies.frame import Stage, Study
from eightfold.studies.symmetry_factors import sections, stages
from eightfold.studies.symmetry_factors.settings import FactorSettings, check

STUDY = Study(
    name="symmetry-factors",
    title="What decides which way of using symmetry is best",
    introduction=(
        "The study `slap-rl` compares ways of using symmetry on 8x8 Gomoku. Here fewer of them are compared at equal"
        " cost with little and much data, on a small and a large board, in Gomoku and in Go."
    ),
    settings=FactorSettings(),
    small=(
        "boards=gomoku:size=5,win=4 go:size=5",
        "arms=augment slap",
        "network=resnet:blocks=1,filters=4",
        "few=2",
        "many=4",
        "keep_every=2",
        "seeds=2",
        "playouts=2",
        "parallel_games=2",
        "games_a_round=2",
        "changes=training.batch_size=8 training.window=64",
        "steps_a_game=1",
        "backend=torch",
        "price_blocks=2",
        "elo_games=2",
        "elo_playouts=2",
        "opening_plies=2",
    ),
    check=check,
    stages=(
        Stage(
            name="runs",
            settings=(*stages.TRAINING, "boards", "arms", "network", "many", "keep_every", "seeds", "seed"),
            measure=stages.runs,
            section=sections.runs,
        ),
        Stage(
            name="prices",
            settings=(*stages.TRAINING, "boards", "arms", "network", "many", "seed", "price_blocks", "price_games"),
            measure=stages.prices,
            section=sections.nothing,
        ),
        Stage(
            name="elo",
            after=("runs", "prices"),
            settings=("few", "many", "seed", "backend", "elo_games", "elo_playouts", "opening_plies"),
            measure=stages.elo,
            section=sections.elo,
            summary=sections.summary,
        ),
    ),
)
