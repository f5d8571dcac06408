"""Studies: questions asked of Eightfold, each answered by numbers, plots and a report. `eightfold study NAME`.

A study is a list of stages in the frame of `eightfold.studies.frame`; read that first, then `docs/studies.md`.
`STUDIES` lists the built-in studies by name; each is imported when it is asked for, from the module of the same name
(with underscores) or from the one that `MODULES` names.
"""

from __future__ import annotations

STUDIES = {
    "isn": "does an Internal Symmetry Network get stronger at Go by TD(lambda) self-play, and how strong? (Blair)",
    "patterns": "what is it worth to count symmetric Go patterns together, and what do patterns bring? (Wei et al.)",
    "advisor-init": "how strong is a network that learned from a teacher's games alone? (Zhao & Zhang, figure 2)",
    "rollouts": "are leaves valued better by games or by the network, in training and play? (Zhao & Zhang, figure 4)",
    "slap-synthetic": "does SLAP learn positions faster than augmentation, or than none? (Suen & Alonso, experiment 1)",
    "slap-rl": "which way of using symmetry helps reinforcement learning, at equal cost? (Suen & Alonso, experiment 2)",
    "symmetry-factors": "does the best way of using symmetry change with data, board and game?",
    "orbits": "what do caches save by one entry for a position and its variants? (Suen & Alonso's future work)",
    "advisor-start": "what is it worth in time to begin with a teacher's games?",
    "equivariant-features": "which features suit an equivariant network best, and is it worth its cost?",
    "strength": "how strong is a network by the clock, against whom, on which boards, and how did it grow?",
    "efficiency": "which ideas make a run learn more for its cost, one at a time, at equal cost?",
}
MODULES = {  # those that are not where their name says
    "advisor-init": "advisor.init",
    "rollouts": "advisor.rollouts",
    "advisor-start": "advisor.start",
}
