"""Configurations: frozen dataclasses, presets as TOML files, and changes by `section.key=value`.

A run's resolved configuration is written beside its results. An unknown section or key is an error that lists
the known ones; a value that is not allowed says what would be right. What a value may be is declared with its field
(`settings.py`) and checked when it is read; whether values go together is looked at by what uses them, before a run's
folder is made (`learning/check.py`, `learning/td/config.py`).
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.settings import allowed_for, setting

C = TypeVar("C")


@dataclass(frozen=True, kw_only=True)
class SelfPlayConfig:
    games_at_once: int = setting(128, "games that are played side by side", least=1, most=65_536)
    playouts: int = setting(128, "of a full search, whose move becomes a sample", least=1, most=1_000_000)
    fast_playouts: int = setting(
        0, "of the cheap searches in between, without a sample (playout-cap randomisation)", least=0, most=1_000_000
    )
    full_share: float = setting(1.0, "share of the moves that get the full search", least=0.01, most=1)
    exploration: float = setting(2.0, "C of PUCT", least=0, most=1000)
    unvisited: float = setting(
        -1.0, "first-play urgency: the node's value minus this; below 0: as a draw", least=-1, most=2
    )
    threats: int = setting(
        0,
        "nodes to spend on a forced win at a leaf; 0: only wins on the spot are seen",
        least=0,
        most=1_000_000,
    )
    contempt: float = setting(
        0.0, "how much worse than even a draw is for one side of every game, chosen by lot", least=0, most=1
    )
    kept_count: bool = setting(True, "visits kept from the last move count towards the playouts")
    noise: float = setting(0.25, "share of Dirichlet noise in the priors of the root", least=0, most=1)
    noise_alpha: float = setting(0.3, "of that noise; small: on few moves", least=0.001, most=1000)
    root: str = setting(
        "puct",
        "how playouts are spent; gumbel: sequential halving, noise and temperatures are then not used",
        choices=("puct", "gumbel"),
    )
    gumbel_moves: int = setting(16, "moves that sequential halving begins with", least=1, most=1000)
    gumbel_visits: float = setting(
        50.0, "c_visit: the weight of a value beside a logit, from the first visit on", least=0, most=1_000_000
    )
    gumbel_scale: float = setting(1.0, "c_scale: and in all, for values from 0 to 1", least=0, most=1_000_000)
    forced_playouts: float = setting(
        0.0, "k: playouts that noisy moves are sure of (KataGo: 2), pruned from the target; 0: none", least=0, most=1000
    )
    temperature: float = setting(1.0, "of the moves that are played; 0: always the most visited", least=0, most=100)
    final_temperature: float = setting(1.0, "the same after `temperature_plies`", least=0, most=100)
    temperature_plies: int = setting(1000, "moves of a game with the first temperature", least=0, most=1_000_000)
    opening_share: float = setting(0.8, "share of the games that start from a few random stones", least=0, most=1)
    opening_stones: int = setting(6, "random stones at the most; they must fit the board", least=0, most=625)
    opening_everywhere: bool = setting(False, "random stones anywhere on the board, not in its middle alone")
    value_mix: float = setting(0.3, "share of the search's value in the value target", least=0, most=1)
    cache: int = setting(
        0, "evaluations that are remembered until new weights come; 0: none", least=0, most=100_000_000
    )
    cache_key: str = setting(
        "position",
        "orbit, for the symmetry modes slap and average: eight variants share an entry",
        choices=("position", "orbit"),
    )


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    batch_size: int = setting(256, "samples of a step", least=1, most=65_536)
    learning_rate: float = setting(1e-3, "at the start", least=0, most=10)
    optimiser: str = setting("adam", "what takes the steps", choices=("adam", "sgd"))
    l2: float = setting(1e-4, "weight decay", least=0, most=1)
    clip_quantile: float = setting(
        0.9, "AutoClip: gradients are clipped at this quantile of their own history; 0: never", least=0, most=1
    )
    games_a_round: int = setting(32, "games between new weights for self-play", least=1, most=1_000_000)
    samples_per_sample: float = setting(16.0, "how often a position is trained on, on average", least=0.01, most=10_000)
    steps_a_round: int = setting(
        0, "a fixed number of steps instead (Suen & Alonso: 10); 0: as above", least=0, most=1_000_000
    )
    window: int = setting(30_000, "newest samples to draw from; one batch at least", least=1, most=100_000_000)
    later_window: int = setting(0, "the same after `later_games`; 0: no change", least=0, most=100_000_000)
    later_games: int = setting(1000, "games after which the window changes", least=0, most=1_000_000_000)
    decay: str = setting(
        "linear",
        "of the learning rate: linear in the second half of the run's time or games, three-sigma when validation rises",
        choices=("linear", "three-sigma", "none"),
    )
    owners_weight: float = setting(
        1.0, "of foreseeing who owns the points at the end, for networks with foresight=1 (go)", least=0, most=1000
    )
    score_weight: float = setting(1.0, "of foreseeing by how much a game is won, the same", least=0, most=1000)
    precision: str = setting(
        "auto", "auto: bf16 where the processor has it, else fp32", choices=("auto", "bf16", "fp32")
    )
    turns: tuple[int, ...] = setting(
        (0, 1, 2, 3, 4, 5, 6, 7), "the different symmetries that augmentation draws from", least=0, most=7
    )
    turns_from_game: int = setting(
        0, "augmentation starts with this game and reaches all turns after as many more", least=0, most=1_000_000_000
    )
    validation_every: int = setting(
        20, "one game in so many is kept from training; 0: none, and 1 would leave nothing", least=0, most=1_000_000_000
    )


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    every_minutes: float = setting(2.0, "training time between evaluations; 0: none by time", least=0, most=1e7)
    every_games: int = setting(0, "self-play games between evaluations; 0: none by games", least=0, most=1_000_000_000)
    games: int = setting(10, "of an evaluation, against each opponent", least=1, most=100_000)
    playouts: int = setting(400, "of the network, for a move", least=1, most=1_000_000)
    exploration: float = setting(
        2.0, "C with which the network plays for points, here and wherever it is used later", least=0, most=1000
    )
    final_games: int = setting(30, "of the evaluation at the end, against each opponent", least=1, most=100_000)


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    game: str = setting("gomoku:size=8", "the game and its board")
    network: str = setting("a1", "a1, resnet or isn, with options")
    encoder: str = setting("last-move", "the planes that the network sees")
    symmetry: str = setting("augment", "none, augment, augment-eager, slap, slap-cc, random or average")
    seed: int = setting(0, "of all randomness", least=0, most=2**63 - 1)
    minutes: float = setting(10.0, "training time, evaluations left out; 0: no limit", least=0, most=1e7)
    games: int = setting(0, "self-play games; 0: no limit", least=0, most=1_000_000_000)
    backend: str = setting("auto", "what runs the network in self-play: auto, openvino, onnxruntime or torch")
    device: str = setting("cpu", "cpu, or cuda for a GPU")
    selfplay: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)


def preset_names(kind: str = "") -> list[str]:
    """The presets of `eightfold train`, or those in a folder of their own."""
    entries = (_presets() / kind).iterdir()
    return sorted(entry.name.removesuffix(".toml") for entry in entries if entry.name.endswith(".toml"))


def load_preset(name: str) -> TrainConfig:
    """A preset by name, or a TOML file of your own."""
    return load_preset_of(TrainConfig(), name)


def load_preset_of(defaults: C, name: str, kind: str = "") -> C:
    """The same for any dataclass of values and sections."""
    if name.endswith(".toml"):
        return load_config_of(defaults, Path(name))
    if name not in preset_names(kind):
        raise unknown("preset", name, [*preset_names(kind), "FILE.toml"])
    return _from_toml(defaults, (_presets() / kind / f"{name}.toml").read_text(encoding="utf-8"), name)


def load_config(path: Path) -> TrainConfig:
    return load_config_of(TrainConfig(), path)


def load_config_of(defaults: C, path: Path) -> C:
    try:
        return _from_toml(defaults, path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise EightfoldError(f"cannot read the configuration {path}: {error}") from None


def _presets() -> Any:
    return resources.files("eightfold") / "presets"


def _from_toml(defaults: C, text: str, origin: str) -> C:
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise EightfoldError(f"{origin} is not TOML: {error}") from None
    data.pop("eightfold", None)  # what a run notes of its making
    _drop_retired(data, origin)
    return cast(C, _merge(defaults, data, origin, ""))


def _drop_retired(data: dict[str, Any], origin: str) -> None:
    """Leave out keys of earlier versions that every run wrote down; a run that made use of them cannot go on."""
    selfplay = data.get("selfplay")
    if not isinstance(selfplay, dict):
        return
    if selfplay.pop("rival", "") != "":
        raise EightfoldError(
            f"{origin}: training against a rival (selfplay.rival) is no longer offered; begin a new run"
        )
    for key in ("rival_share", "rival_exploration"):
        selfplay.pop(key, None)


def with_changes(config: C, changes: Iterable[str]) -> C:
    """`section.key=value` texts applied to a configuration; values are written as in TOML, texts may lack quotes."""
    for change in changes:
        key, equals, text = (part.strip() for part in change.partition("="))
        if not equals or not key:
            raise EightfoldError(f"--set {change!r} is not of the form key=value")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except (ValueError, RecursionError):  # not TOML, or a number with thousands of digits
            value = text
        data: Any = value
        for part in reversed(key.split(".")):
            data = {part: data}
        config = _merge(config, data, "--set", "")
    return config


def _merge(config: Any, data: Mapping[str, Any], origin: str, prefix: str) -> Any:
    """A configuration, or a section of one, with the values of `data` in place of its own."""
    hints = get_type_hints(type(config))
    changed: dict[str, Any] = {}
    for key, value in data.items():
        if key not in hints:
            raise unknown(f"key in {origin}", prefix + key, [prefix + name for name in hints])
        if dataclasses.is_dataclass(hints[key]):
            if not isinstance(value, Mapping):
                raise EightfoldError(f"{origin}: {prefix}{key} is a section, not a value")
            changed[key] = _merge(getattr(config, key), value, origin, f"{prefix}{key}.")
        else:
            changed[key] = allowed_for(type(config), key).accept(value, prefix + key, origin)
    return dataclasses.replace(config, **changed)


def to_toml(config: Any, notes: Mapping[str, str]) -> str:
    """A configuration as TOML, every key written out, with notes on how it came about."""
    top, sections = [], []
    for item in dataclasses.fields(config):
        value = getattr(config, item.name)
        if dataclasses.is_dataclass(value):
            lines = [f"{f.name} = {toml_value(getattr(value, f.name))}" for f in dataclasses.fields(value)]
            sections.append("\n".join([f"[{item.name}]", *lines]))
        else:
            top.append(f"{item.name} = {toml_value(value)}")
    made = "\n".join(["[eightfold]", *(f"{key} = {toml_value(text)}" for key, text in notes.items())])
    return "\n\n".join(["\n".join(top), *sections, made]) + "\n"


def toml_value(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return str(list(value))
    return repr(int(value) if isinstance(value, Integral) else float(value))
