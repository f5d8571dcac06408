"""Suen & Alonso's experiment 2, measured again: does SLAP help reinforcement learning, and which mode should one use?

    settings.py   the arms, and what can be changed       stages.py     which runs are trained; what arms cost
    measures.py   the exam, Elo, the paper's evaluation   analysis.py   from runs to numbers, at equal games and cost
    claims.py     what was published, and what to use     sections.py, paper_sections.py   the report

Every way of using symmetry stands beside the others: in the data, in the input, in the answers, in the network. The
runs themselves are those of `eightfold.studies.symmetry_runs`.
"""

from __future__ import annotations

from eightfold.studies.frame import Stage, Study
from eightfold.studies.slap_rl import claims, measures, paper_sections, sections, stages
from eightfold.studies.slap_rl.settings import RlSettings, check

TIERS = ("tiers", "tier_playouts", "backend")

STUDY = Study(
    name="slap-rl",
    title="Ways of using symmetry in reinforcement learning",
    introduction=(
        "Suen & Alonso train Gomoku players that see every position in one canonical variant (SLAP), and find them as"
        " strong as players trained on all eight (augmentation), from an eighth of the samples. Their experiment 2 is"
        " the frame of this study, in which every other way of using symmetry that Eightfold has stands beside theirs,"
        " and none at all: at equal games and at equal cost, paired by seed, measured with less noise."
    ),
    settings=RlSettings(),
    small=(
        "arms=augment slap",
        "network=resnet:blocks=1,filters=8",
        "backend=torch",
        "games=8",
        "keep_every=4",
        "seeds=2",
        "playouts=4",
        "parallel_games=4",
        "games_a_round=4",
        "changes=training.batch_size=16 training.steps_a_round=2 training.window=64 training.later_games=4",
        "buffer_seeds=1",
        "grid_points=1",
        "grid_games=4",
        "price_blocks=3",
        "price_games=2",
        "price_steps=2",
        "exam_positions=12",
        "exam_playouts=16",
        "elo_playouts=2",
        "tiers=[5, 10, 20]",
        "tier_games=1",
        "tier_playouts=4",
        "paper_games=1",
    ),
    check=check,
    stages=(
        Stage(
            name="learning",
            settings=(*stages.TRAINING, "arms", "games", "keep_every", "seeds"),
            measure=stages.learning,
            section=sections.learning,
        ),
        Stage(
            name="buffers",
            settings=(*stages.TRAINING, "games", "keep_every", "buffer_seeds"),
            measure=stages.buffers,
            section=sections.nothing,
        ),
        Stage(
            name="stage_one",
            settings=(*stages.TRAINING, "grid_points", "grid_games"),
            measure=stages.stage_one,
            section=sections.nothing,
        ),
        Stage(
            name="prices",
            settings=(*stages.TRAINING, "arms", "games", "price_blocks", "price_games", "price_steps"),
            measure=stages.prices,
            section=sections.prices,
        ),
        Stage(
            name="exam",
            version=2,  # wins by threes are proven too
            settings=measures.EXAM,
            measure=measures.exam,
            inputs=measures.inputs,
            section=sections.exam,
        ),
        Stage(
            name="marks",
            after=("learning", "buffers", "stage_one", "prices", "exam"),
            settings=(),
            measure=measures.marks,
            section=sections.marks,
        ),
        Stage(
            name="elo",
            after=("learning", "prices"),
            settings=("game", "seed", "backend", "elo_games", "elo_playouts", "opening_plies"),
            measure=measures.elo,
            section=sections.elo,
        ),
        Stage(
            name="tiers",
            after=("learning",),
            settings=(*TIERS, "tier_games"),
            measure=measures.tiers,
            section=paper_sections.tiers,
        ),
        Stage(
            name="paper",
            after=("learning", "buffers", "stage_one"),
            settings=(*TIERS, "paper_games"),
            measure=measures.paper,
            section=paper_sections.paper,
        ),
        Stage(
            name="grid",
            after=("stage_one", "paper", "marks"),
            settings=(),
            measure=measures.grid,
            section=paper_sections.grid,
        ),
        Stage(
            name="claims",
            version=3,  # somewhat stronger is as strong; a network kept just past a mark counts for it
            after=("learning", "prices", "marks", "elo", "paper"),
            settings=(),
            measure=claims.claims,
            section=paper_sections.claims,
            summary=paper_sections.summary,
        ),
    ),
)
