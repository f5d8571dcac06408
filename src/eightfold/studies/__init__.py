"""Studies: questions asked of Eightfold, each answered by numbers, plots and a report. `eightfold study NAME`.

A study is a list of stages in the frame of `eightfold.studies.frame`; read that first, then `docs/studies.md`.
`STUDIES` lists the built-in studies by name; each is imported when it is asked for.
"""

from __future__ import annotations

STUDIES = {
    "isn": "does an Internal Symmetry Network get stronger at Go by TD(lambda) self-play, and how strong? (Blair)",
    "patterns": "what is it worth to count symmetric Go patterns together, and what do patterns bring? (Wei et al.)",
}
