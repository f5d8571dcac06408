"""What may not change while a run goes on; every other key may.

One list for each kind of run: the check reads it, the error names its reason, and docs/training.md and docs/td.md
are held to it by a test.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from eightfold.config import load_config
from eightfold.core.errors import EightfoldError

C = TypeVar("C")

FIXED = {
    "game": "weights and samples are of one game",
    "network": "weights fit one network",
    "encoder": "samples are stored as it encodes them",
    "symmetry": "samples and weights depend on it",
    "training.optimiser": "its state is a part of the run",
}
FIXED_TD = {
    "game": "weights are of one game",
    "classes": "they are what the network sees",
    "units": "weights fit one network",
    "start": "the run has begun",
}


def check_fixed(old: Any, new: Any, fixed: Mapping[str, str], run: Path) -> None:
    """An error if a run is to go on with another value of a key that is fixed."""
    for key, reason in fixed.items():
        before, now = value_of(old, key), value_of(new, key)
        if before != now:
            raise EightfoldError(
                f"the run {run} was started with {key} = {before!r}, not {now!r} ({reason}); choose another folder"
            )


def value_of(config: Any, key: str) -> Any:
    for part in key.split("."):
        config = getattr(config, part)
    return config


def load_run_config(defaults: C, path: Path, remedy: str) -> C:
    """The settings that a run was begun with; `remedy` says what to do if the file is damaged."""
    try:
        # The notes on how it came about are written last: a file without them lacks its end.
        if "eightfold" not in tomllib.loads(path.read_text(encoding="utf-8")):
            raise EightfoldError(f"{path} is cut short")
        return load_config(defaults, path)
    except OSError as error:
        raise EightfoldError(f"cannot read {path}: {error.strerror}") from None
    except (EightfoldError, ValueError, RecursionError) as error:
        named = str(error) if str(path) in str(error) else f"{path}: {error}"
        raise EightfoldError(f"{named}; {remedy}") from None
