"""What orbits save: caches with one entry for a position and its variants, over what real self-play asks.

streams.py    what self-play asks its network, recorded      stack.py      caches of all sizes in one pass
analysis.py   hits, entries and memory of a stream           summary.py    over seeds, and the claim of a factor of 8
alphabeta.py  alpha-beta's table with and without orbits     unturned.py   Gomoku that declares no symmetry
stages.py     which streams                                  sections.py   the report
"""

from __future__ import annotations

from eightfold.studies.frame import Stage, Study
from eightfold.studies.orbits import alphabeta, sections, stages, summary
from eightfold.studies.orbits.settings import OrbitSettings, check

STUDY = Study(
    name="orbits",
    title="What orbits save",
    introduction=(
        "A position and its turned and mirrored variants are worth the same, so a cache needs one entry for all eight."
        " Does it hold eight times as much, or answer as often with an eighth of the memory? Every request of real"
        " self-play is recorded, and replayed through caches of all sizes at once, with position keys and with orbit"
        " keys."
    ),
    settings=OrbitSettings(),
    small=(
        "changes=selfplay.playouts=24 selfplay.fast_playouts=8 selfplay.parallel_games=8 backend=torch"
        " network=resnet:blocks=1,filters=4",
        "networks=untrained",
        "requests=1500",
        "seeds=[0, 1]",
        "alphabeta_depth=0",
    ),
    check=check,
    stages=(
        Stage(
            name="streams",
            settings=stages.STREAMS,
            inputs=stages.networks,
            measure=stages.streams,
            section=sections.streams,
        ),
        Stage(name="caches", after=("streams",), settings=(), measure=stages.caches, section=sections.caches),
        Stage(name="alphabeta", settings=alphabeta.SETTINGS, measure=alphabeta.alphabeta, section=sections.alphabeta),
        Stage(name="claims", after=("caches",), settings=(), measure=summary.verdicts, section=sections.claims),
    ),
)
