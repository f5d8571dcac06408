"""The settings of TD(λ) self-play with an Internal Symmetry Network; the defaults are document 003's.

`eightfold train-isn paper` is exactly these: one game, one change of the weights. Other presets are TOML files in
`presets/isn/`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from eightfold.errors import EightfoldError, unknown

CLASSES = ("eyes", "count")


@dataclass(frozen=True, kw_only=True)
class UnitsConfig:
    """The network: hidden units by their type, steps of recurrent links, and outputs (7, or 1 as an ablation)."""

    trivial: int = 4
    symmetrical: int = 2
    diagonal: int = 2
    chiral: int = 0
    faithful: int = 2
    recurrent: int = 0
    outputs: int = 7


@dataclass(frozen=True, kw_only=True)
class ClimbConfig:
    """The hill-climb: TD as mutation. After so many games the new weights must hold their own against the old."""

    every: int = 0  # games between contests; 0: none, plain TD
    games: int = 100  # of a contest
    accept: float = 0.5  # the least score that lets the new weights stay
    beta: float = 20.0


@dataclass(frozen=True, kw_only=True)
class TdConfig:
    game: str = "go:size=9,komi=3.5"
    classes: str = "eyes"  # or count: groups by their number of liberties (document 003's first attempt)
    seed: int = 0
    games: int = 860_000
    linear_games: int = 20_000  # the preliminary phase, in which the shortcut alone is trained; among `games`
    minutes: float = 0.0  # 0: no limit
    games_an_update: int = 1  # more are played side by side with the same weights
    learning_rate: float = 5e-6  # on gradients summed over points, outputs, positions and games
    final_share: float = 1.0  # of the learning rate, reached at the end, falling from half of the run on
    decay: float = 0.99999  # of the weights, a game
    trace: float = 0.9  # λ
    beta: float = 4.0  # 0: always the best move
    c: float = 0.4  # what a captured stone is worth
    s: float = 0.4  # what a stone on the board is worth at the end
    longest: int = (
        0  # moves after which a game is counted as it stands; 0: three times the points; the rules end it too
    )
    snapshot_every: int = 20_000
    start: str = ""  # an Internal Symmetry Network to begin with, instead of fresh weights
    units: UnitsConfig = field(default_factory=UnitsConfig)
    climb: ClimbConfig = field(default_factory=ClimbConfig)


def check_config(config: TdConfig) -> None:
    """An error in one line for values that make no sense."""
    if config.classes not in CLASSES:
        raise unknown("classes", config.classes, CLASSES)
    if config.units.outputs not in (1, 7):
        raise EightfoldError(f"units.outputs = {config.units.outputs}: there are networks with 7 outputs, and with 1")
    if config.units.outputs == 1 and config.classes != "count":
        raise EightfoldError("a single output says nothing of eyes; set classes=count with units.outputs=1")
    for name, value, least, most in (
        ("games", config.games, 0, 10**9),
        ("linear_games", config.linear_games, 0, 10**9),
        ("games_an_update", config.games_an_update, 1, 4096),
        ("snapshot_every", config.snapshot_every, 1, 10**9),
        ("learning_rate", config.learning_rate, 0.0, 1.0),
        ("final_share", config.final_share, 0.0, 1.0),
        ("decay", config.decay, 0.0, 1.0),
        ("trace", config.trace, 0.0, 1.0),
        ("beta", config.beta, 0.0, 1e6),
        ("c", config.c, 0.0, 10.0),
        ("s", config.s, 0.0, 1.0),
        ("climb.accept", config.climb.accept, 0.0, 1.0),
        ("seed", config.seed, 0, 2**63 - 1),
        ("longest", config.longest, 0, 10**6),
        ("climb.beta", config.climb.beta, 0.0, 1e6),
        ("climb.every", config.climb.every, 0, 10**9),
        ("climb.games", config.climb.games, 2, 10**6),
        ("units.recurrent", config.units.recurrent, 0, 16),
        ("minutes", config.minutes, 0.0, 1e7),
    ):
        if not least <= value <= most:
            raise EightfoldError(f"{name} = {value} is not from {least:g} to {most:g}")
    if config.games == 0 and config.minutes == 0:
        raise EightfoldError("neither games nor minutes limit the run; set one of them")
