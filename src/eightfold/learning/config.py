"""The configuration of training by self-play: `eightfold train`, a preset, a run's `config.toml`.

What a single value may be is declared with its field; whether values go together is checked in `check.py`, before a
run's folder is made.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eightfold.config import load_config, load_preset, with_changes
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting, with_default
from eightfold.games.game import make_game
from eightfold.learning.advisor.targets import TARGETS, USUAL_TEMPERATURE
from eightfold.learning.runs.folder import CONFIG
from eightfold.nets.store.description import present_network
from eightfold.nets.store.policy_value import describe_network
from eightfold.search.settings import SearchSettings

AS_IN_SELF_PLAY = -1


@dataclass(frozen=True, kw_only=True)
class SelfPlayConfig(SearchSettings):
    """How games are played: the settings of the search, and what is self-play's own."""

    exploration: float = with_default(SearchSettings, "exploration", 2.0)
    noise: float = with_default(SearchSettings, "noise", 0.25)
    count_reused_visits: bool = with_default(SearchSettings, "count_reused_visits", True)
    parallel_games: int = setting(128, "games played side by side", least=1, most=65_536, former=("games_at_once",))
    gpu_games: int = setting(6144, "the same on a GPU (device=cuda), as far as its memory goes", least=2, most=65_536)
    playouts: int = setting(128, "playouts of a full search, whose move becomes a sample", least=1, most=1_000_000)
    fast_playouts: int = setting(
        0, "playouts of cheap searches that give no sample (playout-cap randomisation)", least=0, most=1_000_000
    )
    full_share: float = setting(1.0, "share of the moves that get the full search", least=0.01, most=1)
    temperature: float = setting(1.0, "temperature of the moves played; 0: always the most visited", least=0, most=100)
    final_temperature: float = setting(1.0, "temperature after `temperature_plies`", least=0, most=100)
    temperature_plies: int = setting(1000, "moves of a game played at `temperature`", least=0, most=1_000_000)
    opening_share: float = setting(0.8, "share of the games that start from a few random stones", least=0, most=1)
    opening_stones: int = setting(6, "random stones at the most; they must fit the board", least=0, most=625)
    opening_anywhere: bool = setting(
        False, "random stones anywhere on the board, not only in its middle", former=("opening_everywhere",)
    )
    opening_balance: float = setting(
        0.0,
        "games begin only with random stones that the run's own network values from minus this to this; 0: with any",
        least=0,
        most=1,
    )
    games: str = setting(
        "",
        "games to draw from, with a vertical bar between, that differ from the run's in rules alone (go: komi, rules,"
        " ko, suicide, handicap); empty: the run's own",
    )
    value_mix: float = setting(0.3, "share of the search's value in the value target", least=0, most=1)
    theta_until: float = setting(
        0.0,
        "leaves=mixed: share of the run at which theta reaches 0, in a straight line; 0: it stays as it is",
        least=0,
        most=1,
    )
    cache: int = setting(0, "evaluations cached until new weights come; 0: none", least=0, most=100_000_000)
    cache_key: str = setting(
        "position",
        "orbit: equivalent positions share an entry (symmetry modes slap and average)",
        choices=("position", "orbit"),
    )


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    batch_size: int = setting(256, "samples a step", least=1, most=65_536)
    learning_rate: float = setting(1e-3, "learning rate at the start", least=0, most=10)
    optimiser: str = setting("adam", "the optimiser", choices=("adam", "sgd"))
    l2: float = setting(1e-4, "weight decay", least=0, most=1)
    clip_quantile: float = setting(
        0.9, "AutoClip: gradients are clipped at this quantile of their own history; 0: never", least=0, most=1
    )
    games_a_round: int = setting(
        32, "games between new weights for self-play; on a GPU two seconds go by at least", least=1, most=1_000_000
    )
    replay_ratio: float = setting(
        16.0,
        "how often each sample is trained on, on average; on a GPU, where games may come faster than steps, at most",
        least=0.01,
        most=10_000,
        former=("samples_per_sample",),
    )
    steps_a_round: int = setting(
        0, "a fixed number of steps instead (Suen & Alonso: 10); 0: as above", least=0, most=1_000_000
    )
    epochs_a_round: float = setting(
        0.0, "passes over the window after every round instead (Zhao & Zhang: 100); 0: as above", least=0, most=100_000
    )
    window: int = setting(30_000, "newest samples to draw from; one batch at least", least=1, most=100_000_000)
    later_window: int = setting(0, "the same after `later_games`; 0: no change", least=0, most=100_000_000)
    later_games: int = setting(1000, "games after which the window changes", least=0, most=1_000_000_000)
    decay: str = setting(
        "linear",
        "learning-rate schedule; linear: decays in the second half, three-sigma: lowered when validation loss rises",
        choices=("linear", "three-sigma", "none"),
    )
    ownership_weight: float = setting(
        1.0,
        "weight of the ownership loss, for networks with auxiliary heads (go)",
        least=0,
        most=1000,
        former=("owners_weight",),
    )
    score_weight: float = setting(1.0, "weight of the score loss, likewise", least=0, most=1000)
    soft_policy_weight: float = setting(
        8.0, "weight of the soft policy's loss, for networks with that auxiliary head", least=0, most=1000
    )
    soft_policy_temperature: float = setting(
        4.0, "the temperature at which it learns the policy of the search", least=1, most=1000
    )
    next_move_weight: float = setting(
        0.15,
        "weight of the loss of the opponent's next move, for networks with that auxiliary head",
        least=0,
        most=1000,
    )
    average_weights: int = setting(
        0,
        "self-play, evaluations and exports use the mean weights of about so many steps; 0: the last",
        least=0,
        most=1e9,
    )
    precision: str = setting(
        "auto", "auto: bf16 where the processor has it, else fp32", choices=("auto", "bf16", "fp32")
    )
    symmetries: tuple[int, ...] = setting(
        (0, 1, 2, 3, 4, 5, 6, 7),
        "the symmetries that augmentation draws from, each once",
        least=0,
        most=7,
        former=("turns",),
    )
    symmetries_from_game: int = setting(
        0,
        "augmentation starts with this game and draws from all symmetries after as many more",
        least=0,
        most=1_000_000_000,
        former=("turns_from_game",),
    )
    validation_every: int = setting(20, "hold out every Nth game for validation; 0: none", least=0, most=1_000_000_000)


