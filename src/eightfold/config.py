"""Configurations as TOML: presets, files of one's own, and changes by `section.key=value`.

A configuration is a frozen dataclass of settings and sections (`eightfold.core.settings`): those of training are in
`learning/config.py` and `learning/td/config.py`. An unknown section or key is an error that lists the known ones; a
value that is not allowed is answered with what would be right. A file may be of an earlier version: former names of
keys are read as the new ones. Who types a former name is told the new one.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.settings import settings_of

C = TypeVar("C")
FORMER_PRESETS = {f"paper-{mode}": f"suen-alonso, with --symmetry {mode}" for mode in ("augment", "slap", "slap-cc")}


def preset_names(kind: str = "") -> list[str]:
    """The presets of `eightfold train`, or those in a folder of their own."""
    entries = (_presets() / kind).iterdir()
    return sorted(entry.name.removesuffix(".toml") for entry in entries if entry.name.endswith(".toml"))


def load_preset(defaults: C, name: str, kind: str = "") -> C:
    """A preset by name, or a TOML file of your own, over the defaults of a configuration."""
    if name.endswith(".toml"):
        return load_config(defaults, Path(name))
    if name in FORMER_PRESETS:
        raise EightfoldError(f"preset {name} is now called {FORMER_PRESETS[name]}")
    if name not in preset_names(kind):
        raise unknown("preset", name, [*preset_names(kind), "FILE.toml"])
    return _from_toml(defaults, (_presets() / kind / f"{name}.toml").read_text(encoding="utf-8"), name)


def load_config(defaults: C, path: Path) -> C:
    try:
        return _from_toml(defaults, path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise EightfoldError(f"cannot read the configuration {path}: {reason}") from None


def _presets() -> Any:
    return resources.files("eightfold") / "presets"


def _from_toml(defaults: C, text: str, origin: str) -> C:
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise EightfoldError(f"{origin} is not TOML: {error}") from None
    data.pop("eightfold", None)  # what a run notes of its making
    if hasattr(defaults, "drop_retired"):
        defaults.drop_retired(data, origin)  # keys that earlier versions wrote
    return cast(C, _merge(defaults, data, origin, "", stored=True))


def with_changes(config: C, changes: Iterable[str]) -> C:
    """`section.key=value` texts applied to a configuration; values are written as in TOML, texts may lack quotes."""
    data: dict[str, Any] = {}
    for change in changes:
        key, equals, text = (part.strip() for part in change.partition("="))
        if not equals or not key:
            raise EightfoldError(f"--set {change!r} is not of the form key=value")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except (ValueError, RecursionError):  # not TOML, or a number with thousands of digits
            value = text
        *sections, last = key.split(".")
        place: Any = data
        for part in sections:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise EightfoldError(f"--set: {part} is given a value and keys of its own")
        place[last] = value
    return cast(C, _merge(config, data, "--set", ""))


def _merge(config: Any, data: Mapping[str, Any], origin: str, prefix: str, *, stored: bool = False) -> Any:
    """A configuration, or a section of one, with the values of `data` in place of its own."""
    hints = get_type_hints(type(config))
    fields = [item.name for item in dataclasses.fields(config)]
    declared = {one.field: one for one in settings_of(type(config)) if "." not in one.name}
    former = {name: one for one in declared.values() for name in one.former}
    changed: dict[str, Any] = {}
    for given, value in data.items():
        key = given
        if given in former:
            key = former[given].field
            if not stored:
                raise EightfoldError(f"{origin}: {prefix}{given} is now called {prefix}{key}")
        if key not in fields:
            raise unknown(f"key in {origin}", prefix + key, [prefix + name for name in fields])
        if dataclasses.is_dataclass(hints[key]):
            if not isinstance(value, Mapping):
                raise EightfoldError(f"{origin}: {prefix}{key} is a section, not a value")
            section = getattr(config, key)
            changed[key] = _merge(section, value, origin, f"{prefix}{key}.", stored=stored)
        else:
            changed[key] = declared[key].accept(value, prefix + key, origin)
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
