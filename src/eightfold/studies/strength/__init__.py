"""How strong a network is, by the clock: its opponents, other boards, and how it grew in the run that made it.

stages.py     the matches, and the ratings of the networks that a run has kept
sections.py   the report
"""

from __future__ import annotations

from eightfold.studies.frame import Stage, Study
from eightfold.studies.strength import sections, stages

STUDY = Study(
    name="strength",
    title="How strong a network is",
    introduction="A network by the clock against other players, with both colours.",
    settings=stages.StrengthSettings(),
    small=(
        "network=gomoku-8",
        "options=playouts=2",
        "opponents=random | mcts:style=plain,playouts=4",
        "games=4",
        "part_games=2",
        "boards=gomoku:size=6",
        "board_opponent=random",
        "board_games=2",
    ),
    check=stages.check,
    identify=stages.identify,
    stages=(
        Stage(
            name="matches",
            settings=(*stages.PLAYED, "opponents", "games"),
            inputs=stages.weights_of_network,
            measure=stages.matches,
            section=sections.matches,
        ),
        Stage(
            name="boards",
            settings=(*stages.PLAYED, "boards", "board_opponent", "board_games"),
            inputs=stages.weights_of_network,
            measure=stages.boards,
            section=sections.boards,
        ),
        Stage(
            name="growth",
            settings=("growth_options", "growth_networks", "growth_games", "opening_plies", "seed"),
            inputs=stages.weights_of_run,
            measure=stages.growth,
            section=sections.growth,
        ),
    ),
)