@dataclass(frozen=True, kw_only=True)
class AdvisorConfig:
    """Whom a run learns from before it plays itself (docs/advisor.md)."""

    folder: str = setting("", "games of `eightfold advise`, or SGF and psq records, to learn from first; empty: none")
    games: int = setting(0, "learn from the first N games alone; 0: from all", least=0, most=1_000_000_000)
    targets: str = setting(
        "onehot", "what the policy learns; onehot: the best move, softmax: scores of all", choices=TARGETS
    )
    softmax_temperature: float = setting(
        USUAL_TEMPERATURE, "temperature of the softmax; scores are scaled to run from -1 to 1", least=1e-3, most=1000
    )
    discount: float = setting(
        1.0, "what the result of a game loses with every move until its end; 1: nothing", least=0, most=1
    )
    epochs: int = setting(10, "passes over the advisor's samples before the first game", least=0, most=100_000)
    share: float = setting(0.5, "share of the advisor's samples in a batch when self-play begins", least=0, most=1)
    share_games: int = setting(500, "games over which this share falls to 0", least=0, most=1_000_000_000)
    digest: str = setting("", "what the folder holds, as the run noted it; empty: whatever is there")


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    every_minutes: float = setting(2.0, "training time between evaluations; 0: none by time", least=0, most=1e7)
    every_games: int = setting(0, "self-play games between evaluations; 0: none by games", least=0, most=1_000_000_000)
    games: int = setting(
        10, "games against each opponent; 0: the network is kept, to be measured later", least=0, most=100_000
    )
    playouts: int = setting(400, "playouts of the network for a move", least=1, most=1_000_000)
    exploration: float = setting(
        2.0, "C of PUCT in evaluations and in later play (`net:`, the page, engines)", least=0, most=1000
    )
    threat_nodes: int = setting(
        AS_IN_SELF_PLAY,
        "nodes for wins by threats at the root, in evaluations and in later play; -1: as in self-play",
        least=AS_IN_SELF_PLAY,
        most=1_000_000,
    )
    final_games: int = setting(30, "games against each opponent in the last evaluation; 0: none", least=0, most=100_000)
    keep_networks: int = setting(
        3,
        "networks of the last evaluations that the run keeps; the newest earlier one is an opponent too; 0: none",
        least=0,
        most=10_000,
    )
    shipped: bool = setting(False, "the network that comes with Eightfold for the game, if any, is an opponent too")


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    game: str = setting("gomoku:size=8", "the game and its board")
    network: str = setting("a1", "a1, resnet, densenet, equivariant, isn or slap-net, with options")
    encoder: str = setting("last-move", "the planes that the network sees")
    symmetry: str = setting("augment", "none, augment, augment-eager, slap, slap-cc, random or average")
    start_from: str = setting("", "a network whose weights a new run starts from; empty: random weights")
    seed: int = setting(0, "seed of all randomness", least=0, most=2**63 - 1)
    minutes: float = setting(10.0, "training time, evaluations left out; 0: no limit", least=0, most=1e7)
    games: int = setting(0, "self-play games; 0: no limit", least=0, most=1_000_000_000)
    backend: str = setting("auto", "what runs the network in self-play: auto, openvino, onnxruntime or torch")
    device: str = setting("cpu", "cpu, cuda for an NVIDIA GPU, mps for that of Apple silicon")
    selfplay: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    advisor: AdvisorConfig = field(default_factory=AdvisorConfig)

    @staticmethod
    def drop_retired(data: dict[str, Any], origin: str) -> None:
        """Bring the network's text up to date, and leave out keys that every run of an earlier version wrote.

        A run that made use of such keys cannot go on.
        """
        if isinstance(data.get("network"), str):
            data["network"] = present_network(data["network"])
        selfplay = data.get("selfplay")
        if not isinstance(selfplay, dict):
            return
        if selfplay.pop("rival", "") != "":
            raise EightfoldError(
                f"{origin}: training against a rival (selfplay.rival) is no longer offered; begin a new run"
            )
        for key in ("rival_share", "rival_exploration"):
            selfplay.pop(key, None)


def train_config(
    preset: str, changes: Sequence[str], start_from: str | None = None, run: Path | None = None
) -> TrainConfig:
    """A preset with changes. With a network to start from, its kind and its game take the place of the preset's.

    `run`: a folder that may hold a run which started so; then nobody asks whether the other network is still there.
    """
    make_game(with_changes(TrainConfig(), changes).game, trusted=True)  # what a preset's file says was not typed
    config = load_preset(TrainConfig(), preset)
    if start_from is not None:
        kept = run / CONFIG if run is not None else Path()
        begun = load_config(TrainConfig(), kept) if kept.is_file() else None
        theirs = begun if begun is not None and begun.start_from == start_from else describe_network(start_from)
        config = replace(
            config, start_from=start_from, network=theirs.network, encoder=theirs.encoder, game=theirs.game
        )
    return with_changes(config, changes)


def advisor_change(folder: str | Path) -> str:
    """The change of a configuration that `--advisor FOLDER` stands for."""
    return f"advisor.folder={json.dumps(str(folder))}"
