"""The settings of a search with an evaluator: each declared here, once.

    PlaySettings    how a network plays outside of self-play; stored with its weights, and options of the player `net`
    LeafSettings    who values a leaf: the network, games played from it, or both; options of `net` too, but not stored
    SearchSettings  all of it, with what only self-play needs; the section `[selfplay]` of a run extends it

The defaults are Suen & Alonso's constants; `PLAYING` holds what plays best. Read next: `forest.py`, which uses them.
"""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import check_settings, setting
from eightfold.core.specs import read_spec, spec_values


@dataclass(frozen=True, kw_only=True)
class PlaySettings:
    """How a network searches when it plays outside of self-play."""

    exploration: float = setting(5.0, "C of PUCT", least=0, most=1000, former=("c",))
    fpu_reduction: float = setting(
        -1.0,
        "first-play urgency: an unvisited move counts as its position's value minus this; below 0: as a draw",
        least=-1,
        most=2,
        former=("unvisited",),
    )
    proof_nodes: int = setting(
        0,
        "nodes to spend on proving a forced win at a leaf; 0: only wins in one move are seen",
        least=0,
        most=1_000_000,
        former=("threats",),
    )
    threat_nodes: int = setting(
        0,
        "nodes to spend at the root on wins by threats (Gomoku: threes and fours), on those of the other side, and on "
        "moves against them; 0: none",
        least=0,
        most=1_000_000,
    )
    leaf_threat_nodes: int = setting(
        0,
        "nodes to spend on wins by threats at a leaf that the network is asked about; 0: none",
        least=0,
        most=1_000_000,
    )
    contempt: float = setting(0.0, "penalty for a draw: it counts as minus this", least=0, most=1)

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def text(self) -> str:
        """The text that is stored with a network.

        >>> PLAYING.text
        'exploration=1.25,fpu_reduction=0.2,proof_nodes=100,threat_nodes=0,leaf_threat_nodes=0,contempt=0.0'
        """
        return ",".join(f"{name}={value}" for name, value in spec_values(self).items())


LEAF_EVALUATORS = ("network", "random", "minmax", "mixed")
WITH_LEAVES = {  # settings that mean something with some leaves alone
    "theta": ("mixed",),
    "rollout": ("mixed",),
    "rollouts": ("random", "minmax", "mixed"),
    "rollout_depth": ("minmax", "mixed"),
    "rollout_epsilon": ("minmax", "mixed"),
}


@dataclass(frozen=True, kw_only=True)
class LeafSettings:
    """Who values a leaf (the rollout functions of Zhao & Zhang, section 3.4.2); its priors are always the network's."""

    leaves: str = setting(
        "network",
        "who values a leaf: the network; random or minmax rollouts, games played from it to their end; mixed: both",
        choices=LEAF_EVALUATORS,
    )
    theta: float = setting(0.5, "leaves=mixed: weight of the rollouts, the network has the rest", least=0, most=1)
    rollout: str = setting("minmax", "leaves=mixed: the kind of rollouts", choices=("random", "minmax"))
    rollouts: int = setting(4, "games played from a leaf", least=1, most=10_000)
    rollout_depth: int = setting(
        0, "minmax rollouts: plies that both players look ahead; 0: both are greedy", least=0, most=8
    )
    rollout_epsilon: float = setting(
        0.1, "minmax rollouts: chance of a move drawn in proportion to its greedy score", least=0, most=1
    )

    @property
    def rollouts_wanted(self) -> str:
        """`random`, `minmax`, or empty where the network alone values leaves."""
        return {"network": "", "mixed": self.rollout}.get(self.leaves, self.leaves)

    @property
    def weight_of_rollouts(self) -> float:
        return {"network": 0.0, "mixed": self.theta}.get(self.leaves, 1.0)


@dataclass(frozen=True, kw_only=True)
class SearchSettings(PlaySettings, LeafSettings):
    """How a search spends its playouts."""

    count_reused_visits: bool = setting(
        False, "visits reused from the last move's tree count towards the playouts", former=("kept_count",)
    )
    noise: float = setting(0.0, "share of Dirichlet noise in the priors of the root", least=0, most=1)
    noise_alpha: float = setting(
        0.3, "alpha of the Dirichlet noise; small values concentrate it on few moves", least=0.001, most=1000
    )
    root: str = setting(
        "puct",
        "how playouts are spent; gumbel: sequential halving, noise and temperatures are then not used",
        choices=("puct", "gumbel"),
    )
    gumbel_moves: int = setting(16, "moves that sequential halving begins with", least=1, most=1000)
    gumbel_visits: float = setting(
        50.0, "c_visit: the weight of a value against a logit before any visit", least=0, most=1_000_000
    )
    gumbel_scale: float = setting(
        1.0, "c_scale: the weight of values in all, for values from 0 to 1", least=0, most=1e6
    )
    forced_playouts: float = setting(
        0.0,
        "k of KataGo's forced playouts and policy-target pruning; 0: off (KataGo: 2)",
        least=0,
        most=1000,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.root == "gumbel" and self.forced_playouts > 0:
            raise EightfoldError(
                f"forced_playouts = {self.forced_playouts} goes with root = puct; root = gumbel needs 0"
            )


# Measured, see docs/training-log.md.
PLAYING = PlaySettings(exploration=1.25, fpu_reduction=0.2, proof_nodes=100)
# The published evaluator's (Suen & Alonso), whatever the network was trained with.
PUBLISHED = PlaySettings()


def read_play_settings(text: str) -> PlaySettings:
    """The settings that are stored with a network; what the text does not say is as in `PLAYING`.

    >>> read_play_settings("exploration=5,threats=0")
    PlaySettings(exploration=5.0, fpu_reduction=0.2, proof_nodes=0, threat_nodes=0, leaf_threat_nodes=0, contempt=0.0)
    """
    return read_spec(text, PlaySettings, "how the network plays", stored=True, defaults=PLAYING)
