"""Suen & Alonso's experiment 1, measured again: does SLAP learn synthetic Gomoku positions faster than augmentation?

    states.py     the positions            views.py      what each mode sees of them, and how losses are compared
    training.py   models as one batch      stages.py     which models; figure 8, sample sizes, the grid of figure 7
    analysis.py   from curves to numbers   claims.py     what was published, and whether it holds
    sections.py   the report

With the control that the paper leaves out, no symmetry at all, and modes that it does not have.
"""

from __future__ import annotations

from eightfold.studies.frame import Stage, Study
from eightfold.studies.slap_synthetic import claims, sections, stages
from eightfold.studies.slap_synthetic.settings import SyntheticSettings, check

STUDY = Study(
    name="slap-synthetic",
    title="SLAP on synthetic Gomoku positions",
    introduction=(
        "Suen & Alonso say that a network learns positions of Gomoku faster if it sees each of them in one canonical"
        " variant (SLAP) instead of in all eight (augmentation), with an eighth of the samples. This is their"
        " experiment 1 again, from the same recipe, with the control that they leave out: no symmetry at all. SLAP's"
        " samples are the same positions; what it does without are their turned copies."
    ),
    settings=SyntheticSettings(),
    small=(
        "modes=none augment slap slap-unaveraged slap-cc random average",
        "l2_powers=[4]",
        "repeats=2",
        "iterations=8",
        "record=2",
        "batch=16",
        "sets=1",
        "random_states=100",
        "sample_sizes=[100]",
        "sample_repeats=1",
        "sample_iterations=8",
        "draws=1",
        "draw_iterations=4",
        "grid_points=3",
        "grid_blocks=[0, 1]",
        "grid_filters=8",
        "grid_iterations=4",
    ),
    check=check,
    stages=(
        Stage(name="data", version=3, settings=stages.DATA, measure=stages.data, section=sections.data),
        Stage(
            name="learning",
            after=("data",),
            settings=(*stages.TRAINING, "modes", "network", "l2_powers", "repeats", "iterations"),
            measure=stages.learning,
            section=sections.learning,
        ),
        Stage(
            name="samples",
            after=("data",),
            settings=(*stages.TRAINING, "network", "sample_sizes", "sample_l2", "sample_repeats", "sample_iterations"),
            measure=stages.samples,
            section=sections.samples,
        ),
        Stage(
            name="draws",
            after=("data", "learning"),
            settings=(*stages.TRAINING, "network", "sample_l2", "draws", "draw_iterations"),
            measure=stages.draws,
            section=sections.draws,
        ),
        Stage(
            name="search",
            settings=(*stages.TRAINING, "grid_points", "grid_blocks", "grid_filters", "grid_iterations"),
            measure=stages.search,
            section=sections.search,
        ),
        Stage(
            name="claims",
            version=8,  # a published loss is of another draw of positions
            after=("learning", "samples", "search"),
            settings=(),
            measure=claims.claims,
            section=sections.claims,
            summary=lambda report, found: report.text(found["short"]),
        ),
    ),
)
