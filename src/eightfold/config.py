"""Configurations: frozen dataclasses, presets as TOML files, and changes by `section.key=value`.

A run's resolved configuration is written beside its results. An unknown section or key is an error that lists
the known ones; a value of the wrong kind says what would be right.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

from eightfold.errors import EightfoldError, unknown

C = TypeVar("C")


@dataclass(frozen=True, kw_only=True)
class SelfPlayConfig:
    games_at_once: int = 128
    playouts: int = 128
    fast_playouts: int = 0  # playout-cap randomisation: cheap searches in between, without a sample
    full_share: float = 1.0  # share of moves that get the full search
    exploration: float = 2.0  # C
    unvisited: float = -1.0  # first-play urgency: the node's value minus this; below 0: as a draw
    threats: int = 0  # nodes to spend on proving a forced win at a leaf; 0: only wins on the spot are seen
    contempt: float = 0.0  # how much worse than even a draw is for one side of every game, chosen by lot
    kept_count: bool = True  # visits kept from the last move count towards the playouts
    noise: float = 0.25
    noise_alpha: float = 0.3
    root: str = "puct"  # or gumbel: sequential halving; noise and temperatures are then not used
    gumbel_moves: int = 16  # moves that sequential halving begins with
    gumbel_visits: float = 50.0  # c_visit: the weight of a value beside a logit, from the first visit on
    gumbel_scale: float = 1.0  # c_scale: and in all, for values from 0 to 1
    forced_playouts: float = 0.0  # k: playouts that noisy moves are sure of (KataGo: 2), pruned from the target
    temperature: float = 1.0
    final_temperature: float = 1.0
    temperature_plies: int = 1000
    opening_share: float = 0.8  # games that start from a few random stones, in the middle
    opening_stones: int = 6
    opening_everywhere: bool = False  # or anywhere on the board
    value_mix: float = 0.3  # share of the search's value in the value target
    cache: int = 0  # evaluations that are remembered until new weights come; 0: none
    cache_key: str = "position"  # or orbit, for symmetry modes slap and average: eight variants share an entry


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    batch_size: int = 256
    learning_rate: float = 1e-3
    optimiser: str = "adam"  # or sgd
    l2: float = 1e-4
    clip_quantile: float = 0.9  # AutoClip: gradients are clipped at this quantile of their own history; 0: never
    games_a_round: int = 32
    samples_per_sample: float = 16.0  # how often a position is trained on, on average
    steps_a_round: int = 0  # a fixed number of steps instead (document 000: 10)
    window: int = 30_000  # samples in the buffer
    later_window: int = 0  # and after `later_games` games; 0: the same
    later_games: int = 1000
    decay: str = "linear"  # of the learning rate over the run's time or games: linear, three-sigma, none
    owners_weight: float = 1.0  # of foreseeing who owns the points at the end, for networks with foresight=1 (go)
    score_weight: float = 1.0  # of foreseeing by how much a game is won, the same
    precision: str = "auto"  # bf16 where the processor has it, else fp32
    turns: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6, 7)  # the symmetries that augmentation draws from
    turns_from_game: int = 0  # augmentation starts with this game and reaches all turns after as many more
    validation_every: int = 20  # every so-manieth game is kept from training


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    every_minutes: float = 2.0
    games: int = 10  # a tier
    playouts: int = 400
    exploration: float = 2.0  # C with which the network plays for points, here and wherever it is used later
    final_games: int = 30


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    game: str = "gomoku:size=8"
    network: str = "a1"
    encoder: str = "last-move"
    symmetry: str = "augment"
    seed: int = 0
    minutes: float = 10.0  # 0: no limit
    games: int = 0  # 0: no limit
    backend: str = "auto"
    device: str = "cpu"
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
    except tomllib.TOMLDecodeError as error:
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


def _checked(value: Any, hint: Any, key: str, origin: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint in (int, float, str, bool):
        if type(value) is not hint:
            words = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
            raise EightfoldError(f"{origin}: {key} = {value!r} is not {words[hint]}")
        return value
    if not isinstance(value, (list, tuple)) or not all(type(item) is int for item in value):
        raise EightfoldError(f"{origin}: {key} = {value!r} is not a list of whole numbers")
    return tuple(value)


def with_changes(config: C, changes: Iterable[str]) -> C:
    """`section.key=value` texts applied to a configuration; values are written as in TOML, texts may lack quotes."""
    for change in changes:
        key, equals, text = (part.strip() for part in change.partition("="))
        if not equals or not key:
            raise EightfoldError(f"--set {change!r} is not of the form key=value")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
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
            changed[key] = _checked(value, hints[key], prefix + key, origin)
    return dataclasses.replace(config, **changed)


def to_toml(config: Any, notes: Mapping[str, str]) -> str:
    """A configuration as TOML, every key written out, with notes on how it came about."""
    top, sections = [], []
    for item in dataclasses.fields(config):
        value = getattr(config, item.name)
        if dataclasses.is_dataclass(value):
            lines = [f"{f.name} = {_toml_value(getattr(value, f.name))}" for f in dataclasses.fields(value)]
            sections.append("\n".join([f"[{item.name}]", *lines]))
        else:
            top.append(f"{item.name} = {_toml_value(value)}")
    made = "\n".join(["[eightfold]", *(f"{key} = {_toml_value(text)}" for key, text in notes.items())])
    return "\n\n".join(["\n".join(top), *sections, made]) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return str(list(value))
    return repr(value)
