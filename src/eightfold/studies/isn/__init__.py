"""Internal Symmetry Networks for Go by TD(λ) self-play (Blair), measured again.

    a run of `eightfold train-isn`, or one trained here  ->  round robin over its snapshots  ->  the best of them
    -> against `random`, `mcts` and GNU Go without look-ahead; with alpha-beta; on 19x19 with the weights of 9x9
    -> variants trained with equally many games: Blair's rejected ones, recurrent links, the hill-climb

Blair found a noisy but rising percentage of wins. `stages.py` measures, `sections.py` writes.
"""

from __future__ import annotations

from eightfold.studies.frame import Stage, Study
from eightfold.studies.isn import sections, stages
from eightfold.studies.isn.settings import IsnSettings, check

_MATCHES = ("game", "match_games", "seed")

STUDY = Study(
    name="isn",
    title="Internal Symmetry Networks by TD(λ) self-play",
    introduction=(
        "The network, its inputs and outputs are explained in Eightfold's docs/isn.md, the training in docs/td.md."
    ),
    settings=IsnSettings(),
    small=(
        "training.game=go:size=5,komi=3.5",
        "training.games=60",
        "training.linear_games=20",
        "training.games_an_update=4",
        "training.snapshot_every=20",
        "training.learning_rate=2e-4",
        "game=go:size=5,komi=3.5",
        "large_game=go:size=7,komi=3.5",
        "games=2",
        "match_games=2",
        "large_games=2",
        "playouts=[10]",
        "rivals=isn:isn-9",
        "large_playouts=[10]",
        "depths=[2, 3]",
        "variant_games=20",
        "variant_snapshots=2",
        "variant_seeds=2",
    ),
    check=check,
    identify=stages.identify,
    stages=(
        Stage(
            name="training",
            settings=("training",),
            inputs=stages.training_files,
            measure=stages.training,
            section=sections.training,
        ),
        Stage(
            name="round_robin",
            after=("training",),
            settings=("game", "games", "snapshots", "beta", "seed"),
            inputs=stages.snapshot_files,
            measure=stages.round_robin,
            section=sections.round_robin,
        ),
        Stage(
            name="opponents",
            after=("round_robin",),
            settings=(*_MATCHES, "playouts", "rivals"),
            inputs=stages.programs,
            measure=stages.opponents,
            section=sections.opponents,
        ),
        Stage(
            name="look_ahead",
            after=("round_robin",),
            settings=(*_MATCHES, "depths", "width"),
            inputs=stages.programs,
            measure=stages.look_ahead,
            section=sections.look_ahead,
        ),
        Stage(
            name="large",
            after=("round_robin",),
            settings=("large_game", "large_games", "large_playouts"),
            inputs=stages.programs,
            measure=stages.large,
            section=sections.large,
        ),
        Stage(
            name="variants",
            after=("training",),
            settings=("game", "games", "beta", "seed", "variant_games", "variant_snapshots", "variant_seeds"),
            measure=stages.variants,
            section=sections.variants,
        ),
    ),
)
