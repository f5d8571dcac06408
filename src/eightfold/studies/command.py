"""The command that a report came from, with every setting that differs from its default."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any


def command_of(study: str, defaults: Mapping[str, Any], settings: Mapping[str, Any], *, of_run: bool = False) -> str:
    """Of a study about a run, as `--run RUN`: where the run lay is nobody's business.

    >>> command_of("isn", {"games": 10, "training": {"beta": 4.0, "game": "go"}}, {"training": {"game": "go:size=5"}})
    'eightfold study isn --set training.game=go:size=5'
    >>> command_of("isn", {"sizes": [5], "modes": "none"}, {"sizes": [3, 4], "modes": "none slap"})
    "eightfold study isn --set 'sizes=[3, 4]' --set 'modes=none slap'"
    """
    changes = [f"--set {shlex.quote(change)}" for change in _changes(defaults, settings, "")]
    return " ".join([f"eightfold study {study}", *(["--run RUN"] if of_run else []), *changes])


def _changes(defaults: Mapping[str, Any], settings: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, value in settings.items():
        usual = defaults.get(name)
        if isinstance(value, Mapping) and isinstance(usual, Mapping):
            yield from _changes(usual, value, f"{prefix}{name}.")
        elif value != usual:
            yield f"{prefix}{name}={value if isinstance(value, str) else json.dumps(value)}"
