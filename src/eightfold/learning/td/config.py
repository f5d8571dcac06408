"""The settings of TD(λ) self-play with an Internal Symmetry Network; the defaults are Blair's.

`eightfold train-isn paper` is exactly these: one game, one change of the weights. Other presets are TOML files in
`presets/isn/`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import check_settings, setting
from eightfold.isn.weights import MOST


@dataclass(frozen=True, kw_only=True)
class UnitsConfig:
    """The network: hidden units by their type, steps of recurrent links, and outputs (7, or 1 as an ablation)."""

    trivial: int = setting(4, "hidden units of the type Trivial", least=0, most=MOST)
    symmetrical: int = setting(2, "hidden units of the type Symmetrical", least=0, most=MOST)
    diagonal: int = setting(2, "hidden units of the type Diagonal", least=0, most=MOST)
    chiral: int = setting(0, "hidden units of the type Chiral", least=0, most=MOST)
    faithful: int = setting(2, "hidden units of the type Faithful, two channels each", least=0, most=MOST)
    recurrent: int = setting(0, "steps of recurrent links", least=0, most=16)
    outputs: int = setting(7, "outputs: 7, or 1 as an ablation", least=1, most=7)


@dataclass(frozen=True, kw_only=True)
class ClimbConfig:
    """The hill-climb: TD as mutation. After so many games the new weights must hold their own against the old."""

    every: int = setting(0, "games between gating matches; 0: no gating", least=0, most=1e9)
    games: int = setting(100, "games of a gating match", least=2, most=1e6)
    accept: float = setting(0.5, "minimum score for accepting the new weights", least=0, most=1)
    beta: float = setting(20.0, "how sharply better moves are preferred in a gating match", least=0, most=1e6)


@dataclass(frozen=True, kw_only=True)
class TdConfig:
    game: str = setting("go:size=9,komi=3.5", "a board of Go")
    classes: str = setting(
        "eyes",
        "how groups are classified: by predicted eyes, or by liberty count (Blair's first attempt)",
        choices=("eyes", "count"),
    )
    seed: int = setting(0, "seed of all randomness", least=0, most=2**63 - 1)
    games: int = setting(860_000, "self-play games; 0: no limit", least=0, most=1e9)
    linear_games: int = setting(
        20_000, "the preliminary phase, in which the shortcut alone is trained; among `games`", least=0, most=1e9
    )
    minutes: float = setting(0.0, "training time; 0: no limit", least=0, most=1e7)
    games_an_update: int = setting(1, "games per weight update, played in parallel", least=1, most=4096)
    learning_rate: float = setting(
        5e-6, "learning rate, for gradients summed over points, outputs, positions and games", least=0, most=1
    )
    final_share: float = setting(
        1.0,
        "final learning rate as a fraction of learning_rate, reached linearly over the second half",
        least=0,
        most=1,
    )
    decay: float = setting(0.99999, "factor applied to all weights after each game (weight decay)", least=0, most=1)
    trace: float = setting(0.9, "λ of TD(λ)", least=0, most=1)
    beta: float = setting(4.0, "how sharply better moves are preferred; 0: always the best move", least=0, most=1e6)
    c: float = setting(0.4, "what a captured stone is worth", least=0, most=10)
    s: float = setting(0.4, "what a stone on the board is worth at the end", least=0, most=1)
    longest: int = setting(
        0,
        "moves after which a game is counted as it stands; 0: three times the points; the rules end it too",
        least=0,
        most=1e6,
    )
    snapshot_every: int = setting(20_000, "games between networks that are kept", least=1, most=1e9)
    start: str = setting("", "an Internal Symmetry Network to begin with, instead of fresh weights")
    units: UnitsConfig = field(default_factory=UnitsConfig)
    climb: ClimbConfig = field(default_factory=ClimbConfig)


def check_config(config: TdConfig) -> None:
    """An error in one line for values that make no sense, alone or together."""
    check_settings(config)
    if config.units.outputs not in (1, 7):
        raise EightfoldError(f"units.outputs = {config.units.outputs}: there are networks with 7 outputs, and with 1")
    if config.units.outputs == 1 and config.classes != "count":
        raise EightfoldError("a single output says nothing of eyes; set classes=count with units.outputs=1")
    if config.games == 0 and config.minutes == 0:
        raise EightfoldError("neither games nor minutes limit the run; set one of them")
