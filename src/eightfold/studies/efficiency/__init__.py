"""Which ideas make a run learn more for its cost: ablations of a preset, one idea at a time, at equal cost.

ideas.py      what is asked about, as changes of a run
stages.py     the runs, their matches, and what comes of them
sections.py   the report
"""

from __future__ import annotations

from eightfold.studies.efficiency import sections, stages
from eightfold.studies.frame import Stage, Study

RUNS = ("preset", "changes", "ideas", "device", "seconds", "seeds")

STUDY = Study(
    name="efficiency",
    title="What makes a run learn more for its cost",
    introduction="What each idea is, and where it is from, is told in Eightfold's docs/training.md.",
    settings=stages.EfficiencySettings(),
    small=(
        "changes=game=gomoku:size=5,win=4 network=resnet:blocks=1,filters=4 selfplay.parallel_games=8"
        " selfplay.playouts=8 selfplay.fast_playouts=2 training.batch_size=16 training.games_a_round=4 backend=torch"
        " training.window=1000 training.later_window=0 selfplay.opening_stones=2",
        "ideas=next larger-late",
        "seconds=1",
        "seeds=[0]",
        "playouts=2",
        "match_games=2",
        "opening_plies=2",
    ),
    check=stages.check,
    stages=(
        Stage(name="runs", settings=RUNS, measure=stages.runs, section=sections.runs),
        Stage(
            name="matches",
            settings=("playouts", "match_games", "opening_plies", "round_robin"),
            after=("runs",),
            measure=stages.matches,
            section=sections.matches,
        ),
        Stage(
            name="worth",
            version=2,
            settings=(),
            after=("runs", "matches"),
            measure=stages.worth,
            section=sections.worth,
        ),
    ),
)
