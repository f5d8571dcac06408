"""The settings of a run that goes on: read from its folder, and compared with those of the command.

Each algorithm lists the keys that may not change (`Layout.fixed`), with a reason that the error names; every other key
may. docs/training.md and docs/td.md are held to these lists by a test.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from eightfold.config import load_config
from eightfold.core.errors import EightfoldError
from eightfold.games.game import make_game
from eightfold.nets.store.description import present_network

C = TypeVar("C")


def check_fixed(old: Any, new: Any, fixed: Mapping[str, str], run: Path) -> None:
    """An error if a run is to go on with another value of a key that is fixed."""
    for key, reason in fixed.items():
        before, now = _value_of(old, key), _value_of(new, key)
        if before != now and not (key == "game" and _is_one_game(before, now)):
            raise EightfoldError(
                f"the run {run} was started with {key} = {before!r}, not {now!r} ({reason}); choose another folder"
            )


def _is_one_game(before: str, now: str) -> bool:
    """Whether two texts name the same game, such as `gomoku:size=8` and `gomoku:size=8,win=5`."""
    try:
        return make_game(before) == make_game(now)
    except EightfoldError:  # code of somebody's own that the user did not name, or a game that is gone
        return False


def _value_of(config: Any, key: str) -> Any:
    for part in key.split("."):
        config = getattr(config, part)
    return config


def load_run_config(defaults: C, path: Path, *, command: str, remedy: str) -> C:
    """The settings that a run was begun with by `command`; `remedy` says what to do if the file is damaged."""
    try:
        # The notes on how it came about are written last: a file without them lacks its end.
        notes = tomllib.loads(path.read_text(encoding="utf-8")).get("eightfold")
        if not isinstance(notes, dict):
            raise ValueError("it is cut short")
    except OSError as error:
        raise EightfoldError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise EightfoldError(f"{path}: {error}; {remedy}") from None
    began = notes.get("command", command)  # earlier versions did not note it
    if began != command:
        raise EightfoldError(f"{path.parent} is a run of eightfold {began}, not of {command}; choose another folder")
    try:
        config: Any = load_config(defaults, path)
        return replace(config, network=present_network(config.network)) if hasattr(config, "network") else config
    except EightfoldError as error:
        named = str(error) if str(path) in str(error) else f"{path}: {error}"
        raise EightfoldError(f"{named}; {remedy}") from None
